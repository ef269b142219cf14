package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// Limits of the output.
const (
	traceWindow   = time.Second // of simulation time
	maxTraceLines = 40          // per window
	maxTraceBytes = 16 << 10    // per window
	maxTraceWords = 200         // bytes of the arguments or results of one call
)

// A callTrace prints the calls of chosen mods: into the mod, from it into other mods, and the
// commands that it sends, with arguments, results, counted steps and milliseconds. It is the
// vm.Tracer of a runtime while it has mods. It prints at most 40 lines and 16 KiB per second of
// simulation time, and counts the others. It does not format what it does not print.
type callTrace struct {
	runtime *vm.Runtime
	print   func(line string)
	data    func(any) string
	mods    map[string]bool
	since   time.Duration // start of the window
	lines   int
	bytes   int
	left    int // lines left out since the last report
}

// newTrace makes a trace of a runtime without mods. data prints the value of a userdata.
func newTrace(runtime *vm.Runtime, print func(line string), data func(any) string) *callTrace {
	return &callTrace{runtime: runtime, print: print, data: data, mods: map[string]bool{}}
}

// Called implements vm.Tracer.
func (t *callTrace) Called(c *vm.TracedCall) {
	if t.concerns(c) && t.allow() {
		t.write(c, fmt.Sprintf("-> %s(%s)", route(c), t.words(c.Values())))
	}
}

// Returned implements vm.Tracer.
func (t *callTrace) Returned(c *vm.TracedCall) {
	if !t.concerns(c) || !t.allow() {
		return
	}
	text := fmt.Sprintf("<- %s", route(c))
	if results := c.Values(); len(results) > 0 {
		text += " = " + t.words(results)
	}
	if c.Err != nil {
		text += ": " + console.Clean(vm.ClipText(c.Err.Error(), maxTraceWords))
	}
	t.write(c, text+" "+traceCost(c))
}

// Sent prints a command that a mod sends.
func (t *callTrace) Sent(mod, command string, args []lua.LValue) {
	if t.mods[mod] && t.allow() {
		t.put(fmt.Sprintf("trace %s%s sends %s(%s)", strings.Repeat("  ", t.runtime.Depth()), mod, command, t.words(args)))
	}
}

// Tick begins a new window if it is time, and reports what the old one left out.
func (t *callTrace) Tick() {
	if now := t.runtime.Now(); now-t.since >= traceWindow {
		t.report()
		t.since, t.lines, t.bytes = now, 0, 0
	}
}

// concerns reports whether a call goes into a traced mod or comes from one.
func (t *callTrace) concerns(c *vm.TracedCall) bool {
	return t.mods[c.Mod.Name] || c.Caller != nil && t.mods[c.Caller.Name]
}

// allow counts a line, and reports whether it can be printed.
func (t *callTrace) allow() bool {
	if t.lines < maxTraceLines && t.bytes < maxTraceBytes {
		t.lines++
		return true
	}
	t.left++
	return false
}

func (t *callTrace) report() {
	if t.left > 0 {
		t.print(fmt.Sprintf("trace: %d lines left out", t.left))
		t.left = 0
	}
}

func (t *callTrace) write(c *vm.TracedCall, text string) {
	t.put("trace " + strings.Repeat("  ", c.Depth-1) + text)
}

func (t *callTrace) put(line string) {
	t.bytes += len(line)
	t.print(line)
}

// words prints arguments or results.
func (t *callTrace) words(values []lua.LValue) string {
	p := bind.Printer{Data: t.data}
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Line(v))
		if b.Len() > maxTraceWords {
			return strings.ToValidUTF8(b.String()[:maxTraceWords], "") + "…"
		}
	}
	return b.String()
}

// route names the mod and the event of a call, and the mod that calls.
func route(c *vm.TracedCall) string {
	text := c.Mod.Name + " " + console.Clean(vm.ClipText(c.Event, vm.MaxQuoted))
	if c.Caller != nil && c.Caller != c.Mod {
		return c.Caller.Name + " > " + text
	}
	return text
}

// traceCost prints the use of a call, with the calls that it made.
func traceCost(c *vm.TracedCall) string {
	if c.Time == 0 {
		return fmt.Sprintf("(%d steps)", c.Steps)
	}
	return fmt.Sprintf("(%d steps, %.2f ms)", c.Steps, float64(c.Time)/float64(time.Millisecond))
}

// Command returns the console command that turns traces on and off.
func (t *callTrace) Command(loaded func() []string) console.Command {
	return console.Command{
		Name: "trace", Params: "[on MOD|off [MOD]]", Help: "prints the calls into and out of a mod, its callbacks and its commands; without arguments, lists the traced mods",
		Run: func(args []string) (string, error) { return t.run(args, loaded()) },
		Complete: func(args []string) []string {
			switch {
			case len(args) == 1:
				return []string{"on", "off"}
			case len(args) == 2 && args[0] == "on":
				return loaded()
			case len(args) == 2:
				return slices.Sorted(maps.Keys(t.mods))
			}
			return nil
		},
	}
}

var errTraceUsage = errors.New("usage: trace [on MOD|off [MOD]]")

func (t *callTrace) run(args, loaded []string) (string, error) {
	switch {
	case len(args) == 0 && len(t.mods) == 0:
		return "no mod is traced", nil
	case len(args) == 0:
		return strings.Join(slices.Sorted(maps.Keys(t.mods)), "\n"), nil
	case len(args) == 2 && args[0] == "on":
		if !slices.Contains(loaded, args[1]) {
			return "", fmt.Errorf("mod %s is not loaded (mods lists the loaded mods)", console.Quote(vm.ClipText(args[1], vm.MaxQuoted)))
		}
		t.mods[args[1]] = true
	case len(args) == 2 && args[0] == "off":
		if !t.mods[args[1]] {
			return "", fmt.Errorf("mod %s is not traced (trace lists the traced mods)", console.Quote(vm.ClipText(args[1], vm.MaxQuoted)))
		}
		delete(t.mods, args[1])
	case len(args) == 1 && args[0] == "off":
		clear(t.mods)
	default:
		return "", errTraceUsage
	}
	t.apply()
	return "", nil
}

// apply makes the trace the runtime's tracer while it has mods.
func (t *callTrace) apply() {
	if len(t.mods) > 0 {
		t.runtime.SetTracer(t)
		return
	}
	t.report()
	t.runtime.SetTracer(nil)
}
