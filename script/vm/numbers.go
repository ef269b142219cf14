package vm

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

// modRandom is the random number generator of one mod. The same seed and mod name give the same
// numbers on every run.
type modRandom struct {
	*rand.Rand
	source rand.PCG
}

func newRandom(seed uint64, name string) *modRandom {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return startRandom(*rand.NewPCG(seed, h.Sum64()))
}

// ContinueRandom lets math.random continue with the numbers of another state.
func (s *State) ContinueRandom(from *State) { s.random = startRandom(from.random.source) }

// startRandom makes a generator that continues from a state.
func startRandom(state rand.PCG) *modRandom {
	r := &modRandom{source: state}
	r.Rand = rand.New(&r.source)
	return r
}

var mathLib = Lib{"Numbers", []Func{
	{"tonumber", "value: any, [base: integer] -> number?", Both, "Converts a value to a number. Returns nil if that fails.", toNumber},
	{"math.abs", "x: number -> number", Both, "Returns the absolute value.", unaryRow(math.Abs)},
	{"math.acos", "x: number -> number", Both, "Returns the arc cosine in radians.", unaryRow(math.Acos)},
	{"math.asin", "x: number -> number", Both, "Returns the arc sine in radians.", unaryRow(math.Asin)},
	{"math.atan", "x: number -> number", Both, "Returns the arc tangent in radians.", unaryRow(math.Atan)},
	{"math.atan2", "y: number, x: number -> number", Both, "Returns the angle of the point x, y in radians, from -pi to pi.", binaryRow(math.Atan2)},
	{"math.ceil", "x: number -> number", Both, "Rounds x up to a whole number.", unaryRow(math.Ceil)},
	{"math.cos", "x: number -> number", Both, "Returns the cosine of an angle in radians.", unaryRow(math.Cos)},
	{"math.cosh", "x: number -> number", Both, "Returns the hyperbolic cosine.", unaryRow(math.Cosh)},
	{"math.deg", "x: number -> number", Both, "Converts radians to degrees.", unaryRow(func(x float64) float64 { return x / (math.Pi / 180) })},
	{"math.exp", "x: number -> number", Both, "Returns e to the power of x.", unaryRow(math.Exp)},
	{"math.floor", "x: number -> number", Both, "Rounds x down to a whole number.", unaryRow(math.Floor)},
	{"math.fmod", "x: number, y: number -> number", Both, "Returns the remainder of x divided by y, with the sign of x.", binaryRow(math.Mod)},
	{"math.frexp", "x: number -> number, integer", Both, "Returns m and e such that x is m times 2^e, with m from 0.5 to 1.", mathFrexp},
	{"math.huge", ": number", Both, "Infinity, larger than any other number.", nil},
	{"math.ldexp", "part: number, power: integer -> number", Both, "Returns part times 2^power.", mathLdexp},
	{"math.log", "x: number -> number", Both, "Returns the natural logarithm.", unaryRow(math.Log)},
	{"math.log10", "x: number -> number", Both, "Returns the logarithm to base 10.", unaryRow(math.Log10)},
	{"math.max", "x: number, ...: number -> number", Both, "Returns the largest of the numbers.", bestRow(func(a, b float64) bool { return b > a })},
	{"math.min", "x: number, ...: number -> number", Both, "Returns the smallest of the numbers.", bestRow(func(a, b float64) bool { return b < a })},
	{"math.mod", "x: number, y: number -> number", Both, "The same as math.fmod.", binaryRow(math.Mod)},
	{"math.modf", "x: number -> number, number", Both, "Returns the whole part of x and the fraction.", mathModf},
	{"math.pi", ": number", Both, "The number pi.", nil},
	{"math.pow", "x: number, y: number -> number", Both, "Returns x to the power of y.", binaryRow(math.Pow)},
	{"math.rad", "x: number -> number", Both, "Converts degrees to radians.", unaryRow(func(x float64) float64 { return x * (math.Pi / 180) })},
	{"math.sin", "x: number -> number", Both, "Returns the sine of an angle in radians.", unaryRow(math.Sin)},
	{"math.sinh", "x: number -> number", Both, "Returns the hyperbolic sine.", unaryRow(math.Sinh)},
	{"math.sqrt", "x: number -> number", Both, "Returns the square root.", unaryRow(math.Sqrt)},
	{"math.tan", "x: number -> number", Both, "Returns the tangent of an angle in radians.", unaryRow(math.Tan)},
	{"math.tanh", "x: number -> number", Both, "Returns the hyperbolic tangent.", unaryRow(math.Tanh)},
	{"math.random", "[lo: number, [hi: number]] -> number", Both, "Returns a random number: from 0 to 1 without arguments, a whole number from 1 to lo with one, from lo to hi with two.", mathRandom},
	{"math.randomseed", "seed: number", Both, "Seeds this mod's random numbers.", mathRandomSeed},
}}

