package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/admin"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/node/internal/tasks"
	"github.com/torc-engine/torc/node/workers"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// Server is a complete server: a world with its mods, a console, a socket, a data folder.
type Server struct {
	core.Node
	core         *core.Core
	cfg          Config
	storage      *storage
	admin        *admin.Admin
	requests     *requestQueue // nil: no other process can reach the console
	debugging    *debugging    // nil if requests is nil
	scrapes      *scrapes      // nil: the metrics are not served
	ssh          *sshConsole   // nil: the console is not served over SSH
	web          *browsers     // nil: no client is served for browsers
	net          *netView      // nil: this platform has no net page
	admission    admission
	answers      answers
	port         *portKeeper // nil: no port is mapped
	meeting      *meeting    // nil: the server does not register at a rendezvous
	workers      *workers.Pool
	network      modNetwork // of mods; nil: this platform has none
	trials       context.Context
	cancel       context.CancelFunc // of the trials
	demos        *demoRecorder
	local        *Client              // runs with this server; nil: there is none
	stepped      bool                 // the program runs it by Step
	observe      func(*engine.Config) // changes the config of the host, to watch it; nil: nobody does
	tape         tape.Tape            // stands between the server and its machine
	rec          *tape.Recorder       // nil: no journal is written
	own          seal.KeyPair         // the key of the server
	journal      *journals.File       // nil: there is none in a folder
	journalMax   int                  // sv.journalMax
	journalBytes atomic.Int64         // the same in bytes, for the goroutine of the file
	starting     core.Starting
}

// NewServer opens the data folder and makes the parts of a server. Mods are loaded and the socket
// is opened by Start. The caller must call Close.
func NewServer(cfg Config) (*Server, error) {
	return newServer(cfg, core.NewOwner(cfg.Common, core.Machine()), &Server{})
}

