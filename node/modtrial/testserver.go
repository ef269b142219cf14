package modtrial

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/trial"
)

const (
	delay      = 10 * time.Millisecond // of every link, each way
	settling   = 100                   // maximum ticks for clients to leave
	beginning  = 3                     // ticks before the first test, so that missions load
	maxPrinted = 10_000                // lines kept of each side
	loading    = "20000000"            // instruction limit for loading a mod; there is no time limit here
)

// A testServer is a server with mods, a simulated network with virtual time, and the clients of
// tests. It implements trial.TestNetwork and script.Rights.
type testServer struct {
	run     *runner
	server  *trial.Actor
	scripts *script.Scripts // of the server
	net     *netsim.Network
	now     netcore.Time
	actors  []*trial.Actor // by address, from 2; nil: the address is free
	made    uint64         // number of sides, for their keys
	log     []logged
	known   int // log lines that a test has read
	admin   *node.Administration
	fleet   *fleet
	store   *store.Memory
}

// A loadFailure lists all mods that do not load. reason says in one line why the tested one does
// not.
type loadFailure struct {
	error
	reason error
}

// newTestServer makes the server and loads the mods.
func newTestServer(r *runner) (*testServer, error) {
	s := &testServer{run: r, net: netsim.New(r.Seed)}
	s.fleet = newFleet(s)
	var err error
	if s.server, s.scripts, err = s.side(true, trial.ActorConfig{Name: "Server", ClientMods: true}); err != nil {
		return nil, err
	}
	s.net.Attach(netcore.SimAddr(1), s.server.Host)
	wanted := append([]string{manifest.Base, r.Mod}, r.With...)
	bad := s.scripts.LoadMods(wanted...)
	if slices.ContainsFunc(wanted, func(name string) bool { return s.scripts.Runtime.Mod(name) == nil }) {
		return nil, &loadFailure{errors.Join(bad...), script.LoadReason(r.Mod, bad)} // else only other mods are broken
	}
	s.server.Host.SetMods(s.scripts.ModInfos())
	for range beginning {
		s.tick()
	}
	return s, nil
}

// side makes a host with its console and its scripts.
func (s *testServer) side(server bool, e trial.ActorConfig) (*trial.Actor, *script.Scripts, error) {
	s.run.throttle.take()
	a := &trial.Actor{ActorConfig: e}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], s.run.Seed)
	binary.LittleEndian.PutUint64(key[8:], s.made)
	s.made++
	entropy := rand.NewChaCha8(key)
	id, err := seal.NewIdentity(s.identityOf(e.Key, entropy))
	if err != nil {
		return nil, nil, err
	}
	print := func(line string) {
		if len(a.Lines) < maxPrinted {
			a.Lines = append(a.Lines, line)
		}
	}
	to := lines{test: s, who: e.Name}
	if server {
		to.who = ""
	}
	log := slog.New(to)
	to.least = slog.LevelWarn // without the line of each join
	a.Console = console.New(print)
	cfg := engine.Config{
		Server: server, Name: e.Name, Language: e.Language, Classes: s.run.classes, Identity: id, Entropy: entropy, Seed: s.run.Seed + s.made, Events: s.run.Events,
		Resolve: engine.ResolveTo(netcore.SimAddr(1)),
		Trust:   func(string, seal.Key) error { return nil },
		Log:     slog.New(to),
		Ended:   func(_ *engine.Connection, reason string) { a.Refused = reason },
		Failed:  func(_ string, r netcore.Reason) { a.Refused = r.String() },
	}
	if server {
		cfg.SealTicket = sealTicket
	} else {
		cfg.Transfer = func(c *engine.Connection, o engine.TransferOrder) {
			s.fleet.travellers = append(s.fleet.travellers, traveller{a, c, o})
		}
	}
	a.Host = engine.NewHost(cfg)
	if err := a.Host.Bind(a.Console); err != nil {
		return nil, nil, err
	}
	if server {
		if s.admin, err = node.Administer(a.Host, a.Console, s.clock); err != nil {
			return nil, nil, err
		}
		if err := s.run.registerCommands(a.Console); err != nil {
			return nil, nil, err
		}
	}
	setup := script.Setup{
		Engine: a.Host, Console: a.Console, Mods: s.folders(e.ClientMods), Echo: print, Seed: s.run.Seed + s.made,
		Log:  func(level slog.Level, msg string, args ...any) { log.Log(context.Background(), level, msg, args...) },
		Heap: s.run.throttle.sampler(heapSampler()), Live: pulse.Live, Protos: s.run.protos, Rights: s, Parts: s.run.parts,
	}
	if server {
		setup.TestNetwork = s
		s.store = store.NewMemory()
		setup.Store = s.store
		setup.Network = sockets.NewFake()
		setup.Fleet, setup.Carrier, setup.Shared = s.fleet, s.fleet, s.fleet.Values()
	}
	scripts, err := script.NewScripts(setup)
	if err != nil {
		return nil, nil, err
	}
	a.Scripts = scripts
	a.Host.SetScripts(scripts.Hooks())
	if server {
		a.Host.SetScripts(s.admin.Gate(scripts.Hooks()))
	}
	return a, scripts, a.Console.Set("mod.loadInstructions", loading)
}

