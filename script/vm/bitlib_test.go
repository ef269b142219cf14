package vm

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBitIsLuaJITs has the examples of LuaJIT's documentation, and the edges of numbers.
func TestBitIsLuaJITs(t *testing.T) {
	here := newHostModel(t)
	for source, want := range map[string]string{
		`bit.tobit(0xffffffff), bit.tobit(0xffffffff + 1), bit.tobit(2^40 + 1234)`:                                                                  "-1 0 1234",
		`bit.tobit(2^31), bit.tobit(-2^31), bit.tobit(2^31 - 1), bit.tobit(-2^31 - 1)`:                                                              "-2147483648 -2147483648 2147483647 2147483647",
		`bit.tobit(0.5), bit.tobit(1.5), bit.tobit(-0.5), bit.tobit(-1.5), bit.tobit(0/0), bit.tobit(1/0)`:                                          "0 2 0 -2 0 0",
		`bit.tohex(1), bit.tohex(-1), bit.tohex(0xffffffff), bit.tohex(-1, -8), bit.tohex(0x21, 4), bit.tohex(0x87654321, 4)`:                       `"00000001" "ffffffff" "ffffffff" "FFFFFFFF" "0021" "4321"`,
		`bit.tohex(10, 0), bit.tohex(10, 20), bit.tohex(10, -20), bit.tohex(171, -2)`:                                                               `"" "0000000a" "0000000A" "AB"`,
		`bit.bnot(0), bit.bnot(0x12345678)`:                                                                                                         "-1 -305419897",
		`bit.bor(1, 2, 4, 8), bit.band(0x12345678, 0xff), bit.bxor(0xa5a5f0f0, 0xaa55ff00), bit.band(7)`:                                            "15 120 267390960 7",
		`bit.lshift(1, 0), bit.lshift(1, 8), bit.lshift(1, 40), bit.rshift(256, 8), bit.rshift(-256, 8), bit.arshift(256, 8), bit.arshift(-256, 8)`: "1 256 256 1 16777215 1 -1",
		`bit.tohex(bit.lshift(0x87654321, 12)), bit.tohex(bit.rshift(0x87654321, 12)), bit.tohex(bit.arshift(0x87654321, 12))`:                      `"54321000" "00087654" "fff87654"`,
		`bit.tohex(bit.rol(0x12345678, 12)), bit.tohex(bit.ror(0x12345678, 12)), bit.rol(1, -1)`:                                                    `"45678123" "67812345" -2147483648`,
		`bit.tohex(bit.bswap(0x12345678)), bit.tohex(bit.bswap(0x78563412))`:                                                                        `"78563412" "12345678"`,
		`bit.band("0xff", "15")`: "15",
		`require "bit" == bit`:   "true",
	} {
		assert.Equal(t, want, here.ask("return "+source), source)
	}
	for source, want := range map[string]string{
		`bit.band()`:        "bit.band: argument 1 (x) must be a number, not nil",
		`bit.bor(1, {})`:    "must be a number, not a table",
		`bit.lshift(1)`:     "bit.lshift: argument 2 (n) must be a number, not nil",
		`bit.bnot("words")`: "bit.bnot: argument 1 (x) must be a number, not a string",
	} {
		assert.Contains(t, here.ask("return "+source), want, source)
	}
}

func TestBitsOfRandomNumbers(t *testing.T) {
	here, rng := newHostModel(t), rand.New(rand.NewPCG(3, 4))
	for range 100 {
		x, y, n := rng.Uint32(), rng.Uint32(), rng.IntN(32)
		want := fmt.Sprint(int32(x&y), int32(x|y), int32(x^y), int32(x<<n), int32(x>>n), int32(x)>>n, int32(bits.RotateLeft32(x, n)), int32(bits.ReverseBytes32(x)))
		source := fmt.Sprintf("local x, y, n = %d, %d, %d return bit.band(x, y), bit.bor(x, y), bit.bxor(x, y), bit.lshift(x, n), bit.rshift(x, n), bit.arshift(x, n), bit.rol(x, n), bit.bswap(x)", int32(x), y, n)
		assert.Equal(t, want, here.ask(source))
	}
}
