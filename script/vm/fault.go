package vm

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// maxKept is the number of places of faults stored for each mod.
const maxKept = 128

// Fault reports an error of a mod in readable form.
type Fault struct {
	Mod       string
	Handler   string // the event: "onTick", "serverCmd Hit", "load"
	File      string // "" if unknown
	Line      int
	Function  string // under the caller's name for it, or "the function of line 12"; "" if unknown
	Text      string // begins with file:line if known
	Traceback string
	Chain     string   // "ctf > base" if several mods took part, else ""
	Resource  Resource // the exhausted resource, else 0
	Repeated  int      // unreported occurrences since the last report

	Count       int           // occurrences for the same mod, event and line
	First, Last time.Duration // in simulation time
}

func (f *Fault) String() string {
	text := f.Mod + ": " + f.Handler + ": " + f.Text
	if f.Function != "" {
		text += " (in " + f.Function + ")"
	}
	if f.Chain != "" {
		text += " (" + f.Chain + ")"
	}
	if f.Repeated > 0 {
		text += fmt.Sprintf(" (repeated %d times since)", f.Repeated)
	}
	return text
}

// faultSite is a place in a mod's code with faults.
type faultSite struct {
	Fault
	quietUntil time.Duration // no further report before this time
	unreported int           // occurrences since the last report
}

// Dispatch runs an event of the engine in a mod. An error becomes a fault. ok is false after an
// error and if the handler or mod is suspended. Call it only at depth 0; calls between mods go
// through Enter.
func (h *Runtime) Dispatch(m *Mod, event string, fn *lua.LFunction, args ...lua.LValue) (out []lua.LValue, ok bool) {
	r := m.EventRecord(event)
	if !m.ReceivesOn(r) {
		return nil, false
	}
	e, err := h.OpenCallback(m, r, fn)
	if err == nil {
		out, err = e.call(args)
	}
	if err != nil {
		h.Fail(m, event, err)
		return nil, false
	}
	return out, true
}

// Receives reports whether the mod can receive the event: neither the mod nor its handler is
// suspended.
func (m *Mod) Receives(event string) bool { return m.ReceivesOn(m.EventRecord(event)) }

// ReceivesOn is Receives for the record of an event.
func (m *Mod) ReceivesOn(r *EventRecord) bool {
	return m.suspension.why == "" && r.suspension.why == ""
}

// Fail records an error of m's handler as a fault. It reports the fault within the rate limit. A
// fault that a peer causes is booked to the peer. Other faults can suspend the handler or the mod.
func (h *Runtime) Fail(m *Mod, event string, err error) *Fault {
	f := h.fault(m, event, err)
	h.report(f)
	if errors.Is(err, ErrTick) {
		return f // other mods used up the tick, and their fault is reported
	}
	var counted *Error
	if !errors.As(err, &counted) {
		m.EventRecord(event).Errors++ // an error from before the entry; entries count their own errors
	}
	m.faults++
	processHeap := f.Resource == Heap && h.held() // by a mod, whoever asks
	if h.peer != 0 && !processHeap {
		m.EventRecord(event).bookPeer(h, f.Resource != 0)
		return f
	}
	if f.Resource == Heap {
		if blamed := h.Mod(f.Mod); blamed != nil {
			blamed.suspendAndFree("it exceeded its memory budget in " + event)
		}
		return f
	}
	m.suspendIfFaulty(event, f, h.Now())
	return f
}

func (h *Runtime) fault(m *Mod, event string, err error) *Fault {
	f := &Fault{Mod: m.Name, Handler: event, Text: err.Error()}
	if errors.Is(err, ErrTick) {
		f.Resource = Tick
		if big := h.busiest(); big != nil {
			f.Mod, f.Text = big.Name, fmt.Sprintf("%s, mostly by %s; event skipped for %s", err, big.Name, m.Name)
		}
	}
	var e *Error
	if errors.As(err, &e) {
		f.Mod, f.Text, f.Traceback = e.Mod.Name, e.Text, strings.Trim(e.Traceback, "\n")
		if strings.ReplaceAll(e.Chain, m.Name+" > ", "") != m.Name { // several mods took part
			f.Chain = e.Chain
		}
		if e.Spent != nil {
			f.Resource = e.Spent.Resource
		}
	}
	f.File, f.Line = h.parsePlace(f.Text)
	f.Function = functionOf(f.Traceback, fmt.Sprintf("%s:%d", f.File, f.Line))
	return f
}

