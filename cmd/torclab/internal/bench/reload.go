package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/mods"
)

const (
	reloadLeast = 3            // reloads per row: one good and two bad ones
	late        = 2 * tickTime // a longer interval between two ticks makes the later one late
)

// reloadPause is the time between two reloads. Tests shorten it.
var reloadPause = 10 * tickTime

// reload runs the match of play and reloads its mod repeatedly while clients play.
func reload(o Options, emit func(Row)) error {
	if len(o.Load.Clients) == 0 {
		o.Load.Clients = []int{64}
	}
	for _, clients := range o.Load.Clients {
		if err := reloadRow(o, clients, emit); err != nil {
			return fmt.Errorf("%d clients: %w", clients, err)
		}
	}
	return nil
}

func reloadRow(o Options, clients int, emit func(Row)) error {
	dir, err := os.MkdirTemp("", "torc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m, err := copyMod(dir)
	if err != nil {
		return err
	}
	return withSwarm(crowdTask{Clients: clients, Moves: 1}, os.DirFS(dir), func(a *scenario, _ swarm) error {
		if err := a.run(min(meetTime, o.Row/2), false); err != nil {
			return err
		}
		return a.reloads(o, clients, m, emit)
	})
}

// reloads emits one row: the row's time with reloads, then the same time without.
func (a *scenario) reloads(o Options, clients int, m editedMod, emit func(Row)) error {
	stop, err := profile(o.Load.Profile)
	if err != nil {
		return err
	}
	a.faults, a.ticks, a.on = 0, nil, true
	n, swaps, trials, err := a.reloadAll(m, a.now()+o.Row)
	stop()
	if err != nil {
		return err
	}
	busy := intervals(a.ticks)
	a.ticks = nil
	if err := a.run(o.Row, false); err != nil {
		return err
	}
	calm := intervals(a.ticks)
	emit(Row{
		{"clients", clients}, {"reloads", n}, {"refused", n - len(swaps)},
		{"swap_ms_p50", quantile(swaps, 0.5)}, {"swap_ms_p99", quantile(swaps, 0.99)}, {"swap_ms_max", quantile(swaps, 1)},
		{"trial_ms_p50", quantile(trials, 0.5)}, {"ticks", len(busy) + 1},
		{"interval_ms_p99", quantile(busy, 0.99)}, {"interval_ms_max", quantile(busy, 1)}, {"late_ticks", above(busy, milliseconds(late))},
		{"calm_interval_ms_p99", quantile(calm, 0.99)}, {"calm_interval_ms_max", quantile(calm, 1)}, {"calm_late_ticks", above(calm, milliseconds(late))},
		{"disconnects", clients - len(a.host.Connections())}, {"script_faults", a.faults},
	})
	return nil
}

// reloadAll reloads the mod until end. The second reload has a syntax error, and the third a
// failing test. It returns the number of reloads, and the swap and test times of the successful
// ones.
func (a *scenario) reloadAll(m editedMod, end time.Duration) (n int, swaps, trials []float64, err error) {
	for ; n < reloadLeast || a.now() < end; n++ {
		badLua, badTest := "", ""
		switch n {
		case 1:
			badLua = "local = 1\n"
		case 2:
			badTest = "test('fails', function() equal(1, 2) end)\n"
		}
		if err := m.edit(n, badLua, badTest); err != nil {
			return n, nil, nil, err
		}
		swap, trial, err := a.reload()
		switch wrong := badLua+badTest != ""; {
		case wrong && err == nil:
			return n, nil, nil, fmt.Errorf("reload %d has an error, but was accepted", n+1)
		case wrong && !errors.Is(err, errNoVerdict):
		case err != nil:
			return n, nil, nil, fmt.Errorf("reload %d: %w", n+1, err)
		default:
			swaps, trials = append(swaps, milliseconds(swap)), append(trials, milliseconds(trial))
		}
		if err := a.run(reloadPause, false); err != nil {
			return n, nil, nil, err
		}
	}
	slices.Sort(swaps)
	slices.Sort(trials)
	return n, swaps, trials, nil
}

var errNoVerdict = errors.New("a reload has not ended")

// reload reloads the mod during the match. swap is the time that the tick loop was blocked. trial
// is the total time, including the tests in the background.
func (a *scenario) reload() (swap, trial time.Duration, err error) {
	done := false
	a.posted = 0
	began := a.now()
	a.scripts.Reload("ctf", func(e error) { done, err = true, e })
	swap = a.now() - began
	for end := began + reloadMost; !done; {
		if a.now() > end {
			return 0, 0, errNoVerdict
		}
		if err := a.run(time.Millisecond, false); err != nil {
			return 0, 0, err
		}
	}
	return swap + a.posted, a.now() - began, err
}

// intervals returns the times between the starts of successive ticks, in ms, sorted.
func intervals(ticks []tickTimes) []float64 {
	var all []float64
	for i := 1; i < len(ticks); i++ {
		all = append(all, milliseconds(ticks[i].began-ticks[i-1].began))
	}
	slices.Sort(all)
	return all
}

// above counts the sorted values greater than most.
func above(sorted []float64, most float64) int {
	i, _ := slices.BinarySearchFunc(sorted, most, func(v, most float64) int {
		if v > most {
			return 1
		}
		return -1
	})
	return len(sorted) - i
}

// editedMod is a folder with a copy of ctf. Its files change between reloads.
type editedMod struct {
	dir  string
	from fs.FS // the original files
}

func copyMod(dir string) (editedMod, error) {
	from, err := fs.Sub(mods.FS(), "ctf")
	if err != nil {
		return editedMod{}, err
	}
	m := editedMod{filepath.Join(dir, "ctf"), from}
	return m, os.CopyFS(m.dir, from)
}

// edit writes a new version and a new datablock value. badLua and badTest are inserted into a Lua
// file and a test file.
func (m editedMod) edit(i int, badLua, badTest string) error {
	return errors.Join(
		m.put("mod.toml", `"1.0.0"`, fmt.Sprintf(`"1.0.%d"`, 1+i)),
		m.put("shared/weapons.lua", "radiusDamage = 45", fmt.Sprint("radiusDamage = ", 40+i%10)),
		m.put("server/score.lua", "return score", badLua+"return score"),
		m.put("test/match_test.lua", "local game", badTest+"local game"),
	)
}

// put writes a file, with some replacements in the original text: pairs of old and new text.
func (m editedMod) put(name string, pairs ...string) error {
	text, err := fs.ReadFile(m.from, name)
	if err != nil {
		return err
	}
	is := string(text)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(is, pairs[i]) {
			return fmt.Errorf("ctf's %s has no %q", name, pairs[i])
		}
		is = strings.Replace(is, pairs[i], pairs[i+1], 1)
	}
	return os.WriteFile(filepath.Join(m.dir, filepath.FromSlash(name)), []byte(is), 0o600)
}
