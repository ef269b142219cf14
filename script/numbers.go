package script

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// random is a mod's own generator: the same seed and name give the same numbers on every run.
type random struct{ *rand.Rand }

func newRandom(seed uint64, name string) *random {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return &random{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

var mathLib = Lib{"Numbers", []Func{
	{"tonumber", "value: any, [base: integer] -> number?", Both, "The number a string reads as, or nil.", toNumber},
	{"math.abs", "x: number -> number", Both, "Without its sign.", nil},
	{"math.acos", "x: number -> number", Both, "The angle in radians with this cosine.", nil},
	{"math.asin", "x: number -> number", Both, "The angle in radians with this sine.", nil},
	{"math.atan", "x: number -> number", Both, "The angle in radians with this tangent.", nil},
	{"math.atan2", "y: number, x: number -> number", Both, "The angle in radians of the point x, y, from -pi to pi.", nil},
	{"math.ceil", "x: number -> number", Both, "The next whole number that is not below x.", nil},
	{"math.cos", "x: number -> number", Both, "The cosine of an angle in radians.", nil},
	{"math.cosh", "x: number -> number", Both, "The hyperbolic cosine.", nil},
	{"math.deg", "x: number -> number", Both, "Radians in degrees.", nil},
	{"math.exp", "x: number -> number", Both, "e to the power of x.", nil},
	{"math.floor", "x: number -> number", Both, "The next whole number that is not above x.", nil},
	{"math.fmod", "x: number, y: number -> number", Both, "What is left of x divided by y, with the sign of x.", nil},
	{"math.frexp", "x: number -> number, integer", Both, "A part from 0.5 to 1 and the power of 2 that x is it times.", nil},
	{"math.huge", ": number", Both, "Infinity: more than any number.", nil},
	{"math.ldexp", "part: number, power: integer -> number", Both, "A number times a power of 2.", nil},
	{"math.log", "x: number -> number", Both, "The natural logarithm.", nil},
	{"math.log10", "x: number -> number", Both, "The logarithm to base 10.", nil},
	{"math.max", "x: number, ...: number -> number", Both, "The largest of the numbers.", nil},
	{"math.min", "x: number, ...: number -> number", Both, "The smallest of the numbers.", nil},
	{"math.mod", "x: number, y: number -> number", Both, "The same as math.fmod.", nil},
	{"math.modf", "x: number -> number, number", Both, "The whole part of x and the rest.", nil},
	{"math.pi", ": number", Both, "Half of a turn in radians.", nil},
	{"math.pow", "x: number, y: number -> number", Both, "x to the power of y.", nil},
	{"math.rad", "x: number -> number", Both, "Degrees in radians.", nil},
	{"math.sin", "x: number -> number", Both, "The sine of an angle in radians.", nil},
	{"math.sinh", "x: number -> number", Both, "The hyperbolic sine.", nil},
	{"math.sqrt", "x: number -> number", Both, "The square root.", nil},
	{"math.tan", "x: number -> number", Both, "The tangent of an angle in radians.", nil},
	{"math.tanh", "x: number -> number", Both, "The hyperbolic tangent.", nil},
	{"math.random", "[lo: number, [hi: number]] -> number", Both, "A random number: 0 to 1 without arguments, 1 to lo with one, lo to hi with two.", mathRandom},
	{"math.randomseed", "seed: number", Both, "Starts this mod's random numbers anew.", mathRandomSeed},
}}

func mathRandom(a Args) int {
	r := a.Mod.State.random.Float64()
	switch a.N() {
	case 0:
		return a.Return(lua.LNumber(r))
	case 1:
		return a.Return(between(a, r, 1, a.Number(1)))
	}
	return a.Return(between(a, r, a.Number(1), a.Number(2)))
}

func between(a Args, r, lo, hi float64) lua.LNumber {
	lo, hi = math.Ceil(lo), math.Floor(hi)
	if !(lo <= hi) || math.IsInf(hi-lo, 0) {
		a.Fail("the interval %s to %s is empty", numberText(lo), numberText(hi))
	}
	return lua.LNumber(min(lo+math.Floor(r*(hi-lo+1)), hi))
}

func mathRandomSeed(a Args) int {
	a.Mod.State.random = &random{rand.New(rand.NewPCG(math.Float64bits(a.Number(1)), 0))}
	return 0
}

func toNumber(a Args) int {
	base := a.OptInt(2, 10)
	if base != 10 {
		if base < 2 || base > 36 {
			a.Fail("argument 2 (base) must be 2…36, not %d", base)
		}
		n, ok := parseInteger(a.String(1), base)
		return a.Return(numberOrNil(n, ok))
	}
	switch v := a.Any(1).(type) {
	case lua.LNumber:
		return a.Return(v)
	case lua.LString:
		n, ok := parseNumber(string(v))
		return a.Return(numberOrNil(n, ok))
	}
	return a.Return(lua.LNil)
}

func numberOrNil(n float64, ok bool) lua.LValue {
	if !ok {
		return lua.LNil
	}
	return lua.LNumber(n)
}

const space = " \t\n\v\f\r"

// parseNumber reads a number as Lua writes it: decimal with fraction and exponent, or hexadecimal, space around it.
func parseNumber(text string) (float64, bool) {
	text = strings.Trim(text, space)
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || digits == "" {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		n, ok := parseInteger(digits[2:], 16)
		if text[0] == '-' {
			n = -n
		}
		return n, ok
	}
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false // ParseFloat reads more than Lua does: inf, nan, underscores
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// parseInteger reads an integer of any length in a base, space around it.
func parseInteger(text string, base int) (float64, bool) {
	text = strings.Trim(text, space)
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")
	n := 0.0
	for _, c := range []byte(text) {
		d := 99
		switch {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			d = int(c|0x20-'a') + 10
		}
		if d >= base {
			return 0, false
		}
		n = float64(n*float64(base)) + float64(d)
	}
	if negative {
		n = -n
	}
	return n, text != ""
}

// numberText is how a number prints: integers below 2^53 with all digits, the rest as %.14g.
func numberText(n float64) string {
	switch {
	case n == math.Trunc(n) && math.Abs(n) < 1<<53:
		return strconv.FormatInt(int64(n), 10)
	case math.IsNaN(n):
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	}
	return strconv.FormatFloat(n, 'g', 14, 64)
}
