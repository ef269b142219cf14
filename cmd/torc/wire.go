package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/audit"
	"github.com/torc-engine/torc/engine/node/bans"
	"github.com/torc-engine/torc/engine/node/data"
	"github.com/torc-engine/torc/engine/node/keys"
	"github.com/torc-engine/torc/engine/node/logs"
	"github.com/torc-engine/torc/engine/node/rights"
	"github.com/torc-engine/torc/engine/node/workers"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
)

// side is one half of a game: a host with its console and its scripts.
type side struct {
	name    string // "server" or "client"
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	folders []fs.FS                     // of mods
	bans    *bans.List                  // of a server
	rights  *rights.List                // of a server
	audit   *audit.Log                  // of a server
	hud     func(line int, text string) // of a client
	protos  *script.Protos              // what it compiles; nil: its own
	drone   bool                        // one of a swarm: nobody looks at it
	mute    bool                        // nobody reads what it prints
	loop    *loop
}

// newLoop opens what every subcommand needs: the data folder, the terminal, the log, the signals.
func newLoop(o *config.Options, role string) (*loop, error) {
	dir := o.Data
	if dir == "" {
		var err error
		if dir, err = data.Default(role, os.LookupEnv); err != nil {
			return nil, err
		}
	}
	home, err := data.Open(dir, role == "server")
	if err != nil {
		return nil, err
	}
	term, err := prompt.Open(prompt.Mode(o.Console), prompt.Options{History: home.Path("history"), Timeout: answerTimeout})
	if err != nil {
		home.Close()
		return nil, &config.Usage{Text: "--console " + o.Console + ": " + err.Error()}
	}
	l := &loop{epoch: time.Now(), home: home, term: term, lines: term.Lines(), posts: make(chan func(), 16)}
	l.log = logs.New(l.logWriter(), o.LogLevel, o.LogFormat)
	if home.Exposed() {
		l.log.Warn("others may write to the data folder, and so take the operator's place: chmod go-w ends that", "folder", home.Path(""))
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	l.signals = signals
	return l, nil
}

// close gives everything back. It is called however the loop ended.
func (l *loop) close() {
	if l.socket != nil {
		l.socket.Close()
	}
	if l.workers != nil {
		l.workers.Stop()
	}
	l.closeMetrics()
	l.closeStore()
	l.closeTerminal()
	l.home.Close()
}

// logWriter is stderr, or the terminal's own way of writing above the line that is being typed.
func (l *loop) logWriter() io.Writer {
	_, editing := l.term.(*prompt.Terminal)
	info, err := os.Stderr.Stat()
	if editing && err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return above{l}
	}
	return os.Stderr
}

type above struct{ loop *loop }

