package vm

import (
	"fmt"
	"strings"
	"testing"
)

// These are the values for calls. Whole numbers of 15 and 16 digits are left out, because they
// intentionally print differently.
var (
	drawnNumbers = []string{"0", "1", "-1", "2", "3", "7", "10", "-3", "-7", "100", "255", "256", "65536", "2.5", "-2.5", "0.1", "1/3", "-0.75", "1e-5", "1e16", "1e100", "-1e300",
		"2^31", "2^53", "-2^63", "123456.789", "-0.0001", "0.5", "3.999999", "99999999999999"}
	drawnSpecial = []string{"1/0", "-1/0", "0/0"}
	drawnStrings = []string{`""`, `"a"`, `"abc"`, `"hello world"`, `"10"`, `" 5 "`, `"0x1F"`, `"-2.5"`, `"1e2"`, `"a\0b"`, `"\255\1"`, `"\195\132"`, `"ABC xyz"`, `"abd"`, `"%d"`, `"a\nb\\\"c\r"`}
	drawnLists   = []string{"{}", "{1}", "{1, 2, 3}", `{"a", "b", "c"}`, "{3, 1, 2, 5, 4}", `{"b", "a", "d", "c"}`, `{1, "x", 2.5}`, "{true}", "{10, 20, 30, 40, 50, 60}", `{x = 1}`, `{1, 2, x = 3}`, "{[0] = 0, 1}"}
	drawnOthers  = []string{"nil", "true", "false", "{}", "type"}
)

func (d *drawer) number() string {
	if d.IntN(12) == 0 {
		return d.one(drawnSpecial...)
	}
	return d.one(drawnNumbers...)
}

func (d *drawer) small() string {
	if d.IntN(10) == 0 {
		return d.one("2.7", "-1.5", `"2"`, "1e3")
	}
	return fmt.Sprint(d.IntN(16) - 6)
}

// calls lists the drawn functions with the kinds of their arguments. S is a string, N a number, I
// a small whole number, L a list, D the digits of a number, V any value. A lower-case letter and
// everything after it can be left out. '.' repeats the kind before it.
var calls = []string{
	"string.byte Sii", "string.char I.", "string.len S", "string.lower S", "string.upper S", "string.reverse S", "string.rep SI", "string.sub SIi", "string.find SSi",
	"table.concat Lsii", "table.maxn L", "table.getn L", "unpack Lii",
	"math.abs N", "math.ceil N", "math.floor N", "math.sqrt N", "math.fmod NN", "math.mod NN", "math.modf N", "math.frexp N", "math.ldexp NI", "math.max NNnn", "math.min NNnn", "math.sin I",
	"math.cos I", "math.tan I", "math.asin I", "math.acos I", "math.atan N", "math.atan2 NN", "math.exp I", "math.log N", "math.log10 N", "math.pow II", "math.deg N", "math.rad N", "math.sinh I",
	"math.cosh I", "math.tanh N",
	"tonumber V", "tonumber Db", "tostring N", "tostring S", "type V", "rawequal VV", "rawget LV", "next L", "select IV.", `select "#",V.`, "assert VV", "getmetatable L", "error Vi", "pcall VV", "setmetatable LV",
}

func (d *drawer) value(kind byte) string {
	if d.IntN(25) == 0 {
		return d.one(drawnOthers...)
	}
	switch kind | 0x20 {
	case 's':
		if d.IntN(8) == 0 {
			return d.one(drawnNumbers...)
		}
		return d.one(drawnStrings...)
	case 'd':
		return d.one(`"10"`, `" 5 "`, `"0x1F"`, `"ff"`, `"zZ"`, `"+7"`, `"7fffffff"`, `"1.5"`, `""`, `"  "`, `"8"`, `"1 1"`, `"0x"`, "101", "2.5")
	case 'n':
		return d.number()
	case 'i':
		return d.small()
	case 'l':
		return d.one(drawnLists...)
	case 'b':
		return d.one("2", "8", "10", "16", "36", "1", "37")
	}
	return d.value("SNIL"[d.IntN(4)])
}

