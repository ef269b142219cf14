package vm

import (
	"fmt"
	"strings"
)

// flowHead is the beginning of a program of drawer.flow. Its functions are one letter long: S
// counts the steps of loops and ends a program with too many, P notes a value, O makes an object
// whose operators note their calls, I makes an iterator, and F calls a function.
const flowHead = `local out, steps, fs = {}, 0, {}
local function P(v)
	local kind = type(v)
	if kind == "number" and (v ~= v or v == 0) then v = "0" elseif kind == "number" then v = string.format("%.6g", v)
	elseif kind == "string" or kind == "nil" or kind == "boolean" then v = tostring(v) else v = kind end
	if #out < 300 then out[#out + 1] = v end
	return v
end
local function S() steps = steps + 1 if steps > 150 then error("steps", 0) end end
local function I(n) local i = 0 return function(s, k) i = i + 1 if i <= n then return i, k, s end end end
local function F(f, ...) if type(f) == "function" and #out < 200 then S() return f(...) end return ... end
local mt = {__add = function(a, b) P("add") return 1 end, __sub = function(a, b) P("sub") return 2 end,
	__unm = function() P("unm") return 3 end, __eq = function() P("eq") return true end, __lt = function() P("lt") return true end,
	__le = function() P("le") return false end, __concat = function() P("cat") return "c" end, __call = function(o, a, b) P("call") return a, b end,
	__index = function(o, k) P("index") return k end, __newindex = function(o, k, v) P("set") P(v) rawset(o, k, v) end}
local function O() return setmetatable({}, mt) end
local o, t, n0, a0 = O(), {4, 5, 6, x = 7}, 1, "s"
local u = {m = function(self, ...) P("m") return ... end}
g, h = 2, nil
local function main(p, q, ...)
`

// flowTail returns the notes of a program of drawer.flow.
const flowTail = `end
local ok = pcall(main, 3, nil, 8, false)
for i = 1, #fs do if i < 20 then P((pcall(fs[i], i))) end end
P(g) P(h) P(n0) P(a0) P(type(t) == "table" and rawget(t, "x"))
return ok, steps, table.concat(out, " ")`

// flow draws a program with loops, branches, constant conditions, closures and metamethods.
type flow struct {
	d        *drawer
	b        strings.Builder
	names    int
	numbers  []string // variables that hold numbers
	anything []string // other variables
	loops    int      // around the statement, in its function
	varargs  bool     // in scope
	size     int      // statements that may still follow
}

// flow returns a program. Its result shows the order of its statements.
func (d *drawer) flow() string {
	p := &flow{d: d, numbers: []string{"n0", "p"}, anything: []string{"a0", "q", "o", "t", "h", "g"}, varargs: true, size: 4 + d.IntN(30)}
	p.b.WriteString(flowHead)
	if d.IntN(8) == 0 {
		p.manyConstants()
	}
	for p.size > 0 {
		p.size--
		p.statement(4)
	}
	p.b.WriteString(flowTail)
	return p.b.String()
}

func (p *flow) write(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *flow) name() string {
	p.names++
	return fmt.Sprintf("v%d", p.names)
}

// manyConstants writes a list of 300 constants. An instruction can name 256, so all later constants
// need registers.
func (p *flow) manyConstants() {
	p.write("P(#{")
	for i := range 300 {
		p.write("%d, ", 1000+i)
	}
	p.write("}) ")
}

// scoped runs a function, and removes the variables that it declares.
func (p *flow) scoped(do func()) {
	numbers, anything := p.numbers, p.anything
	p.numbers, p.anything = numbers[:len(numbers):len(numbers)], anything[:len(anything):len(anything)]
	do()
	p.numbers, p.anything = numbers, anything
}

// block writes the statements of a block.
func (p *flow) block(depth int) { p.scoped(func() { p.statements(depth) }) }

func (p *flow) statements(depth int) {
	for range p.d.IntN(4) + p.d.IntN(2) {
		if p.size--; p.size < 0 {
			break
		}
		p.statement(depth)
	}
	if p.loops > 0 && p.d.IntN(6) == 0 {
		p.write("break ")
	} else if p.d.IntN(25) == 0 {
		p.write("return %s ", p.list())
	}
}

