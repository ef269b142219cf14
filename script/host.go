package script

import (
	"log/slog"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Config says what a Host is and gives it what the core may not fetch for itself. The zero value of a field is its
// documented default.
type Config struct {
	Side    Realm                // Server or Client
	Seed    uint64               // from it and the mod's name every mod's math.random is seeded
	Now     func() time.Duration // simulation time, for the windows of faults; nil stands still
	Clock   func() time.Duration // wall clock, for the meter; nil: no limits by time
	Heap    func() uint64        // bytes of live heap, for the meter; nil: no limits by memory
	Limits  Limits               // zero fields take DefaultLimits
	Protos  *Protos              // compiled files, shared between hosts; nil: the host's own
	Collect func()               // asks for a collection of garbage soon, on another goroutine; nil: nobody to ask
	Log     func(level slog.Level, msg string, args ...any)
	Fault   func(*Fault)                  // told every fault that is not rate-limited away; nil: Log alone
	Whole   func(load func() error) error // takes back what a mod has declared that fails to load; nil: nothing is
	Made    func(*Mod)                    // told every mod before its first file runs
}

// Host is all the Lua of one side: the mods in load order, and the one door into their states.
type Host struct {
	Side     Realm
	Mods     []*Mod // in load order
	cfg      Config
	libs     []Lib
	boxes    boxes
	index    index
	meter    meter
	entries  [maxDepth]entry // in progress, one for each of chain
	chain    []*Mod          // who called whom, outermost first
	loads    map[string]int  // how many instances of a name there have been
	raising  bool            // an error of Lua is unwinding, and not a panic of Go
	guards   int             // protected calls and coroutines in progress, over all states
	protos   *Protos
	mistakes map[string][]*mistake // places where mods have failed, by their names
	changes  int                   // grows when a mod comes, goes, is suspended or enabled
}

// Mod is one mod on one side: its state, its manifest, what it used up and what it did wrong.
type Mod struct {
	Name     string
	Manifest *Manifest // nil for the console
	Host     *Host
	State    *State
	Usage    Usage // instructions, time and heap since the start
	Ext      any   // whatever the rows keep per mod

	handlers  map[string]*handler
	recent    *handler // the one that was asked for last
	faults    int
	suspended string // why, "" while it runs
	tickTime  time.Duration
	loaded    map[string]*module // by path: what require has run
	owner     string             // see Owner
	files     map[string]uint64  // hashes of the files it has read, by path
	loading   bool               // its files are being run
	large     bool               // it has had a string of more than largeText
}

// New makes a host without mods and without rows.
func New(cfg Config) *Host {
	cfg.Limits = cfg.Limits.withDefaults()
	h := &Host{Side: cfg.Side, cfg: cfg, protos: cfg.Protos, mistakes: map[string][]*mistake{}, loads: map[string]int{}}
	if h.protos == nil {
		h.protos = NewProtos()
	}
	h.meter.reset(cfg.Clock, cfg.Heap, &h.cfg.Limits)
	h.index = index{globals: map[string]*Func{}, tables: map[string][]*Func{}}
	h.Install(standard()...)
	return h
}

// Install adds rows for all mods.
func (h *Host) Install(libs ...Lib) {
	h.libs = append(h.libs, libs...)
	for _, lib := range libs {
		h.index.add(lib)
	}
}

// Mod finds a mod by name, nil if there is none.
func (h *Host) Mod(name string) *Mod {
	for _, m := range h.Mods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// NewMod makes a mod with a fresh state and adds it at the end of the load order. No file of it has run yet.
func (h *Host) NewMod(name string, manifest *Manifest) *Mod {
	m := h.instance(name, manifest)
	h.Mods = append(h.Mods, m)
	return m
}

// Remove takes a mod out of the load order; its state is garbage afterwards. Only between ticks, at depth 0.
func (h *Host) Remove(m *Mod) {
	for i, other := range h.Mods {
		if other == m {
			h.Mods = append(h.Mods[:i:i], h.Mods[i+1:]...)
			return
		}
	}
}

// BeginTick gives the callbacks of a new tick their common 20 ms.
func (h *Host) BeginTick() {
	h.meter.tickUsed, h.meter.excess = 0, 0
	for _, m := range h.Mods {
		m.tickTime = 0
	}
}

// Busy reports whether the callbacks of this tick together have used up half of
// their time and left less than one of them may take: what can wait should, or it
// would be cut short. Where one may take all of a tick, nothing would come to its
// turn if it waited for more than the half.
func (h *Host) Busy() bool { return h.tooLate(h.meter.tickUsed) }

// busyFor is the same of what is to be done in one mod, nil for none in particular.
func (h *Host) busyFor(m *Mod) bool { return h.tooLate(h.meter.tickUsed) && h.tooLate(h.usedFor(m)) }

func (h *Host) tooLate(used time.Duration) bool {
	l := &h.cfg.Limits
	return h.meter.clock != nil && used > max(l.Tick/2, l.Tick-l.Callback.Time)
}

// leftFor is how much of the tick's time a mod may still take. Who comes late has a quarter of it all the same, beyond the
// end of the tick, if others have had more than their shares.
func (h *Host) leftFor(m *Mod) time.Duration {
	return min(h.cfg.Limits.Tick-h.usedFor(m), h.cfg.Limits.Tick+h.share()-h.meter.tickUsed)
}

// share is what nobody's use of a tick takes away from the others.
func (h *Host) share() time.Duration { return h.cfg.Limits.Tick / 4 }

// usedFor is how much of the tick's time is used up as far as a mod is concerned: what others have had beyond their
// shares takes nothing away from it.
func (h *Host) usedFor(m *Mod) time.Duration {
	used := h.meter.tickUsed - h.meter.excess
	if m != nil {
		used += h.beyond(m)
	}
	return used
}

// beyond is what a mod has had of this tick beyond its share.
func (h *Host) beyond(m *Mod) time.Duration { return max(0, m.tickTime-h.share()) }

// Depth is the number of entries in progress: 0 between events.
func (h *Host) Depth() int { return len(h.chain) }

// Running is the mod whose code runs now, nil at depth 0.
func (h *Host) Running() *Mod {
	if len(h.chain) == 0 {
		return nil
	}
	return h.chain[len(h.chain)-1]
}

// Global reads a global of the mod without the error for undefined names: nil if there is none.
func (m *Mod) Global(name string) lua.LValue { return m.State.global(name) }

// SetGlobal defines a global of the mod, silently.
func (m *Mod) SetGlobal(name string, v lua.LValue) { m.State.globals.RawSetString(name, v) }

func (h *Host) now() time.Duration {
	if h.cfg.Now == nil {
		return 0
	}
	return h.cfg.Now()
}

func (h *Host) log(level slog.Level, msg string, args ...any) {
	if h.cfg.Log != nil {
		h.cfg.Log(level, msg, args...)
	}
}
