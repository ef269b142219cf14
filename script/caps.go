package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// caps limit the engine resources of one mod.
type caps struct {
	objects int // living objects made by new
	timers  int // pending events
	blocks  int // declared datablocks
	classes int // classes declared in the session
	names   int // console names: commands and settings
}

var defaultCaps = caps{objects: 65_536, timers: 4096, blocks: 4096, classes: 256, names: 1024}

// checkConsoleName fails if a console name begins with a keyword of Lua or the mod has too many
// console names.
func checkConsoleName(a bind.Call, name string) {
	if first, _, _ := strings.Cut(name, "."); slices.Contains(bind.Keywords, first) {
		a.Fail("%q is a keyword of Lua and cannot name a command or setting", first)
	}
	if err := caller(a).mayName(name); err != nil {
		a.Fail("%s", err)
	}
	have, s := 0, caller(a).scripts
	for _, m := range s.settings.registered {
		if m == a.Mod {
			have++
		}
	}
	if have >= s.caps.names {
		a.Fail("a mod can have at most %d commands and settings", s.caps.names)
	}
}

// defaultTags is the number of texts of tagged strings that a mod can have by default.
const defaultTags = 65_536

// bind makes the caps console variables. tags is the limit of tagged strings, store that
// of stored bytes.
func (c *caps) bind(to *console.Console, tags, store *int) error {
	for _, v := range []console.Var{
		{Name: "mod.maxObjects", Help: "limit of objects per mod", Value: console.Int(&c.objects, 1, 1<<24)},
		{Name: "mod.maxTags", Help: "limit of tagged strings per mod", Value: console.Int(tags, 1, 1<<20)},
		{Name: "mod.maxTimers", Help: "limit of timers per mod", Value: console.Int(&c.timers, 1, 1<<20)},
		{Name: "mod.maxBlocks", Help: "limit of datablocks per mod", Value: console.Int(&c.blocks, 1, 1<<14)},
		{Name: "mod.maxClasses", Help: "limit of classes per mod", Value: console.Int(&c.classes, 1, 1<<10)},
		{Name: "mod.maxNames", Help: "limit of commands and settings per mod", Value: console.Int(&c.names, 1, 1<<16)},
		{Name: "mod.maxStore", Help: "limit of stored bytes per mod", Value: console.Int(store, 0, 1<<30)},
	} {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}

// bindLimits makes the limits console variables. An entry in progress keeps the bounds it began
// with.
func bindLimits(l *vm.Limits, to *console.Console) error {
	var vars []console.Var
	for _, k := range []struct {
		name, of string
		limit    *vm.Limit
		most     time.Duration
	}{
		{"callback", "one event, command or timer", &l.Callback, time.Minute},
		{"load", "loading one mod or mission", &l.Load, 5 * time.Minute},
		{"line", "one console line", &l.Line, 5 * time.Minute},
	} {
		vars = append(vars,
			console.Var{Name: "mod." + k.name + "Time", Help: "CPU time limit of " + k.of, Value: console.Duration(&k.limit.Time, time.Millisecond, k.most)},
			console.Var{Name: "mod." + k.name + "Instructions", Help: "instruction limit of " + k.of, Value: count(&k.limit.Instructions)},
			console.Var{Name: "mod." + k.name + "Heap", Help: "heap growth limit in MiB of " + k.of, Value: mebibytes(&k.limit.Heap)},
		)
	}
	vars = append(vars,
		console.Var{Name: "mod.reloadTime", Help: "CPU time limit of all loading by one reload or mod enable", Value: console.Duration(&l.Reload, time.Millisecond, 5*time.Minute)},
		console.Var{Name: "mod.tickTime", Help: "time of all callbacks of a tick after which commands, timers and events wait", Value: console.Duration(&l.Tick, time.Millisecond, time.Second)},
		console.Var{Name: "mod.tickInstructions", Help: "instruction limit of all callbacks of a tick together", Value: count(&l.Ticking)},
		console.Var{Name: "mod.threadInstructions", Help: "instruction limit of a thread between two waits", Value: count(&l.Thread)},
		console.Var{Name: "mod.cpuWarn", Help: "percentage of a core from which a mod that uses it for 10 s gets a warning; 0: never", Value: console.Int(&l.CPUWarn, 0, 100)},
		console.Var{Name: "mod.cpuSuspend", Help: "percentage of a core from which a mod that uses it for 10 s is suspended; 0: never", Value: console.Int(&l.CPUSuspend, 0, 100)},
		console.Var{Name: "mod.maxHeap", Help: "heap limit of the process in MiB; above it scripts are stopped", Value: mebibytes(&l.Heap)},
		console.Var{Name: "mod.maxString", Help: "size limit of a string in bytes", Value: console.Int(&l.String, 64<<10, vm.MaxString)},
		console.Var{Name: "mod.maxCalls", Help: "nesting limit of calls in threads made after the change", Value: console.Int(&l.Calls, 50, 10_000)},
		console.Var{Name: "mod.maxCoroutines", Help: "limit of a mod's unfinished coroutines", Value: console.Int(&l.Threads, 1, 1<<16)},
		console.Var{Name: "mod.maxLines", Help: "lines that a mod can print and log per second; more are dropped", Value: console.Int(&l.Lines, 1, 1<<20)},
		console.Var{Name: "mod.maxOutput", Help: "bytes that a mod can print and log per second; more are dropped", Value: console.Int(&l.Output, 1<<10, 1<<30)},
	)
	for _, v := range vars {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}

// count makes a console value for a number of instructions.
func count(p *int64) console.VarValue {
	return wholeNumber(1000, 1<<53, func() int64 { return *p }, func(n int64) { *p = n })
}

// mebibytes makes a console value for a size in MiB, stored in bytes.
func mebibytes(p *uint64) console.VarValue {
	return wholeNumber(1, 1<<20, func() int64 { return int64(*p >> 20) }, func(n int64) { *p = uint64(n) << 20 })
}

// wholeNumber makes a console value for whole numbers from lo to hi. The range can exceed that of
// int.
func wholeNumber(lo, hi int64, read func() int64, write func(int64)) console.VarValue {
	set := func(text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < lo || n > hi {
			return fmt.Errorf("must be a whole number from %d to %d, got %s", lo, hi, console.Quote(text))
		}
		write(n)
		return nil
	}
	return wholeNumberValue{console.Func(func() string { return strconv.FormatInt(read(), 10) }, set), read}
}

// wholeNumberValue is a console value that Lua reads as a number.
type wholeNumberValue struct {
	console.VarValue
	read func() int64
}

// Any implements console.TypedValue.
func (v wholeNumberValue) Any() any { return float64(min(v.read(), 1<<53)) }
