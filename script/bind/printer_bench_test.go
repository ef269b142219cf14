package bind_test

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
)

func BenchmarkPrint(b *testing.B) {
	for name, chunk := range map[string]string{
		"list":  `local t = {} for i = 1, 1000 do t[i] = {i} end return t`,
		"names": `local t = {} for i = 1, 1000 do t["key" .. i] = "value" .. i end return t`,
		"deep":  `local function deep(n) if n == 0 then return "leaf" end local t = {} for i = 1, 6 do t["k" .. i] = deep(n - 1) end return t end return deep(4)`,
		"long":  `return ("é"):rep(30000)`,
	} {
		b.Run(name, func(b *testing.B) {
			l := lua.NewState()
			defer l.Close()
			if err := l.DoString(chunk); err != nil {
				b.Fatal(err)
			}
			p := printer()
			for b.Loop() {
				p.Lines(l.Get(-1), 4)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(p.Cost), "ns/instruction")
		})
	}
}
