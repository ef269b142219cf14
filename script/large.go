package script

import lua "github.com/yuin/gopher-lua"

// The VM's own comparison of two strings of a megabyte takes up to 2 ms, and no guard sees it. So while a mod runs that has
// ever had a string of more than largeText, few instructions lie between two looks of the meter.
const (
	largeText = 64 << 10 // bytes
	fineStep  = 8        // instructions
)

// widest is how far apart looks may be while a mod runs.
func (m *Mod) widest() int64 {
	if m.large {
		return fineStep
	}
	return maxStep
}

// holds notes that a mod has got a string of n bytes.
func (m *Mod) holds(n int) {
	if n <= largeText || m.large {
		return
	}
	m.large = true
	if meter := &m.Host.meter; meter.mod != nil && meter.spent == nil {
		meter.step = fineStep
		meter.arm()
	}
}

// longest is the length of the longest string among the constants of a function and of those in it.
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
