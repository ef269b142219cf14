package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/meeting"
	"github.com/torc-engine/torc/node/internal/tape"
)

// Server is a complete server: a world with its mods, a console, a socket, a data folder. It has
// the methods of all nodes: Do, Host, Console, Scripts, Quit, Ready, Ending, Now and Print.
type Server struct {
	core.Node
	Settings  Settings // what a program changes while the server runs
	core      *core.Core
	cfg       Config
	admin     *admin.Admin
	admission *admin.Admission
	meeting   *meeting.Service
	fleet     *fleet.Service
	services  []core.Service       // those that reach the network first, those that keep things last
	tape      tape.Tape            // stands between the server and its machine
	rec       *tape.Recorder       // nil: no journal is written
	own       seal.KeyPair         // the key of the server
	observe   func(*engine.Config) // changes the config of the host, to watch it; nil: nobody does
	local     *Client              // runs with this server; nil: there is none
	stepped   bool                 // the program runs it by Step
	starting  core.Starting
}

// NewServer opens the data folder and makes the parts of a server. Mods are loaded and the socket
// is opened by Start. The caller must call Close.
func NewServer(cfg Config) (*Server, error) {
	return newServer(cfg, core.NewOwner(cfg.Common, core.Machine()), &Server{})
}

func newServer(cfg Config, o *core.Owner, s *Server) (*Server, error) {
	s.Settings = Settings{s}
	s.cfg, s.core = cfg, &core.Core{Owner: o, Loop: &core.Loop{Owner: o, Out: o.From.Send}}
	s.Node = core.NewNode(s.core)
	s.core.Loop.Phases.Now = s.core.Now
	s.core.Before(s.drained)
	if err := (&builder{server: s}).build(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.rec.Adopt(s.core.Side.Console)
	return s, nil
}

// Restart ends Run with ErrRestart. Clients are told to come back.
func (s *Server) Restart(reason string) { s.core.Restart(reason) }

// Start sets the variables, loads the mods, runs the scripts and opens the socket. Run calls it if
// nobody has.
func (s *Server) Start() error { return s.starting.Once(s.core.Owner, s.start) }

func (s *Server) start() error {
	if s.local != nil {
		if err := s.local.core.Side.Load(s.local.cfg.Common, core.Content{}); err != nil {
			return err
		}
	}
	if err := s.load(); err != nil {
		return err
	}
	for _, service := range s.services {
		if err := service.Start(s.core); err != nil {
			return err
		}
	}
	if s.local != nil {
		return s.local.connectLocal(s.Key())
	}
	s.core.Ready = true
	return nil
}

// load sets the variables, loads the mods and runs the scripts.
func (s *Server) load() error {
	s.rec.Start(s.core.Now())
	defer s.rec.Done()
	s.fleet.Recall()
	return s.core.Side.Start(s.cfg.Common, core.Content{Load: s.cfg.Server.Load, Mission: s.cfg.Server.Mission})
}

// CanDeclare reports whether a mod that is loaded later can have a variable of this name: no
// variable of torc begins like it.
func (s *Server) CanDeclare(name string) bool { return s.core.Side.CanDeclare(name) }

// Addr returns the address of the socket. It is the zero value before Start, and without a socket.
func (s *Server) Addr() netip.AddrPort { return s.core.Loop.Addr() }

// Addresses returns where the server is reached after Start.
func (s *Server) Addresses() (a Addresses) {
	for _, service := range s.services {
		if knows, ok := service.(core.Addressed); ok {
			knows.AddAddresses(&a)
		}
	}
	return a
}

// Key returns the server's public key. A client that connects to HOST:PORT#KEY talks to this server
// or to nobody.
func (s *Server) Key() seal.Key { return s.core.Side.Host.Identity().Public }

// Address returns HOST:PORT#KEY, for the ClientConfig.Address of a client.
func (s *Server) Address() string { return fmt.Sprintf("%s#%s", s.Addr(), s.Key()) }

// RemoteLine reports whether the current console line came from another process. Call it only
// on the goroutine of Run.
func (s *Server) RemoteLine() bool { return s.core.Line.Remote }

// Run runs the server until ctx ends, Close or Quit is called, or somebody types quit; then it
// tells the clients and returns nil.
func (s *Server) Run(ctx context.Context) error {
	if s.stepped {
		return errStepped
	}
	run, finish, err := s.core.Begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := s.Start(); err != nil {
		return err
	}
	return s.core.Loop.Run(run)
}

// Close ends Run, writes everything to the disk and gives all back. It waits for that, so do not
// call it on the goroutine of Run. A second call does nothing.
func (s *Server) Close() error {
	if !s.core.Stop() {
		return nil
	}
	var err error
	for _, service := range s.services {
		err = errors.Join(err, service.Close())
	}
	if s.local != nil {
		_ = s.local.demos.Close() // it never fails
		err = errors.Join(err, s.local.core.Home.Close())
	}
	return errors.Join(err, s.core.Home.Close())
}