// busiest returns the mod that used most of this tick's instructions.
func (h *Runtime) busiest() *Mod {
	var big *Mod
	for _, m := range h.Mods {
		if m.tickCount > 0 && (big == nil || m.tickCount > big.tickCount) {
			big = m
		}
	}
	return big
}

// placedIn returns the mod whose file an error text begins with, or nil.
func (h *Runtime) placedIn(text string) (at *Mod) {
	for _, m := range h.Mods {
		if strings.HasPrefix(text, m.Dir()+"/") {
			at = m
		}
	}
	return at
}

// parsePlace parses file and line from the beginning of an error text. Only the folder of a mod can
// have spaces.
func (h *Runtime) parsePlace(text string) (string, int) {
	folder := ""
	if m := h.placedIn(text); m != nil {
		folder = m.Dir()
	}
	file, rest, ok := strings.Cut(text[len(folder):], ".lua:")
	if !ok || strings.ContainsAny(file, " \n") {
		return "", 0
	}
	digits, _, _ := strings.Cut(rest, ":")
	line, err := strconv.Atoi(digits)
	if err != nil {
		return "", 0
	}
	return folder + file + ".lua", line
}

// functionOf returns the innermost function of a traceback at place ("file:line"), or the innermost
// one.
func functionOf(trace, place string) (function string) {
	for line := range strings.Lines(trace) {
		at, name, ok := strings.Cut(strings.TrimSpace(line), " in ")
		switch {
		case ok && at == place:
			return name
		case ok && at != "[Go]" && function == "":
			function = name
		}
	}
	return function
}

// report logs a fault and calls Config.Fault. It reports each place at most once per faultWindow.
func (h *Runtime) report(f *Fault) {
	now := h.Now()
	k := h.countFault(f, now)
	if k.Count > 1 && now < k.quietUntil {
		k.unreported++
		return
	}
	f.Repeated, k.unreported, k.quietUntil = k.unreported, 0, now+faultWindow
	f.Count, f.First, f.Last = k.Count, k.First, k.Last
	h.Log(slog.LevelError, f.String(), "mod", f.Mod, "handler", f.Handler, "file", f.File, "line", f.Line, "function", f.Function, "traceback", f.Traceback)
	if h.cfg.Fault != nil {
		h.cfg.Fault(f)
	}
}

// countFault adds a fault to the count of its place.
func (h *Runtime) countFault(f *Fault, now time.Duration) *faultSite {
	list := h.faultSites[f.Mod]
	for _, k := range list {
		if k.Handler == f.Handler && k.File == f.File && k.Line == f.Line {
			k.Count++
			k.Last, k.Text, k.Function, k.Traceback, k.Chain, k.Resource = now, f.Text, f.Function, f.Traceback, f.Chain, f.Resource
			return k
		}
	}
	k := &faultSite{Fault: *f}
	k.Count, k.First, k.Last = 1, now, now
	if len(list) >= maxKept { // drop the place whose last fault is oldest
		oldest := 0
		for i := range list {
			if list[i].Last < list[oldest].Last {
				oldest = i
			}
		}
		list = slices.Delete(list, oldest, oldest+1)
	}
	h.faultSites[f.Mod] = append(list, k)
	return k
}

// FaultsOf lists the places of a mod's faults, in order of the first fault, with their counts. A
// reload keeps them.
func (h *Runtime) FaultsOf(mod string) []Fault {
	list := make([]Fault, len(h.faultSites[mod]))
	for i, k := range h.faultSites[mod] {
		list[i] = k.Fault
	}
	return list
}

// Faults returns the number of the mod's faults.
func (m *Mod) Faults() int { return m.faults }

// Forgive lets the faults of a mod be reported again immediately, because the mod has new files
// after a reload.
func (h *Runtime) Forgive(name string) {
	for _, k := range h.faultSites[name] {
		k.quietUntil, k.unreported = 0, 0
	}
}

// History describes a fault with its count, its times and its traceback.
func (f *Fault) History() string {
	again := *f
	again.Repeated = 0
	text := fmt.Sprintf("%dx, first at %s, last at %s: %s", f.Count, clockText(f.First), clockText(f.Last), again.String())
	if f.Traceback != "" {
		text += "\n" + f.Traceback
	}
	return text
}

// clockText formats simulation time as 1:02:03.
func clockText(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
