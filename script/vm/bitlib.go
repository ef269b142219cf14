package vm

import (
	"math"
	"math/bits"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// bitLib is LuaJIT's bit. Numbers are reduced to 32 bits, and results are signed.
var bitLib = Lib{"Bits", []Func{
	{"bit.arshift", "x: number, n: integer -> integer", Both, "Shifts right by n bits, 0…31, and copies the sign.", shiftBits(func(x uint32, n int) uint32 { return uint32(int32(x) >> n) })},
	{"bit.band", "x: number, ...: number -> integer", Both, "Returns the bits that all numbers have.", combineBits(func(x, y uint32) uint32 { return x & y })},
	{"bit.bnot", "x: number -> integer", Both, "Inverts all 32 bits.", func(a Args) int { return a.bits(^a.word(1)) }},
	{"bit.bor", "x: number, ...: number -> integer", Both, "Returns the bits that at least one of the numbers has.", combineBits(func(x, y uint32) uint32 { return x | y })},
	{"bit.bswap", "x: number -> integer", Both, "Reverses the order of the four bytes.", func(a Args) int { return a.bits(bits.ReverseBytes32(a.word(1))) }},
	{"bit.bxor", "x: number, ...: number -> integer", Both, "Returns the bits that an odd number of the numbers has.", combineBits(func(x, y uint32) uint32 { return x ^ y })},
	{"bit.lshift", "x: number, n: integer -> integer", Both, "Shifts left by n bits, 0…31.", shiftBits(func(x uint32, n int) uint32 { return x << n })},
	{"bit.rol", "x: number, n: integer -> integer", Both, "Rotates left by n bits, 0…31.", shiftBits(func(x uint32, n int) uint32 { return bits.RotateLeft32(x, n) })},
	{"bit.ror", "x: number, n: integer -> integer", Both, "Rotates right by n bits, 0…31.", shiftBits(func(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) })},
	{"bit.rshift", "x: number, n: integer -> integer", Both, "Shifts right by n bits, 0…31, and fills with zeros.", shiftBits(func(x uint32, n int) uint32 { return x >> n })},
	{"bit.tobit", "x: number -> integer", Both, "Reduces a number to 32 bits with a sign.", func(a Args) int { return a.bits(a.word(1)) }},
	{"bit.tohex", "x: number, [digits: integer] -> string", Both, "Returns the last hexadecimal digits of a number, 8 by default. A negative number of digits gives upper case.", bitHex},
}}

// word returns the low 32 bits of argument i, a number. Halves are rounded to even. Infinite
// numbers and nan have none, as in LuaJIT.
func (a Args) word(i int) uint32 {
	n := math.RoundToEven(a.Number(i))
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	n = math.Mod(n, 1<<32)
	if n < 0 {
		n += 1 << 32
	}
	return uint32(n)
}

// bits returns a result as a signed number.
func (a Args) bits(x uint32) int { return a.Return(lua.LNumber(int32(x))) }

func combineBits(do func(x, y uint32) uint32) func(Args) int {
	return func(a Args) int {
		x := a.word(1)
		for i := 2; i <= a.N(); i++ {
			x = do(x, a.word(i))
		}
		a.Charge(a.N() / 4)
		return a.bits(x)
	}
}

// shiftBits returns a function that uses the low five bits of its second argument.
func shiftBits(do func(x uint32, n int) uint32) func(Args) int {
	return func(a Args) int { return a.bits(do(a.word(1), int(a.word(2)&31))) }
}

func bitHex(a Args) int {
	digits, n := 8, a.word(1)
	if a.Has(2) {
		digits = int(int32(a.word(2)))
	}
	upper := digits < 0
	if upper {
		digits = -max(digits, -8)
	}
	digits = min(digits, 8)
	text := "00000000" + strconv.FormatUint(uint64(n), 16)
	text = text[len(text)-digits:]
	if upper {
		text = mapBytes(text, 'a', 'f', 'A'-'a'+256)
	}
	return a.Text(text)
}
