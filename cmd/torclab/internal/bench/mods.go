package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

const (
	modCount = 100
	modBots  = 32
	modWarm  = 200 // ticks in which the bots get bodies and meet
	modText  = `local far = 0; function onTick() for _, c in ipairs(players()) do local o = c.controlObject; if o then local p = o.position; if p.z > far then far = p.z end end end end`
)

// modsRow measures the scripts of a match of bots without and with mods that look at all players in
// each tick. The match has no clients and no clock: tick follows tick.
func modsRow(o Options, emit func(Row)) error {
	dir, err := os.MkdirTemp("", "torc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names, err := writeMods(dir)
	if err != nil {
		return err
	}
	bare, _, err := modTicks(o, os.DirFS(dir), "")
	if err != nil {
		return err
	}
	full, instructions, err := modTicks(o, os.DirFS(dir), o.Load.Profile, names...)
	if err != nil {
		return err
	}
	emit(Row{
		{"mods", modCount}, {"players", modBots}, {"ticks", len(full)},
		{"lua_ms_p50", quantile(full, 0.5)}, {"lua_ms_p99", quantile(full, 0.99)},
		{"without_mods_ms_p50", quantile(bare, 0.5)}, {"without_mods_ms_p99", quantile(bare, 0.99)},
		{"instructions_per_mod_tick", float64(instructions) / float64(len(full)*modCount)},
		{"ns_per_player_looked_at", 1e6 * (mean(full) - mean(bare)) / modCount / modBots},
	})
	return nil
}

// modTicks runs a match with some mods. It returns the CPU times of its scripts in ms, sorted, and
// the instructions of these mods.
func modTicks(o Options, folder fs.FS, profileTo string, names ...string) (took []float64, instructions int64, err error) {
	a, err := newScenario(modBots, folder, names...)
	if err != nil {
		return nil, 0, err
	}
	// A mod that uses more than its share would wait or be suspended, and cost less.
	for _, line := range []string{"mod.callbackTime 1s", "mod.tickTime 1s", "mod.cpuSuspend 0"} {
		if _, err := a.console.Exec(line); err != nil {
			return nil, 0, err
		}
	}
	for range modBots {
		if _, err := a.host.AddBot("bench"); err != nil {
			return nil, 0, err
		}
	}
	used := func() (n int64) {
		for _, name := range names {
			n += a.scripts.Runtime.Mod(name).Usage.Instructions
		}
		return n
	}
	ticks := max(int(o.Row/tickTime), 1)
	a.scriptTicks(min(modWarm, 10+2*ticks))
	stop, err := profile(profileTo)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	before := used()
	took = a.scriptTicks(ticks)
	if a.faults > 0 {
		return nil, 0, errors.New(a.fault)
	}
	return took, used() - before, nil
}

// writeMods writes the mods into a folder, and returns their names.
func writeMods(dir string) (names []string, err error) {
	for i := range modCount {
		name := fmt.Sprintf("m%03d", i)
		manifest := fmt.Sprintf("name = %q\nversion = \"1.0.0\"\ndescription = \"Looks at all players\"\n", name)
		err = errors.Join(err,
			os.MkdirAll(filepath.Join(dir, name, "server"), 0o700),
			os.WriteFile(filepath.Join(dir, name, "mod.toml"), []byte(manifest), 0o600),
			os.WriteFile(filepath.Join(dir, name, "server", "init.lua"), []byte(modText), 0o600))
		names = append(names, name)
	}
	return names, err
}

// scriptTicks runs ticks, and returns the CPU times of their scripts in ms, sorted.
func (a *scenario) scriptTicks(n int) (took []float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range n {
		a.next += tickTime
		a.parts, a.lapped = [parts]time.Duration{}, ownCPU()
		a.host.Tick(a.next)
		took = append(took, milliseconds(a.parts[partScripts]))
	}
	slices.Sort(took)
	return took
}
