package modtrial

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
)

const (
	delay      = 10 * time.Millisecond // of every line, each way
	settling   = 100                   // ticks that clients have to be gone
	beginning  = 3                     // ticks before the first test: missions load
	maxPrinted = 10_000                // lines kept of each side
	loading    = "20000000"            // instructions of loading a mod: no clock ends that here
)

// A stage is a server with mods, a network with its time, and the clients that tests bring in. It is what tests are
// told of as script.Stage, and it keeps who may do what.
type stage struct {
	run     *runner
	server  *script.Actor
	scripts *script.Scripts // of the server
	net     *netsim.Network
	now     netcore.Time
	actors  []*script.Actor // by address, from 2; nil where one is free
	made    uint64          // sides, for their keys
	log     []logged
	known   int // of the log's lines, that a test has read
	admin   *node.Administration
}

// newStage makes the server and loads the mods.
func newStage(r *runner) (*stage, error) {
	s := &stage{run: r, net: netsim.New(r.Seed)}
	var err error
	if s.server, err = s.side(true, script.ClientConfig{Name: "Server", ClientMods: true}); err != nil {
		return nil, err
	}
	s.scripts = s.server.Scripts
	s.net.Attach(netcore.SimAddr(1), s.server.Host)
	bad := s.scripts.LoadMods(manifest.Base, r.Mod)
	if s.scripts.Mod(manifest.Base) == nil || s.scripts.Mod(r.Mod) == nil {
		return nil, errors.Join(bad...) // else it is other mods in these folders that are broken
	}
	s.server.Host.SetMods(s.scripts.ModInfos())
	for range beginning {
		s.tick()
	}
	return s, nil
}

// side makes a host with its console and its scripts.
func (s *stage) side(server bool, e script.ClientConfig) (*script.Actor, error) {
	s.run.throttle.take()
	a := &script.Actor{ClientConfig: e}
	classes := sim.NewClasses()
	if err := errors.Join(engine.Register(classes), game.Register(classes)); err != nil {
		return nil, err
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], s.run.Seed)
	binary.LittleEndian.PutUint64(key[8:], s.made)
	s.made++
	entropy := rand.NewChaCha8(key)
	id, err := seal.NewIdentity(entropy)
	if err != nil {
		return nil, err
	}
	print := func(line string) {
		if len(a.Lines) < maxPrinted {
			a.Lines = append(a.Lines, line)
		}
	}
	log := slog.New(lines{stage: s, who: e.Name})
	if server {
		log = slog.New(lines{stage: s})
	}
	a.Console = console.New(print)
	a.Host = engine.NewHost(engine.Config{
		Server: server, Name: e.Name, Classes: classes, Identity: id, Entropy: entropy, Seed: s.run.Seed + s.made,
		Resolve: func(string) (netcore.Addr, error) { return netcore.SimAddr(1), nil },
		Trust:   func(string, seal.Key) error { return nil },
		Log:     log,
		Ended:   func(_ *engine.Connection, reason string) { a.Refused = reason },
		Failed:  func(_, reason string) { a.Refused = reason },
	})
	if err := a.Host.Bind(a.Console); err != nil {
		return nil, err
	}
	if server {
		if s.admin, err = node.Administer(a.Host, a.Console, s.clock); err != nil {
			return nil, err
		}
		if err := a.Console.Register(quitCommand); err != nil {
			return nil, err
		}
	}
	setup := script.Setup{
		Engine: a.Host, Console: a.Console, Mods: s.folders(e.ClientMods), Echo: print, Seed: s.run.Seed + s.made,
		Log:  func(level slog.Level, msg string, args ...any) { log.Log(context.Background(), level, msg, args...) },
		Heap: heapSampler(), Protos: s.run.protos, Rights: s,
	}
	if server {
		setup.TestNetwork = s
		setup.Store = script.NewMemoryStore()
	}
	if a.Scripts, err = script.NewScripts(setup); err != nil {
		return nil, err
	}
	a.Host.SetScripts(a.Scripts)
	if server {
		a.Host.SetScripts(s.admin.Gate(a.Scripts))
	}
	return a, a.Console.Set("mod.loadInstructions", loading)
}

// quitCommand stands for the one of a server, so that a mod can be granted it.
var quitCommand = console.Command{
	Name: "quit", Params: "[REASON]", Help: "does nothing in a test",
	Run: func([]string) (string, error) { return "", nil },
}

// clock is the virtual time as a calendar has it.
func (s *stage) clock() time.Time { return time.Unix(0, 0).Add(time.Duration(s.now)) }

// folders are the mods that a side has at hand.
func (s *stage) folders(all bool) []fs.FS {
	if all {
		return s.run.Folders
	}
	var some []fs.FS
	for _, folder := range s.run.Folders {
		some = append(some, only{folder, manifest.Base})
	}
	return some
}

// only is a folder of mods of which one is seen.
type only struct {
	fs.FS
	name string
}

// ReadDir lists that one alone.
func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(o.FS, name)
	if name == "." {
		list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name() != o.name })
	}
	return list, err
}

// Sub is what the folder itself gives, which may have read it already.
func (o only) Sub(dir string) (fs.FS, error) { return fs.Sub(o.FS, dir) }

// tick lets everybody do one.
func (s *stage) tick() {
	s.now += engine.TickTime
	s.net.Run(s.now, engine.TickTime)
	s.run.throttle.take()
}

// settle lets a moment pass, until the clients that have left are gone.
func (s *stage) settle() {
	for n := 0; n < settling && (n == 0 || s.peers() > 0); n++ {
		s.tick()
	}
	for i, a := range s.actors {
		if a != nil && a.Host.Server() == nil {
			s.actors[i] = nil
		}
	}
}

// peers counts the connections that are no bots.
func (s *stage) peers() (n int) {
	for _, c := range s.server.Host.Connections() {
		if !c.Bot() {
			n++
		}
	}
	return n
}

// Server is part of script.Stage.
func (s *stage) Server() *script.Actor { return s.server }

// Enter is part of script.Stage. A client takes the address of one that has gone.
func (s *stage) Enter(e script.ClientConfig) (*script.Actor, error) {
	a, err := s.side(false, e)
	if err != nil {
		return nil, err
	}
	if bad := a.Scripts.LoadMods(manifest.Base); len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	i := slices.Index(s.actors, nil)
	if i < 0 {
		i = len(s.actors)
		s.actors = append(s.actors, nil)
	}
	s.actors[i] = a
	s.net.Attach(s.address(a), a.Host)
	s.Link(a, netcore.LinkParams{})
	a.Host.Tick(s.now) // or it would wait for an answer since time 0
	return a, a.Host.Connect("server:1", engine.ConnectArgs{Name: e.Name, Password: e.Password, Args: e.Args})
}

func (s *stage) address(a *script.Actor) netcore.Addr {
	return netcore.SimAddr(uint16(2 + slices.Index(s.actors, a)))
}

// Link is part of script.Stage.
func (s *stage) Link(a *script.Actor, p engine.LinkParams) {
	p.Delay += delay
	s.net.Link(s.address(a), netcore.SimAddr(1), p, p)
}
