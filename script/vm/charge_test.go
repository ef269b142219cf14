package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkIsCharged checks that the work of Go functions for a script is charged as instructions.
// The charge grows with the size of the work.
func TestWorkIsCharged(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.String = MaxString })
	m := r.NewMod("x", nil)
	require.Empty(t, r.runIn(m, `
		mega = ("x"):rep(2^20) percents = ("%%"):rep(2^19) digits = ("1"):rep(2^16) few = {}
		numbers, words, keyed = {}, {}, {}
		for i = 1, 10000 do numbers[i] = (i * 7919) % 10007 words[i] = "word" .. numbers[i] keyed["k" .. i] = i end
		names = {} for i = 1, 4000 do names[i] = "a" .. i .. "=1 " end names = table.concat(names)
		long = {} for i = 1, 64 do long[i] = mega end
		ids = {} for i = 1, 100 do ids[2^21 + i] = i ids["k" .. i] = i end
		function forgotten(n) local t = {} for i = 1, n do t["k" .. i] = i end for i = 1, n do t["k" .. i] = nil end t.last = 1 return t end
		one, other = forgotten(20000), forgotten(20000)`))
	for _, c := range []struct {
		source string
		least  int64
	}{
		{`return #mega:upper() + #mega:lower() + #mega:reverse()`, 3 << 18},
		{`return #("ab"):rep(2^20)`, 2 << 14},
		{`return mega:find("y", 1, true)`, 1 << 15},
		{`mega:find("[yz]") mega:match("y") for x in mega:gmatch("y") do end`, 3 << 20},
		{`mega:gsub("y", "")`, 1 << 20},
		{`digits:gsub("1", "%0%0%0")`, 8 << 16},
		{`digits:gsub("1", few)`, 8 << 16},
		{`return #percents:format() + #("%q"):format(mega) + #("%s%s"):format(mega, mega)`, 1<<17 + 1<<19 + 1<<15},
		{`for i = 1, 100 do local s = ("%99.99f"):format(1e300) end`, 100 * 4 * 400},
		{`local n = tonumber(digits), tonumber(digits, 2)`, 1 << 13},
		{`local n = digits + 1, 1 * digits, -digits`, 3 << 13},
		{`return type(loadstring(names))`, 100*30_000 + 2*4000*4000},
		{`return #(mega .. mega)`, 2 << 14},
		{`return #table.concat(numbers, ",") + #table.concat(words)`, 60_000},
		{`for i = 1, 100 do table.insert(numbers, 1, 0) end for i = 1, 100 do table.remove(numbers, 1) end`, 200 * 2500},
		{`table.sort(numbers) table.sort(words)`, 2 * 4 * 130_000},
		{`table.sort(long)`, 64 << 14},
		{`table.maxn(keyed)`, 40_000},
		{`local t = {} for i = 30000, 30050 do t[i] = 1 t[i] = nil end`, 1_200_000}, // the slots are made once
		{`local t = {} for i = 2^20, 2^20 + 100 do t[i] = 1 end`, 300},              // no list
		{`for k in pairs(keyed) do end`, 40_000},
		{`for k in pairs(ids) do end`, 1000},
		{`for k in pairs(one) do end`, 160_000},
		{`table.foreach(other, type)`, 160_000},
		{`local n = select("#", unpack(numbers, 1, 8000))`, 2000},
		{`local n = select("#", mega:byte(1, 8000)), #string.char(mega:byte(1, 8000))`, 4000},
	} {
		before := m.Usage.Instructions
		said := r.runIn(m, c.source)
		assert.NotContains(t, said, "error: ", c.source)
		assert.GreaterOrEqual(t, m.Usage.Instructions-before, c.least, c.source)
		assert.Less(t, m.Usage.Instructions-before, 8*c.least, c.source)
	}
}
