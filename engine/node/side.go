package node

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime/metrics"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script"
)

// heapAge is how old a sample of the heap may be. Reading one costs as much as many instructions of
// Lua.
const heapAge = time.Millisecond

// side is one half of a game: a host with its console and its scripts.
type side struct {
	name    string // in the log: "server" or "client"
	from    surroundings
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	folders []fs.FS         // of mods
	own     map[string]bool // the first parts of the names of torc's own variables and commands
	seed    uint64
	date    date
	log     *slog.Logger
}

// newClasses returns the Go classes: of engine, of game, and of the program.
func newClasses(register func(*sim.Classes) error) (*sim.Classes, error) {
	classes := sim.NewClasses()
	err := errors.Join(engine.Register(classes), game.Register(classes))
	if err == nil && register != nil {
		err = register(classes)
	}
	return classes, err
}

// modFolders returns the mods of torc, then the program's own.
func modFolders(own []fs.FS) []fs.FS { return append([]fs.FS{mods.FS()}, own...) }

// newSide makes a host with a console. The caller registers commands, then calls addScripts.
func newSide(name string, cfg Config, e engine.Config, from surroundings, print func(string), log *slog.Logger) (*side, error) {
	s := &side{name: name, from: from, folders: modFolders(cfg.Mods), own: map[string]bool{}, seed: e.Seed, log: log.With("side", name)}
	e.Entropy, e.Log = from.Entropy, s.log
	s.host = engine.NewHost(e)
	s.console = console.New(print)
	if cfg.Files != nil {
		s.console.SetFiles(cfg.Files)
	}
	if err := s.host.Bind(s.console); err != nil {
		return nil, err
	}
	return s, s.register(cfg.Commands)
}

func (s *side) register(commands []console.Command) error {
	for _, c := range commands {
		if err := s.console.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// addScripts makes the Lua of a side. No mod is loaded yet. setup has the parts that differ between
// sides.
func (s *side) addScripts(setup script.Setup) (err error) {
	setup.Engine, setup.Console, setup.Mods, setup.Seed = s.host, s.console, s.folders, s.seed
	setup.Echo, setup.Clock, setup.Thread, setup.Heap, setup.Collect = s.console.Print, s.from.Clock, s.from.thread, s.from.heap, s.from.collect
	setup.Log = func(level slog.Level, msg string, args ...any) {
		s.log.Log(context.Background(), level, msg, args...)
	}
	if s.scripts, err = script.NewScripts(setup); err != nil {
		return err
	}
	s.host.SetScripts(s.scripts)
	s.date = date{scripts: s.scripts, clock: s.from.Date, now: func() time.Duration { return time.Duration(s.host.Now()) * time.Millisecond }}
	s.date.read()
	return s.console.Bind(s.date.variable())
}

// tick runs a tick of the host. It begins with the inputs from outside of the network.
func (s *side) tick(now netcore.Time) {
	s.date.read()
	s.host.Tick(now)
}

// heapSampler returns a function that returns the bytes of live heap.
func heapSampler(now func() time.Duration) func() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := -heapAge
	return func() uint64 {
		if at := now(); at-read >= heapAge {
			read = at
			metrics.Read(sample)
		}
		return sample[0].Value.Uint64()
	}
}