// identityOf returns what the identity of a side is made from: entropy, or its named key.
func (s *testServer) identityOf(key string, entropy io.Reader) io.Reader {
	if key == "" {
		return entropy
	}
	return rand.NewChaCha8(sha256.Sum256(fmt.Append(nil, s.run.Seed, " ", key)))
}

// registerCommands adds quit and the commands of the program, which do nothing. So mods can have
// the permissions for them.
func (o *Options) registerCommands(c *console.Console) error {
	err := c.Register(console.Command{Name: "quit", Params: "[REASON]", Help: "does nothing in a test", Run: inert})
	for _, command := range o.Commands {
		command.Run = inert
		err = errors.Join(err, c.Register(command))
	}
	return err
}

func inert([]string) (string, error) { return "", nil }

// FailStore is part of trial.TestNetwork.
func (s *testServer) FailStore(why string) {
	s.store.Next = errors.New(why)
	s.fleet.FailValues(why)
}

// clock returns the virtual time as a date.
func (s *testServer) clock() time.Time { return time.Unix(0, 0).Add(time.Duration(s.now)) }

// folders returns the mods of a side: all, or base only.
func (s *testServer) folders(all bool) []fs.FS {
	if all {
		return s.run.Folders
	}
	var some []fs.FS
	for _, folder := range s.run.Folders {
		some = append(some, only{folder, manifest.Base})
	}
	return some
}

// only is a folder of mods that shows one mod.
type only struct {
	fs.FS
	name string
}

// ReadDir lists that mod only.
func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(o.FS, name)
	if name == "." {
		list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name() != o.name })
	}
	return list, err
}

// Sub uses the folder itself, because it can have the files in memory already.
func (o only) Sub(dir string) (fs.FS, error) { return fs.Sub(o.FS, dir) }

// tick runs a tick of every side.
func (s *testServer) tick() {
	s.now += engine.TickTime
	s.net.Run(s.now, engine.TickTime)
	s.fleet.travel()
	if failed := s.store.Next == nil; failed == s.fleet.FailsValues() { // one of both had no change in that tick
		s.store.Next = nil
		s.fleet.FailValues("")
	}
	s.run.throttle.take()
}

// settle runs ticks until the clients have left.
func (s *testServer) settle() {
	for n := 0; n < settling && (n == 0 || s.peers() > 0); n++ {
		s.tick()
	}
	for i, a := range s.actors {
		if a != nil && a.Host.Server() == nil {
			s.actors[i] = nil
		}
	}
}

// peers counts the connections of clients, without bots.
func (s *testServer) peers() (n int) {
	for _, c := range s.server.Host.Connections() {
		if !c.Bot() {
			n++
		}
	}
	return n
}

// Server is part of trial.TestNetwork.
func (s *testServer) Server() *trial.Actor { return s.server }

// Enter is part of trial.TestNetwork. A client gets the address of one that has left, if any.
func (s *testServer) Enter(e trial.ActorConfig) (*trial.Actor, error) {
	a, scripts, err := s.side(false, e)
	if err != nil {
		return nil, err
	}
	if bad := scripts.LoadMods(manifest.Base); len(bad) > 0 {
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
	a.Host.Tick(s.now) // or its timeout would count from time 0
	return a, a.Host.Dialer.Connect("server:1", engine.ConnectArgs{Name: e.Name, Password: e.Password, Args: e.Args})
}

func (s *testServer) address(a *trial.Actor) netcore.Addr {
	return netcore.SimAddr(uint16(2 + slices.Index(s.actors, a)))
}

// Link is part of trial.TestNetwork.
func (s *testServer) Link(a *trial.Actor, p engine.LinkParams) {
	p.Delay += delay
	s.net.Link(s.address(a), netcore.SimAddr(1), p, p)
}
