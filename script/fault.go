package script

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

const (
	faultWindow   = 10 * time.Second // of simulation time
	faultsHandler = 5                // in the window suspend a handler
	faultsMod     = 3                // suspended handlers suspend the mod
	maxMuted      = 1024             // places remembered for the rate limit
)

// Fault is a mod's mistake as people read it.
type Fault struct {
	Mod       string
	Handler   string // the event: "onTick", "serverCmd Hit", "load"
	File      string // "" if unknown
	Line      int
	Text      string // begins with file:line where known
	Traceback string
	Chain     string   // "ctf > base" if more than one mod took part, else ""
	What      Resource // of a broken budget; else 0
	Repeated  int      // how often the same happened unreported since the last report
}

func (f *Fault) String() string {
	text := f.Mod + ": " + f.Handler + ": " + f.Text
	if f.Chain != "" {
		text += " (" + f.Chain + ")"
	}
	if f.Repeated > 0 {
		text += fmt.Sprintf(" (%d times more since)", f.Repeated)
	}
	return text
}

// handler is the record of one event of one mod.
type handler struct {
	faults    []time.Duration // in the window, oldest first
	suspended bool
}

// mute is a place whose fault has been reported lately.
type mute struct {
	until time.Duration
	count int
}

// Dispatch runs an event of the engine in a mod. Its error becomes a fault; ok is false then, and when the handler or
// the mod is suspended. Call it at depth 0 only; what scripts call in each other goes through Enter.
func (h *Host) Dispatch(m *Mod, event string, fn *lua.LFunction, args ...lua.LValue) (out []lua.LValue, ok bool) {
	if !m.hears(event) {
		return nil, false
	}
	out, err := h.Enter(m, fn, args...)
	if err == nil {
		return out, true
	}
	h.Fail(m, event, err)
	return nil, false
}

// hears reports whether neither the mod nor its handler of an event is suspended.
func (m *Mod) hears(event string) bool {
	r := m.handlers[event]
	return m.suspended == "" && (r == nil || !r.suspended)
}

// Fail books an error of m's handler as a fault: it is reported, at a limited rate, and may suspend handler or mod.
func (h *Host) Fail(m *Mod, event string, err error) *Fault {
	f := h.fault(m, event, err)
	h.report(f)
	if errors.Is(err, ErrTick) {
		return f // the tick was used up by others; that mod was told
	}
	m.faults++
	if f.What == Heap {
		if blamed := h.Mod(f.Mod); blamed != nil {
			blamed.Suspend("its memory budget broke in " + event)
		}
		return f
	}
	m.strike(event, h.now())
	return f
}

func (h *Host) fault(m *Mod, event string, err error) *Fault {
	f := &Fault{Mod: m.Name, Handler: event, Text: err.Error()}
	if errors.Is(err, ErrTick) {
		f.What = Tick
		if big := h.slowest(); big != nil {
			f.Mod, f.Text = big.Name, fmt.Sprintf("%s, most of it by %s; skipped for %s", err, big.Name, m.Name)
		}
	}
	var e *Error
	if errors.As(err, &e) {
		f.Mod, f.Text, f.Traceback = e.Mod.Name, e.Text, strings.Trim(e.Traceback, "\n")
		if strings.Contains(e.Chain, ">") {
			f.Chain = e.Chain
		}
		if e.Spent != nil {
			f.What = e.Spent.What
		}
	}
	f.File, f.Line = place(f.Text)
	return f
}

// slowest is the mod that used most of this tick's time.
func (h *Host) slowest() *Mod {
	var big *Mod
	for _, m := range h.Mods {
		if m.tickTime > 0 && (big == nil || m.tickTime > big.tickTime) {
			big = m
		}
	}
	return big
}

// place reads file and line off the beginning of an error's text.
func place(text string) (string, int) {
	file, rest, ok := strings.Cut(text, ".lua:")
	if !ok || strings.ContainsAny(file, " \n") {
		return "", 0
	}
	digits, _, _ := strings.Cut(rest, ":")
	line, err := strconv.Atoi(digits)
	if err != nil {
		return "", 0
	}
	return file + ".lua", line
}

// report tells a fault, but the same place at most once in the window.
func (h *Host) report(f *Fault) {
	key := f.Mod + "\x00" + f.Handler + "\x00" + f.File + ":" + strconv.Itoa(f.Line)
	now := h.now()
	quiet := h.muted[key]
	if quiet != nil && now < quiet.until {
		quiet.count++
		return
	}
	if quiet != nil {
		f.Repeated = quiet.count
	}
	if len(h.muted) >= maxMuted {
		clear(h.muted)
	}
	h.muted[key] = &mute{until: now + faultWindow}
	h.log(slog.LevelError, f.String(), "mod", f.Mod, "handler", f.Handler, "file", f.File, "line", f.Line, "traceback", f.Traceback)
	if h.cfg.Fault != nil {
		h.cfg.Fault(f)
	}
}

// strike counts a fault of a handler and suspends what has too many.
func (m *Mod) strike(event string, now time.Duration) {
	r := m.handlers[event]
	if r == nil {
		r = &handler{}
		m.handlers[event] = r
	}
	for len(r.faults) > 0 && now-r.faults[0] >= faultWindow {
		r.faults = r.faults[1:]
	}
	r.faults = append(r.faults, now)
	if r.suspended || len(r.faults) < faultsHandler {
		return
	}
	r.suspended = true
	m.Host.log(slog.LevelWarn, fmt.Sprintf("%s: %s is suspended after %d faults in %v", m.Name, event, faultsHandler, faultWindow), "mod", m.Name)
	suspended := 0
	for _, r := range m.handlers {
		if r.suspended {
			suspended++
		}
	}
	if suspended >= faultsMod {
		m.Suspend(fmt.Sprintf("%d of its handlers are suspended", suspended))
	}
}

// Suspend stops all events of the mod until Enable; why is for people.
func (m *Mod) Suspend(why string) {
	if m.suspended != "" {
		return
	}
	m.suspended = why
	m.Host.changes++
	m.Host.log(slog.LevelWarn, m.Name+" is suspended: "+why, "mod", m.Name)
}

// Suspended says why the mod gets no events, "" if it does.
func (m *Mod) Suspended() string { return m.suspended }

// Faults is how many the mod has had.
func (m *Mod) Faults() int { return m.faults }

// Enable forgets the mod's faults and gives it events again.
func (m *Mod) Enable() {
	m.suspended = ""
	m.Host.changes++
	clear(m.handlers)
}
