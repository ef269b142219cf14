package vm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var stringLib = Lib{"Strings", []Func{
	{"string.byte", "text: string, [first: integer, [last: integer]] -> ...: integer", Both, "Returns the bytes from first to last as numbers.", stringByte},
	{"string.char", "...: integer -> string", Both, "Returns a string of these bytes.", stringChar},
	{"string.find", "text: string, pattern: string, [init: integer, [plain: any]] -> integer?, integer?, ...: any", Both, "Finds a pattern. Returns the first and last position of the match and its captures, or nil.", stringFind},
	{"string.format", "format: string, ...: any -> string", Both, "Formats values like C's printf: %d %i %u %c %x %X %o %e %f %g %q %s %%.", stringFormat},
	{"string.gfind", "text: string, pattern: string -> fun(): any", Both, "The old name of string.gmatch.", stringGmatch},
	{"string.gmatch", "text: string, pattern: string -> fun(): any", Both, "Iterates over the matches of a pattern.", stringGmatch},
	{"string.gsub", "text: string, pattern: string, replacement: string|table|function, [most: integer] -> string, integer", Both, "Replaces each match with a string, a table's field or a function's result. Returns the text and the number of matches.", stringGsub},
	{"string.len", "text: string -> integer", Both, "Returns the length of a string in bytes.", stringLen},
	{"string.lower", "text: string -> string", Both, "Converts A–Z to lower case.", stringLower},
	{"string.match", "text: string, pattern: string, [init: integer] -> any, ...: any", Both, "Returns the captures of the first match, or the whole match without captures, or nil.", stringMatch},
	{"string.rep", "text: string, n: integer -> string", Both, "Repeats the text n times.", stringRep},
	{"string.reverse", "text: string -> string", Both, "Reverses the bytes.", stringReverse},
	{"string.sub", "text: string, first: integer, [last: integer] -> string", Both, "Returns the bytes from first to last as a string. Negative positions count from the end.", stringSub},
	{"string.upper", "text: string -> string", Both, "Converts a–z to upper case.", stringUpper},
}}

// position converts a position that may count from the end to one that counts from the beginning.
// The result can lie outside the string.
func position(i, length int) int {
	if i < 0 {
		return max(0, length+i+1)
	}
	return i
}

// slice converts the positions first…last to a half-open range.
func slice(first, last, length int) (from, to int) {
	from, to = max(position(first, length), 1)-1, min(position(last, length), length)
	return from, max(from, to)
}

func stringByte(a Args) int {
	text := a.String(1)
	first := a.OptInt(2, 1)
	from, to := slice(first, a.OptInt(3, first), len(text))
	if from >= len(text) {
		return 0
	}
	if to-from > maxValues {
		a.Fail("%d values exceed the limit of %d", to-from, maxValues)
	}
	a.Charge((to - from) / 2)
	for _, c := range []byte(text[from:to]) {
		a.L.Push(lua.LNumber(c))
	}
	return to - from
}

func stringChar(a Args) int {
	b := make([]byte, a.N())
	a.Charge(len(b) / 2)
	for i := range b {
		b[i] = byte(a.IntIn(i+1, 0, 255))
	}
	return a.Text(string(b))
}

func stringLen(a Args) int { return a.Return(lua.LNumber(len(a.String(1)))) }

func stringLower(a Args) int { return a.Text(mapBytes(a.bytes(1), 'A', 'Z', 'a'-'A')) }

func stringUpper(a Args) int { return a.Text(mapBytes(a.bytes(1), 'a', 'z', 'A'-'a'+256)) }

// bytes returns string argument i and charges for reading each byte.
func (a Args) bytes(i int) string {
	s := a.String(i)
	a.Charge(len(s) / 4)
	return s
}

// mapBytes adds shift to the bytes lo…hi and keeps all other bytes.
func mapBytes(s string, lo, hi byte, shift int) string {
	b := []byte(s)
	for i, c := range b {
		if c >= lo && c <= hi {
			b[i] = byte(int(c) + shift)
		}
	}
	return string(b)
}

