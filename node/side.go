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
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// heapAge is how old a sample of the heap may be. Reading one costs as much as many instructions of
// Lua.
const heapAge = time.Millisecond

// side is one half of a game: a host with its console and its scripts.
type side struct {
	name    string // in the log: "server" or "client"
	from    surroundings
	tape    tape.Tape
	rec     inputs // told what the side is given
	out     func(to netcore.Addr, b []byte)
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	folders []fs.FS         // of mods
	own     map[string]bool // the first parts of the names of torc's own variables and commands
	seed    uint64
	date    date
	log     *slog.Logger
}

// inputs is told what a side is given: a tape.Recorder for a journal, or nobody. Done follows Receive, Send, Ending
// and Close.
type inputs interface {
	On() bool
	Called() bool
	Receive(at time.Duration, from netcore.Addr, b []byte)
	Tick(now time.Duration, date time.Time)
	Ticked(h *engine.Host, s *vm.Runtime)
	Send(now time.Duration)
	Sent(to netcore.Addr, b []byte)
	Ending(restart bool)
	Close(now time.Duration, restart bool, reason string)
	Done()
	Mark(why string)
	Stop(why string)
}

// nobody is told nothing. A client in a browser has no other inputs, so its program lacks the code of journals.
type nobody struct{}

func (nobody) On() bool                                    { return false }
func (nobody) Called() bool                                { return false }
func (nobody) Receive(time.Duration, netcore.Addr, []byte) {}
func (nobody) Tick(time.Duration, time.Time)               {}
func (nobody) Ticked(*engine.Host, *vm.Runtime)            {}
func (nobody) Send(time.Duration)                          {}
func (nobody) Sent(netcore.Addr, []byte)                   {}
func (nobody) Ending(bool)                                 {}
func (nobody) Close(time.Duration, bool, string)           {}
func (nobody) Done()                                       {}
func (nobody) Mark(string)                                 {}
func (nobody) Stop(string)                                 {}

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
func newSide(name string, cfg Common, e engine.Config, from surroundings, print func(string), log *slog.Logger) (*side, error) {
	return newTapedSide(name, tape.Untaped{}, cfg, e, from, print, log)
}

// newTapedSide makes a side whose inputs come from a tape, or go to it.
func newTapedSide(name string, t tape.Tape, cfg Common, e engine.Config, from surroundings, print func(string), log *slog.Logger) (*side, error) {
	s := &side{name: name, rec: nobody{}, from: from, tape: t, folders: t.Folders(modFolders(cfg.Mods)), own: map[string]bool{}, seed: e.Seed, log: log.With("side", name)}
	e.Entropy, e.Log = s.tape.Entropy(from.Entropy), s.log
	s.host = engine.NewHost(e)
	s.console = console.New(print)
	if files := s.tape.Files(cfg.Files); files != nil {
		s.console.SetFiles(files)
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
	setup.Engine, setup.Console, setup.Mods, setup.Seed, setup.Protos = s.host, s.console, s.folders, s.seed, s.from.Protos
	setup.Echo, setup.Clock, setup.Thread, setup.Heap, setup.Collect = s.console.Print, s.from.Clock, s.from.thread, s.from.heap, s.from.collect
	setup.Log = func(level slog.Level, msg string, args ...any) {
		s.log.Log(context.Background(), level, msg, args...)
	}
	s.tape.Setup(&setup)
	if s.scripts, err = script.NewScripts(setup); err != nil {
		return err
	}
	s.host.SetScripts(s.scripts)
	s.date = date{scripts: s.scripts, clock: s.from.Date, now: func() time.Duration { return time.Duration(s.host.Now()) * time.Millisecond }}
	s.date.take(s.from.began)
	return s.console.Bind(s.date.variable())
}

// machineDate returns the date of the machine at the start of the tick.
func (s *side) machineDate() time.Time { return s.date.machine }

// receive passes a datagram to the host. A journal has neither the stateless ones nor the answers to them: strangers cannot
// fill it.
func (s *side) receive(at netcore.Time, from netcore.Addr, b []byte) {
	if s.host.ReceiveStateless(at, from, b) {
		return
	}
	s.rec.Receive(at, from, b)
	s.host.ReceiveStateful(at, from, b)
	s.rec.Done()
}

// tick runs a tick of the host. It begins with the inputs from outside of the network.
func (s *side) tick(now netcore.Time) {
	s.date.read()
	s.rec.Tick(now, s.date.machine)
	s.host.Tick(now)
	s.rec.Ticked(s.host, s.scripts.Runtime)
}

// send lets the host send. With a journal, a round without a reason is left out: strangers wake the loop with each datagram, and a
// round is an entry.
func (s *side) send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	if !s.rec.On() {
		s.host.Send(now, out)
		return
	}
	s.host.SendStateless(now, out)
	if !s.rec.Called() && s.host.Due(now) > now {
		return
	}
	s.rec.Send(now)
	s.out = out
	s.host.Send(now, s.sent)
	s.rec.Done()
}

// sent passes on a datagram of a recorded host.
func (s *side) sent(to netcore.Addr, b []byte) {
	s.rec.Sent(to, b)
	s.out(to, b)
}

// tellEnding tells the mods that the server ends.
func (s *side) tellEnding(restart bool) {
	s.rec.Ending(restart)
	s.scripts.Ending(restart)
	s.rec.Done()
}

// shutdown tells the peers that the node ends.
func (s *side) shutdown(now netcore.Time, restart bool, reason string) {
	s.rec.Close(now, restart, reason)
	defer s.rec.Done()
	if restart {
		s.host.Restart(reason)
	} else {
		s.host.Shutdown(reason)
	}
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
