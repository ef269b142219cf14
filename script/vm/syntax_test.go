package vm

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
)

func TestCompilingIsCharged(t *testing.T) {
	r := newRig(t)
	var labels string // allowed in a file
	for i := range 3000 {
		labels += fmt.Sprintf("::l%d:: ", i)
	}
	m := r.NewMod("x", nil)
	_, err := m.Compile("f.lua", labels, true)
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

// TestLentFilesAreUsed checks that a cache takes the files that it needs from one that was lent, at
// the same cost, and nothing after the end.
func TestLentFilesAreUsed(t *testing.T) {
	own, lent := NewProtos(), NewProtos()
	cost := func(p *Protos, name string) (proto *lua.FunctionProto, n int) {
		proto, err := p.compile(name, "n = 1", func(cost int) error { n = cost; return nil })
		require.NoError(t, err)
		return proto, n
	}
	used, price := cost(lent, "used.lua")
	unused, _ := cost(lent, "unused.lua")
	end := own.Lend(lent)
	again, priceAgain := cost(own, "used.lua")
	end()
	assert.Same(t, used, again)
	assert.Equal(t, price, priceAgain)
	assert.Equal(t, 1, own.Len())
	again, _ = cost(own, "used.lua")
	assert.Same(t, used, again)
	again, _ = cost(own, "unused.lua")
	assert.NotSame(t, unused, again)
	own.Lend(nil)()
}

// TestFilesAreCompiledOncePerProcess compiles the same files on several goroutines. Only the first
// cache of the process compiles, at the same cost for all, and files that differ stay apart.
func TestFilesAreCompiledOncePerProcess(t *testing.T) {
	all := NewShared(new(sync.Mutex))
	compile := func(source string) (proto *lua.FunctionProto, cost int) {
		proto, err := all.Protos().compile("f.lua", source, func(n int) error { cost = n; return nil })
		assert.NoError(t, err)
		return proto, cost
	}
	first, price := compile("n = 1")
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			again, cost := compile("n = 1")
			assert.Same(t, first, again)
			assert.Equal(t, price, cost)
			other, _ := compile(fmt.Sprint("n = 2", i))
			assert.NotSame(t, first, other)
		})
	}
	wait.Wait()
	_, err := all.Protos().compile("f.lua", "n = 1", affordUpTo(int64(price-1)))
	assert.Error(t, err, "a shared file is not free")
	assert.Equal(t, 5, all.protos.Len())
}

func TestCachedFilesCostAsMuchAsCompiledOnes(t *testing.T) {
	protos := NewProtos()
	source := strings.Repeat("goto done ", 40) + "::done::"
	var costs []int
	for range 2 {
		_, err := protos.compile("f.lua", source, func(cost int) error {
			costs = append(costs, cost)
			return nil
		})
		require.NoError(t, err)
	}
	require.Len(t, costs, 2)
	assert.Positive(t, costs[0])
	assert.Equal(t, costs[0], costs[1])
	var e *SyntaxError
	_, err := protos.compile("f.lua", source, affordUpTo(int64(costs[0]-1)))
	assert.ErrorAs(t, err, &e)
}

func FuzzCompile(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := luac.Compile("f.lua", source, affordUpTo(DefaultLimits.Load.Instructions)); err != nil && !strings.HasPrefix(err.Error(), "f.lua:") {
			t.Fatal(err)
		}
	})
}
