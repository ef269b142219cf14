package vm

import "time"

// slowness charges slow instructions of a root entry that takes long. Such an entry runs pinned to
// its thread, so that the time of other threads and processes does not count.
//
// The CPU clock of a thread still includes time that the mod did not use: a virtual machine can
// stop for some milliseconds, and the thread helps the garbage collector. So one long interval is
// charged as a short one. After it, checks are close together. If the next interval is long as
// well, the instructions themselves are slow, and all of it is charged. A mod has maxStalls such
// intervals per tick, so a script that makes slow and fast instructions in turn gains at most some
// milliseconds.
type slowness struct {
	cpu     func() time.Duration // nil: not pinned
	release func()
	cpuAt   time.Duration // the CPU clock at the newest check
	cpuN    int64         // n at the newest check
	cpuUsed time.Duration // CPU time charged since the entry was pinned
	long    bool          // the newest interval was longer than maxInterval
	stalled bool          // an interval was not charged in full
}

const (
	// An entry is pinned after this time.
	pinAfter = 2 * time.Millisecond

	// instructionTime is the CPU time that pays for one instruction of a pinned entry. Slower
	// instructions, such as a comparison of two long strings, count as several.
	instructionTime = 32 * time.Nanosecond

	maxStalls   = 8  // long intervals of a mod per tick that are charged as maxInterval
	stalledStep = 32 // instructions between two checks, at most, after the first of them
)

// chargeSlowness charges the CPU time since the last check, if it is more than the instructions
// have paid for. It pins an entry that has taken pinAfter.
func (m *meter) chargeSlowness() {
	if m.cpu == nil {
		if m.thread != nil && m.last-m.started >= pinAfter {
			m.cpu, m.release = m.thread()
			m.cpuAt, m.cpuN, m.cpuUsed = m.cpu(), m.n, 0
		}
		return
	}
	now := m.cpu()
	m.mod.share.used += now - m.cpuAt // with the garbage that the mod makes the thread collect
	d := m.withoutStall(now - m.cpuAt)
	m.cpuAt = now
	m.cpuUsed += d
	m.raise(m.cpuN + int64(d/instructionTime))
	m.cpuN = m.n
}

// withoutStall returns how much of an interval of CPU time to charge.
func (m *meter) withoutStall(d time.Duration) time.Duration {
	follows := m.long
	m.long = d > maxInterval
	if !m.long || follows || m.mod.stalls == maxStalls {
		return d
	}
	m.mod.stalls++
	m.stalled = true
	return maxInterval
}

// unpin ends the pinning of a root entry.
func (m *meter) unpin() {
	if m.cpu != nil {
		m.release()
		m.slowness = slowness{}
	}
}
