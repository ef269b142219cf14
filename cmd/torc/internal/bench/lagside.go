package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// lagHost is a server or client as torc runs it, with its Lua. It uses no real clock.
type lagHost struct {
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	faults  []error // script errors
}

// matchAt is the address of the server of a match.
var matchAt = line.ServerAddr(0)

// newSide returns side n of a game, with the given mods loaded.
func newSide(n uint16, server bool, protos *vm.Protos, probe func(engine.Step), names ...string) (*lagHost, error) {
	s := new(lagHost)
	classes := sim.NewClasses()
	if err := errors.Join(engine.Register(classes), game.Register(classes)); err != nil {
		return nil, err
	}
	entropy := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	id, err := seal.NewIdentity(entropy)
	if err != nil {
		return nil, err
	}
	s.console = console.New(func(string) {})
	s.host = engine.NewHost(engine.Config{
		Server: server, Name: playerName(n), Classes: classes, Identity: id, Entropy: entropy, Seed: uint64(n), Probe: probe,
		Resolve: engine.ResolveTo(matchAt),
		Trust:   func(string, seal.Key) error { return nil },
	})
	if err := s.host.Bind(s.console); err != nil {
		return nil, err
	}
	s.scripts, err = script.NewScripts(script.Setup{
		Engine: s.host, Console: s.console, Mods: []fs.FS{mods.FS()}, Seed: uint64(n), Echo: func(string) {}, Protos: protos,
		Log: func(level slog.Level, text string, args ...any) {
			if level >= slog.LevelError {
				s.faults = append(s.faults, fmt.Errorf("%s %v", text, args))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	s.host.SetScripts(s.scripts)
	err = errors.Join(s.scripts.LoadMods(names...)...)
	s.host.SetMods(s.scripts.ModInfos())
	return s, err
}

func playerName(n uint16) string { return fmt.Sprintf("P%d", n) }

// say runs console lines.
func (s *lagHost) say(lines ...string) error {
	for _, line := range lines {
		if _, err := s.console.Exec(line); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return nil
}

// match is a server with a capture-the-flag match without end, and its clients.
type match struct {
	*lagHost
	net     *netsim.Network
	protos  *vm.Protos
	players []*lagPlayer
	bytes   map[netcore.Addr]int // sent to an address; never ranged over: map order is random
}

// newMatch returns a match without players.
func newMatch() (*match, error) {
	m := &match{net: netsim.New(1), protos: vm.NewProtos(), bytes: map[netcore.Addr]int{}}
	var err error
	if m.lagHost, err = newSide(serverAt.Port, true, m.protos, m.watch, "base", "ctf"); err != nil {
		return nil, err
	}
	m.net.Attach(matchAt, m.host)
	m.net.Watch = func(_ netcore.Time, _, to netcore.Addr, d []byte) { m.bytes[to] += len(d) }
	return m, m.say("ctf.warmup = 0", "ctf.timeLimit = 1440", "ctf.scoreLimit = 100")
}

// watch measures each player's body on the server after the steps that can change it.
func (m *match) watch(done engine.Step) {
	if done != engine.StepReceive && done != engine.StepMoves && done != engine.StepReplicate {
		return
	}
	for _, p := range m.players {
		p.force.look(m.net.Now(), done == engine.StepMoves)
	}
}

// tick runs one tick of the server and all clients.
func (m *match) tick() { m.net.Run(m.net.Now()+engine.TickTime, engine.TickTime) }

// until ticks until is returns true, at most one minute.
func (m *match) until(what string, is func() bool) error {
	for end := m.net.Now() + time.Minute; !is(); m.tick() {
		if m.net.Now() > end {
			return errors.Join(fmt.Errorf("timeout after 1 minute: %s", what), m.fault())
		}
	}
	return nil
}

// fault returns the script errors of the server and the clients.
func (m *match) fault() error {
	err := errors.Join(m.faults...)
	for _, p := range m.players {
		err = errors.Join(err, errors.Join(p.faults...))
	}
	return err
}
