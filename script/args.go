package script

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// Args are the arguments of a call from Lua, numbered from 1, and the way back. Readers with a wrong argument raise
// an error at the caller that begins with the function's name: "schedule: argument 1 (ms) must be a number, not nil".
type Args struct {
	L   *lua.LState
	Mod *Mod // the caller
	row *Func
}

// Host of the caller.
func (a Args) Host() *Host { return a.Mod.Host }

// Name of the function called.
func (a Args) Name() string { return a.row.Name }

// N is the number of arguments given, trailing nils included.
func (a Args) N() int { return a.L.GetTop() }

// Get is argument i, nil if it was not given.
func (a Args) Get(i int) lua.LValue { return a.L.Get(i) }

// Has says whether argument i was given and is not nil.
func (a Args) Has(i int) bool { return a.L.Get(i) != lua.LNil }

// Any is argument i, which must have been given, be it nil.
func (a Args) Any(i int) lua.LValue {
	if i > a.L.GetTop() {
		a.Fail("argument %s is missing", a.label(i))
	}
	return a.L.Get(i)
}

// String is argument i, a string or a number.
func (a Args) String(i int) string {
	switch v := a.L.Get(i).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(float64(v))
	}
	a.wrong(i, "a string")
	return ""
}

// Word is argument i, a string short enough for a name of something.
func (a Args) Word(i int) string {
	text := a.String(i)
	if len(text) > sim.MaxName {
		a.Fail("argument %s must be a name of at most %d bytes, not one of %d", a.label(i), sim.MaxName, len(text))
	}
	return text
}

// Number is argument i, a number or a string that reads as one.
func (a Args) Number(i int) float64 {
	switch v := a.L.Get(i).(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		a.Charge(len(v) / 8)
		if n, ok := parseNumber(string(v)); ok {
			return n
		}
	}
	a.wrong(i, "a number")
	return 0
}

// Int is argument i, a number; its fraction is cut off. It fails beyond ±2^53, and for NaN.
func (a Args) Int(i int) int {
	n := a.Number(i)
	if !(math.Abs(n) <= 1<<53) {
		a.wrong(i, "an integer")
	}
	return int(n)
}

// IntIn is Int, between lo and hi.
func (a Args) IntIn(i, lo, hi int) int {
	n := a.Int(i)
	if n < lo || n > hi {
		a.Fail("argument %s must be %d…%d, not %d", a.label(i), lo, hi, n)
	}
	return n
}

// Bool is argument i, a boolean.
func (a Args) Bool(i int) bool {
	v, ok := a.L.Get(i).(lua.LBool)
	if !ok {
		a.wrong(i, "a boolean")
	}
	return bool(v)
}

// Table is argument i, a table.
func (a Args) Table(i int) *lua.LTable {
	v, ok := a.L.Get(i).(*lua.LTable)
	if !ok {
		a.wrong(i, "a table")
	}
	return v
}

// Function is argument i, a function.
func (a Args) Function(i int) *lua.LFunction {
	v, ok := a.L.Get(i).(*lua.LFunction)
	if !ok {
		a.wrong(i, "a function")
	}
	return v
}

// UserData is argument i, a userdata; what says what it should have been ("an object").
func (a Args) UserData(i int, what string) *lua.LUserData {
	v, ok := a.L.Get(i).(*lua.LUserData)
	if !ok {
		a.wrong(i, what)
	}
	return v
}

// OptString is argument i, or d if it is nil or missing. So are the other Opts.
func (a Args) OptString(i int, d string) string { return opt(a, i, d, a.String) }

// OptNumber is Number with a default.
func (a Args) OptNumber(i int, d float64) float64 { return opt(a, i, d, a.Number) }

// OptInt is Int with a default.
func (a Args) OptInt(i, d int) int { return opt(a, i, d, a.Int) }

// OptBool is Bool with a default.
func (a Args) OptBool(i int, d bool) bool { return opt(a, i, d, a.Bool) }