// body writes the body of a loop. S bounds the number of its steps.
func (p *flow) body(depth int) {
	p.loops++
	first := p.d.IntN(4) == 0
	if first {
		p.write("S() ")
	}
	if p.d.IntN(12) == 0 && p.loops > 0 {
		p.write("do break end ")
	}
	for range p.d.IntN(4) {
		if p.size--; p.size < 0 {
			break
		}
		p.statement(depth)
	}
	if !first {
		p.write("S() ")
	}
	p.loops--
}

func (p *flow) statement(depth int) {
	d := p.d
	if depth > 0 && d.IntN(2) == 0 {
		p.nested(depth - 1)
		return
	}
	if p.loops > 0 && d.IntN(12) == 0 {
		v := p.name()
		p.write("if %s then local %s = %s fs[#fs + 1] = function(w) P(%s) %s = w end %s end ", p.condition(), v, p.any(1), v, v, d.one("break", "", "return"))
		return
	}
	switch d.IntN(16) {
	case 0, 1:
		e := p.any(3)
		v := p.name()
		p.write("local %s = %s ", v, e)
		p.anything = append(p.anything, v)
	case 2:
		e := p.number(3)
		v := p.name()
		p.write("local %s = %s ", v, e)
		p.numbers = append(p.numbers, v)
	case 3:
		e := p.list()
		v, w := p.name(), p.name()
		p.write("local %s, %s = %s ", v, w, e)
		p.anything = append(p.anything, v, w)
	case 4:
		v := p.name()
		p.write("local %s ", v)
		p.anything = append(p.anything, v)
	case 5, 6:
		p.write("%s = %s ", p.target(), p.any(3))
	case 7:
		p.write("%s = %s ", d.one(p.numbers...), p.number(3))
	case 8:
		p.write("%s, %s = %s ", p.target(), p.target(), p.list())
	case 9, 10:
		p.write("P(%s) ", p.any(3))
	case 11:
		p.write("F(%s) ", p.list())
	case 12:
		p.write("fs[#fs + 1] = ")
		p.function(min(depth, 1))
	case 13:
		v := p.name()
		p.write("local function %s", v)
		p.functionBody(min(depth, 1))
		p.anything = append(p.anything, v)
	case 14:
		p.write("%s = %s + 1 ", d.one(p.numbers...), d.one(p.numbers...))
	case 15:
		p.write("%s = %s(%s) ", p.target(), d.one("P", "I", "F", "type", "tostring", "o"), p.list())
	}
}

// nested writes a statement with a block.
func (p *flow) nested(depth int) {
	d := p.d
	switch d.IntN(14) {
	case 0, 1, 2, 3:
		p.write("if %s then ", p.condition())
		p.block(depth)
		for d.IntN(3) == 0 {
			p.write("elseif %s then ", p.condition())
			p.block(depth)
		}
		if d.IntN(2) == 0 {
			p.write("else ")
			p.block(depth)
		}
	case 4:
		p.write("do ")
		p.block(depth)
	case 5, 6:
		p.write("while %s do ", p.condition())
		p.scoped(func() { p.body(depth) })
	case 7, 8:
		p.write("repeat ")
		p.scoped(func() {
			p.body(depth)
			p.write("until %s ", p.condition())
		})
		return
	case 9, 10:
		v := p.name()
		p.write("for %s = %s, %s%s do ", v, d.one("1", "2", "-1", p.number(1)), d.one("2", "3", "0", p.number(1)), d.one("", "", ", 2", ", -1"))
		p.scoped(func() {
			p.numbers = append(p.numbers, v)
			p.body(depth)
		})
	default:
		e := d.one("ipairs({1, 2, 3})", "ipairs {P(1), P(nil)}", "I(2)", "I(3), 1, 2", "next, {3, 4}", "pairs({5, 6})", "pairs({x = 1})", "ipairs(t)", "next, {}")
		v, w := p.name(), p.name()
		p.write("for %s in %s do ", d.one(v, v+", "+w, v+", "+w, v+", "+w+", "+p.name()), e)
		p.scoped(func() {
			p.anything = append(p.anything, v)
			p.body(depth)
		})
	}
	p.write("end ")
}

// function writes a function.
func (p *flow) function(depth int) {
	p.write("function")
	p.functionBody(depth)
}

func (p *flow) functionBody(depth int) {
	v, w := p.name(), p.name()
	loops, varargs := p.loops, p.varargs
	p.loops, p.varargs = 0, p.d.IntN(2) == 0
	p.write("(%s, %s%s) ", v, w, map[bool]string{true: ", ..."}[p.varargs])
	p.scoped(func() {
		p.anything = append(p.anything, v, w)
		for range p.d.IntN(3) {
			p.statement(depth)
		}
		p.write("return %s end ", p.list())
	})
	p.loops, p.varargs = loops, varargs
}

