package core

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime/metrics"
	"sync"
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

// Side is one half of a game: a host with its console and its scripts.
type Side struct {
	Name    string // in the log: "server" or "client"
	Left    bool   // of a client that has gone to another server: it only tells its peer
	Closed  func() // called by RemoveSide; nil: nobody asks
	from    Surroundings
	tape    tape.Tape
	Rec     inputs // told what the side is given
	out     func(to netcore.Addr, b []byte)
	Host    *engine.Host
	Console *console.Console
	Scripts *script.Scripts
	folders []fs.FS         // of mods
	own     map[string]bool // the first parts of the names of torc's own variables and commands
	Seed    uint64
	date    date
	log     *slog.Logger
}

// inputs is told what a side is given: a tape.Recorder for a journal, or nobody. Done follows
// Receive, Send, Ending and Close.
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

// nobody is told nothing. A client in a browser has no other inputs, so its program lacks the code
// of journals.
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

// NewClasses returns the Go classes: of engine, of game, and of the program. Nobody may register
// more of them: programs without classes of their own get the same classes in each call.
func NewClasses(register func(*sim.Classes) error) (*sim.Classes, error) {
	if register == nil {
		return ownClasses()
	}
	classes, err := makeClasses()
	if err == nil {
		err = register(classes)
	}
	return classes, err
}

// ownClasses are those of programs without classes of their own. A node takes them twice or more
// often, and each host has a session of its own anyway.
var ownClasses = sync.OnceValues(makeClasses)

func makeClasses() (*sim.Classes, error) {
	classes := sim.NewClasses()
	return classes, errors.Join(engine.Register(classes), game.Register(classes))
}

// ModFolders returns the mods of torc, then the program's own.
func ModFolders(own []fs.FS) []fs.FS { return append([]fs.FS{mods.FS()}, own...) }

// NewSide makes a host with a console. The caller registers commands, then calls AddScripts.
func NewSide(name string, cfg Common, e engine.Config, from Surroundings, print func(string), log *slog.Logger) (*Side, error) {
	return NewTapedSide(name, tape.Untaped{}, cfg, e, from, print, log)
}

// NewTapedSide makes a side whose inputs come from a tape, or go to it.
func NewTapedSide(name string, t tape.Tape, cfg Common, e engine.Config, from Surroundings, print func(string), log *slog.Logger) (*Side, error) {
	s := &Side{Name: name, Rec: nobody{}, from: from, tape: t, folders: t.Folders(ModFolders(cfg.Mods)), own: map[string]bool{}, Seed: e.Seed, log: log.With("side", name)}
	if err := engine.CheckEvents(cfg.Events); err != nil {
		return nil, &ConfigError{Field: "Events", Err: err}
	}
	e.Entropy, e.Log = s.tape.Entropy(from.Entropy), s.log
	e.Events = cfg.Events
	s.Host = engine.NewHost(e)
	s.Console = console.New(print)
	if files := s.tape.Files(cfg.Files); files != nil {
		s.Console.SetFiles(files)
	}
	if err := s.Host.Bind(s.Console); err != nil {
		return nil, err
	}
	return s, s.Register(cfg.Commands)
}

// Register adds commands to the console.
func (s *Side) Register(commands []console.Command) error {
	for _, c := range commands {
		if err := s.Console.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// AddScripts makes the Lua of a side. No mod is loaded yet. setup has the parts that differ between
// sides.
func (s *Side) AddScripts(setup script.Setup) (err error) {
	setup.Engine, setup.Console, setup.Mods, setup.Seed, setup.Protos = s.Host, s.Console, s.folders, s.Seed, s.from.Protos
	setup.Echo, setup.Clock, setup.Thread = s.Console.Print, s.from.Clock, s.from.thread
	setup.Heap, setup.Live, setup.Collect = s.from.heap, s.from.live, s.from.collect
	setup.Log = func(level slog.Level, msg string, args ...any) {
		s.log.Log(context.Background(), level, msg, args...)
	}
	setup.Parts = Parts
	s.tape.Setup(&setup)
	if s.Scripts, err = script.NewScripts(setup); err != nil {
		return err
	}
	s.Host.SetScripts(s.Scripts.Hooks())
	s.date = date{scripts: s.Scripts, clock: s.from.Date, now: func() time.Duration { return time.Duration(s.Host.Now()) * time.Millisecond }}
	s.date.take(s.from.Began)
	return s.Console.Bind(s.date.variable())
}

// Date returns the date of the machine at the start of the tick.
func (s *Side) Date() time.Time { return s.date.machine }

// Receive passes a datagram to the host. A journal has neither the stateless ones nor the answers
// to them: strangers cannot fill it.
func (s *Side) Receive(at netcore.Time, from netcore.Addr, b []byte) {
	if s.Host.ReceiveStateless(at, from, b) {
		return
	}
	s.Rec.Receive(at, from, b)
	s.Host.ReceiveStateful(at, from, b)
	s.Rec.Done()
}

// Tick runs a tick of the host. It begins with the inputs from outside of the network.
func (s *Side) Tick(now netcore.Time) {
	s.date.read()
	s.Rec.Tick(now, s.date.machine)
	s.Host.Tick(now)
	s.Rec.Ticked(s.Host, s.Scripts.Runtime)
}

// Send lets the host send. With a journal, a round without a reason is left out: strangers wake the
// loop with each datagram, and a round is an entry.
func (s *Side) Send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	if !s.Rec.On() {
		s.Host.Send(now, out)
		return
	}
	s.Host.SendStateless(now, out)
	if !s.Rec.Called() && s.Host.Due(now) > now {
		return
	}
	s.Rec.Send(now)
	s.out = out
	s.Host.Send(now, s.sent)
	s.Rec.Done()
}

// sent passes on a datagram of a recorded host.
func (s *Side) sent(to netcore.Addr, b []byte) {
	s.Rec.Sent(to, b)
	s.out(to, b)
}

// TellEnding tells the mods that the server ends.
func (s *Side) TellEnding(restart bool) {
	s.Rec.Ending(restart)
	s.Scripts.Ending(restart)
	s.Rec.Done()
}

// Shutdown tells the peers that the node ends.
func (s *Side) Shutdown(now netcore.Time, restart bool, reason string) {
	s.Rec.Close(now, restart, reason)
	defer s.Rec.Done()
	if restart {
		s.Host.Restart(reason)
	} else {
		s.Host.Shutdown(reason)
	}
}

// heapSampler returns a function that returns the bytes of heap, with dead objects.
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
