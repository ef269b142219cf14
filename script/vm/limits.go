package vm

import (
	"math"
	"time"
)

// Limit bounds one entry. A zero field sets no bound: a nested entry then has the remaining budget
// of its caller.
type Limit struct {
	Instructions int64         // VM instructions, and work in Go charged as instructions
	Time         time.Duration // CPU time of the thread, counted from pinAfter on; a last resort
	Heap         uint64        // heap growth in bytes
}

// Limits are the bounds of root entries, and of the output, threads and strings of one mod.
type Limits struct {
	Callback   Limit         // an event of the engine
	Load       Limit         // the files of a mod
	Line       Limit         // a line of the console
	Reload     time.Duration // CPU time of all loading by one reload or mod enable, in a running game
	Tick       time.Duration // all callbacks of one tick together; postponable work waits after it
	Ticking    int64         // instructions of all callbacks of one tick together
	Thread     int64         // instructions of a sliced coroutine from one yield to the next
	CPUWarn    int           // percent of a core that a mod can use for ten seconds without a warning; 0: never a warning
	CPUSuspend int           // percent of a core from which it is suspended; 0: never
	Heap       uint64        // bytes of heap of the whole process; above it scripts are stopped
	String     int           // bytes of the longest string a script can make
	Calls      int           // nesting depth of calls in one thread
	Threads    int           // unfinished coroutines of a mod
	Lines      int           // lines that one mod can print and log per second of simulation time
	Output     int           // bytes that one mod can print and log per second
}

// DefaultLimits replace the zero fields of Config.Limits.
var DefaultLimits = Limits{
	Callback:   Limit{1_000_000, 640 * time.Millisecond, 32 << 20},
	Load:       Limit{1_000_000_000, 5 * time.Second, 256 << 20},
	Line:       Limit{200_000_000, time.Second, 256 << 20},
	Reload:     500 * time.Millisecond,
	Tick:       20 * time.Millisecond,
	Ticking:    2_000_000,
	Thread:     200_000_000,
	CPUWarn:    25,
	CPUSuspend: 60,
	Heap:       2 << 30,
	String:     1 << 20,
	Calls:      maxCalls,
	Threads:    1000,
	Lines:      1000,
	Output:     1 << 20,
}

// PeerShare returns the instructions that one peer can use in a tick: a tenth of all.
func (l Limits) PeerShare() int64 { return max(1, l.Ticking/10) }

// WithDefaults returns l with DefaultLimits in place of zero fields.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits
	for _, p := range []struct{ have, want *Limit }{{&l.Callback, &d.Callback}, {&l.Load, &d.Load}, {&l.Line, &d.Line}} {
		if *p.have == (Limit{}) {
			*p.have = *p.want
		}
	}
	for _, p := range []struct{ have, want *int }{{&l.String, &d.String}, {&l.Calls, &d.Calls}, {&l.Threads, &d.Threads}, {&l.Lines, &d.Lines}, {&l.Output, &d.Output}, {&l.CPUWarn, &d.CPUWarn}, {&l.CPUSuspend, &d.CPUSuspend}} {
		if *p.have == 0 {
			*p.have = *p.want
		}
	}
	if l.Ticking == 0 {
		l.Ticking = d.Ticking
	}
	if l.Thread == 0 {
		l.Thread = d.Thread
	}
	if l.Tick == 0 {
		l.Tick = d.Tick
	}
	if l.Reload == 0 {
		l.Reload = d.Reload
	}
	if l.Heap == 0 {
		l.Heap = d.Heap
	}
	return l
}

// Resource names a limited resource.
type Resource uint8

const (
	Instructions Resource = iota + 1 // of one entry
	Time                             // of one entry
	Heap                             // of one entry
	Tick                             // all callbacks of one tick together
)

// Exhausted is the error of an entry that exceeded its budget. Root is true if the outermost budget
// is exhausted; Lua cannot catch such an error.
type Exhausted struct {
	Resource Resource
	Text     string
	Root     bool
	limit    int64 // of Time in ns, of Heap in bytes
}

func (e *Exhausted) Error() string { return e.Text }

// unlimited is the bound of a resource without a limit.
const unlimited = math.MaxInt64

// Longest returns the length in bytes of the longest string the caller can make.
func (a Args) Longest() int { return a.Runtime().cfg.Limits.String }