func newServer(cfg Config, o *core.Owner, s *Server) (*Server, error) {
	s.cfg, s.core = cfg, &core.Core{Owner: o, Loop: &core.Loop{Owner: o, Out: o.From.Send, Crashed: s.crashed}}
	s.Node = core.NewNode(s.core)
	s.core.Loop.Phases.Now = s.core.Now
	s.trials, s.cancel = context.WithCancel(context.Background())
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens the data folder, and makes the side.
func (s *Server) open() (err error) {
	if s.core.Home, err = core.OpenHome(s.cfg.Data, true, s.core.Log); err != nil {
		return err
	}
	s.admin = &admin.Admin{Now: func() time.Time { return s.core.Side.Date() }}
	if err := s.openTape(); err != nil {
		return err
	}
	if s.admin.Bans, err = s.core.Home.List("bans"); err != nil {
		return err
	}
	if s.admin.Mutes, err = s.core.Home.List("mutes"); err != nil {
		return err
	}
	if s.admin.Allowed, err = s.core.Home.List("allowed"); err != nil {
		return err
	}
	if s.storage, err = openStorage(s.core.From.Store, s.core.Home, s.core.Log); err != nil {
		return err
	}
	s.storage.Store = s.tape.Store(s.storage.Store)
	if s.admin.Rights, err = s.core.Home.Rights(); err != nil {
		return err
	}
	if s.admin.Audit, err = s.core.Home.Audit(s.core.From.Date, s.core.Log); err != nil {
		return err
	}
	if !s.stepped {
		s.workers = workers.Start(0)
	}
	return s.build()
}

// webWatchers is the default of sv.maxWatchers with ServerConfig.Web.
const webWatchers = 16

func (s *Server) build() error {
	classes, err := core.NewClasses(s.cfg.Register)
	if err != nil {
		return err
	}
	passed, err := s.core.Home.Passed()
	if err != nil {
		return err
	}
	cfg := engine.Config{
		Server: true, Name: s.cfg.Name, Password: s.cfg.Password, MaxClients: s.cfg.Server.MaxClients, Resolve: s.tape.Resolver(s.resolve()),
		Identity: s.tape.Identity(s.own), Classes: classes, Seed: core.DrawSeed(s.cfg.Seed, s.core.From.Entropy), Parallel: s.parallel(),
		MayMove: s.admin.MayMove, Probe: s.core.Loop.Phases.Step,
		LocalWeb: s.cfg.Server.Web != nil && s.cfg.Server.Web.Local,
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
	if s.core.Side, err = core.NewTapedSide("server", s.tape, s.cfg.Common, cfg, s.core.From, s.core.Print, s.core.Log); err != nil {
		return err
	}
	if s.cfg.Server.Web != nil {
		s.core.Side.Host.Settings.MaxWatchers = webWatchers
	}
	if t, ok := s.tape.(interface{ Inputs() *tape.Recorder }); ok {
		s.rec = t.Inputs()
		s.core.Side.Rec = s.rec
	}
	s.rec.Watch(s.core.Side.Console, func() string { return s.requests.by() })
	s.core.Sides = append(s.core.Sides, s.core.Side)
	s.admin.Host, s.admin.Console = s.core.Side.Host, s.core.Side.Console
	s.core.Side.Console.SetAudit(func(line string, err error) { s.admin.Record(s.requests.by(), line, err) })
	scheduled := new(tasks.List)
	commands := slices.Concat(s.admin.Commands(), s.taskCommands(scheduled), []console.Command{core.QuitCommand(s.core.Owner), s.backupCommand(), s.journalCommand()}, s.metricsCommands(), s.linkCommand(), s.netCommands())
	s.core.Before(func() { s.runTasks(scheduled) })
	if s.cfg.Server.Restarts {
		commands = append(commands, s.restartCommand())
	}
	s.core.Side.Console.Unregister("status") // of the host alone
	if err := s.core.Side.Register(append(commands, s.statusCommand())); err != nil {
		return err
	}
	s.admission = admission{Admission: &s.core.Side.Host.Admission, readFile: s.tape.ReadFile}
	if s.demos, err = newDemoRecorder(s.core.Side, s.core.Owner, s.core.Home, s.cfg); err != nil {
		return err
	}
	for _, v := range slices.Concat(s.admin.Variables(), s.admission.variables(), s.openAnswers(), s.storage.variables(), s.netVariables(), s.journalVars(), []console.Var{s.demos.variable()}) {
		if err := s.core.Side.Console.Bind(v); err != nil {
			return err
		}
	}
	if s.core.Home.HasFolder() && !s.stepped {
		s.openRequests()
	}
	setup := script.Setup{Store: s.storage, Rights: s.admin.Permits(), Audit: s.admin.Record, AnswerLater: s.requests.later}
	if setup.Network = s.core.From.Network; !s.stepped {
		if s.network = newModNetwork(); s.network != nil {
			setup.Network = s.network
		}
	}
	setup.Network = s.tape.Network(setup.Network)
	if s.cfg.Server.Trial != nil {
		setup.RunTests = (&trials{posts: s.core.Posts, spawn: s.core.From.Spawn, run: s.cfg.Server.Trial, ctx: s.trials}).try
	}
	setup.RunTests = s.tape.Trials(setup.RunTests)
	if err := s.core.Side.AddScripts(setup); err != nil {
		return err
	}
	s.core.Side.Host.SetScripts(s.admin.Gate(s.core.Side.Scripts))
	return s.core.Side.Console.Bind(networksVar(s.core.Side.Scripts))
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

// parallel returns what packs on several goroutines. A stepped server has one goroutine.
func (s *Server) parallel() func(n int, do func(worker, i int)) {
	if s.workers == nil {
		return nil
	}
	return s.workers.Parallel
}

// openRequests lets other processes reach the console. The server also runs without that.
func (s *Server) openRequests() {
	backup := func(name string, done func(string, error)) { s.storage.backup(s.core.Posts, name, done) }
	s.requests = openRequests(s.core.Owner, s.core.Side.Console, backup)
	if err := s.requests.listen(s.core.Home.Path(remoteName)); err != nil {
		s.core.Log.Warn("torc console, torc backup, torc check and torc mod debug cannot reach this server", "why", err)
	}
	s.debugging = &debugging{loop: s.core.Loop, runtime: func() *vm.Runtime { return s.core.Side.Scripts.Runtime }, record: s.admin.Record, silence: maxSilence}
	s.requests.debug(s.debugging)
}

// Restart ends Run with ErrRestart. Clients are told to come back.
func (s *Server) Restart(reason string) { s.core.Restart(reason) }

// restartCommand is `restart`.
func (s *Server) restartCommand() console.Command {
	return console.Command{
		Name: "restart", Params: "[REASON]", Help: "starts the server anew; the players come back by themselves",
		Run: func(args []string) (string, error) { s.Restart(strings.Join(args, " ")); return "", nil },
	}
}

// Start sets the variables, loads the mods, runs the scripts and opens the socket. Run calls it if
// nobody has.
func (s *Server) Start() error { return s.starting.Once(s.core.Owner, s.start) }

func (s *Server) start() error {
	if s.local != nil {
		if err := s.local.core.Side.Load(s.local.cfg.Common, core.Content{}); err != nil {
			return err
		}
	}
	err := s.load()
	if err != nil {
		return err
	}
	if s.cfg.Server.Listen != "" {
		if s.core.Loop.Socket, err = core.Listen(s.cfg.Server.Listen); err != nil {
			return err
		}
		s.core.Loop.Other = s.other
		s.joinGroup()
		s.openRendezvous()
		s.mapPort()
	}
	if s.cfg.Server.Metrics != "" {
		if s.scrapes, err = openScrapes(s.core.Posts, s.cfg.Server.Metrics, s.metricsText); err != nil {
			return &ConfigError{Field: "Metrics", Value: s.cfg.Server.Metrics, Err: err}
		}
	}
	if s.cfg.Server.SSH != "" {
		if s.ssh, err = s.openSSH(); err != nil {
			return &ConfigError{Field: "SSH", Value: s.cfg.Server.SSH, Err: err}
		}
	}
	if s.cfg.Server.Web != nil {
		if err := s.openWeb(); err != nil {
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
func (s *Server) Addr() netip.AddrPort {
	if s.core.Loop.Socket == nil {
		return netip.AddrPort{}
	}
	return s.core.Loop.Socket.Addr()
}

// Key returns the server's public key. A client that connects to HOST:PORT#KEY talks to this server
// or to nobody.
func (s *Server) Key() seal.Key { return s.core.Side.Host.Identity().Public }

// Address returns HOST:PORT#KEY, for the ClientConfig.Address of a client.
func (s *Server) Address() string { return fmt.Sprintf("%s#%s", s.Addr(), s.Key()) }

// RemoteLine reports whether the current console line came from another process. Call it only
// on the goroutine of Run.
func (s *Server) RemoteLine() bool { return s.requests != nil && s.requests.running }

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
	s.cancel()
	s.answers.close()
	if s.port != nil {
		s.port.Stop()
	}
	if s.core.Loop.Socket != nil {
		_ = s.core.Loop.Socket.Close()
	}
	if s.web != nil {
		s.web.close()
	}
	if s.network != nil {
		s.network.Shut()
	}
	if s.workers != nil {
		s.workers.Stop()
	}
	if s.scrapes != nil {
		s.scrapes.close()
	}
	if s.requests != nil {
		_ = s.requests.close() // a leftover socket file does no harm
	}
	if s.ssh != nil {
		s.ssh.close()
	}
	if s.core.Side != nil && s.core.Side.Scripts != nil {
		s.core.Side.Scripts.Flush()
	}
	s.demos.close()
	s.closeTape()
	var err error
	if s.storage != nil {
		err = s.storage.close()
	}
	if s.admin != nil && s.admin.Audit != nil {
		s.admin.Audit.Close()
	}
	if s.local != nil {
		s.local.demos.close()
		err = errors.Join(err, s.local.core.Home.Close())
	}
	if s.core.Home != nil {
		err = errors.Join(err, s.core.Home.Close())
	}
	return err
}

// MetricsAddr is where the metrics are served; the zero value if they are not.
func (s *Server) MetricsAddr() netip.AddrPort {
	if s.scrapes == nil {
		return netip.AddrPort{}
	}
	return s.scrapes.addr()
}

// SSHAddr is where the console is served over SSH; the zero value if it is not.
func (s *Server) SSHAddr() netip.AddrPort {
	if s.ssh == nil {
		return netip.AddrPort{}
	}
	return s.ssh.addr()
}

// WebAddr is where the client for browsers is served; the zero value if it is not.
func (s *Server) WebAddr() netip.AddrPort {
	if s.web == nil {
		return netip.AddrPort{}
	}
	return s.web.addr()
}

// Link is the link that opens the game in a browser; "" if no client is served.
func (s *Server) Link() string {
	if s.web == nil {
		return ""
	}
	return s.web.site() + "/#" + s.Key().String()
}

// WatchLink is the link for spectators, "" if there are no places for them.
func (s *Server) WatchLink() string {
	if s.web == nil || s.core.Side.Host.Settings.MaxWatchers == 0 {
		return ""
	}
	return s.web.site() + "/watch#" + s.Key().String()
}

// SSHFingerprint is the fingerprint of the key of the SSH console, as ssh shows it; "" without one.
func (s *Server) SSHFingerprint() string {
	if s.ssh == nil {
		return ""
	}
	return s.ssh.fingerprint()
}
