package vm

import (
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// utf8Lib is Lua 5.3's utf8. A character is a code point up to U+10FFFF, also a surrogate.
var utf8Lib = Lib{"UTF-8", []Func{
	{"utf8.char", "...: integer -> string", Both, "Returns a string of these code points.", utf8Char},
	{"utf8.charpattern", ": string", Both, "A pattern that matches one character of a valid string.", nil},
	{"utf8.codepoint", "text: string, [first: integer, [last: integer]] -> ...: integer", Both, "Returns the code points of the characters that begin between two bytes.", utf8Codepoint},
	{"utf8.codes", "text: string -> fun(): (integer, integer)", Both, "Iterates over the characters: the byte where each begins, and its code point.", utf8Codes},
	{"utf8.len", "text: string, [first: integer, [last: integer]] -> integer?, integer?", Both, "Returns the number of characters that begin between two bytes, or nil and the byte that is not UTF-8.", utf8Len},
	{"utf8.offset", "text: string, n: integer, [from: integer] -> integer?", Both, "Returns the byte where the n-th character from a byte on begins, or nil. A negative n counts back, and 0 finds the character of the byte.", utf8Offset},
}}

const (
	utf8Pattern = "[\x00-\x7F\xC2-\xF4][\x80-\xBF]*"
	maxRune     = 0x10ffff
)

// decodeRune reads a character at the beginning of s as Lua 5.3 does: surrogates are characters.
// The size is 0 if there is none.
func decodeRune(s string) (r rune, size int) {
	if r, size = utf8.DecodeRuneInString(s); r != utf8.RuneError || size > 1 {
		return r, size
	}
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && continues(s, 2) {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return 0, 0
}

// continues reports whether byte i of s continues a character.
func continues(s string, i int) bool { return i >= 0 && i < len(s) && s[i]&0xc0 == 0x80 }

func utf8Char(a Args) int {
	var b strings.Builder
	a.Charge(a.N())
	for i := 1; i <= a.N(); i++ {
		r := rune(a.IntIn(i, 0, maxRune))
		if r >= 0xd800 && r <= 0xdfff {
			b.Write([]byte{0xed, 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
			continue
		}
		b.WriteRune(r)
	}
	return a.Text(b.String())
}

// utf8Range reads the arguments first and last as bytes from 0: first…last-1.
func (a Args) utf8Range(text string, first, last int) (from, to int) {
	from, to = position(a.OptInt(2, first), len(text)), position(a.OptInt(3, last), len(text))
	return from - 1, to
}

func utf8Codepoint(a Args) int {
	text := a.String(1)
	first := a.OptInt(2, 1)
	from, to := a.utf8Range(text, 1, first)
	if from < 0 {
		a.Fail("argument %s is outside the string", a.Label(2))
	}
	if to > len(text) {
		a.Fail("argument %s is outside the string", a.Label(3))
	}
	if to-from > maxValues {
		a.Fail("%d values exceed the limit of %d", to-from, maxValues)
	}
	n := 0
	a.Charge(max(0, to-from) / 2)
	for i := from; i < to; n++ {
		r, size := decodeRune(text[i:])
		if size == 0 {
			a.Fail("byte %d is not UTF-8", i+1)
		}
		a.L.Push(lua.LNumber(r))
		i += size
	}
	return n
}

func utf8Codes(a Args) int {
	text := a.String(1)
	step := a.Mod.State.main.NewFunction(func(l *lua.LState) int {
		a := Args{l, a.Mod, a.Row}
		a.Charge(1)
		at := 0
		if n, ok := l.Get(2).(lua.LNumber); ok && n >= 1 && n <= lua.LNumber(len(text)) {
			for at = int(n); continues(text, at); at++ { // after the character at n
			}
		}
		if at >= len(text) {
			return 0
		}
		r, size := decodeRune(text[at:])
		if size == 0 || continues(text, at+size) {
			a.Fail("byte %d is not UTF-8", at+1)
		}
		return a.Return(lua.LNumber(at+1), lua.LNumber(r))
	})
	return a.Return(step, lua.LString(text), lua.LNumber(0))
}

func utf8Len(a Args) int {
	text := a.String(1)
	from, to := a.utf8Range(text, 1, -1)
	if from < 0 || from > len(text) {
		a.Fail("argument %s is outside the string", a.Label(2))
	}
	if to > len(text) {
		a.Fail("argument %s is outside the string", a.Label(3))
	}
	a.Charge(max(0, to-from) / 4)
	n := 0
	for i := from; i < to; n++ {
		_, size := decodeRune(text[i:])
		if size == 0 {
			return a.Return(lua.LNil, lua.LNumber(i+1))
		}
		i += size
	}
	return a.Return(lua.LNumber(n))
}

func utf8Offset(a Args) int {
	text, n := a.String(1), a.Int(2)
	begin := 1
	if n <= 0 {
		begin = len(text) + 1
	}
	at := position(a.OptInt(3, begin), len(text)) - 1
	if at < 0 || at > len(text) {
		a.Fail("argument %s is outside the string", a.Label(3))
	}
	from := at
	switch {
	case n == 0:
		for at > 0 && continues(text, at) {
			at--
		}
		a.Charge((from - at) / 4)
		return a.Return(lua.LNumber(at + 1))
	case continues(text, at):
		a.Fail("byte %d is inside a character", at+1)
	}
	for ; n < 0 && at > 0; n++ { // back to the beginning of a character
		for at--; at > 0 && continues(text, at); at-- {
		}
	}
	if n > 0 {
		for n--; n > 0 && at < len(text); n-- {
			for at++; continues(text, at); at++ {
			}
		}
	}
	a.Charge(max(from-at, at-from) / 4)
	if n != 0 {
		return a.Return(lua.LNil)
	}
	return a.Return(lua.LNumber(at + 1))
}
