package vm

import lua "github.com/yuin/gopher-lua"

// The VM takes up to 2 ms to compare two strings of a megabyte, and no guard sees the comparison. A
// mod that has ever held a string longer than largeText is therefore checked by the meter every
// fineStep instructions.
const (
	largeText = 64 << 10 // bytes
	fineStep  = 8        // instructions
)

// maxCheckStep returns the largest number of instructions between two checks of the meter while the
// mod runs.
func (m *Mod) maxCheckStep() int64 {
	if m.heldLarge {
		return fineStep
	}
	return maxStep
}

// NoteString records that the mod has received a string of n bytes.
func (m *Mod) NoteString(n int) {
	if n <= largeText || m.heldLarge {
		return
	}
	m.heldLarge = true
	if meter := &m.Runtime.meter; meter.mod != nil && meter.spent == nil {
		meter.step = fineStep
		meter.arm()
	}
}

// FitsHeap reports whether n bytes that this entry has just made are at most half of the heap that
// it had left before.
func (h *Runtime) FitsHeap(n int) bool {
	m := &h.meter
	m.sized++
	return !m.decide(VerdictLarge, m.sized, m.tooLarge(uint64(n)))
}

// tooLarge reports whether less than n bytes of heap are left.
func (m *meter) tooLarge(n uint64) bool {
	if m.sample == nil {
		return false
	}
	if !m.seen {
		m.readClock()
		m.readHeap(true)
	}
	heap := m.sample()
	return exceeds(heap, n, min(m.heapMax, m.rootHeap)) || exceeds(m.inUse(heap), n, m.limits.Heap)
}

// exceeds reports whether n bytes are more than what is left of most, out of which some are in use.
func exceeds(used, n, most uint64) bool { return used > most || n > most-used }

// InEvent reports whether the entry in progress is an event of the engine, not a load or a line.
func (h *Runtime) InEvent() bool { return len(h.chain) > 0 && h.meter.event }

// InstructionsLeft returns the instructions that the entry in progress has left.
func (a Args) InstructionsLeft() int {
	m := &a.Runtime().meter
	return int(min(max(0, m.instructions-m.n), 1<<31-1))
}

// longest returns the length of the longest string constant of a function and its inner functions.
func longest(p *lua.FunctionProto) int {
	n := 0
	for _, c := range p.Constants {
		if text, ok := c.(lua.LString); ok {
			n = max(n, len(text))
		}
	}
	for _, inner := range p.FunctionPrototypes {
		n = max(n, longest(inner))
	}
	return n
}
