package luac

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// run compiles a chunk without `..` and runs it in plain gopher-lua.
func run(t *testing.T, source string, first int) string {
	proto, err := compile("f.lua", source, first, affordUpTo(1<<40))
	require.NoError(t, err)
	l := lua.NewState()
	defer l.Close()
	fn := l.NewFunctionFromProto(proto)
	for i, name := range proto.DbgUpvalues {
		fn.Upvalues[i] = new(lua.Upvalue)
		fn.Upvalues[i].Close()
		fn.Upvalues[i].SetValue(l.NewFunction(guardStandIns[name]))
	}
	l.Push(fn)
	require.NoError(t, l.PCall(0, 1, nil))
	return lua.LVAsString(l.Get(-1))
}

// guardStandIns do what the guards do, without limits.
var guardStandIns = map[string]lua.LGFunction{
	setName: func(l *lua.LState) int { l.SetTable(l.Get(1), l.Get(2), l.Get(3)); return 0 },
	fillName: func(l *lua.LState) int {
		for i := 3; i < l.GetTop(); i += 2 {
			l.SetTable(l.Get(1), l.Get(i), l.Get(i+1))
		}
		l.SetTop(1)
		return 1
	},
	priceName: func(l *lua.LState) int { l.SetTop(1); return 1 },
	catName: func(l *lua.LState) int {
		text := ""
		for i := 1; i <= l.GetTop(); i++ {
			text += lua.LVAsString(l.Get(i))
		}
		l.Push(lua.LString(text))
		return 1
	},
}

// manyConstants is a chunk with n numbers in each of several forms, and as many strings, fields and
// methods. It returns a text that depends on all of them.
func manyConstants(n int) string {
	var b strings.Builder
	b.WriteString("local t, o, u = {}, {}, {}\nlocal sum = 0\nfunction o.f(x) return x end\n")
	for i := range n {
		fmt.Fprintf(&b, "t[#t + 1] = %d.25\nt[#t + 1] = -%d.75 t[#t + 1] = %d / 7 - -2\n", i, i, i)
		fmt.Fprintf(&b, "u = { %d.125, \"s%d\", k%d = \"v%d\", [%d.5] = -%d.5, [\"q%d\"] = 0x%x }\n", i, i, i, i, i, i, i, i)
		fmt.Fprintf(&b, "t[#t + 1] = u[1] t[#t + 1] = u[2] t[#t + 1] = u.k%d t[#t + 1] = u[%d.5] t[#t + 1] = u.q%d\n", i, i, i)
		fmt.Fprintf(&b, "function o:m%d(x) return x * 2 end\nt[#t + 1] = o:m%d(%d.0625) u.w%d = \"x\" t[#t + 1] = u.w%d\n", i, i, i, i, i)
		fmt.Fprintf(&b, "if \"c%d\" then t[#t + 1] = (%d.03 or 1) end t[1000 + %d] = nil\n", i, i, i*7)
		fmt.Fprintf(&b, "while %d.07 do t[#t + 1] = %d.07 == %d.07 and \"e%d\" break end\n", i, i, i, i)
		fmt.Fprintf(&b, "for i = %d.5, %d.6 do t[#t + 1] = i end local g%d\n", i, i, i%100)
		if i%100 == 99 {
			b.WriteString("local function h() return \"done\", 12.5 end do local a, b = h() end\n")
		}
	}
	b.WriteString("local text = '' for i = 1, #t do text = text .. ' ' .. (t[i] or 'nil') end return text .. '\\0k'")
	return b.String()
}

// TestLateConstantsGiveTheSameCode compares functions whose constants are put in afterwards with
// those that the compiler makes alone.
func TestLateConstantsGiveTheSameCode(t *testing.T) {
	source := manyConstants(40)
	all, err := compile("f.lua", source, 1<<20, affordUpTo(1<<40))
	require.NoError(t, err)
	some, err := compile("f.lua", source, firstConstants, affordUpTo(1<<40))
	require.NoError(t, err)
	same(t, all, some)
	assert.Equal(t, run(t, source, 1<<20), run(t, source, firstConstants))
}

