package luac

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

var freely = affordUpTo(20_000_000)

func affordUpTo(most int) func(cost int) error {
	return func(cost int) error {
		if cost > most {
			return errors.New("split it")
		}
		return nil
	}
}

func TestSyntaxErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct {
		source, want string
		incomplete   bool
	}{
		{"x = = 1", "f.lua:1: syntax error near '='", false},
		{"local x = 1\nlocal y = )", "f.lua:2: syntax error near ')'", false},
		{"\n0e\n0", "f.lua:3: syntax error near '0e 0'", false},
		{"x = [[a\nb]] [[c\td\ne]]", "f.lua:3: syntax error near 'c d e'", false},
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
		{strings.Repeat("x", MaxSource+1), "f.lua:1: the chunk has 4194305 bytes", false},
	} {
		_, err := Compile("f.lua", c.source, freely)
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
		_, err := Compile("f.lua", source, freely)
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
		_, err := Compile("f.lua", source, freely)
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
		"globals":          numbered("a%d() ", 8000),
		"labels":           numbered("::l%d:: ", 15_000),
		"gotos and labels": numbered("goto l%d ", 3600) + numbered("::l%d:: ", 3600),
		"gotos in blocks":  strings.Repeat("do ", 190) + strings.Repeat("goto l ", 35_000) + strings.Repeat("end ", 190) + "::l::",
		"locals":           strings.Repeat(numbered("local a%d ", 190)+"local f = function() ", 190) + strings.Repeat("x = x ", 3000) + strings.Repeat("end ", 190),
		"parameters":       strings.Repeat("local f = function(a"+numbered(", a%d", 190)+") ", 190) + strings.Repeat("x = x ", 3000) + strings.Repeat("end ", 190),
		"loop variables":   strings.Repeat("local f = function() for a"+numbered(", a%d", 180)+" in x do ", 90) + strings.Repeat("x = x ", 6200) + strings.Repeat("end end ", 90),
	} {
		_, err := Compile("f.lua", source, affordUpTo(100_000_000))
		require.Error(t, err, name)
		assert.Regexp(t, "split (it|its functions)$", err.Error(), name)
	}
	if testenv.Long() { // the parser takes half of a second
		_, err := Compile("f.lua", strings.Repeat("a=1 ", 1<<18), affordUpTo(200_000_000))
		assert.EqualError(t, err, "f.lua:1: a function has more than 524288 instructions; split it")
	}
	_, err := Compile("f.lua", "for i = 1, 2 do "+strings.Repeat("a=1 ", 1<<16)+"end", affordUpTo(200_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 131072 instructions; split it", "the loop jumps back")
	_, err = Compile("f.lua", strings.Repeat("a=a or a ", 1<<15), affordUpTo(200_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 131072 instructions; split it", "each jumps")
	_, err = Compile("f.lua", "if a then "+strings.Repeat("a=1 ", 1<<16)+"end", affordUpTo(200_000_000))
	assert.ErrorContains(t, err, "too long to jump")
	_, err = Compile("f.lua", numbered("a%d=1 ", 8193), affordUpTo(1_000_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 8192 different globals; split it, or put them into a table")
	used := numbered("local a%d ", 150) + "local f = function() " + numbered("local b%d ", 51)
	uses := "return function() " + numbered("a%d = 1 ", 150) + numbered("b%d = 1 ", 51) + "end end"
	_, err = Compile("f.lua", used+uses, affordUpTo(1_000_000_000))
	assert.ErrorContains(t, err, "a function has more than 200 upvalues")
	_, err = Compile("f.lua", strings.Repeat("do local a, b, c = 1 end x = x ", 3000), affordUpTo(1_000_000))
	assert.NoError(t, err, "the locals are out of scope")
}

// TestDeepTreesAreRefused checks that an expression of many parts is an error of the source. The
// compiler is recursive.
func TestDeepTreesAreRefused(t *testing.T) {
	for _, form := range []func(n int) string{
		func(n int) string { return "x = " + strings.Repeat("- ", n) + "a" },
		func(n int) string { return "x = a" + strings.Repeat(" + a", n) },
		func(n int) string { return "x = a" + strings.Repeat(".a", n) },
		func(n int) string { return "a" + strings.Repeat("()", n) },
	} {
		_, err := Compile("f.lua", form(900), affordUpTo(1_000_000))
		assert.NoError(t, err)
		_, err = Compile("f.lua", form(maxTree), affordUpTo(1_000_000))
		assert.EqualError(t, err, "f.lua:1: an expression or chain has more than 1000 parts")
	}
}

// TestConstantsAreCharged checks the cost of names and strings: the compiler searches all of them
// for each one.
func TestConstantsAreCharged(t *testing.T) {
	var source strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&source, "a%d = nil ", i)
	}
	_, err := Compile("f.lua", source.String(), affordUpTo(60_000_000))
	assert.NoError(t, err)
	_, err = Compile("f.lua", source.String(), affordUpTo(49_000_000))
	assert.Error(t, err)
}