func (p *flow) target() string {
	return p.d.one(p.d.one(p.anything[1:]...), p.d.one(p.anything...), "g", "h", "t.x", "t.y", "t[2]", "o.x", "t[P(1)]", "o.y", "fs.x")
}

// list returns one or several values.
func (p *flow) list() string {
	values := []string{p.any(2)}
	for p.d.IntN(3) == 0 {
		values = append(values, p.any(2))
	}
	switch p.d.IntN(6) {
	case 0:
		values = append(values, "F("+p.any(1)+", "+p.any(1)+")")
	case 1:
		if p.varargs {
			values = append(values, "...")
		}
	}
	return strings.Join(values, ", ")
}

// condition returns a condition, often a constant one.
func (p *flow) condition() string {
	if p.d.IntN(3) == 0 {
		return p.constant()
	}
	return p.any(3)
}

func (p *flow) constant() string {
	return p.d.one("false", "nil", "true", "1", "'k'", "false", "nil", "true", "not true", "not not false", "not nil", "not not 1", "not false")
}

// number returns an expression that gives a number.
func (p *flow) number(depth int) string {
	d := p.d
	if depth == 0 {
		return d.one(d.one(p.numbers...), d.one("0", "1", "2", "3", "-1", "0.5"), d.one(p.numbers...), "#fs", "n0")
	}
	switch d.IntN(8) {
	case 0, 1, 2:
		return d.one(p.number(depth-1), "o", p.number(depth-1), p.number(depth-1)) + d.one(" + ", " - ") + "(" + p.number(depth-1) + ")"
	case 3:
		return "(" + p.any(depth-1) + " and " + p.number(depth-1) + " or " + p.number(depth-1) + ")"
	case 4:
		return "(" + d.one("nil", "false", "not 1") + " or " + p.number(depth-1) + ")"
	case 5:
		return "(" + d.one("1", "true", "'x'") + " and " + p.number(depth-1) + ")"
	case 6:
		return "#" + d.one("{F("+p.any(0)+", 2)}", "'abc'", "{1, "+p.number(0)+"}")
	}
	return p.number(0)
}

// any returns an expression.
func (p *flow) any(depth int) string {
	d := p.d
	if depth == 0 {
		return d.one(d.one(p.anything...), d.one(p.anything...), d.one(p.numbers...), p.constant(), d.one("t.x", "t[2]", "o.x", "g", "h", "fs[1]", "#fs", "steps"), d.one("'a'", "2", "nil", "false", "true"))
	}
	switch d.IntN(19) {
	case 0, 1, 2, 3:
		return d.one("", "", "not ") + "(" + p.any(depth-1) + d.one(" and ", " or ") + p.any(depth-1) + ")"
	case 4, 5:
		return p.any(depth-1) + d.one(" and ", " or ") + p.any(depth-1)
	case 6:
		return p.constant() + d.one(" and ", " or ") + p.any(depth-1)
	case 7:
		return p.number(depth-1) + d.one(" < ", " <= ", " > ", " >= ", " == ", " ~= ") + p.number(depth-1)
	case 8:
		return "(" + p.any(depth-1) + ")" + d.one(" == ", " ~= ") + "(" + p.any(depth-1) + ")"
	case 9:
		return d.one("o", "O()") + d.one(" == ", " < ", " <= ", " ~= ") + d.one("o", "O()")
	case 10:
		return "P(" + p.any(depth-1) + ")"
	case 11:
		return fmt.Sprintf(d.one("F(%s, %s)", "(F(%s, %s))"), p.any(depth-1), p.any(depth-1))
	case 12:
		return "not " + p.any(0)
	case 13:
		return p.number(depth)
	case 14:
		return d.one("{", "{1, x = ") + p.any(depth-1) + ", " + p.any(depth-1) + "}"
	case 15:
		return "P(" + p.number(1) + ") .. " + d.one("'x'", "o", "P("+p.any(depth-1)+")")
	case 16:
		return "u:m(" + p.any(depth-1) + ", " + p.any(0) + ")"
	case 17:
		if p.varargs {
			return d.one("...", "(...)", "select('#', ...)")
		}
	}
	return p.any(0)
}