func stringRep(a Args) int {
	text, n := a.String(1), max(a.Int(2), 0)
	if len(text) > 0 && n > a.Longest()/len(text) {
		a.Fail("%d times %d bytes exceed the limit of %d", n, len(text), a.Longest())
	}
	a.ChargeString(n * len(text))
	return a.Return(lua.LString(strings.Repeat(text, n)))
}

func stringReverse(a Args) int {
	b := []byte(a.bytes(1))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return a.Text(string(b))
}

func stringSub(a Args) int {
	text := a.String(1)
	from, to := slice(a.Int(2), a.OptInt(3, -1), len(text))
	if from >= len(text) {
		return a.Return(lua.LString(""))
	}
	return a.Return(lua.LString(text[from:to]))
}

// newMatcher makes a matcher that charges its steps to the caller.
func newMatcher(a Args, text, pattern string) *matcher {
	return &matcher{src: text, pat: pattern, charge: func(n int) { a.Charge(n) }}
}

// run calls match and raises any mistake in the pattern.
func (a Args) run(m *matcher, init int, anchored bool) (start, end int) {
	start, end, err := m.match(init, anchored)
	if err != nil {
		a.Fail("%s", err)
	}
	return start, end
}

// captureOf returns capture i of a match as a Lua value. Without captures, capture 0 is the whole
// match.
func captureOf(a Args, m *matcher, i, start, end int) lua.LValue {
	if i == 0 && len(m.captures) == 0 {
		return lua.LString(m.src[start:end])
	}
	if i >= len(m.captures) {
		a.Fail("%%%d refers to no capture", i+1)
	}
	c := m.captures[i]
	switch c.size {
	case capturePosition:
		return lua.LNumber(c.at + 1)
	case captureOpen:
		a.Fail("a capture is not finished")
	}
	return lua.LString(m.src[c.at : c.at+c.size])
}

// pushCaptures pushes all captures, or the whole match if there are none.
func pushCaptures(a Args, m *matcher, start, end int) int {
	n := max(len(m.captures), 1)
	for i := range n {
		a.L.Push(captureOf(a, m, i, start, end))
	}
	return n
}

// cutAnchor removes a leading '^' from a pattern and reports whether there was one.
func cutAnchor(pattern string) (string, bool) { return strings.CutPrefix(pattern, "^") }

func stringFind(a Args) int {
	text, pattern := a.String(1), a.String(2)
	init := min(max(position(a.OptInt(3, 1), len(text)), 1)-1, len(text))
	if lua.LVAsBool(a.L.Get(4)) || !strings.ContainsAny(pattern, "^$*+?.([%-") {
		a.Charge((len(text) - init) / 16)
		at := strings.Index(text[init:], pattern)
		if at < 0 {
			return a.Return(lua.LNil)
		}
		return a.Return(lua.LNumber(init+at+1), lua.LNumber(init+at+len(pattern)))
	}
	pattern, anchored := cutAnchor(pattern)
	m := newMatcher(a, text, pattern)
	start, end := a.run(m, init, anchored)
	if end < 0 {
		return a.Return(lua.LNil)
	}
	a.L.Push(lua.LNumber(start + 1))
	a.L.Push(lua.LNumber(end))
	if len(m.captures) == 0 {
		return 2
	}
	return 2 + pushCaptures(a, m, start, end)
}

func stringMatch(a Args) int {
	text := a.String(1)
	init := min(max(position(a.OptInt(3, 1), len(text)), 1)-1, len(text))
	pattern, anchored := cutAnchor(a.String(2))
	m := newMatcher(a, text, pattern)
	start, end := a.run(m, init, anchored)
	if end < 0 {
		return a.Return(lua.LNil)
	}
	return pushCaptures(a, m, start, end)
}

