package vm

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// MaxName is the length in bytes of the longest name that ShortString accepts.
const MaxName = 64

// Args reads the arguments of a call from Lua, numbered from 1, and returns the results. A reader
// given a wrong argument raises an error at the caller. The error begins with the function's name:
// "schedule: argument 1 (ms) must be a number, not nil".
type Args struct {
	L   *lua.LState
	Mod *Mod // the caller
	Row *Func
}

// Runtime returns the host of the calling mod.
func (a Args) Runtime() *Runtime { return a.Mod.Runtime }

// Name returns the name of the called function.
func (a Args) Name() string { return a.Row.Name }

// N returns the number of arguments, including trailing nils.
func (a Args) N() int { return a.L.GetTop() }

// Get returns argument i, or nil if it is missing.
func (a Args) Get(i int) lua.LValue { return a.L.Get(i) }

// Has reports whether argument i is present and not nil.
func (a Args) Has(i int) bool { return a.L.Get(i) != lua.LNil }

// Any returns argument i. It fails if the argument is missing; an explicit nil is valid.
func (a Args) Any(i int) lua.LValue {
	if i > a.L.GetTop() {
		a.Fail("argument %s is missing", a.Label(i))
	}
	return a.L.Get(i)
}

// String returns argument i as a string. It accepts strings and numbers.
func (a Args) String(i int) string {
	switch v := a.L.Get(i).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(float64(v))
	}
	a.Wrong(i, "a string")
	return ""
}

// ShortString returns argument i, a string of at most MaxName bytes, for use as a name.
func (a Args) ShortString(i int) string {
	text := a.String(i)
	if len(text) > MaxName {
		a.Fail("argument %s must be a name of at most %d bytes, got %d", a.Label(i), MaxName, len(text))
	}
	return text
}

// Number returns argument i as a number. It accepts numbers and strings in Lua's number syntax.
func (a Args) Number(i int) float64 {
	switch v := a.L.Get(i).(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		a.Charge(len(v) / 8)
		if n, ok := ParseNumber(string(v)); ok {
			return n
		}
	}
	a.Wrong(i, "a number")
	return 0
}

// Int returns argument i, a number truncated to an integer. It fails beyond ±2^53 and for NaN.
func (a Args) Int(i int) int {
	n := a.Number(i)
	if !(math.Abs(n) <= 1<<53) {
		a.Wrong(i, "an integer")
	}
	return int(n)
}

// IntIn is like Int and fails unless the result is between lo and hi, inclusive.
func (a Args) IntIn(i, lo, hi int) int {
	n := a.Int(i)
	if n < lo || n > hi {
		a.Fail("argument %s must be %d…%d, not %d", a.Label(i), lo, hi, n)
	}
	return n
}

// Bool returns argument i, a boolean.
func (a Args) Bool(i int) bool {
	v, ok := a.L.Get(i).(lua.LBool)
	if !ok {
		a.Wrong(i, "a boolean")
	}
	return bool(v)
}

// Table returns argument i, a table.
func (a Args) Table(i int) *lua.LTable {
	v, ok := a.L.Get(i).(*lua.LTable)
	if !ok {
		a.Wrong(i, "a table")
	}
	return v
}

// Function returns argument i, a function.
func (a Args) Function(i int) *lua.LFunction {
	v, ok := a.L.Get(i).(*lua.LFunction)
	if !ok {
		a.Wrong(i, "a function")
	}
	return v
}

// UserData returns argument i, a userdata. what names the expected kind in the error ("an object").
func (a Args) UserData(i int, what string) *lua.LUserData {
	v, ok := a.L.Get(i).(*lua.LUserData)
	if !ok {
		a.Wrong(i, what)
	}
	return v
}

// OptString is like String but returns d if argument i is nil or missing.
func (a Args) OptString(i int, d string) string { return opt(a, i, d, a.String) }

// OptNumber is like Number but returns d if argument i is nil or missing.
func (a Args) OptNumber(i int, d float64) float64 { return opt(a, i, d, a.Number) }

// OptInt is like Int but returns d if argument i is nil or missing.
func (a Args) OptInt(i, d int) int { return opt(a, i, d, a.Int) }

// OptBool is like Bool but returns d if argument i is nil or missing.
func (a Args) OptBool(i int, d bool) bool { return opt(a, i, d, a.Bool) }

