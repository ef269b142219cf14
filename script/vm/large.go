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
