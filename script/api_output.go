package script

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// maxLine is the maximum length of an output line, in bytes. The rest is cut off.
const maxLine = 8 << 10

// outputLib has the functions for printing and logging.
func outputLib() vm.Lib {
	return bind.Chapter("Output", []bind.Row{
		bind.Def("echo", "...: any", vm.Both, "Prints the values, joined by tabs, on the console.", echo),
		bind.Def("print", "...: any", vm.Both, "The same as echo.", echo),
		bind.Def("showMessage", "type: string, text: string", vm.Client, "Shows the player a message of a type, such as MsgChat. \\n begins a new line. A program that has no place for messages prints the text like echo.", showMessage),
		bind.Def("showEffect", "kind: string", vm.Client, "Shows the player a short effect. The client for browsers knows \"hit\", and \"voices\" with the V menu of base. Programs ignore effects that they do not know.", showEffect),
		bind.Def("warn", "...: any", vm.Both, "Logs the values as a warning, with the mod and the line.", logger(slog.LevelWarn)),
		bind.Def("logError", "...: any", vm.Both, "Logs the values as an error, with the mod and the line.", logger(slog.LevelError)),
	})
}

func echo(a bind.Call) int {
	if text := joinedText(a); caller(a).output.allow(a, len(text)) {
		caller(a).scripts.screen.echo(text)
	}
	return 0
}

func showMessage(a bind.Call) int {
	kind, text, s := a.String(1), vm.ClipText(a.String(2), maxLine), caller(a).scripts
	switch {
	case !caller(a).output.allow(a, len(kind)+len(text)):
	case s.screen.message == nil:
		s.screen.echo(text)
	default:
		s.screen.message(console.Clean(kind), console.ReadableText(text))
	}
	return 0
}

func showEffect(a bind.Call) int {
	kind, s := a.String(1), caller(a).scripts
	if s.screen.effect != nil && caller(a).output.allow(a, len(kind)) {
		s.screen.effect(console.Readable(kind))
	}
	return 0
}

// printLines prints lines within the mod's limit.
func printLines(a bind.Call, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if caller(a).output.allow(a, len(line)) {
			caller(a).scripts.screen.echo(line)
		}
	}
}

func logger(level slog.Level) func(bind.Call) int {
	return func(a bind.Call) int {
		if text := joinedText(a); caller(a).output.allow(a, len(text)) {
			caller(a).scripts.Runtime.Log(level, text, "mod", a.Mod.Name, "at", strings.TrimSuffix(vm.CallerPosition(a.L, 1), ": "))
		}
		return 0
	}
}

// joinedText returns all arguments as text, separated by tabs.
func joinedText(a bind.Call) string {
	words := make([]string, a.N())
	size := 0
	for i := range words {
		words[i] = a.Mod.State.Text(a.L, a.Get(i+1))
		if size += len(words[i]); size > a.Longest() {
			a.ChargeString(size)
		}
	}
	text := strings.Join(words, "\t")
	a.Charge(len(text) / 64)
	return vm.ClipText(text, maxLine)
}

// outputWindow is the period of Limits.Lines and Limits.Output, in simulation time.
const outputWindow = time.Second

// outputLimiter counts the recent output of a mod. Too many lines hide the output of other mods,
// and cost time that the instruction budget does not cover.
type outputLimiter struct {
	since        time.Duration // start of the current period
	lines, bytes int           // in the current period
	reported     bool          // the drop has been reported in this period
	Dropped      int64         // lines dropped since the start
}

// allow reports whether the mod may print size more bytes. Output over the limit is dropped and
// counted, and allow logs one warning per period. The operator has no limit.
func (o *outputLimiter) allow(a bind.Call, size int) bool {
	h := a.Runtime()
	if a.Mod == caller(a).scripts.operator {
		return true
	}
	if now := h.Now(); now-o.since >= outputWindow {
		*o = outputLimiter{since: now, Dropped: o.Dropped}
	}
	o.lines++
	o.bytes += size + 1
	l := h.LimitsVar()
	if o.lines <= l.Lines && o.bytes <= l.Output {
		return true
	}
	o.Dropped++
	if !o.reported {
		o.reported = true
		h.Log(slog.LevelWarn, fmt.Sprintf("%s prints more than %d lines or %d bytes per second; the rest is dropped (mod.maxLines, mod.maxOutput)",
			a.Mod.Name, l.Lines, l.Output), "mod", a.Mod.Name)
	}
	return false
}
