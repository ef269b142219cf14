package vm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// TestUTF8IsLua53s has the results of Lua 5.3.
func TestUTF8IsLua53s(t *testing.T) {
	here := newHostModel(t)
	for source, want := range map[string]string{
		`utf8.char(), utf8.char(72, 228, 8364, 128512, 0), #utf8.char(0xd800, 0x10ffff)`:                                                           `"" "H\195\164\226\130\172\240\159\152\128\000" 7`,
		`utf8.codepoint("ä€"), utf8.codepoint("ä€", 1, -1)`:                                                                                        "228 228 8364",
		`select("#", utf8.codepoint("abc", 3, 2)), utf8.codepoint("abc", -1), utf8.codepoint("\237\160\128")`:                                      "0 99 55296",
		`utf8.len "", utf8.len "aä€😀", utf8.len("aä€", 2), utf8.len("aä€", 4), utf8.len("aä€", -3, -1), utf8.len("abc", 4), utf8.len("abc", 3, 2)`: "0 4 2 1 1 0 0",
		`utf8.len("aä", 3)`:           "nil 3",
		`utf8.len "a\255b"`:           "nil 2",
		`utf8.len "\192\128"`:         "nil 1",
		`utf8.len "\244\144\128\128"`: "nil 1",
		`utf8.len "\237\160\128"`:     "1",
		`utf8.offset("aä€", 1), utf8.offset("aä€", 2), utf8.offset("aä€", 3), utf8.offset("aä€", 4), utf8.offset("aä€", 5)`:               "1 2 4 7 nil",
		`utf8.offset("aä€", -1), utf8.offset("aä€", -2), utf8.offset("aä€", -3), utf8.offset("aä€", -4)`:                                  "4 2 1 nil",
		`utf8.offset("aä€", 0, 3), utf8.offset("aä€", 0, 6), utf8.offset("aä€", 0), utf8.offset("", 1), utf8.offset("", 0)`:               "2 4 7 1 1",
		`utf8.offset("aä€", 2, 2), utf8.offset("aä€", -1, 4)`:                                                                             "4 2",
		`("aä€"):match("^" .. utf8.charpattern .. "$"), ("ä"):match("^" .. utf8.charpattern .. "$"), ("aä€"):gsub(utf8.charpattern, "x")`: `nil "\195\164" "xxx" 3`,
	} {
		assert.Equal(t, want, here.ask("return "+source), source)
	}
	assert.Equal(t, `"1:97 2:228 4:8364 "`, here.ask(`local s = "" for at, c in utf8.codes "aä€" do s = s .. at .. ":" .. c .. " " end return s`))
	assert.Equal(t, `""`, here.ask(`local s = "" for at, c in utf8.codes "" do s = s .. at end return s`))
	for source, want := range map[string]string{
		`utf8.char(-1)`:                 "1114111, not -1",
		`utf8.char(0x110000)`:           "1114111, not 1114112",
		`utf8.codepoint("abc", 0)`:      "utf8.codepoint: argument 2 (first) is outside the string",
		`utf8.codepoint("abc", 1, 4)`:   "utf8.codepoint: argument 3 (last) is outside the string",
		`utf8.codepoint("a\255", 1, 2)`: "utf8.codepoint: byte 2 is not UTF-8",
		`utf8.len("abc", 5)`:            "utf8.len: argument 2 (first) is outside the string",
		`utf8.len("abc", 1, 4)`:         "utf8.len: argument 3 (last) is outside the string",
		`utf8.offset("ä", 1, 2)`:        "utf8.offset: byte 2 is inside a character",
		`utf8.offset("abc", 1, 5)`:      "utf8.offset: argument 3 (from) is outside the string",
	} {
		assert.Contains(t, here.ask("return "+source), want, source)
	}
	assert.Contains(t, here.ask(`for at in utf8.codes "a\255" do end`), "utf8.codes: byte 2 is not UTF-8")
	assert.Contains(t, here.ask(`for at in utf8.codes "a\128" do end`), "utf8.codes: byte 1 is not UTF-8")
}

func TestCharactersOfRandomTexts(t *testing.T) {
	r := newRig(t)
	m, rng := r.NewMod("m", nil), rand.New(rand.NewPCG(5, 6))
	const source = `local n = 0 for at, c in utf8.codes(text) do n = n + 1 assert(utf8.offset(text, n) == at and utf8.codepoint(text, at) == c) end assert(utf8.len(text) == n) assert(n == 0 or utf8.char(utf8.codepoint(text, 1, -1)) == text) count = n`
	for range 50 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteRune([]rune{'a', 'é', '€', '😀', 0, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff}[rng.IntN(10)])
		}
		m.SetGlobal("text", lua.LString(b.String()))
		require.Empty(t, r.runIn(m, source), "%q", b.String())
		assert.Equal(t, fmt.Sprint(utf8.RuneCountInString(b.String())), m.Global("count").String(), "%q", b.String())
	}
}

// TestUTF8IsChargedByBytes: a long text costs as many instructions as its bytes are worth.
func TestUTF8IsChargedByBytes(t *testing.T) {
	for _, source := range []string{`utf8.len(text)`, `utf8.offset(text, 100000)`, `utf8.offset(text, -100000)`} {
		r := newRig(t)
		m := r.NewMod("m", nil)
		m.SetGlobal("text", lua.LString(strings.Repeat("x", 200_000)))
		before := r.meter.n
		require.Empty(t, r.runIn(m, source))
		assert.Greater(t, r.meter.n-before, int64(24_000), source)
	}
}