// call returns a call of one function, sometimes with an argument of the wrong kind.
func (d *drawer) call() string {
	name, kinds, _ := strings.Cut(d.one(calls...), " ")
	var args []string
	if quoted, rest, ok := strings.Cut(kinds, ","); ok {
		args, kinds = append(args, quoted), rest
	}
	for i := 0; i < len(kinds); i++ {
		if kinds[i] == '.' {
			for range d.IntN(4) {
				args = append(args, d.value(kinds[i-1]))
			}
			continue
		}
		if kinds[i] >= 'a' && d.IntN(2) == 0 || d.IntN(60) == 0 {
			break
		}
		args = append(args, d.value(kinds[i]))
	}
	made := name + "(" + strings.Join(args, ", ") + ")"
	if name == "pcall" {
		made = "(" + made + ")" // without the message, because its words differ
	}
	return "return " + made
}

// format returns one directive of string.format with its argument, inside a text.
func (d *drawer) format() string {
	kind := d.one("d", "i", "u", "c", "x", "X", "o", "e", "E", "f", "g", "G", "q", "s", "d", "g", "s", "%", "y")
	spec, arg := "%", ""
	switch kind {
	case "%", "q":
		arg = d.value('S')
	case "s":
		arg = d.one(`"abc"`, `"hello world"`, `""`, "12", "2.5", "-1", `("x"):rep(120)`)
		spec += d.one("", "", "-") + d.one("", "", "3", "8", "20") + d.one("", ".0", ".2", ".", ".10")
	case "c":
		arg = d.one("65", "97", "255", "32.7")
		spec += d.one("", "-") + d.one("", "1", "5")
	case "u", "x", "X", "o":
		arg = d.one("0", "1", "7", "8", "255", "65535", "3.7", "2^40", `"16"`, "-1")
		spec += d.one("", "", "#", "0", "-", "#0") + d.one("", "", "5", "12") + d.one("", "", ".0", ".3", ".9")
	case "d", "i":
		arg = d.one("0", "1", "-1", "42", "-42", "3.7", "-3.7", "2^40", "-2^53", `"16"`)
		spec += d.one("", "", "+", " ", "0", "-", "+ ", "-0", "0+") + d.one("", "", "5", "12") + d.one("", "", ".0", ".3", ".9")
	default:
		arg = d.one(append(drawnNumbers, "1/0", "-1/0", "5e-324", "1.7976931348623157e308", "2^70", "9.5", "0.05", "1e5", "1e6", "999999.5")...)
		if kind == "e" || kind == "f" {
			spec += d.one("", "", "", "#") // C libraries differ in %#g of numbers that round up to one more digit
		}
		spec += d.one("", "", "+", " ", "0", "-", "+0", "- ") + d.one("", "", "5", "12", "20") + d.one("", "", ".0", ".1", ".3", ".14", ".17", ".")
	}
	return fmt.Sprintf(`return string.format("<%s%s>", %s)`, spec, kind, arg)
}

// expression returns arithmetic, comparison, concatenation or logic on valid values.
func (d *drawer) expression(depth int) string {
	if depth == 0 {
		return d.one("0", "1", "-1", "2", "3", "-3", "7", "2.5", "-0.5", "10", `"10"`, `"3"`, `" 4 "`, "nil", "true", "false", `"a"`, `"ab"`, `""`, "{}")
	}
	a, b := d.expression(depth-1), d.expression(depth-1)
	switch op := d.one("+", "-", "*", "/", "%", "^", "..", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or", "not", "-", "#"); op {
	case "not", "#":
		return fmt.Sprintf("(%s %s)", op, a)
	case "-":
		if d.IntN(2) == 0 {
			return fmt.Sprintf("(- %s)", a)
		}
		return fmt.Sprintf("(%s - %s)", a, b)
	case "%":
		return fmt.Sprintf("(%s %% %s + 0)", a, d.one("1", "2", "3", "-3", "7", "10")) // see decided about fmod
	case "..":
		return fmt.Sprintf("('s' .. %s .. %s)", a, b) // no numeral: "1" .. "e5" would be one
	default:
		return fmt.Sprintf("(%s %s %s)", a, op, b)
	}
}

