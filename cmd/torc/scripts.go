package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script"
)

// heapEvery is how old a figure of the heap may be: reading it costs as much as many instructions of Lua.
const heapEvery = time.Millisecond

// newScripts makes the Lua of a side, with the bans of a server in front of it. No mod is loaded yet.
func (s *side) newScripts(cfg engine.Config) (err error) {
	s.scripts, err = script.NewScripts(script.Setup{
		Engine: s.host, Console: s.console, Mods: s.folders, Seed: cfg.Seed, Echo: s.console.Print,
		Log: func(level slog.Level, msg string, args ...any) {
			cfg.Log.Log(context.Background(), level, msg, args...)
		},
		Clock: s.loop.now, Heap: heapSampler(s.loop.now), Hud: s.hud, Protos: s.protos,
		Collect: func() { go runtime.GC() },
		Store:   s.storage(), Rights: s.warden(), Audit: s.record, Trial: s.trials(),
	})
	if err != nil {
		return err
	}
	s.host.SetScripts(s.scripts)
	if s.bans != nil {
		s.host.SetScripts(gate{s.scripts, s})
	}
	return nil
}

// modFolders are where mods are: the embedded ones, and the folder of --mods.
func modFolders(o *config.Options) ([]fs.FS, error) {
	folders := []fs.FS{mods.FS()}
	if o.ModsDir != "" {
		if hasManifest(o.ModsDir) {
			return nil, &config.Usage{Text: fmt.Sprintf("--mods %s is a mod itself; it must be the folder that it is in: --mods %s", o.ModsDir, filepath.Join(o.ModsDir, ".."))}
		}
		root, err := os.OpenRoot(o.ModsDir)
		if err != nil {
			return nil, &config.Usage{Text: fmt.Sprintf("--mods cannot be opened: %v", err)}
		}
		folders = append(folders, root.FS())
	}
	return folders, nil
}

// loadMods loads base and, on a server, what the command line names; a client loads the rest when a
// server tells of it. A mod that fails is left out, unless --strict makes that the end of the start.
func (s *side) loadMods(o *config.Options) error {
	wanted, bad, err := s.wanted(o)
	if err != nil {
		return err
	}
	bad = append(bad, s.scripts.LoadMods(wanted...)...)
	if o.Strict && len(bad) > 0 {
		return bad[0]
	}
	for _, err := range bad {
		s.loop.log.Error(err.Error(), "side", s.name)
	}
	if s.scripts.Mod(script.Base) == nil {
		return errors.New("the mod base is not loaded, and nothing works without it")
	}
	s.host.SetMods(s.scripts.ModInfos())
	if o.Mission != "" && s.host.IsServer() {
		return s.scripts.LoadMission(o.Mission)
	}
	return nil
}

// wanted are the mods of the command line that can be loaded together, and why others cannot. A name
// that no mod has is a mistake of the command line.
func (s *side) wanted(o *config.Options) (names []string, bad []error, err error) {
	if !s.host.IsServer() {
		return nil, nil, nil
	}
	installed, _ := script.Discover(s.folders...) // LoadMods tells what is wrong with the others
	for _, name := range o.Mods {
		_, err := script.Order(installed, append(names, name)...)
		switch {
		case err == nil:
			names = append(names, name)
		case installed[name] == nil:
			text := "--mod " + name + ": " + err.Error()
			if o.ModsDir == "" {
				text += "; --mods DIR adds a folder of your own"
			}
			return nil, nil, &config.Usage{Text: text}
		default:
			bad = append(bad, err)
		}
	}
	return names, bad, nil
}

// gate keeps banned keys out before any mod is asked.
type gate struct {
	engine.Scripts
	side *side
}

func (g gate) ConnectRequest(c *engine.Connection, args []string) (refuse string) {
	if refuse = g.side.bans.Refusal(c.Key(), time.Now()); refuse != "" {
		return refuse
	}
	return g.Scripts.ConnectRequest(c, args)
}

// heapSampler returns the bytes of live heap, as of a moment ago.
func heapSampler(now func() time.Duration) func() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := -heapEvery
	return func() uint64 {
		if at := now(); at-read >= heapEvery {
			read = at
			metrics.Read(sample)
		}
		return sample[0].Value.Uint64()
	}
}
