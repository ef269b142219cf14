package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	_ "github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/bind"
)

// evaluate runs a chunk in a state without torc's library and returns its values.
func evaluate(t *testing.T, chunk string) []lua.LValue {
	t.Helper()
	l := lua.NewState()
	t.Cleanup(l.Close)
	require.NoError(t, l.DoString(chunk))
	var values []lua.LValue
	for i := 1; i <= l.GetTop(); i++ {
		values = append(values, l.Get(i))
	}
	return values
}

func printer() *bind.Printer {
	return &bind.Printer{Data: func(v any) string { return fmt.Sprint(v) }}
}

func TestValuesArePrintedInLuaSyntax(t *testing.T) {
	for _, c := range []struct{ chunk, want string }{
		{`return "a\"\\\n", 1.5, nil, true`, `"a\"\\\n"` + "\t1.5\tnil\ttrue"},
		{`return {}`, `{}`},
		{`return {1, "b", {}, nil, 5}`, `{1, "b", {}, [5] = 5}`},
		{`return {z = 1, a = {b = {2}}, [3] = "x", [-1] = 0, [1.5] = 0, "y"}`, `{[-1] = 0, "y", [1.5] = 0, [3] = "x", a = {b = {2}}, z = 1}`},
		{`return {[true] = 1, ["end"] = 1, ["a b"] = 2, ["2x"] = 3, [""] = 4}`, `{[""] = 4, ["2x"] = 3, ["a b"] = 2, ["end"] = 1, [true] = 1}`},
		{`local t = {1} t.t = t t.u = {t = t} return t`, `{1, t = <cycle>, u = {t = <cycle>}}`},
		{`local twice = {1} return {twice, twice}`, `{{1}, {1}}`},
		{`return {{{{{1}}}}}, {{{{{}}}}}`, "{{{{{…}}}}}\t{{{{{}}}}}"},
		{`return print, function() end`, "function\tfunction <string>:1"},
		{`return {[{1}] = 2}`, `{[table: 1] = 2}`},
		{`return setmetatable({1}, {}), setmetatable({}, {})`, "{1, <metatable>}\t{<metatable>}"},
		{`return {("x"):rep(300)}, "é"`, "{\n  \"" + strings.Repeat("x", 200) + "\"…,\n}\n\"é\""},
	} {
		assert.Equal(t, c.want, printer().Values(evaluate(t, c.chunk)), c.chunk)
	}
}

func TestLongTablesHaveOneEntryPerLine(t *testing.T) {
	got := printer().Lines(evaluate(t, `
		local function row(n) return {name = "player " .. n, score = n, at = {1, 2, 3}} end
		return {row(1), row(2), long = {("a"):rep(60), ("b"):rep(60)}}`)[0], bind.PrintDepth)
	assert.Equal(t, strings.Join([]string{
		`{`,
		`  {at = {1, 2, 3}, name = "player 1", score = 1},`,
		`  {at = {1, 2, 3}, name = "player 2", score = 2},`,
		`  long = {`,
		`    "` + strings.Repeat("a", 60) + `",`,
		`    "` + strings.Repeat("b", 60) + `",`,
		`  },`,
		`}`,
	}, "\n"), got)
	assert.Equal(t, `{{at = {…}, name = "player 1"}}`, printer().Line(evaluate(t, `return {{name = "player 1", at = {1}}}`)[0]))
}

// TestPrintingRunsNoMetamethods checks that a table cannot run code or hide its entries while it is
// printed.
func TestPrintingRunsNoMetamethods(t *testing.T) {
	got := printer().Values(evaluate(t, `
		local function fail() error "ran" end
		local all = {__index = fail, __newindex = fail, __tostring = fail, __pairs = fail, __len = fail, __eq = fail, __lt = fail, __metatable = fail, __call = fail}
		return setmetatable({1, x = setmetatable({}, all), [setmetatable({}, all)] = 2}, all)`))
	assert.Equal(t, `{1, x = {<metatable>}, [table: 0] = 2, <metatable>}`, got)
}

func TestPrintedTextIsBounded(t *testing.T) {
	for name, chunk := range map[string]string{
		"entries": `local t = {} for i = 1, 1e5 do t[i] = i end return t`,
		"keys":    `local t = {} for i = 1, 1e5 do t["k" .. i] = i end return t`,
		"wide":    `local t = {} for i = 1, 20 do t[i] = {} for j = 1, 20 do t[i][j] = {} for k = 1, 20 do t[i][j][k] = "x" end end end return t`,
		"words":   `local t, long = {}, ("x"):rep(1e4) for i = 1, 50 do t[i] = {} for j = 1, 50 do t[i][j] = long end end return t`,
		"names":   `local t = {} for i = 1, 100 do t[("x"):rep(1e4) .. i] = {[("y"):rep(1e4)] = 1} end return t`,
		"string":  `return ("x"):rep(1e6)`,
	} {
		text := printer().Lines(evaluate(t, chunk)[0], 16)
		assert.Less(t, len(text), 70<<10, name)
		assert.Contains(t, text, "…", name)
	}
	got := printer().Lines(evaluate(t, `local t = {} for i = 1, 150 do t[i] = i end return t`)[0], 1)
	assert.Contains(t, got, "\n  100,\n  … 50 more\n}")
}

// TestPrintingCostsAreCounted prints a table that holds a large table many times. Reading each copy
// would take seconds.
func TestPrintingCostsAreCounted(t *testing.T) {
	dead := `local dead = {} for i = 1, 3e4 do dead["k" .. i] = i end for k in pairs(dead) do dead[k] = nil end dead.x = 1 `
	p := printer()
	text := p.Line(evaluate(t, dead+`local t = {} for i = 1, 100 do t[i] = dead end return t`)[0])
	assert.Contains(t, text, `{x = 1}, {x = 1}, {…}, {…}, `)
	assert.Equal(t, 18, strings.Count(text, "{x = 1}"))
	assert.Greater(t, p.Cost, 4_000_000)
	assert.Less(t, p.Cost, 6_000_000)
	p = printer()
	p.Line(evaluate(t, `return {1, 2, 3}`)[0])
	assert.Less(t, p.Cost, 2000)
}

func TestQuoteIsReadBack(t *testing.T) {
	var every strings.Builder
	for c := range 256 {
		every.WriteByte(byte(c))
	}
	for _, s := range []string{every.String(), "é日本 \u202e\u200b\u0085", "\x1b[31m", "1\x002", "\xff\xfe"} {
		literal := bind.Quote(s)
		assert.Equal(t, lua.LString(s), evaluate(t, "return "+literal)[0])
		for _, r := range literal {
			assert.False(t, r < ' ' || r == 0x7f || r == 0x1b || r == 0x85 || r == 0x202e || r == 0x200b, "%q", r)
		}
	}
	assert.Equal(t, `"é日本"`, bind.Quote("é日本"))
}