// statement returns a small program about tables, arguments, loops and sorting.
func (d *drawer) statement() string {
	list := d.one(drawnLists...)
	switch d.IntN(9) {
	case 0:
		return "return " + d.expression(1+d.IntN(3))
	case 1:
		var b strings.Builder
		fmt.Fprintf(&b, "local t, got = %s, {} ", d.one("{}", "{1, 2, 3}", `{"a", "b"}`))
		for range 1 + d.IntN(6) {
			b.WriteString(d.one(`table.insert(t, "n") `, `table.insert(t, 1, "f") `, `table.insert(t, #t + 1, "l") `, "got[#got + 1] = table.remove(t) ", "got[#got + 1] = table.remove(t, 1) or 0 ",
				"got[#got + 1] = select('#', table.remove(t, 2)) ", "t[#t + 1] = #t ", "t[#t] = nil ", "got[#got + 1] = #t "))
		}
		return b.String() + "return t, got, #t"
	case 2:
		return fmt.Sprintf("local t = {} for i, v in ipairs(%s) do t[i] = v end return t", list)
	case 3:
		return fmt.Sprintf("local n, t = 0, {} for k, v in pairs(%s) do n = n + 1 t[tostring(k)] = v end return n, t", list)
	case 4:
		var items []string
		for range d.IntN(40) {
			items = append(items, d.one(fmt.Sprint(d.IntN(20)), fmt.Sprint(d.IntN(20)), "0.5", "-1"))
		}
		less := d.one("", ", function(a, b) return a > b end", ", function(a, b) return a % 5 < b % 5 end", ", function(a, b) return tostring(a) < tostring(b) end", ", nil", ", function() return false end")
		return fmt.Sprintf("local t = {%s} table.sort(t%s) return t", strings.Join(items, ", "), less)
	case 5:
		from, to, step := d.small(), d.small(), d.one("", ", 1", ", 2", ", -1", ", 0.5", ", -2.5")
		return fmt.Sprintf("local t = {} for i = tonumber(%s), tonumber(%s)%s do t[#t + 1] = i if #t > 50 then break end end return t", from, to, step)
	case 6:
		return fmt.Sprintf("local function f(a, ...) local x, y = ... return select('#', ...), a, x, y, {...}, (...), #{...} end return f(%s, %s, %s), (f(%s)), {f(%s)}",
			d.value('V'), d.value('V'), d.value('N'), d.value('S'), d.value('N'))
	case 7:
		return fmt.Sprintf("local a, b = %s, %s local function try(f) local ok, v = pcall(f) return ok and v end return a == b, try(function() return a < b end), try(function() return a <= b end)", d.value('S'), d.value('S'))
	}
	return fmt.Sprintf("local t = setmetatable({}, {__index = function(t, k) return k end, __call = function(t, ...) return select('#', ...) end, __unm = function() return 'neg' end, __len = function() return 5 end, "+
		"__concat = function(a, b) return type(a) .. type(b) end, __eq = function() return true end, __lt = function(a, b) return %s end, __tostring = function() return 'T' end}) "+
		"return t[%s], t(%s), -t, t .. %s, %s .. t, t < t, t <= t, tostring(t), rawget(t, 1)", d.one("true", "false", "nil", "1"), d.value('S'), d.value('V'), d.one("1", `"x"`), d.one("1", `"x"`))
}

// honest returns any of the valid programs.
func (d *drawer) honest() string {
	switch d.IntN(5) {
	case 0, 1:
		return d.call()
	case 2:
		return d.format()
	}
	return d.statement()
}

