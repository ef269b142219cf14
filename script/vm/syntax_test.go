package vm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

var freely = affordUpTo(DefaultLimits.Load.Instructions)

func TestSyntaxErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct {
		source, want string
		incomplete   bool
	}{
		{"x = = 1", "f.lua:1: syntax error near '='", false},
		{"local x = 1\nlocal y = )", "f.lua:2: syntax error near ')'", false},
		{"function f()\n  return 1\n", "f.lua:2: syntax error at the end", true},
		{"if x then", "f.lua:1: syntax error at the end", true},
		{"x = {\n1,\n", "f.lua:2: syntax error at the end", true},
		{"x = [[abc", "f.lua:1: unterminated multiline string", true},
		{"x = 1 --[[ abc", "f.lua:1: invalid multiline comment at the end", true},
		{"x = 1 --[=x", "f.lua:1: invalid multiline comment", false},
		{"x = 'abc", "f.lua:1: unterminated string", false},
		{"for i = 1, 2 do end\nbreak", "f.lua:2: no loop to break", false},
		{"goto nowhere", "f.lua:1: no visible label 'nowhere'", false},
		{"return ...\nx", "f.lua:2: syntax error", false},
		{strings.Repeat("(", 300), "f.lua:1: brackets or blocks nest deeper than 200", false},
		{"\n" + strings.Repeat("do ", 300), "f.lua:2: brackets or blocks nest deeper than 200", false},
		{strings.Repeat("x", maxSource+1), "f.lua:1: the chunk has 1048577 bytes", false},
	} {
		_, err := compile("f.lua", c.source, freely)
		require.Error(t, err, c.source)
		assert.Contains(t, err.Error(), c.want)
		assert.NotContains(t, err.Error(), "\n")
		assert.Equal(t, c.incomplete, Incomplete(err), "%.40s", c.source)
	}
}

func TestNestingIgnoresStringsAndComments(t *testing.T) {
	deep := strings.Repeat("{(do ", 300)
	for _, source := range []string{
		"x = '" + deep + "'", `x = "\"` + deep + `"`, "x = [[" + deep + "]]", "x = [==[]]" + deep + "]==]",
		"-- " + deep + "\nx = 1", "--[[" + deep + "\n]] x = 1", "--[==[" + deep + "]]\n]==] x = 1",
		strings.Repeat("if x then x = 1 elseif x then x = 2 end ", 300),
		strings.Repeat("x = {f(1)[2]} ", 300),
		strings.Repeat("repeat x = 1 until x while x do x = nil end ", 300),
	} {
		_, err := compile("f.lua", source, freely)
		assert.NoError(t, err, "%.60s", source)
	}
	assert.Equal(t, 3, tooDeep("x = [[\n]] -- (\n"+strings.Repeat("{", 201)))
}

func TestRealisticSourcesCompile(t *testing.T) {
	for _, source := range []string{
		"x = 1" + strings.Repeat("+1", 500),
		"if x then x = 1" + strings.Repeat(" elseif x then x = 1", 400) + " end",
		"x = {" + strings.Repeat("1,", 20_000) + "}",
		strings.Repeat("local function f() return 'a' .. 'b' end ", 180),
		"#!/usr/bin/lua\nx = 1",
		"",
	} {
		_, err := compile("f.lua", source, freely)
		assert.NoError(t, err, "%.60s", source)
	}
}

