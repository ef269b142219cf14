package vm

import (
	"fmt"
	"log/slog"
	"time"
)

const (
	// cpuWindow is long enough for the work at the beginning of a mission.
	cpuWindow = 10 * time.Second
	cpuMarks  = 11 // a mark each second: the oldest is cpuWindow old

	cpuWarnEvery = time.Minute // between two warnings of a mod
)

// A cpuShare measures which part of a core a mod has used in the last cpuWindow. CPU time is that
// of the thread for entries that take long, and elapsed time for the others.
type cpuShare struct {
	used    time.Duration // CPU time so far
	marks   [cpuMarks]cpuMark
	n       int           // marks so far
	percent int           // of a core, at the newest mark; a window that has just begun counts as a whole one
	warned  time.Duration // the clock at the newest warning
}

// A cpuMark is the CPU time of a mod at some time.
type cpuMark struct{ at, used time.Duration }

// measure adds a mark if a second has passed, and reports whether it did.
func (s *cpuShare) measure(now time.Duration) bool {
	if s.n > 0 && now-s.marks[(s.n-1)%cpuMarks].at < time.Second {
		return false
	}
	s.marks[s.n%cpuMarks] = cpuMark{now, s.used}
	s.n++
	oldest := s.marks[max(0, s.n-cpuMarks)%cpuMarks]
	s.percent = int(100 * (s.used - oldest.used) / max(now-oldest.at, cpuWindow))
	return true
}

// forget begins a new window.
func (s *cpuShare) forget() { s.n, s.percent = 0, 0 }

// CPUPercent returns the percentage of a core that the mod has used in the last ten seconds.
// Without a clock it is 0.
func (m *Mod) CPUPercent() int { return m.share.percent }

// judgeShares warns of mods that use much CPU time, and suspends those that use too much. It is
// called once a tick. Warnings and suspensions are verdicts.
func (h *Runtime) judgeShares() {
	now := time.Duration(0)
	if h.cfg.Clock != nil {
		now = h.cfg.Clock()
	}
	for _, m := range h.Mods {
		h.meter.judged++
		measured := h.cfg.Clock != nil && m.share.measure(now)
		percent, found := m.share.percent, false
		if h.meter.foretold {
			var v Verdict
			v, found = h.meter.take(VerdictShare, h.meter.judged)
			percent = int(v.N)
		} else if found = measured && h.mustJudge(m, now); found {
			h.meter.tell(Verdict{VerdictShare, h.meter.judged, int64(percent)})
		}
		if found {
			h.judge(m, percent)
		}
	}
}

// mustJudge reports whether a mod uses too much CPU time, or much of it and was not warned.
func (h *Runtime) mustJudge(m *Mod, now time.Duration) bool {
	l, s := &h.cfg.Limits, &m.share
	switch {
	case m.suspension.why != "":
		return false
	case l.CPUSuspend > 0 && s.percent >= l.CPUSuspend && !m.Vital:
		return true
	case l.CPUWarn == 0 || s.percent < l.CPUWarn || s.warned > 0 && now-s.warned < cpuWarnEvery:
		return false
	}
	s.warned = now
	return true
}

// judge suspends a mod, or warns of it.
func (h *Runtime) judge(m *Mod, percent int) {
	most := h.cfg.Limits.CPUSuspend
	text := fmt.Sprintf("used %d%% of a core in %v", percent, cpuWindow)
	if !m.Vital && most > 0 && percent >= most {
		m.suspendAndFree(fmt.Sprintf("it %s, the limit is %d%%", text, most))
		m.suspension.grace = cpuWindow // the probation has room for a new window
		m.share.forget()
		return
	}
	if !m.Vital && most > 0 {
		text += fmt.Sprintf("; at %d%% it is suspended", most)
	}
	h.Log(slog.LevelWarn, fmt.Sprintf("%s %s (see mod top %[1]s)", m.Name, text), "mod", m.Name)
}
