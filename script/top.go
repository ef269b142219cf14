package script

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// topList returns the console commands that show the resource usage, faults and timers of mods.
func (c *modCommands) topList() []console.Command {
	return []console.Command{
		{Name: "mod.top", Params: "[MOD]", Help: "shows the usage of each mod, or of each event of one mod, most time first", Run: c.top, Complete: c.completeLoaded},
		{Name: "mod.faults", Params: "[MOD]", Help: "lists the faults of mods with count, first and last time, and suspensions", Run: c.listFaults, Complete: c.completeLoaded},
		{Name: "mod.timers", Params: "[MOD]", Help: "lists the timers and threads of mods, the next first: MOD ID DUE EVERY OBJECT, and what it runs", Run: c.listTimers, Complete: c.completeLoaded},
	}
}

// top implements `mod top [MOD]`.
func (c *modCommands) top(args []string) (string, error) {
	if len(args) > 1 {
		return "", errors.New("usage: mod top [MOD]")
	}
	t := textTable{{"", "calls", "errors", "ms", "us/call", "max ms", "instructions", "KiB"}}
	if len(args) == 0 {
		t[0] = append(t[0], "cpu %")
		for i, m := range c.byTime() {
			t.add(m.Name, m.Total())
			t[i+1] = append(t[i+1], fmt.Sprint(m.CPUPercent()))
		}
		return t.String(), nil
	}
	m, err := c.findLoaded(args[0])
	if err != nil {
		return "", err
	}
	for _, e := range m.Events() {
		t.add(e.Event, e)
	}
	return t.String(), nil
}

// byTime lists the loaded mods by time used, most first. Mods with equal times are in load order.
func (c *modCommands) byTime() []*vm.Mod {
	mods := slices.Clone(c.scripts.Runtime.Mods)
	slices.SortStableFunc(mods, func(a, b *vm.Mod) int { return cmp.Compare(b.Usage.Time, a.Usage.Time) })
	return mods
}

// findLoaded finds a loaded mod. The console's state counts as one.
func (c *modCommands) findLoaded(name string) (*vm.Mod, error) {
	if m := c.scripts.Runtime.Mod(name); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("mod %s is not loaded (mods lists the loaded mods)", bind.Quote(truncate(name, 64)))
}

// textTable holds rows of words below a header. The first column is a name, the others are numbers.
type textTable [][]string

func (t *textTable) add(name string, e vm.EventUsage) {
	each := time.Duration(0)
	if e.Calls > 0 {
		each = e.Time / time.Duration(e.Calls)
	}
	*t = append(*t, []string{
		name, fmt.Sprint(e.Calls), fmt.Sprint(e.Errors), inUnits(e.Time, time.Millisecond), inUnits(each, time.Microsecond),
		inUnits(e.Max, time.Millisecond), fmt.Sprint(e.Instructions), fmt.Sprint(e.Heap >> 10),
	})
}

// inUnits formats a time with one decimal place.
func inUnits(d, unit time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(unit))
}

func (t textTable) String() string {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, word := range row {
			widths[i] = max(widths[i], len(word))
		}
	}
	lines := make([]string, len(t))
	for i, row := range t {
		words := []string{fmt.Sprintf("%-*s", widths[0], row[0])}
		for j, word := range row[1:] {
			words = append(words, fmt.Sprintf("%*s", widths[j+1], word))
		}
		lines[i] = strings.Join(words, "  ")
	}
	return strings.Join(lines, "\n")
}

// listFaults implements `mod faults [MOD]`.
func (c *modCommands) listFaults(args []string) (string, error) {
	if len(args) > 1 {
		return "", errors.New("usage: mod faults [MOD]")
	}
	mods, lines := c.scripts.Runtime.Mods, c.scripts.mods.notLoadedLines()
	if len(args) == 1 {
		if why := c.scripts.mods.whyNotLoaded(args[0]); why != "" {
			return args[0] + " - " + why, nil
		}
		lines = nil
		m, err := c.findLoaded(args[0])
		if err != nil {
			return "", err
		}
		mods = []*vm.Mod{m}
	}
	for _, m := range mods {
		if n := instanceOf(m).output.Dropped; n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d lines of output were dropped", m.Name, n))
		}
		for _, f := range c.scripts.Runtime.FaultsOf(m.Name) {
			lines = append(lines, f.History())
		}
		if why := m.Suspended(); why != "" {
			lines = append(lines, m.Name+" is suspended: "+why)
		}
		for _, event := range m.SuspendedHandlers() {
			lines = append(lines, m.Name+" is suspended in "+event)
		}
	}
	if len(lines) == 0 {
		return "no faults", nil
	}
	return strings.Join(lines, "\n"), nil
}
