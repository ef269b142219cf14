package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/demos"
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/meeting"
	"github.com/torc-engine/torc/node/internal/storage"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/node/internal/tasks"
	"github.com/torc-engine/torc/script"
)

// Server is a complete server: a world with its mods, a console, a socket, a data folder. It has the
// methods of all nodes: Do, Host, Console, Scripts, Quit, Ready, Ending, Now and Print.
type Server struct {
	core.Node
	core      *core.Core
	cfg       Config
	admin     *admin.Admin
	admission *admin.Admission
	meeting   *meeting.Service
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
	s.cfg, s.core = cfg, &core.Core{Owner: o, Loop: &core.Loop{Owner: o, Out: o.From.Send}}
	s.Node = core.NewNode(s.core)
	s.core.Loop.Phases.Now = s.core.Now
	if err := s.build(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// build opens the data folder, and makes the services and the side. The list has each service that holds a
// file from then on, so Close gives it back if a later step fails.
func (s *Server) build() (err error) {
	c := s.core
	if c.Home, err = core.OpenHome(s.cfg.Data, true, c.Log); err != nil {
		return err
	}
	recorder, err := s.openTape()
	if err != nil {
		return err
	}
	s.services = []core.Service{recorder}
	store, err := s.openLists()
	if err != nil {
		return err
	}
	s.services = []core.Service{recorder, store, s.admin}
	if err := s.openRights(); err != nil {
		return err
	}
	packing, mods := newPacking(s), newModServices(s)
	if s.services, err = s.list(packing, mods, recorder, store); err != nil {
		return err
	}
	if err := s.openSide(packing); err != nil {
		return err
	}
	c.Side.Console.Unregister("status") // of the host alone
	if err := core.Registered(c.Side.Console, s.services...); err != nil {
		return err
	}
	setup := script.Setup{Store: store, Rights: s.admin.Permits(), Audit: s.admin.Record, AnswerLater: c.Later}
	mods.setUp(&setup)
	if err := c.Side.AddScripts(setup); err != nil {
		return err
	}
	c.Side.Host.SetScripts(s.admin.Gate(c.Side.Scripts))
	return nil
}

// list returns all services of a server, in the order of Commands, Variables, Start and Close. Journals depend on
// it: a server and its replay must have the same commands. Close ends what reaches the network first. Then the scripts
// give their last values to the store. The journal is closed behind them, because it has all inputs, and the audit log
// at the end.
func (s *Server) list(packing *packing, mods *modServices, recorder *journals.Service, store *storage.Service) ([]core.Service, error) {
	c := s.core
	scheduled, films := tasks.New(c), demos.New(c, s.cfg.Version, nil)
	s.meeting = meeting.New(c, meeting.Options{
		Listen: s.cfg.Server.Listen, Rendezvous: s.cfg.Server.Rendezvous, Own: s.own, Resolve: core.PickResolver(s.cfg.Resolve, c.Posts),
		MapPort: s.portMapper(),
	})
	players, operators, err := s.outside(store)
	return slices.Concat(
		[]core.Service{mods.trials, s.meeting}, players,
		[]core.Service{mods, packing}, operators,
		[]core.Service{&flushing{core: c}, films, recorder, store, s.admin, s.admission, scheduled, &ownCommands{server: s}},
	), err
}

// openLists opens the lists of players and the stored values of mods.
func (s *Server) openLists() (store *storage.Service, err error) {
	c := s.core
	s.admin = &admin.Admin{Now: func() time.Time { return c.Side.Date() }}
	s.admission = &admin.Admission{ReadFile: s.tape.ReadFile}
	c.Record = s.admin.Record
	if s.admin.Bans, err = c.Home.List("bans"); err != nil {
		return nil, err
	}
	if s.admin.Mutes, err = c.Home.List("mutes"); err != nil {
		return nil, err
	}
	if s.admin.Allowed, err = c.Home.List("allowed"); err != nil {
		return nil, err
	}
	if store, err = storage.New(c, c.From.Store, openStore); err != nil {
		return nil, err
	}
	store.Store = s.tape.Store(store.Store)
	return store, nil
}

// openRights opens the roles of players and the audit log.
func (s *Server) openRights() (err error) {
	if s.admin.Rights, err = s.core.Home.Rights(); err != nil {
		return err
	}
	s.admin.Audit, err = s.core.Home.Audit(s.core.From.Date, s.core.Log)
	return err
}

// webWatchers is the default of sv.maxWatchers with ServerConfig.Web.
const webWatchers = 16

// openSide makes the host and the console.
func (s *Server) openSide(packing *packing) error {
	c := s.core
	cfg, err := s.hostConfig(packing)
	if err != nil {
		return err
	}
	if c.Side, err = core.NewTapedSide("server", s.tape, s.cfg.Common, cfg, c.From, c.Print, c.Log); err != nil {
		return err
	}
	if s.cfg.Server.Web != nil {
		c.Side.Host.Settings.MaxWatchers = webWatchers
	}
	if t, ok := s.tape.(interface{ Inputs() *tape.Recorder }); ok {
		s.rec = t.Inputs()
		c.Side.Rec = s.rec
	}
	s.rec.Watch(c.Side.Console, c.By)
	c.Sides = append(c.Sides, c.Side)
	s.admin.Host, s.admin.Console = c.Side.Host, c.Side.Console
	s.admission.Admission = &c.Side.Host.Admission
	c.Side.Console.SetAudit(func(line string, err error) { s.admin.Record(c.By(), line, err) })
	return nil
}

// hostConfig returns the config of the host.
func (s *Server) hostConfig(packing *packing) (engine.Config, error) {
	classes, err := core.NewClasses(s.cfg.Register)
	if err != nil {
		return engine.Config{}, err
	}
	passed, err := s.core.Home.Passed()
	if err != nil {
		return engine.Config{}, err
	}
	web := s.cfg.Server.Web
	cfg := engine.Config{
		Server: true, Name: s.cfg.Name, Password: s.cfg.Password, MaxClients: s.cfg.Server.MaxClients, Resolve: s.tape.Resolver(s.resolve()),
		Identity: s.tape.Identity(s.own), Classes: classes, Seed: core.DrawSeed(s.cfg.Seed, s.core.From.Entropy), Parallel: packing.parallel(),
		MayMove: s.admin.MayMove, Probe: s.core.Loop.Phases.Step, LocalWeb: web != nil && web.Local,
		Guessed: func(address string, pause time.Duration) {
			s.admin.Record("server", fmt.Sprintf("too many wrong passwords: %s pauses for %v", address, pause), nil)
		},
	}
	if passed != nil {
		cfg.PassedKeys = passed.Keys
		cfg.Passed = func(k seal.Key) {
			if err := passed.Add(k); err != nil {
				s.core.Log.Warn("a key that gave the password is known only until the server ends", "why", err)
			}
		}
	}
	if s.observe != nil {
		s.observe(&cfg)
	}
	return cfg, nil
}

// identity returns the key of the server: the one of the Config, or that of the data folder.
func (s *Server) identity() (seal.KeyPair, error) {
	if s.cfg.Identity != nil {
		return *s.cfg.Identity, nil
	}
	return s.core.Home.Identity(s.core.From.Entropy)
}

// resolve returns what finds the addresses of names. A server without a socket reaches nobody.
func (s *Server) resolve() engine.Resolver {
	switch {
	case s.stepped:
		return s.cfg.Resolve
	case s.cfg.Server.Listen == "":
		return nil
	}
	return core.PickResolver(s.cfg.Resolve, s.core.Posts)
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
	return s.core.Side.Start(s.cfg.Common, core.Content{Load: s.cfg.Server.Load, Mission: s.cfg.Server.Mission})
}

// CanDeclare reports whether a mod that is loaded later can have a variable of this name: no variable
// of torc begins like it.
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