// OptTable is Table, or nil.
func (a Args) OptTable(i int) *lua.LTable { return opt(a, i, nil, a.Table) }

// OptFunction is Function, or nil.
func (a Args) OptFunction(i int) *lua.LFunction { return opt(a, i, nil, a.Function) }

func opt[T any](a Args, i int, d T, read func(int) T) T {
	if !a.Has(i) {
		return d
	}
	return read(i)
}

// Return gives values back to Lua: return a.Return(x, y).
func (a Args) Return(vs ...lua.LValue) int {
	for _, v := range vs {
		a.L.Push(v)
	}
	return len(vs)
}

// Text gives a string back, which may be at most 16 MiB.
func (a Args) Text(s string) int {
	a.room(len(s))
	a.L.Push(lua.LString(s))
	return 1
}

// Fail raises an error at the caller: its position, the function's name, and the sentence. A metamethod is a name that
// nobody has written: it is left out.
func (a Args) Fail(format string, args ...any) {
	name := a.row.Name + ": "
	if strings.HasPrefix(name, "__") {
		name = ""
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			a.Mod.State.book(len(text) / 8)
			args[i] = brief(text, maxTold)
		}
	}
	a.raise(name + fmt.Sprintf(format, args...))
}

// raise raises an error at the caller. What is told may be as long as what a script has given.
func (a Args) raise(text string) {
	a.Mod.State.book(len(text) / 8)
	a.L.Error(lua.LString(where(a.L, 1)+brief(text, maxTold)), 0)
}

// FailWith raises an error at the caller that says by itself what failed: its position, and the sentence.
func (a Args) FailWith(err error) {
	a.raise(err.Error())
}

// Raise raises an error of Go at the caller. One that came through a door keeps its own position, and nobody catches
// an exhausted root.
func (a Args) Raise(err error) {
	var e *Error
	if !errors.As(err, &e) {
		a.Fail("%s", err)
	}
	a.Mod.State.cause = e
	a.L.Error(lua.LString(e.Text), 0)
}

// afterwards is told what goes wrong with a call that waits until the files hold which make it: by then nobody is there
// to catch it, and it is a mistake of the mod.
func (a Args) afterwards() func(error) {
	m, call := a.Mod, where(a.L, 1)+a.row.Name
	return func(err error) { m.Host.Fail(m, loadEvent, fmt.Errorf("%s: %w", call, err)) }
}

// Charge books n instructions' worth of work (about 5 ns each) and raises when the budget is used up.
func (a Args) Charge(n int) { a.Mod.State.charge(a.L, n) }

// room fails if a string of n bytes would be too long, else books its making.
func (a Args) room(n int) {
	if n > a.longest() {
		a.Fail("a string of %d bytes is longer than %d", n, a.longest())
	}
	a.Mod.holds(n)
	a.Charge(n / 64)
}

func (a Args) wrong(i int, want string) {
	if i == 1 && strings.Contains(a.row.Name, ":") {
		a.Fail("it is called with a colon, on %s: %s(…)", want, a.row.Name)
	}
	a.Fail("argument %s must be %s, not %s", a.label(i), want, kindOf(a.L.Get(i)))
}

// label is "2 (cmd)" if the row names its parameters. Those of a method are counted after the colon.
func (a Args) label(i int) string {
	if kind, _, method := strings.Cut(a.row.Name, ":"); method {
		if i--; i == 0 {
			return fmt.Sprintf("0 (%s)", kind)
		}
	}
	s, err := ParseSignature(a.row.Params)
	if err != nil || i < 1 || i > len(s.Params) || s.Params[i-1].Variadic {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%d (%s)", i, s.Params[i-1].Name)
}

// kindOf names a value's type for people: "nil", "a string", "a vec".
func kindOf(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nil"
	case *lua.LUserData:
		return kindOfUserData(v.Value)
	}
	return "a " + v.Type().String()
}
