package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkFromLua measures operations that a mod performs 10,000 times in a loop.
func BenchmarkFromLua(b *testing.B) {
	h := newHalfOf(b, 1, true, probes, files(map[string]string{
		"lib/server/init.lua": `export("add", function(a, b) return a + b end)`,
		"m/server/init.lua":   `D = datablock "ProbeData" "D" {}`,
	})).load("lib", "m")
	require.Empty(b, h.line(`p = new "HotProbe" { dataBlock = find "D", name = "p" }`))
	for _, c := range [][2]string{
		{"nothing", ``}, {"field", `local t = p.heat`}, {"vec", `local t = p.position`}, {"id", `local t = p.id`},
		{"set", `p.heat = i % 50`}, {"cross", `add(i, 2)`},
	} {
		require.Empty(b, h.line(`function `+c[0]+`() local p, add = p, import("lib").add for i = 1, 10000 do `+c[1]+` end end`))
		b.Run(c[0], func(b *testing.B) {
			b.ReportAllocs()
			for range b.N / 10_000 {
				h.line(c[0] + "()")
			}
		})
	}
}