// TestSlowSourcesAreRefused checks sources that would keep the compiler busy, here for more than
// half a second. The compiler searches names, locals, labels and gotos of a function repeatedly.
// These sources are refused before they reach it.
func TestSlowSourcesAreRefused(t *testing.T) {
	numbered := func(form string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for name, source := range map[string]string{
		"methods":          "local a = {} " + numbered("a:m%d() ", 9000),
		"methods defined":  "local a = {} " + numbered("function a:m%d() end ", 9000),
		"labels":           numbered("::l%d:: ", 15_000),
		"gotos and labels": numbered("goto l%d ", 3600) + numbered("::l%d:: ", 3600),
		"gotos in blocks":  strings.Repeat("do ", 190) + strings.Repeat("goto l ", 35_000) + strings.Repeat("end ", 190) + "::l::",
		"locals":           strings.Repeat(numbered("local a%d ", 190)+"local f = function() ", 190) + strings.Repeat("x = x ", 3000) + strings.Repeat("end ", 190),
		"parameters":       strings.Repeat("local f = function(a"+numbered(", a%d", 190)+") ", 190) + strings.Repeat("x = x ", 3000) + strings.Repeat("end ", 190),
		"loop variables":   strings.Repeat("local f = function() for a"+numbered(", a%d", 180)+" in x do ", 90) + strings.Repeat("x = x ", 6200) + strings.Repeat("end end ", 90),
	} {
		_, err := compile("f.lua", source, affordUpTo(100_000_000))
		require.Error(t, err, name)
		assert.Regexp(t, "split (it|its functions)$", err.Error(), name)
	}
	_, err := compile("f.lua", strings.Repeat("a=1 ", 1<<16), affordUpTo(100_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 131072 instructions; split it")
	_, err = compile("f.lua", numbered("a%d=1 ", 8192), affordUpTo(1_000_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 8192 different names, numbers and strings; split it")
	used := numbered("local a%d ", 150) + "local f = function() " + numbered("local b%d ", 51)
	uses := "return function() " + numbered("a%d = 1 ", 150) + numbered("b%d = 1 ", 51) + "end end"
	_, err = compile("f.lua", used+uses, affordUpTo(1_000_000_000))
	assert.ErrorContains(t, err, "a function has more than 200 upvalues")
	_, err = compile("f.lua", strings.Repeat("do local a, b, c = 1 end x = x ", 3000), affordUpTo(1_000_000))
	assert.NoError(t, err, "the locals are out of scope")
	r := newRig(t)
	labels := numbered("::l%d:: ", 3000) // allowed in a file
	m := r.NewMod("x", nil)
	_, err = m.Compile("f.lua", labels, true)
	assert.NoError(t, err)
	m.Runtime.cfg.Limits.Load.Instructions = 1_000_000
	_, err = m.Compile("g.lua", labels, true)
	assert.ErrorContains(t, err, "g.lua:1: compiling it exceeds the rest of the budget")
}

// TestOperatorsAreGuardedEverywhere checks that the VM never runs an operator that needs a guard,
// wherever it stands.
func TestOperatorsAreGuardedEverywhere(t *testing.T) {
	r := newRig(t)
	for _, place := range []string{
		"return %s", "return 1, %s", "x = %s", "x, y = 1, %s", "x = 1, %s", "local a = %s", "local a, b = 1, %s", "local t = {} t[%s] = 1", "local t = {} t[%s].x = 1", "local t = {} t.x, t[%s] = 1",
		"tostring(%s)", "tostring{%s}", "tostring{x = %s}", "tostring{[%s] = 1}", "tostring{[{}] = %s}", "(%s):upper()", "big:rep(%s)", "tostring((%s).x)", "(%s)()",
		"if %s then end", "if nil then elseif %s then end", "if nil then else x = %s end", "while %s do end", "while true do x = %s end", "repeat until %s", "repeat x = %s until true", "do x = %s end",
		"for i = %s, 1 do end", "for i = 1, %s do end", "for i = 1, 1, %s do end", "for i = 1, 1 do x = %s end", "for k in %s do end", "for k in next, {1} do x = %s end",
		"(function() x = %s end)()", "local function f() return %s end f()", "local t = {} function t.f() return %s end t.f()", "local t = {} function t:f() return %s end t:f()",
		"x = {} .. (%s)", "x = (%s) .. 1", "x = tostring(%s) .. 1", "x = (1 + (%s))", "x = -(%s)", "x = not (%s)", "x = #(%s)", "x = (%s) < 1", "x = 1 == (%s)", "x = nil or %s", "x = 1 and %s", "x = (%s) and 1",
	} {
		said := r.run("local big = ('x'):rep(2^20); " + fmt.Sprintf(place, "big .. big"))
		assert.Contains(t, said, "a string of 2097152 bytes is longer than 1048576", place)
	}
}

func TestLinesOfTheConsole(t *testing.T) {
	r := newRig(t)
	m := r.NewMod("console", nil)
	for _, c := range []struct {
		line       string
		want       string
		expression bool
	}{{"1 + 1", "2", true}, {"x = 5", "", false}, {"x, 'y'", "5 y", true}, {"return x", "5", false}} {
		fn, expression, err := m.CompileLine("console", c.line)
		require.NoError(t, err)
		assert.Equal(t, c.expression, expression, c.line)
		out, err := r.EnterWith(r.Limits().Line, m, fn)
		require.NoError(t, err)
		assert.Equal(t, c.want, show(out))
	}
	_, _, err := m.CompileLine("console", "function f()")
	assert.True(t, Incomplete(err))
	for _, c := range []struct {
		line   string
		column int // column of the error in the chunk, or in the expression after "return "
	}{{"x = = 1", 5}, {")", 1}, {"1 + * 2", 12}} {
		_, _, err = m.CompileLine("console", c.line)
		assert.False(t, Incomplete(err))
		var e *SyntaxError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.column, e.Column(), c.line)
	}
}

func TestCompiledFilesAreShared(t *testing.T) {
	protos := NewProtos()
	share := func(c *Config) { c.Protos = protos }
	a, b := newRig(t, share).NewMod("x", nil), newRig(t, share).NewMod("x", nil)
	f, err := a.Compile("mods/x/a.lua", "n = 1", true)
	require.NoError(t, err)
	g, err := b.Compile("mods/x/a.lua", "n = 1", true)
	require.NoError(t, err)
	assert.Same(t, f.Proto, g.Proto)
	h, err := b.Compile("mods/x/a.lua", "n = 2", true)
	require.NoError(t, err)
	assert.NotSame(t, f.Proto, h.Proto)
	for _, fn := range []*lua.LFunction{g, h} {
		_, err = b.Runtime.Enter(b, fn)
		require.NoError(t, err)
	}
	assert.Equal(t, lua.LNumber(2), b.Global("n"))
	assert.Equal(t, lua.LNil, a.Global("n"))
	for i := range maxCached {
		_, err = a.Compile("mods/x/a.lua", fmt.Sprint("n = ", i), true)
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, len(protos.files), maxCached)
}

func FuzzCompile(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := compile("f.lua", source, freely); err != nil && !strings.HasPrefix(err.Error(), "f.lua:") {
			t.Fatal(err)
		}
	})
}
