package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore/netsim/line"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// luaHost is a server or client as torc runs it, with its Lua. It uses no real clock.
type luaHost struct {
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	faults  []error // script errors
}

// compiled has the compiled files of mods of all matches of this process.
var compiled = vm.NewShared(new(sync.Mutex))

// matchAt is the address of the server of a match.
var matchAt = line.ServerAddr(0)

// newSide returns side n of a game, with the given mods loaded.
func newSide(n uint16, server bool, probe func(engine.Step), names ...string) (*luaHost, error) {
	s := new(luaHost)
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
		Engine: s.host, Console: s.console, Mods: []fs.FS{mods.FS()}, Seed: uint64(n), Echo: func(string) {}, Protos: compiled.Protos(), Parts: script.NewParts(nil),
		Log: func(level slog.Level, text string, args ...any) {
			if level >= slog.LevelError {
				s.faults = append(s.faults, fmt.Errorf("%s %v", text, args))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	s.host.SetScripts(s.scripts.Hooks())
	err = errors.Join(s.scripts.LoadMods(names...)...)
	s.host.SetMods(s.scripts.ModInfos())
	return s, err
}

func playerName(n uint16) string { return fmt.Sprintf("P%d", n) }

// say runs console lines.
func (s *luaHost) say(lines ...string) error {
	for _, line := range lines {
		if _, err := s.console.Exec(line); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	return nil
}