func stringGmatch(a Args) int {
	text, pattern := a.String(1), a.String(2)
	at := 0
	return a.Return(a.L.NewFunction(func(l *lua.LState) int {
		a := Args{l, a.Mod, a.Row} // the iterator may be called on another thread
		if at > len(text) {
			return a.Return(lua.LNil)
		}
		m := newMatcher(a, text, pattern)
		start, end := a.run(m, at, false)
		if end < 0 {
			at = len(text) + 1
			return a.Return(lua.LNil)
		}
		if at = end; end == start {
			at++
		}
		return pushCaptures(a, m, start, end)
	}))
}

// matchCost is the cost of replacing one match in instructions, without the cost of finding it.
const matchCost = 8

func stringGsub(a Args) int {
	text := a.String(1)
	pattern, anchored := cutAnchor(a.String(2))
	most := a.OptInt(4, len(text)+1)
	with := a.Any(3)
	if n, ok := with.(lua.LNumber); ok {
		with = lua.LString(NumberText(float64(n)))
	}
	switch with.(type) {
	case lua.LString, *lua.LTable, *lua.LFunction:
	default:
		a.Wrong(3, "a string, table or function")
	}
	m := newMatcher(a, text, pattern)
	var b strings.Builder
	at, count := 0, 0
	for count < most && at <= len(text) {
		start, end := a.run(m, at, anchored)
		if end < 0 {
			break
		}
		count++
		a.Charge(matchCost)
		b.WriteString(text[at:start])
		replaceMatch(a, &b, m, with, start, end)
		if at = end; end == start {
			if at < len(text) {
				b.WriteByte(text[at])
			}
			at++
		}
		if b.Len() > a.Longest() {
			a.Fail("the result is longer than %d bytes", a.Longest())
		}
		if anchored {
			break
		}
	}
	if at < len(text) {
		b.WriteString(text[at:])
	}
	a.Text(b.String())
	a.L.Push(lua.LNumber(count))
	return 2
}

// replaceMatch writes the replacement of one match.
func replaceMatch(a Args, b *strings.Builder, m *matcher, with lua.LValue, start, end int) {
	var v lua.LValue
	switch with := with.(type) {
	case lua.LString:
		expandMatch(a, b, m, string(with), start, end)
		return
	case *lua.LTable:
		v = a.L.GetTable(with, captureOf(a, m, 0, start, end))
	case *lua.LFunction:
		a.L.Push(with)
		n := pushCaptures(a, m, start, end)
		a.L.Call(n, 1)
		v = a.L.Get(-1)
		a.L.Pop(1)
	}
	switch v := v.(type) {
	case lua.LString:
		b.WriteString(string(v))
	case lua.LNumber:
		b.WriteString(NumberText(float64(v)))
	default:
		if lua.LVAsBool(v) {
			a.Fail("the replacement of a match must be a string or a number, not %s", a.Mod.Runtime.Kind(v))
		}
		b.WriteString(m.src[start:end])
	}
}

// expandMatch writes a replacement string: %0 is the match, %1…%9 are its captures.
func expandMatch(a Args, b *strings.Builder, m *matcher, with string, start, end int) {
	a.Charge(len(with) / 4)
	for i := 0; i < len(with); i++ {
		c := with[i]
		if c != '%' || i+1 == len(with) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c = with[i]; {
		case c == '0':
			b.WriteString(m.src[start:end])
		case isDigit(c):
			b.WriteString(PlainText(captureOf(a, m, int(c-'1'), start, end)))
		default:
			b.WriteByte(c)
		}
		if b.Len() > a.Longest() {
			a.Fail("the result is longer than %d bytes", a.Longest())
		}
	}
}

// noDump is string.dump, which libraries expect to exist. It is no row, so the check of mods
// reports its calls.
var noDump = Func{Name: "string.dump", Params: "fn: function", Fn: func(a Args) int {
	a.Fail("functions have no bytecode here")
	return 0
}}