// unaryRow wraps a function of one number as the function of a row.
func unaryRow(f func(float64) float64) func(Args) int {
	return func(a Args) int {
		a.L.Push(lua.LNumber(f(a.Number(1))))
		return 1
	}
}

// binaryRow wraps a function of two numbers as the function of a row.
func binaryRow(f func(x, y float64) float64) func(Args) int {
	return func(a Args) int {
		x := a.Number(1)
		a.L.Push(lua.LNumber(f(x, a.Number(2))))
		return 1
	}
}

// bestRow makes the function of a row that returns the best of its arguments, the first one among
// equals.
func bestRow(better func(have, next float64) bool) func(Args) int {
	return func(a Args) int {
		best := a.Number(1)
		for i := 2; i <= a.N(); i++ {
			if n := a.Number(i); better(best, n) {
				best = n
			}
		}
		a.L.Push(lua.LNumber(best))
		return 1
	}
}

func mathFrexp(a Args) int {
	part, power := math.Frexp(a.Number(1))
	return a.Return(lua.LNumber(part), lua.LNumber(power))
}

func mathLdexp(a Args) int {
	part := a.Number(1)
	return a.Return(lua.LNumber(math.Ldexp(part, a.Int(2))))
}

func mathModf(a Args) int {
	n := a.Number(1)
	whole := math.Trunc(n)
	rest := math.Copysign(n-whole, n)
	if math.IsInf(n, 0) {
		rest = math.Copysign(0, n)
	}
	return a.Return(lua.LNumber(whole), lua.LNumber(rest))
}

func mathRandom(a Args) int {
	r := a.Mod.State.random.Float64()
	switch a.N() {
	case 0:
		return a.Return(lua.LNumber(r))
	case 1:
		return a.Return(randomInteger(a, r, 1, a.Int(1)))
	case 2:
		lo := a.Int(1)
		return a.Return(randomInteger(a, r, lo, a.Int(2)))
	}
	a.Fail("%d arguments, it takes at most two", a.N())
	return 0
}

// RandomIndex returns a random index of a list of n values, 0…n-1, or -1 if there are none. It
// takes one number of math.random.
func (s *State) RandomIndex(n int) int { return min(int(s.random.Float64()*float64(n)), n-1) }

func randomInteger(a Args, r float64, lo, hi int) lua.LNumber {
	if lo > hi {
		a.Fail("the range %d to %d is empty", lo, hi)
	}
	span := float64(hi-lo) + 1
	return lua.LNumber(min(float64(lo)+math.Floor(r*span), float64(hi)))
}

func mathRandomSeed(a Args) int {
	a.Mod.State.random = startRandom(*rand.NewPCG(math.Float64bits(a.Number(1)), 0))
	return 0
}

func toNumber(a Args) int {
	base := a.OptInt(2, 10)
	if base != 10 {
		if base < 2 || base > 36 {
			a.Fail("argument 2 (base) must be 2…36, not %d", base)
		}
		text := a.String(1)
		a.Charge(len(text) / 4)
		n, ok := parseInteger(text, base)
		return a.Return(numberOrNil(n, ok))
	}
	switch v := a.Any(1).(type) {
	case lua.LNumber:
		return a.Return(v)
	case lua.LString:
		a.Charge(len(v) / 8)
		n, ok := ParseNumber(string(v))
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
