package script

import (
	"fmt"
	"strings"
	"text/tabwriter"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// maxTimerRows is the number of timers that Table prints.
const maxTimerRows = 100

// timerTable prints the timers of one mod, or of all mods with "", at the simulation time now in
// milliseconds. The timers that are due first come first.
func timerTable(list []sim.Timer, mod string, world *sim.World, now int64) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mod\tid\tdue in\tevery\tobject\truns\t")
	rows := 0
	for _, t := range list {
		if mod != "" && modOfTimer(t) != mod {
			continue
		}
		if rows++; rows > maxTimerRows {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t\n", modOfTimer(t), t.ID, seconds(max(t.Due-now, 0)), timerInterval(t), timerObject(world, t.Owner.Object), timerText(t))
	}
	_ = w.Flush() // a strings.Builder takes everything
	switch {
	case rows == 0:
		return "no timers"
	case rows > maxTimerRows:
		fmt.Fprintf(&b, "and %d more\n", rows-maxTimerRows)
	}
	return trimLines(b.String())
}

// modOfTimer returns the name of the timer's mod, the same before and after a reload. It is
// "engine" for a timer without a mod.
func modOfTimer(t sim.Timer) string {
	if t.Owner.Mod == "" {
		return "engine"
	}
	name, _, _ := strings.Cut(t.Owner.Mod, "#")
	return name
}

// timerText tells what a timer runs, with file and line as far as they are known.
func timerText(t sim.Timer) string {
	switch what := t.Owner.What.(type) {
	case *lua.LFunction:
		return "function " + functionPlace(what)
	case *lua.LState:
		return "thread " + threadPlace(what)
	case string:
		return "method " + vm.ClipText(what, vm.MaxQuoted)
	}
	return "-"
}

// functionPlace returns the file and line where a function begins.
func functionPlace(fn *lua.LFunction) string {
	if fn.IsG {
		return "[Go]"
	}
	return fmt.Sprintf("%s:%d", fn.Proto.SourceName, fn.Proto.LineDefined)
}

// threadPlace returns the file and line where a thread waits, or where the function of a new thread
// begins.
func threadPlace(th *lua.LState) string {
	if _, started := th.GetStack(0); !started {
		if fn, ok := th.Get(1).(*lua.LFunction); ok {
			return functionPlace(fn)
		}
		return "-"
	}
	for level := range 2 { // wait itself can be the innermost call
		if at := vm.CallerPosition(th, level); at != "" {
			return strings.TrimSuffix(at, ": ")
		}
	}
	return "-"
}

func timerObject(world *sim.World, id sim.ID) string {
	if o := world.Find(id); o != nil {
		return o.Ident().String()
	}
	return "-"
}

func timerInterval(t sim.Timer) string {
	if t.Repeat == 0 {
		return "-"
	}
	return seconds(t.Repeat)
}

func seconds(ms int64) string { return fmt.Sprintf("%.3fs", float64(ms)/1000) }

// trimLines removes the padding behind the last column.
func trimLines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
