package vm

import (
	"fmt"
	"strings"
	"testing"
)

func TestAssignmentsEqualLua(t *testing.T) { sweep(t, (*drawer).assignments, 300, anyError) }

// assignments returns a program that assigns to locals, variables of the enclosing function,
// globals and fields, several at a time. At its end it prints all of them and the order of the
// calls.
func (d *drawer) assignments() string {
	var b strings.Builder
	b.WriteString("local said = {} local function say(...) said[#said + 1] = tostring((...)) return ... end " +
		"local t, u, v = {10, 20, 30, x = 5}, 1, 2 g = 3 local function of() say('of') return t end " +
		"local function run(p, ...) local a, b, c = 1, 2, 3 ")
	for range 1 + d.IntN(6) {
		d.assignment(&b)
	}
	b.WriteString("say(a) say(b) say(c) say(p) say(type(a) == 'function' and a()) end run(6, 7, 8) run() " +
		"local function of_g() return g end return said, u, v, pcall(of_g) and g or nil, t")
	return b.String()
}

// assignment writes one statement, or a few in a loop.
func (d *drawer) assignment(b *strings.Builder) {
	switch d.IntN(12) {
	case 0:
		fmt.Fprintf(b, "for i, w in %s do i, w, %s = w, i, %s if say(i) ~= i then break end end ",
			d.one("ipairs(t)", "next, {4, 5}", "pairs({6, 7})", "ipairs({1, 2}), {8}", "(ipairs(t))"), d.target(), d.assigned())
		return
	case 1:
		fmt.Fprintf(b, "for i = 1, 2 do local w = i i, w = w * 2, i %s = %s g = function() i, w = w, i return w end end ", d.target(), d.one("i", "w"))
		return
	case 2:
		fmt.Fprintf(b, "local a, b = %s, %s ", d.assigned(), d.assigned())
		return
	}
	targets, values := []string{d.target()}, []string{d.assigned()}
	for d.IntN(2) == 0 {
		targets = append(targets, d.target())
	}
	for d.IntN(2) == 0 {
		values = append(values, d.assigned())
	}
	fmt.Fprintf(b, "%s = %s ", strings.Join(targets, ", "), strings.Join(values, ", "))
}

func (d *drawer) target() string {
	return d.one("a", "b", "c", "a", "p", "p", "u", "v", "g", "t.x", "t[1]", "t[a]", "t[b or 1]", "t[say(2)]", "of().x", "of()[u]", "t['y' .. 1]", "t.z")
}

func (d *drawer) assigned() string {
	return d.one("a", "b", "c", "p", "u", "v", "nil", "false", "1", "'s'", "t.x", "t[a]", "t[2]", "say(1)", "say(2, 3)", "(say(4, 5))", "...", "(...)", "of().x",
		"a and b", "a or b", "say(false) and 1", "say(nil) or say(6)", "a and say(b) or c", "not a", "a == b", "a ~= nil and u", "(b or a) == c", "not (a and b)", "{a, b, ...}", "{x = a, say(7, 8)}",
		"function() a = 9 return 9 end", "function() return b end", "a == 1 and 'one' or false", "tostring(a) .. 'x'", "tostring(p) .. tostring(b)", "'x' .. (... or 1)", "{[say(1)] = p}", "({...})", "(say(p, a))", "p and tostring(p) .. 'y'", "tonumber(a) and a + 1", "-1", "say(u) and say(v)")
}