// OptTable is like Table but returns nil if argument i is nil or missing.
func (a Args) OptTable(i int) *lua.LTable { return opt(a, i, nil, a.Table) }

// OptFunction is like Function but returns nil if argument i is nil or missing.
func (a Args) OptFunction(i int) *lua.LFunction { return opt(a, i, nil, a.Function) }

func opt[T any](a Args, i int, d T, read func(int) T) T {
	if !a.Has(i) {
		return d
	}
	return read(i)
}

// Return pushes results for Lua and returns their number: return a.Return(x, y).
func (a Args) Return(vs ...lua.LValue) int {
	for _, v := range vs {
		a.L.Push(v)
	}
	return len(vs)
}

// Text pushes one string result. It fails if s is longer than Limits.String bytes.
func (a Args) Text(s string) int {
	a.ChargeString(len(s))
	a.L.Push(lua.LString(s))
	return 1
}

// Fail raises an error at the caller: its position, the function's name, and the message. It omits
// the names of metamethods, because no script calls them by name.
func (a Args) Fail(format string, args ...any) {
	name := a.Row.Name + ": "
	if strings.HasPrefix(name, "__") {
		name = ""
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			a.Mod.State.Book(len(text) / 8)
			args[i] = ClipText(text, maxQuotedTotal)
		}
	}
	a.raise(name + fmt.Sprintf(format, args...))
}

// raise raises an error at the caller. It shortens text, because a script can supply very long
// parts of it.
func (a Args) raise(text string) {
	a.Mod.State.Book(len(text) / 8)
	a.L.Error(lua.LString(a.position()+ClipText(text, maxQuotedTotal)), 0)
}

// position returns "file:line: " of the caller, or "". Go code that a script has called can be the
// caller of a metamethod: the guard of `..`, or tostring. Then the position is that of the script.
func (a Args) position() string {
	at := CallerPosition(a.L, 1)
	if at == "" && strings.HasPrefix(a.Row.Name, "__") {
		at = CallerPosition(a.L, 2)
	}
	return at
}

// FailWith raises err at the caller: its position and the message, without the function's name.
func (a Args) FailWith(err error) {
	a.raise(err.Error())
}

// Raise raises a Go error at the caller. An *Error from a nested entry keeps its own position. If
// the outermost budget is exhausted, nothing can catch the error.
func (a Args) Raise(err error) {
	var e *Error
	if !errors.As(err, &e) {
		a.Fail("%s", err)
	}
	a.Mod.State.calleeError = e
	a.L.Error(lua.LString(e.Text), 0)
}

// Charge charges n instructions (about 5 ns each) to the budget and raises an error if it is
// exhausted.
func (a Args) Charge(n int) { a.Mod.State.charge(a.L, n) }

// ChargeString fails if a string of n bytes would be too long. Otherwise it charges for making the
// string.
func (a Args) ChargeString(n int) {
	if n > a.Longest() {
		a.Fail("a string of %d bytes is longer than %d", n, a.Longest())
	}
	a.Mod.NoteString(n)
	a.Charge(n / 64)
}

// Wrong fails because argument i is not what is wanted: "a number".
func (a Args) Wrong(i int, want string) {
	if i == 1 && strings.Contains(a.Row.Name, ":") {
		a.Fail("call it with a colon, on %s: %s(…)", want, a.Row.Name)
	}
	a.Fail("argument %s must be %s, not %s%s", a.Label(i), want, a.Kind(i), a.Mod.State.meantArgument(a.L, i))
}

// Label returns "2 (cmd)" if the row names its parameters, else "2". In a method the object before
// the colon does not count.
func (a Args) Label(i int) string {
	if kind, _, method := strings.Cut(a.Row.Name, ":"); method {
		if i--; i == 0 {
			return fmt.Sprintf("0 (%s)", kind)
		}
	}
	s, err := ParseSignature(a.Row.Params)
	if err != nil || i < 1 || i > len(s.Params) || s.Params[i-1].Variadic {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%d (%s)", i, s.Params[i-1].Name)
}

// Kind names the type of argument i for error messages: "nil", "a string".
func (a Args) Kind(i int) string { return a.Mod.Runtime.Kind(a.L.Get(i)) }

// Kind names a value's type for error messages: "nil", "a string", "a vec".
func (h *Runtime) Kind(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nil"
	case *lua.LUserData:
		if h.cfg.Kind != nil {
			return h.cfg.Kind(v.Value)
		}
	}
	return "a " + v.Type().String()
}
