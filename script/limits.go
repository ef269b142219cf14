package script

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/torc-engine/torc/console"
)

// Limit bounds one entry. A zero field sets no bound: a nested entry then has the remaining budget
// of its caller.
type Limit struct {
	Instructions int64         // VM instructions, and work in Go charged as instructions
	Time         time.Duration // wall time
	Heap         uint64        // heap growth in bytes
}

// Limits are the bounds of root entries, and of the output, threads and strings of one mod.
type Limits struct {
	Callback Limit         // an event of the engine
	Load     Limit         // the files of a mod
	Line     Limit         // a line of the console
	Tick     time.Duration // all callbacks of one tick together
	Heap     uint64        // bytes of heap of the whole process; above it scripts are stopped
	String   int           // bytes of the longest string a script can make
	Calls    int           // nesting depth of calls in one thread
	Threads  int           // unfinished coroutines of a mod
	Lines    int           // lines that one mod can print and log per second of simulation time
	Output   int           // bytes that one mod can print and log per second
}

// DefaultLimits replace the zero fields of Config.Limits.
var DefaultLimits = Limits{
	Callback: Limit{2_000_000, 10 * time.Millisecond, 32 << 20},
	Load:     Limit{1_000_000_000, 5 * time.Second, 256 << 20},
	Line:     Limit{200_000_000, time.Second, 256 << 20},
	Tick:     20 * time.Millisecond,
	Heap:     2 << 30,
	String:   1 << 20,
	Calls:    maxCalls,
	Threads:  1000,
	Lines:    1000,
	Output:   1 << 20,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	for _, p := range []struct{ have, want *Limit }{{&l.Callback, &d.Callback}, {&l.Load, &d.Load}, {&l.Line, &d.Line}} {
		if *p.have == (Limit{}) {
			*p.have = *p.want
		}
	}
	for _, p := range []struct{ have, want *int }{{&l.String, &d.String}, {&l.Calls, &d.Calls}, {&l.Threads, &d.Threads}, {&l.Lines, &d.Lines}, {&l.Output, &d.Output}} {
		if *p.have == 0 {
			*p.have = *p.want
		}
	}
	if l.Tick == 0 {
		l.Tick = d.Tick
	}
	if l.Heap == 0 {
		l.Heap = d.Heap
	}
	return l
}

// Resource names a limited resource.
type Resource uint8

const (
	Instructions Resource = iota + 1
	Time
	Heap
	Tick
)

// Exhausted is the error of an entry that exceeded its budget. Root is true if the outermost budget
// is exhausted; Lua cannot catch such an error.
type Exhausted struct {
	What Resource
	Text string
	Root bool
}

func (e *Exhausted) Error() string { return e.Text }

// bind makes the limits console variables. An entry in progress keeps the bounds it began with.
func (l *Limits) bind(to *console.Console) error {
	var vars []console.Var
	for _, k := range []struct {
		name, of string
		limit    *Limit
		most     time.Duration
	}{
		{"callback", "an event, a command or a timer", &l.Callback, time.Second},
		{"load", "loading a mod or a mission", &l.Load, 5 * time.Minute},
		{"line", "a line of the console", &l.Line, 5 * time.Minute},
	} {
		vars = append(vars,
			console.Var{Name: "mod." + k.name + "Time", Help: "most time of " + k.of, Value: console.Duration(&k.limit.Time, time.Millisecond, k.most)},
			console.Var{Name: "mod." + k.name + "Instructions", Help: "most instructions of " + k.of, Value: count(&k.limit.Instructions)},
			console.Var{Name: "mod." + k.name + "Heap", Help: "MiB by which the heap may grow in " + k.of, Value: mebibytes(&k.limit.Heap)},
		)
	}
	vars = append(vars,
		console.Var{Name: "mod.tickTime", Help: "most time of all callbacks of a tick together", Value: console.Duration(&l.Tick, time.Millisecond, time.Second)},
		console.Var{Name: "mod.maxHeap", Help: "MiB of heap of the process beyond which scripts are stopped", Value: mebibytes(&l.Heap)},
		console.Var{Name: "mod.maxString", Help: "bytes of the longest string a script can make", Value: console.Int(&l.String, 64<<10, maxString)},
		console.Var{Name: "mod.maxCalls", Help: "how deep calls nest in threads that are made from now on", Value: console.Int(&l.Calls, 50, 10_000)},
		console.Var{Name: "mod.maxCoroutines", Help: "coroutines a mod may have that have not ended", Value: console.Int(&l.Threads, 1, 1<<16)},
		console.Var{Name: "mod.maxLines", Help: "lines a mod may print and log in a second; the rest is dropped", Value: console.Int(&l.Lines, 1, 1<<20)},
		console.Var{Name: "mod.maxOutput", Help: "bytes a mod may print and log in a second; the rest is dropped", Value: console.Int(&l.Output, 1<<10, 1<<30)},
	)
	for _, v := range vars {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}

// count makes a console value for a number of instructions.
func count(p *int64) console.Value {
	return whole(1000, 1<<53, func() int64 { return *p }, func(n int64) { *p = n })
}

// mebibytes makes a console value for a size in MiB, stored in bytes.
func mebibytes(p *uint64) console.Value {
	return whole(1, 1<<20, func() int64 { return int64(*p >> 20) }, func(n int64) { *p = uint64(n) << 20 })
}

// whole makes a console value for whole numbers from lo to hi. The range can exceed that of int.
func whole(lo, hi int64, read func() int64, write func(int64)) console.Value {
	set := func(text string) error {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < lo || n > hi {
			return fmt.Errorf("must be a whole number from %d to %d, got %s", lo, hi, console.Quote(text))
		}
		write(n)
		return nil
	}
	return wholeValue{console.Func(func() string { return strconv.FormatInt(read(), 10) }, set), read}
}

// wholeValue is a console value that Lua reads as a number.
type wholeValue struct {
	console.Value
	read func() int64
}

// Any implements console.Typed.
func (v wholeValue) Any() any { return float64(min(v.read(), 1<<53)) }

// unlimited is the bound of a resource without a limit.
const unlimited = math.MaxInt64

// longest returns the length in bytes of the longest string the caller can make.
func (a Args) longest() int { return a.Host().cfg.Limits.String }
