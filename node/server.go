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
	"github.com/torc-engine/torc/node/internal/journals"
	"github.com/torc-engine/torc/node/internal/tape"
	"github.com/torc-engine/torc/node/internal/tasks"
	"github.com/torc-engine/torc/node/workers"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// Server is a complete server: a world with its mods, a console, a socket, a data folder.
type Server struct {
	node
	cfg          Config
	loop         *loop
	home         *home
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
	starting     starting
}

// NewServer opens the data folder and makes the parts of a server. Mods are loaded and the socket
// is opened by Start. The caller must call Close.
func NewServer(cfg Config) (*Server, error) {
	return newServer(cfg, &Server{node: node{owner: newOwner(cfg, machine())}})
}

func newServer(cfg Config, s *Server) (*Server, error) {
	s.cfg, s.loop = cfg, &loop{owner: s.owner, out: s.from.Send, crashed: s.crashed}
	s.loop.phases.Now = s.now
	s.trials, s.cancel = context.WithCancel(context.Background())
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens the data folder, and makes the side.
func (s *Server) open() (err error) {
	if s.home, err = openHome(s.cfg.Data, true, s.log); err != nil {
		return err
	}
	s.admin = &admin.Admin{Now: func() time.Time { return s.side.date.machine }}
	if err := s.openTape(); err != nil {
		return err
	}
	if s.admin.Bans, err = s.home.list("bans"); err != nil {
		return err
	}
	if s.admin.Mutes, err = s.home.list("mutes"); err != nil {
		return err
	}
	if s.admin.Allowed, err = s.home.list("allowed"); err != nil {
		return err
	}
	if s.storage, err = openStorage(s.from.Store, s.home, s.log); err != nil {
		return err
	}
	s.storage.Store = s.tape.Store(s.storage.Store)
	if s.admin.Rights, err = s.home.rights(); err != nil {
		return err
	}
	if s.admin.Audit, err = s.home.audit(s.from.Date, s.log); err != nil {
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
	classes, err := newClasses(s.cfg.Register)
	if err != nil {
		return err
	}
	passed, err := s.home.passed()
	if err != nil {
		return err
	}
	cfg := engine.Config{
		Server: true, Name: s.cfg.Name, Password: s.cfg.Password, MaxClients: s.cfg.Server.MaxClients, Resolve: s.tape.Resolver(s.resolve()),
		Identity: s.tape.Identity(s.own), Classes: classes, Seed: s.cfg.seed(s.from.Entropy), Parallel: s.parallel(),
		MayMove: s.admin.MayMove, Probe: s.loop.phases.Step,
		LocalWeb: s.cfg.Server.Web != nil && s.cfg.Server.Web.Local,
		Guessed: func(address string, pause time.Duration) {
			s.admin.Record("server", fmt.Sprintf("too many wrong passwords: %s pauses for %v", address, pause), nil)
		},
	}
	if passed != nil {
		cfg.PassedKeys = passed.Keys
		cfg.Passed = func(k seal.Key) {
			if err := passed.Add(k); err != nil {
				s.log.Warn("a key that gave the password is known only until the server ends", "why", err)
			}
		}
	}
	if s.observe != nil {
		s.observe(&cfg)
	}
	if s.side, err = newTapedSide("server", s.tape, s.cfg, cfg, s.from, s.print, s.log); err != nil {
		return err
	}
	if s.cfg.Server.Web != nil {
		s.side.host.Settings.MaxWatchers = webWatchers
	}
	if t, ok := s.tape.(interface{ Inputs() *tape.Recorder }); ok {
		s.rec = t.Inputs()
		s.side.rec = s.rec
	}
	s.rec.Watch(s.side.console, func() string { return s.requests.by() })
	s.sides = append(s.sides, s.side)
	s.admin.Host, s.admin.Console = s.side.host, s.side.console
	s.side.console.SetAudit(func(line string, err error) { s.admin.Record(s.requests.by(), line, err) })
	scheduled := new(tasks.List)
	commands := slices.Concat(s.admin.Commands(), s.taskCommands(scheduled), []console.Command{quitCommand(s.owner), s.backupCommand(), s.journalCommand()}, s.metricsCommands(), s.linkCommand(), s.netCommands())
	s.before = append(s.before, func() { s.runTasks(scheduled) })
	if s.cfg.Server.Restarts {
		commands = append(commands, s.restartCommand())
	}
	s.side.console.Unregister("status") // of the host alone
	if err := s.side.register(append(commands, s.statusCommand())); err != nil {
		return err
	}
	s.admission = admission{Admission: &s.side.host.Admission, readFile: s.tape.ReadFile}
	if s.demos, err = newDemoRecorder(s.side, s.owner, s.home, s.cfg); err != nil {
		return err
	}
	for _, v := range slices.Concat(s.admin.Variables(), s.admission.variables(), s.openAnswers(), s.storage.variables(), s.netVariables(), s.journalVars(), []console.Var{s.demos.variable()}) {
		if err := s.side.console.Bind(v); err != nil {
			return err
		}
	}
	if s.home.folder != nil && !s.stepped {
		s.openRequests()
	}
	setup := script.Setup{Store: s.storage, Rights: s.admin.Permits(), Audit: s.admin.Record, AnswerLater: s.requests.later}
	if setup.Network = s.from.Network; !s.stepped {
		if s.network = newModNetwork(); s.network != nil {
			setup.Network = s.network
		}
	}
	setup.Network = s.tape.Network(setup.Network)
	if s.cfg.Server.Trial != nil {
		setup.RunTests = (&trials{posts: s.posts, spawn: s.from.spawn, run: s.cfg.Server.Trial, ctx: s.trials}).try
	}
	setup.RunTests = s.tape.Trials(setup.RunTests)
	if err := s.side.addScripts(setup); err != nil {
		return err
	}
	s.side.host.SetScripts(s.admin.Gate(s.side.scripts))
	return s.side.console.Bind(networksVar(s.side.scripts))
}

// identity returns the key of the server: the one of the Config, or that of the data folder.
func (s *Server) identity() (seal.KeyPair, error) {
	if s.cfg.Identity != nil {
		return *s.cfg.Identity, nil
	}
	return s.home.identity(s.from.Entropy)
}

// resolve returns what finds the addresses of names. A server without a socket reaches nobody.
func (s *Server) resolve() engine.Resolver {
	switch {
	case s.stepped:
		return s.cfg.Resolve
	case s.cfg.Server.Listen == "":
		return nil
	}
	return s.cfg.resolver(s.posts)
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
	backup := func(name string, done func(string, error)) { s.storage.backup(s.posts, name, done) }
	s.requests = openRequests(s.owner, s.side.console, backup)
	if err := s.requests.listen(s.home.path(remoteName)); err != nil {
		s.log.Warn("torc console, torc backup, torc check and torc mod debug cannot reach this server", "why", err)
	}
	s.debugging = &debugging{loop: s.loop, runtime: func() *vm.Runtime { return s.side.scripts.Runtime }, record: s.admin.Record, silence: maxSilence}
	s.requests.debug(s.debugging)
}

// quitCommand is `quit`.
func quitCommand(o *owner) console.Command {
	return console.Command{
		Name: "quit", Params: "[REASON]", Help: "ends the process after telling every peer why",
		Run: func(args []string) (string, error) { o.quit(strings.Join(args, " "), nil); return "", nil },
	}
}

// ErrRestart is the result of Run when the server is to start again.
var ErrRestart = errors.New("node: the server is to start again")

// Restart ends Run with ErrRestart. Clients are told to come back.
func (s *Server) Restart(reason string) { s.restart(reason) }

// restartCommand is `restart`.
func (s *Server) restartCommand() console.Command {
	return console.Command{
		Name: "restart", Params: "[REASON]", Help: "starts the server anew; the players come back by themselves",
		Run: func(args []string) (string, error) { s.Restart(strings.Join(args, " ")); return "", nil },
	}
}

// Start sets the variables, loads the mods, runs the scripts and opens the socket. Run calls it if
// nobody has.
func (s *Server) Start() error { return s.starting.once(s.owner, s.start) }

func (s *Server) start() error {
	if s.local != nil {
		if err := s.local.side.load(s.local.cfg); err != nil {
			return err
		}
	}
	err := s.load()
	if err != nil {
		return err
	}
	if s.cfg.Server.Listen != "" {
		if s.loop.socket, err = listen(s.cfg.Server.Listen); err != nil {
			return err
		}
		s.loop.other = s.other
		s.joinGroup()
		s.openRendezvous()
		s.mapPort()
	}
	if s.cfg.Server.Metrics != "" {
		if s.scrapes, err = openScrapes(s.posts, s.cfg.Server.Metrics, s.metricsText); err != nil {
			return &ConfigError{"Metrics", s.cfg.Server.Metrics, err}
		}
	}
	if s.cfg.Server.SSH != "" {
		if s.ssh, err = s.openSSH(); err != nil {
			return &ConfigError{"SSH", s.cfg.Server.SSH, err}
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
	s.ready = true
	return nil
}

// load sets the variables, loads the mods and runs the scripts.
func (s *Server) load() error {
	s.rec.Start(s.now())
	defer s.rec.Done()
	return s.side.start(s.cfg)
}

// Addr returns the address of the socket. It is the zero value before Start, and without a socket.
func (s *Server) Addr() netip.AddrPort {
	if s.loop.socket == nil {
		return netip.AddrPort{}
	}
	return s.loop.socket.Addr()
}

// Key returns the server's public key. A client that connects to HOST:PORT#KEY talks to this server
// or to nobody.
func (s *Server) Key() seal.Key { return s.side.host.Identity().Public }

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
	run, finish, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := s.Start(); err != nil {
		return err
	}
	return s.loop.run(run)
}

// Close ends Run, writes everything to the disk and gives all back. It waits for that, so do not
// call it on the goroutine of Run. A second call does nothing.
func (s *Server) Close() error {
	if !s.stop() {
		return nil
	}
	s.cancel()
	s.answers.close()
	if s.port != nil {
		s.port.Stop()
	}
	if s.loop.socket != nil {
		_ = s.loop.socket.Close()
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
	if s.side != nil && s.side.scripts != nil {
		s.side.scripts.Flush()
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
		err = errors.Join(err, s.local.home.close())
	}
	if s.home != nil {
		err = errors.Join(err, s.home.close())
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
	if s.web == nil || s.side.host.Settings.MaxWatchers == 0 {
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
