package vm

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	faultWindow   = 10 * time.Second // in simulation time
	faultsHandler = 5                // faults in the window that suspend a handler
	faultsMod     = 3                // suspended handlers that suspend the mod

	firstPause = 10 * time.Second // length of the first suspension; each further one takes twice as long
	maxPause   = 5 * time.Minute
)

// A suspension stops the calls of a handler, or of all handlers of a mod. It ends by itself. Then
// the handler is on probation for as long as the suspension took: a single fault of the mod
// suspends it again, for twice as long.
type suspension struct {
	why   string        // "" if the handler runs
	pause time.Duration // length of the newest suspension
	until time.Duration // end of the newest suspension, in simulation time
	grace time.Duration // how much longer than pause the probation takes

	frees   bool // the values of the mod must go
	emptied bool // they are gone: another instance ends the suspension
}

// begin starts a suspension.
func (s *suspension) begin(why string, now time.Duration) {
	if s.probation(now) {
		s.pause = min(2*s.pause, maxPause)
	} else {
		s.pause = firstPause
	}
	s.why, s.until, s.frees = why, now+s.pause, false
}

// probation reports whether the newest suspension ended a short time ago.
func (s *suspension) probation(now time.Duration) bool {
	return s.pause > 0 && now < s.until+s.pause+s.grace
}

// end ends the suspension if its time is over, and reports whether it did.
func (s *suspension) end(now time.Duration) bool {
	if s.why == "" || now < s.until || s.emptied {
		return false
	}
	s.why = ""
	return true
}

// suspendIfFaulty counts a fault of a handler. It suspends the handler, or the mod, after too many.
func (m *Mod) suspendIfFaulty(event string, f *Fault, now time.Duration) {
	r := m.EventRecord(event)
	for len(r.faults) > 0 && now-r.faults[0] >= faultWindow {
		r.faults = r.faults[1:]
	}
	r.faults = append(r.faults, now)
	switch {
	case r.suspension.why != "":
	case r.suspension.probation(now):
		m.suspendHandler(r, "again, after a fault: "+f.Text)
	case len(r.faults) >= faultsHandler:
		m.suspendHandler(r, fmt.Sprintf("%d faults in %v, last: %s", faultsHandler, faultWindow, f.Text))
	}
}

// suspendHandler suspends a handler. The third suspended handler suspends the mod.
func (m *Mod) suspendHandler(r *EventRecord, why string) {
	h := m.Runtime
	r.suspension.begin(why, h.Now())
	r.peers = nil
	h.scheduleResume(r.suspension.until)
	h.Log(slog.LevelWarn, fmt.Sprintf("%s: %s is suspended for %v: %s (resume it with mod enable %[1]s)", m.Name, r.Event, r.suspension.pause, why), "mod", m.Name)
	isPart := func(h string) bool { return strings.HasPrefix(h, partEvent) }
	if n := len(slices.DeleteFunc(m.SuspendedHandlers(), isPart)); n >= faultsMod {
		m.Suspend(fmt.Sprintf("%d of its handlers are suspended", n))
	}
}

// Suspend stops all events of the mod for a pause, or until Enable. why is a readable reason.
func (m *Mod) Suspend(why string) {
	if m.suspension.why != "" {
		return
	}
	h := m.Runtime
	m.suspension.begin(why, h.Now())
	h.scheduleResume(m.suspension.until)
	h.Changes++
	h.Log(slog.LevelWarn, fmt.Sprintf("%s is suspended for %v: %s (resume it with mod enable %[1]s)", m.Name, m.suspension.pause, why), "mod", m.Name)
}

// suspendAndFree suspends the mod because of what it uses. Its memory must be freed too, unless the
// game needs the mod.
func (m *Mod) suspendAndFree(why string) {
	m.Suspend(why)
	m.suspension.frees = !m.Vital && !m.suspension.emptied
}

// MustFree reports whether the mod is suspended and its memory must be freed.
func (m *Mod) MustFree() bool { return m.suspension.why != "" && m.suspension.frees }

// Emptied reports whether the mod is suspended and has no values any more. Load it anew to resume
// it.
func (m *Mod) Emptied() bool { return m.suspension.emptied }

// Empty makes m, a new instance that runs no files, continue the suspension of old.
func (m *Mod) Empty(old *Mod) {
	m.suspension, m.files = old.suspension, old.files
	m.suspension.frees, m.suspension.emptied = false, true
	m.Runtime.Changes++
}

// Due reports whether the pause of an emptied mod is over.
func (m *Mod) Due() bool { return m.suspension.emptied && m.Runtime.Now() >= m.suspension.until }

// Lengthen suspends an emptied mod for longer, because it could not be loaded anew.
func (m *Mod) Lengthen(why string) {
	m.suspension.why, m.suspension.until = "", m.Runtime.Now()
	m.Suspend(why)
}

// Succeed puts a newly loaded instance of an emptied mod on probation.
func (m *Mod) Succeed(emptied *Mod) {
	m.suspension = emptied.suspension
	m.suspension.why, m.suspension.until, m.suspension.emptied = "", m.Runtime.Now(), false
	m.Runtime.logResumed(m)
}

// logResumed logs that the pause of a mod is over.
func (h *Runtime) logResumed(m *Mod) {
	h.Log(slog.LevelInfo, m.Name+" is resumed, on probation", "mod", m.Name)
}

// scheduleResume makes BeginTick look for ended suspensions at the given time.
func (h *Runtime) scheduleResume(at time.Duration) {
	if h.resumeAt == 0 || at < h.resumeAt {
		h.resumeAt = at
	}
}

// resume ends the suspensions whose time is over. A mod that resumes resumes with all its handlers.
func (h *Runtime) resume() {
	now := h.Now()
	if h.resumeAt == 0 || now < h.resumeAt {
		return
	}
	h.resumeAt = 0
	for _, m := range h.Mods {
		all := m.suspension.end(now)
		if all {
			h.Changes++
			h.logResumed(m)
		} else if m.suspension.why != "" && !m.suspension.emptied {
			h.scheduleResume(m.suspension.until)
		}
		for _, event := range slices.Sorted(maps.Keys(m.handlers)) {
			r := m.handlers[event]
			s := &r.suspension
			switch {
			case all && s.why != "":
				s.why, s.until = "", now
			case s.end(now):
				h.Log(slog.LevelInfo, fmt.Sprintf("%s: %s is resumed, on probation", m.Name, r.Event), "mod", m.Name)
			case s.why != "":
				h.scheduleResume(s.until)
			}
		}
	}
}

// SuspendedHandlers lists the suspended events in order, each with the reason: "onTick: 5 faults in
// 10s, last: …". Enable resumes them.
func (m *Mod) SuspendedHandlers() []string {
	var list []string
	for _, r := range m.handlers {
		if r.suspension.why != "" {
			list = append(list, r.Event+": "+r.suspension.why)
		}
	}
	slices.Sort(list)
	return list
}

// Suspended returns the reason for the suspension, or "" if the mod is not suspended.
func (m *Mod) Suspended() string { return m.suspension.why }

// Enable clears the mod's faults and suspensions, and the pauses of its peers.
func (m *Mod) Enable() {
	m.suspension = suspension{}
	m.Runtime.Changes++
	for _, r := range m.handlers { // any order: each is cleared by itself
		r.faults, r.peers, r.suspension = nil, nil, suspension{}
	}
}