func same(t *testing.T, all, some *lua.FunctionProto) {
	assert.Equal(t, all.DbgSourcePositions, some.DbgSourcePositions)
	assert.Equal(t, all.DbgCalls, some.DbgCalls)
	require.Len(t, some.Code, len(all.Code))
	for pc := range all.Code {
		a, b := Instruction(all.Code[pc]), Instruction(some.Code[pc])
		if a.Op() == lua.OP_LOADK {
			require.Equal(t, all.Constants[a.Bx()], some.Constants[b.Bx()], pc)
			a, b = a>>18, b>>18
		}
		require.Equal(t, a, b, pc)
	}
	for i := range all.FunctionPrototypes {
		same(t, all.FunctionPrototypes[i], some.FunctionPrototypes[i])
	}
}

// TestPlaceholdersAreNoConstantsOfTheSource uses the constants that stand for late ones.
func TestPlaceholdersAreNoConstantsOfTheSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("local t = {\"\\0k\", \"\\0kk\", 8, " + numberText(0x1p-900) + ", -" + numberText(0x1p-900) + ",")
	for i := range 600 {
		fmt.Fprintf(&b, "%d.5, \"s%d\", ", i, i)
	}
	b.WriteString("\"\\0k\", \"\\0kk\", " + numberText(0x1p-900) + ", -" + numberText(0x1p-900) + "}")
	b.WriteString("return #t .. t[1] .. t[1206] .. t[1207] .. t[1204] .. (t[4] == t[#t - 1] and t[5] == t[#t] and 'same' or 'not')")
	assert.Equal(t, "1209\x00k\x00k\x00kk599.5same", run(t, b.String(), firstConstants))
}

// TestConstantsInAnotherOrder: the compiler gets the fields of a table that are set one by one
// last.
func TestConstantsInAnotherOrder(t *testing.T) {
	var b strings.Builder
	b.WriteString("local t = {")
	for i := range 700 {
		fmt.Fprintf(&b, "[%d.5] = %d, ", 100_000+i, 10_000+i)
	}
	for i := range 700 {
		fmt.Fprintf(&b, "'s%d', ", i)
	}
	b.WriteString("} return t[1] .. t[700] .. t[100000.5] .. t[100699.5]")
	_, err := compile("f.lua", b.String(), firstConstants, freely)
	require.Equal(t, errEarlyPlaceholder, err)
	proto, err := Compile("f.lua", b.String(), freely)
	require.NoError(t, err)
	assert.Greater(t, len(proto.Constants), 2000)
	assert.Equal(t, "s0s6991000010699", run(t, b.String(), 8*firstConstants))
}

// TestAFunctionHasManyConstants checks the limit of 262,144 constants: it is that of Lua 5.1. The
// cost of a constant does not grow with their number.
func TestAFunctionHasManyConstants(t *testing.T) {
	list := func(n int) string {
		var b strings.Builder
		b.WriteString("return {")
		for i := range n {
			fmt.Fprintf(&b, "%d,", i)
		}
		b.WriteString("}")
		return b.String()
	}
	n := 1 << 14
	if os.Getenv("TORC_LONG") != "" {
		n = maxConstants
	}
	proto, err := Compile("f.lua", list(n), affordUpTo(lateCost*n+600_000))
	require.NoError(t, err)
	assert.Len(t, proto.Constants, n)
	_, err = Compile("f.lua", list(n), affordUpTo(lateCost*(n-firstConstants)))
	assert.Error(t, err, "late constants have a price")
	next := lua.LNumber(0)
	for _, code := range proto.Code {
		if i := Instruction(code); i.Op() == lua.OP_LOADK {
			if got := proto.Constants[i.Bx()]; got != next { // require is slow
				t.Fatalf("constant %d is %v", int(next), got)
			}
			next++
		}
	}
	if n < maxConstants {
		return // TestThePageOfLimits of package script compiles a list that is too long
	}
	_, err = Compile("f.lua", list(maxConstants+1), affordUpTo(100_000_000))
	assert.EqualError(t, err, "f.lua:1: a function has more than 262144 different names, numbers and strings; split it")
}
