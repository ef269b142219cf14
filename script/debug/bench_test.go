package debug

import (
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

// BenchmarkLoop measures a loop of 100,000 lines: without a session, with a session that has no
// breakpoints, and with a breakpoint in another function.
func BenchmarkLoop(b *testing.B) {
	for name, prepare := range map[string]func(r *rig){
		"alone":      func(*rig) {},
		"attached":   func(r *rig) { r.attach() },
		"breakpoint": func(r *rig) { r.attach(); r.breakAt(dap.SourceBreakpoint{Line: 7}) },
	} {
		b.Run(name, func(b *testing.B) {
			r := load(b, "function f()\n  local n = 0\n  for i = 1, 1e5 do\n    n = n + i\n  end\nend\nfunction g() note(1) end")
			prepare(r)
			for b.Loop() {
				r.runtime.BeginTick()
				_, err := r.call("f")
				require.NoError(b, err)
			}
		})
	}
}