func TestLibraryEqualsLua(t *testing.T) {
	d := newDrawer(2)
	var cases []string
	for range 2500 {
		cases = append(cases, d.honest())
	}
	for range 100 {
		cases = append(cases, d.closures())
	}
	compare(t, "library.json", cases, anyError)
	sweep(t, (*drawer).honest, 1500, anyError)
}

func TestClosuresEqualLua(t *testing.T) { sweep(t, (*drawer).closures, 150, anyError) }

// closures returns a program that makes closures in protected calls, coroutines and loops. Some of
// these fail. At its end it prints the variables of all closures.
func (d *drawer) closures() string {
	p := &program{d: d}
	p.block(3, []string{"v0"})
	return "local fs, v0 = {}, 0 local function f(i) return fs[(i - 1) % #fs + 1] end fs[1] = function() v0 = v0 + 1 return v0 end " + p.b.String() +
		" local out = {} for round = 1, 2 do for i = 1, #fs do out[#out + 1] = tostring(fs[i]()) end end return table.concat(out, ' '), v0"
}

type program struct {
	d     *drawer
	b     strings.Builder
	names int
}

// block writes statements that use the variables in scope.
func (p *program) block(depth int, scope []string) {
	d := p.d
	for range 1 + d.IntN(4) {
		v := d.one(scope...)
		switch kind := d.IntN(10); {
		case kind < 2:
			p.names++
			name := fmt.Sprintf("v%d", p.names)
			fmt.Fprintf(&p.b, "local %s = %s + %d ", name, v, d.IntN(10))
			scope = append(scope[:len(scope):len(scope)], name)
		case kind < 4:
			fmt.Fprintf(&p.b, "if #fs < 40 then fs[#fs + 1] = function() %s = %s + %d return %s * 100 + %s end end ", v, v, 1+d.IntN(3), v, d.one(scope...))
		case kind < 5:
			fmt.Fprintf(&p.b, "%s = f(%d)() %% 1000 ", v, 1+d.IntN(20))
		case depth == 0:
			fmt.Fprintf(&p.b, "%s = %s + 1 ", v, v)
		default:
			p.nested(depth-1, scope, v)
		}
	}
}

// nested writes a statement that contains a block.
func (p *program) nested(depth int, scope []string, v string) {
	end := p.d.one("", "error('e', 0) ", "error({}) ", "local x = nil + 1 ", "do return 5 end ", "f(3)() error() ", "string.rep() ")
	switch p.d.IntN(6) {
	case 0:
		p.b.WriteString("for i = 1, 3 do local w = i ")
		p.block(depth, append(scope[:len(scope):len(scope)], "w", "i"))
		p.b.WriteString("end ")
	case 1:
		fmt.Fprintf(&p.b, "do local ok, r = xpcall(function() local w = %s ", v)
		p.block(depth, append(scope[:len(scope):len(scope)], "w"))
		fmt.Fprintf(&p.b, "%send, function(e) fs[#fs + 1] = function() return 7 end %s = %s + 1 return 3 end) if r == 3 or r == 5 then %s = %s + r end end ", end, v, v, v, v)
	case 2:
		p.b.WriteString("do local c = coroutine.wrap(function(w) ")
		p.block(depth, append(scope[:len(scope):len(scope)], "w"))
		p.b.WriteString("w = w + coroutine.yield(w) ")
		p.block(depth, append(scope[:len(scope):len(scope)], "w"))
		fmt.Fprintf(&p.b, "%send) pcall(c, 4) %s = %s + 1 pcall(c, 5) pcall(c) end ", end, v, v)
	default:
		p.b.WriteString("do local ok, r = pcall(function(w) ")
		p.block(depth, append(scope[:len(scope):len(scope)], "w"))
		fmt.Fprintf(&p.b, "%send, 2) if r == 5 then %s = %s + r end end ", end, v, v)
	}
}
