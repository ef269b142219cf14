package vm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFindAndMatch(t *testing.T) {
	newRig(t).rows([]row{
		{`return ("hello world"):find("o w")`, "5 7"},
		{`return ("hello"):find("l+")`, "3 4"},
		{`return ("hello"):find("xyz")`, "nil"},
		{`return ("hello"):find("")`, "1 0"},
		{`return ("hello"):find("", 10)`, "6 5"},
		{`return ("hello"):find("l", -2)`, "4 4"},
		{`return ("a.b"):find(".", 1, true)`, "2 2"},
		{`return ("a+b"):find("+", 1, true)`, "2 2"},
		{`return ("key = value"):match("^(%w+)%s*=%s*(%w+)$")`, "key value"},
		{`return ("key = value"):find("(%w+) = (%w+)")`, "1 11 key value"},
		{`return ("  x  "):match("^%s*(.-)%s*$")`, "x"},
		{`return ("2024-11-21"):match("(%d+)-(%d+)-(%d+)")`, "2024 11 21"},
		{`return ("abc"):match("()b()")`, "2 3"},
		{`return ("abc"):match("b", 3)`, "nil"},
		{`return ("f(a(b)c)d"):match("%b()")`, "(a(b)c)"},
		{`return ("THE (quick) fox"):find("%f[%a]%a+%f[%A]", 5)`, "6 10"},
		{`return ("THE"):match("%f[%w]%w+%f[%W]")`, "THE"},
		{`return ([["it's"]]):match([[(["'])(.-)%1]])`, `" it's`},
		{`return ("a\0b"):match("%z")`, "\x00"},
		{`return ("a-b]c^"):match("[]^-]+", 4)`, "]"},
		{`return ("x^y"):match("[x^]+")`, "x^"},
		{`return ("aXb"):match("[^%l]")`, "X"},
		{`return ("a-z"):match("[a%-z]+")`, "a-z"},
		{`return ("äb"):match("[\128-\255]+")`, "ä"},
		{`return ("aaa"):match("a-$")`, "aaa"},
		{`return ("aaab"):match("a-b")`, "aaab"},
		{`return ("ab"):match("a?b?c?")`, "ab"},
		{`return ("$x"):match("$x")`, "$x"},
		{`return ("x^"):match("x^")`, "x^"},
		{`return ("(x)"):match("%((.)%)")`, "x"},
		{`return ("\n"):match("%c") == "\n"`, "true"},
		{`return ("a1!_ "):gsub("%p", "P")`, "a1PP  2"},
		{`return ("x"):find("[a")`, "error: string.find: ']' is missing"},
		{`return ("x"):find("%")`, "error: string.find: the pattern ends with '%'"},
		{`return ("x"):find("(x")`, "error: string.find: a capture is not finished"},
		{`return ("x"):match("x)")`, "error: string.match: ')' without '('"},
		{`return ("x"):find("%1")`, "error: string.find: %1 refers to no finished capture"},
		{`return ("x"):find("%bx")`, "error: string.find: '%b' needs two characters"},
		{`return ("x"):find("%f")`, "error: string.find: '[' is missing after '%f'"},
		{`return ("x"):find(("()"):rep(33))`, "error: string.find: the pattern has too many captures"},
		{`return ("x"):find({})`, "error: mods/x/init.lua:1: string.find: argument 2 (pattern) must be a string, not a table"},
	})
}

func TestGsubAndGmatch(t *testing.T) {
	newRig(t).rows([]row{
		{`return ("hello world"):gsub("o", "0")`, "hell0 w0rld 2"},
		{`return ("hello world"):gsub("o", "0", 1)`, "hell0 world 1"},
		{`return ("hello"):gsub("", "-")`, "-h-e-l-l-o- 6"},
		{`return ("hello world"):gsub("(%w+) (%w+)", "%2 %1")`, "world hello 1"},
		{`return ("abc"):gsub("%w", "%0%0")`, "aabbcc 3"},
		{`return ("abc"):gsub("%w", "%%%1")`, "%a%b%c 3"},
		{`return ("$name is $age"):gsub("%$(%w+)", {name = "Bob", age = 7})`, "Bob is 7 2"},
		{`return ("$name $no"):gsub("%$(%w+)", {name = "Bob"})`, "Bob $no 2"},
		{`return ("abc"):gsub("%w", function(c) if c ~= "b" then return c:upper() end end)`, "AbC 3"},
		{`return ("abc"):gsub("()b", function(i) return i end)`, "a2c 1"},
		{`return ("aaa"):gsub("^a", "b")`, "baa 1"},
		{`return ("abc"):gsub("b*", "x")`, "xaxxcx 4"},
		{`return ("abc"):gsub("b", 5)`, "a5c 1"},
		{`return ("abc"):gsub("b", true)`, "error: string.gsub: argument 3 (replacement) must be a string, table or function, not a boolean"},
		{`return ("abc"):gsub("b", function() return {} end)`, "error: the replacement of a match must be a string or a number, not a table"},
		{`return ("abc"):gsub("(a)", "%2")`, "error: string.gsub: %2 refers to no capture"},
		{`local s = "" for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do s = s .. k .. v end return s`, "a1b2"},
		{`local n = 0 for w in ("one two  three"):gmatch("%a+") do n = n + #w end return n`, "11"},
		{`local n = 0 for w in ("abc"):gmatch("") do n = n + 1 end return n`, "4"},
		{`local n = 0 for p in ("abc"):gmatch("()") do n = n + p end return n`, "10"},
	})
}

func TestMatcherCountsItsSteps(t *testing.T) {
	type stop struct{}
	steps := 0
	m := &matcher{src: strings.Repeat("a", 1000), pat: strings.Repeat(".-", 6) + "b"}
	m.charge = func(n int) {
		if steps += n; steps > 100_000 {
			panic(stop{})
		}
	}
	assert.PanicsWithValue(t, stop{}, func() { _, _, _ = m.match(0, false) })
	assert.Less(t, steps, 101_000)
}

func FuzzMatcher(f *testing.F) {
	for _, s := range []string{"%b()", "(a*(.)%w(%s*))", "[%a-z]", "%f[%w]", "^(.-)$", "[]", "[^", "%", "a-?*+", "()%1"} {
		f.Add("some (text) 123", s)
	}
	f.Fuzz(func(t *testing.T, src, pat string) {
		type stop struct{}
		steps := 0
		m := &matcher{src: src, pat: pat, charge: func(n int) {
			if steps += n; steps > 200_000 {
				panic(stop{})
			}
		}}
		defer func() {
			if r := recover(); r != nil && r != any(stop{}) {
				panic(r)
			}
		}()
		start, end, err := m.match(0, false)
		if err == nil && end >= 0 && (start > end || end > len(src)) {
			t.Fatalf("match %d…%d of %d bytes", start, end, len(src))
		}
		for _, c := range m.captures {
			if err == nil && end >= 0 && c.size >= 0 && (c.at < 0 || c.at+c.size > len(src)) {
				t.Fatalf("capture %v", c)
			}
		}
	})
}
