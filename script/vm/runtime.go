package vm

import (
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Config configures a Host and supplies its access to clocks, memory and logs. Zero fields have the
// defaults stated here.
type Config struct {
	Side         Realm                     // Server or Client
	Seed         uint64                    // with the mod's name, the seed of each mod's math.random
	Now          func() time.Duration      // simulation time, for fault windows; nil: time stands still
	Date         int64                     // the date at the start, in seconds since 1970
	Clock        func() time.Duration      // wall clock, for usage and for postponing work; nil: neither
	Thread       Thread                    // CPU clock, for entries that take long; nil: only instructions and memory end them
	Heap         func() uint64             // bytes of heap, with dead objects, for the meter; nil: no memory limits
	Live         func() uint64             // bytes that the newest garbage collection found in use; nil: those of Heap
	Limits       Limits                    // zero fields default to DefaultLimits
	Protos       *Protos                   // compiled files, shared between hosts; nil: a cache for this host
	Kind         func(userdata any) string // names the type of a userdata in errors, as in "a vec"; nil: "a userdata"
	Verdict      func(Verdict)             // receives the decisions of the meter that depend on the machine; nil: nobody wants them
	Foretold     bool                      // the meter decides by Foretell: Thread and Heap are nil, and Clock only measures the usage
	Collect      func()                    // requests a garbage collection on another goroutine; nil: no requests
	Log          func(level slog.Level, msg string, args ...any)
	Fault        func(*Fault)      // receives every fault within the rate limit; nil: faults are only logged
	OnModCreated func(*Mod)        // called with each mod before its first file runs
	Origin       func(Peer) string // the network address that a peer's faults count for; nil: all have one
}

// A Thread pins the running goroutine to its thread and returns the clock of the thread's CPU time.
// release ends both.
type Thread func() (cpu func() time.Duration, release func())

// Runtime runs all Lua of one side. It has the mods in load order and makes every call into their
// states.
type Runtime struct {
	Side       Realm
	Mods       []*Mod // in load order
	cfg        Config
	libs       []Lib
	index      rowIndex
	meter      meter
	entries    [maxDepth]Entry // the first len(chain) are in progress
	chain      []*Mod          // mods of the entries in progress, outermost first
	loads      map[string]int  // number of instances by mod name
	raising    bool            // a Lua error is unwinding, not a Go panic
	guards     int             // protected calls and coroutines in progress in all states
	protos     *Protos
	faultSites map[string][]*faultSite // places of faults, by mod name
	epoch      int64                   // Config.Date at simulation time 0
	date       int64                   // of SetDate, in seconds since 1970
	dated      bool                    // SetDate was called
	peer       Peer                    // cause of the current call
	accounts   map[Peer]*peerAccount   // of peers with recent calls
	resumeAt   time.Duration           // end of the next suspension, in simulation time; 0: nothing is suspended
	debugger   Debugger                // nil: none
	tracer     Tracer                  // nil: none
	Changes    int                     // incremented when a mod is added, removed, suspended or enabled
}

// Mod is one mod on one side: its state, its files, its usage and its faults.
type Mod struct {
	Name    string
	FS      fs.FS  // its folder; nil: it has no files
	Folder  string // path of that folder in messages; "": mods/NAME
	Runtime *Runtime
	State   *State
	Usage   Usage // instructions, time and heap since the mod was loaded
	Binding any   // data of the rows for this mod
	Loading bool  // its files are running
	Vital   bool  // it is warned when it uses too much CPU time, and never suspended for it

	handlers   map[string]*EventRecord
	recent     *EventRecord // the most recently used handler
	faults     int
	parts      map[*lua.FunctionProto]*EventRecord // records of parts of handlers
	suspension suspension
	share      cpuShare
	tickTime   time.Duration      // of its callbacks in this tick
	tickCount  int64              // instructions of its callbacks in this tick
	stalls     int                // intervals of this tick that were not charged in full; see slowness
	loaded     map[string]*module // files run by require, by path
	owner      string             // see Owner
	files      map[string]uint64  // hashes of the files it has read, by path
	heldLarge  bool               // it has held a string longer than largeText
}

// Install adds rows for all mods.
func (h *Runtime) Install(libs ...Lib) {
	h.libs = append(h.libs, libs...)
	for _, lib := range libs {
		h.index.add(lib)
	}
}

// Protos returns the cache of compiled files.
func (h *Runtime) Protos() *Protos { return h.protos }

// Mod returns the mod of a name, or nil.
func (h *Runtime) Mod(name string) *Mod {
	for _, m := range h.Mods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Owner returns the owner name of the timers of this instance. It is the mod's name, with a number
// for every instance after the first, as in "ctf#2".
func (m *Mod) Owner() string { return m.owner }

// Instance makes a mod that is not in the load order yet.
func (h *Runtime) Instance(name string, files fs.FS) *Mod {
	h.loads[name]++
	m := &Mod{Name: name, FS: files, Runtime: h, owner: name, handlers: map[string]*EventRecord{}, parts: map[*lua.FunctionProto]*EventRecord{}, loaded: map[string]*module{}, files: map[string]uint64{}}
	if n := h.loads[name]; n > 1 {
		m.owner = fmt.Sprintf("%s#%d", name, n)
	}
	m.State = newState(m)
	if h.cfg.OnModCreated != nil {
		h.cfg.OnModCreated(m)
	}
	return m
}

// NewMod creates a mod with an empty state and appends it to the load order. It runs no files.
func (h *Runtime) NewMod(name string, files fs.FS) *Mod {
	m := h.Instance(name, files)
	h.Mods = append(h.Mods, m)
	return m
}

// Remove removes a mod from the load order, so its state can be collected. Call it only between
// ticks, at depth 0.
func (h *Runtime) Remove(m *Mod) {
	for i, other := range h.Mods {
		if other == m {
			h.Mods = append(h.Mods[:i:i], h.Mods[i+1:]...)
			return
		}
	}
}

// BeginTick resets the common budgets of callbacks for a new tick. It also resumes the handlers
// whose suspension is over.
func (h *Runtime) BeginTick() {
	if h.tracer != nil {
		h.tracer.Tick()
	}
	h.resume()
	h.judgeShares()
	h.meter.tickUsed, h.meter.excess, h.meter.tickCount = 0, 0, 0
	h.payPeers()
	for _, m := range h.Mods {
		m.tickTime, m.tickCount, m.stalls = 0, 0, 0
	}
}

// InstructionCount returns the number of instructions that all mods were charged. It includes
// charges that were refused.
func (h *Runtime) InstructionCount() int64 { return h.meter.n }

// Busy reports whether postponable work must wait for the next tick. It is true if the callbacks of
// this tick have used half of the tick's time or of its instructions.
func (h *Runtime) Busy() bool {
	busy := h.tooLate(h.meter.tickUsed) || h.meter.tickCount > h.cfg.Limits.Ticking/2
	h.meter.waited = h.meter.waited || busy
	return busy
}

// BusyFor is Busy for work in the mod m, or in no particular mod if m is nil.
func (h *Runtime) BusyFor(m *Mod) bool {
	return h.Busy() && (h.tooLate(h.timeUsed(m)) || h.countUsed(m) > h.cfg.Limits.Ticking/2)
}

// tooLate reports whether elapsed time postpones work. However late it is, a tick first gets an
// eighth of its instructions, so that postponed work is not postponed for ever.
func (h *Runtime) tooLate(used time.Duration) bool {
	l, m := &h.cfg.Limits, &h.meter
	if m.tickCount <= l.Ticking/8 {
		return false
	}
	m.late++
	return m.decide(VerdictLate, m.late, m.clock != nil && used > l.Tick/2)
}

// held reports whether the whole process holds more heap than it may.
func (h *Runtime) held() bool {
	m := &h.meter
	m.held++
	return m.decide(VerdictHeld, m.held, m.used > h.cfg.Limits.Heap)
}

// SpentTick reports whether a mod can begin no more callbacks in this tick, because the tick's
// instructions are used up. If other mods exceeded their shares, a mod that runs late still gets
// its share of a quarter, even beyond the end of the tick. A callback that has begun keeps its own
// budget.
func (h *Runtime) SpentTick(m *Mod) bool {
	limit := h.cfg.Limits.Ticking
	return h.meter.tickCount >= limit && (h.countUsed(m) >= limit || h.meter.tickCount >= limit+limit/4)
}

// countUsed returns the used instructions of the tick from the point of view of a mod, or of no mod
// if m is nil. Instructions that other mods used beyond their shares do not count.
func (h *Runtime) countUsed(m *Mod) int64 {
	used := h.meter.tickCount
	for _, other := range h.Mods {
		if other != m {
			used -= max(0, other.tickCount-h.cfg.Limits.Ticking/4)
		}
	}
	return used
}

// share returns the part of a tick guaranteed to each mod.
func (h *Runtime) share() time.Duration { return h.cfg.Limits.Tick / 4 }

// timeUsed returns the used time of the tick from the point of view of a mod. Time that other mods
// used beyond their shares does not count.
func (h *Runtime) timeUsed(m *Mod) time.Duration {
	used := h.meter.tickUsed - h.meter.excess
	if m != nil {
		used += h.overShare(m)
	}
	return used
}

// overShare returns the time of this tick that a mod has used beyond its share.
func (h *Runtime) overShare(m *Mod) time.Duration { return max(0, m.tickTime-h.share()) }

// Guards returns the number of protected calls and coroutines in progress in all states.
func (h *Runtime) Guards() int { return h.guards }

// Depth returns the number of entries in progress: 0 between events.
func (h *Runtime) Depth() int { return len(h.chain) }

// Running returns the mod whose code is running, or nil at depth 0.
func (h *Runtime) Running() *Mod {
	if len(h.chain) == 0 {
		return nil
	}
	return h.chain[len(h.chain)-1]
}

// Global returns the value of a global of the mod, or nil. It raises no error for undefined names.
func (m *Mod) Global(name string) lua.LValue { return m.State.global(name) }

// SetGlobal sets a global of the mod without running its hooks for new globals.
func (m *Mod) SetGlobal(name string, v lua.LValue) { m.State.globals.RawSetString(name, v) }

// Now returns the simulation time.
func (h *Runtime) Now() time.Duration {
	if h.cfg.Now == nil {
		return 0
	}
	return h.cfg.Now()
}

// Log logs a message with key-value pairs.
func (h *Runtime) Log(level slog.Level, msg string, args ...any) {
	if h.cfg.Log != nil {
		h.cfg.Log(level, msg, args...)
	}
}

// ForgetScratch clears the thread pools and what is left of earlier entries, because they would
// keep removed mods and their states alive. Call it at depth 0.
func (h *Runtime) ForgetScratch() {
	clear(h.chain[:cap(h.chain)])
	clear(h.meter.shares[:cap(h.meter.shares)])
	for _, m := range h.Mods {
		m.State.pool = nil // registers of idle threads
	}
}

// Collect requests a garbage collection on another goroutine, if the host can do that.
func (h *Runtime) Collect() {
	if h.cfg.Collect != nil {
		h.cfg.Collect()
	}
}

// Spent returns the wall time that scripts have used since the host was made. Without a clock it is
// 0.
func (h *Runtime) Spent() time.Duration { return h.meter.last }

// Clocked reports whether the host has a wall clock.
func (h *Runtime) Clocked() bool { return h.cfg.Clock != nil }

// Clock reads the wall clock. The host must be Clocked.
func (h *Runtime) Clock() time.Duration { return h.cfg.Clock() }