func (a above) Write(line []byte) (int, error) {
	a.loop.show(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// server makes the side that others join.
func (l *loop) server(o *config.Options, resolve func(string) (netcore.Addr, error)) (*side, error) {
	list, err := bans.Open(l.home.Path("bans"))
	if err != nil {
		return nil, err
	}
	if err := l.openStore(); err != nil {
		return nil, err
	}
	l.workers = workers.Start(0)
	s := &side{name: "server", bans: list, loop: l}
	if err := s.openRights(); err != nil {
		return nil, err
	}
	return s, s.build(o, l.home, engine.Config{
		Server: true, Name: o.Name, Password: o.Password, MaxClients: o.MaxClients, Resolve: resolve,
		Parallel: l.workers.Parallel,
	})
}

// client makes the side that joins a server.
func (l *loop) client(o *config.Options, home *data.Folder, resolve func(string) (netcore.Addr, error)) (*side, error) {
	s := &side{name: "client", loop: l}
	return s, s.build(o, home, engine.Config{
		Name: o.Name, Resolve: resolve, Trust: l.trust(home),
		Entered: l.connected, Ended: l.disconnected, Failed: l.unreached,
	})
}

// trust decides on the keys of servers by those that were met before.
func (l *loop) trust(home *data.Folder) func(string, seal.Key) error {
	return keys.Trust(home.Path("known_servers"), func(address string, k seal.Key) {
		l.log.Info("met a new server", "address", address, "fingerprint", k.Fingerprint())
	})
}

// build puts the parts of a side together that has a key and a world of its own.
func (s *side) build(o *config.Options, home *data.Folder, cfg engine.Config) error {
	var err error
	if cfg.Identity, err = keys.Identity(home.Path("identity"), rand.Reader); err != nil {
		return err
	}
	if s.folders, err = modFolders(o); err != nil {
		return err
	}
	if cfg.Classes, err = newClasses(); err != nil {
		return err
	}
	cfg.Seed = seedOf(o)
	return s.assemble(cfg)
}

// newClasses are all that there are without mods.
func newClasses() (*sim.Classes, error) {
	classes := sim.NewClasses()
	return classes, errors.Join(engine.Register(classes), game.Register(classes))
}

// assemble puts the rest of a side together, which is alike for all of them.
func (s *side) assemble(cfg engine.Config) error {
	cfg.Entropy = rand.Reader
	cfg.Log = s.loop.log.With("side", s.name)
	s.host = engine.NewHost(cfg)
	if !cfg.Server && !s.drone {
		s.hud = s.loop.newView(s.host).SetHud
	}
	s.console = console.New(func(line string) {
		if !s.mute {
			s.loop.print(line)
		}
	})
	s.console.SetFiles(os.DirFS("."))
	if err := s.host.Bind(s.console); err != nil {
		return err
	}
	if err := s.loop.register(s); err != nil {
		return err
	}
	s.loop.sides = append(s.loop.sides, s)
	if s.loop.typing == nil {
		s.loop.typing = s
	}
	return s.newScripts(cfg)
}

func seedOf(o *config.Options) uint64 {
	if o.Seed != nil {
		return *o.Seed
	}
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// load sets the variables of the file and loads the mods. Variables of mods exist only after these
// are loaded, or much later, so what was unknown before is expected. What begins as torc's own do is
// no mod's that is to come.
func (s *side) load(o *config.Options) error {
	own, later := map[string]bool{}, []config.Var{}
	for _, name := range s.console.Names() {
		own[family(name)] = true
	}
	for _, v := range o.Vars {
		if _, known := s.console.Lookup(v.Name); known != nil {
			if err := s.set(o, v); err != nil {
				return err
			}
			continue
		}
		s.scripts.Expect(v.Name, v.Value)
		later = append(later, v)
	}
	if err := s.loadMods(o); err != nil {
		return err
	}
	for _, v := range later {
		_, known := s.console.Lookup(v.Name)
		if known != nil || own[family(v.Name)] {
			if err := s.set(o, v); err != nil {
				return err
			}
		} else if s.host.IsServer() { // a client's mods come with its server
			s.loop.log.Warn(o.VarsFrom+": [vars] "+v.Name+" waits for a mod that has it: none that is loaded does", "side", s.name)
		}
	}
	if o.Bots != nil && s.host.IsServer() {
		if err := s.console.Set("sv.bots", strconv.Itoa(*o.Bots)); err != nil {
			return &config.Usage{Text: "--bots: " + err.Error()}
		}
	}
	return nil
}

// family is how the name of a variable begins: net of net.rate.
func family(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

func (s *side) set(o *config.Options, v config.Var) error {
	if err := s.console.Set(v.Name, v.Value); err != nil {
		return &config.Usage{Text: fmt.Sprintf("%s: [vars] %v", o.VarsFrom, err)}
	}
	return nil
}

// start loads the mods and runs what --exec and --eval name, in their order. A line that fails is
// reported like one that was typed.
func (s *side) start(o *config.Options) error {
	if err := s.load(o); err != nil {
		return err
	}
	for _, given := range o.Scripts {
		if given.File == "" {
			s.print(s.scripts.EvalLua(given.Code))
			continue
		}
		if err := s.exec(given.File); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a file: one chunk of Lua, or console lines up to the first that fails.
func (s *side) exec(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return &config.Usage{Text: fmt.Sprintf("--exec cannot be read: %v", err)}
	}
	s.print(s.console.ExecFile(name, string(text)))
	return nil
}

func (s *side) print(out string, err error) {
	if out != "" {
		s.console.Print(out)
	}
	if err != nil {
		s.console.Print("error: " + err.Error())
	}
}
