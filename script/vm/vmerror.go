package vm

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
	"github.com/torc-engine/torc/script/vm/stack"
)

// The VM raises errors in words of its own, and does not name the variable. These functions turn
// them into the messages of Lua 5.1: "attempt to index local 't' (a nil value)".

// explain returns the message of Lua 5.1 for an error that the VM raised in the running function of
// l. It returns all other values unchanged.
func (s *State) explain(l *lua.LState, v lua.LValue) lua.LValue {
	text, ok := v.(lua.LString)
	if !ok || len(text) > maxQuotedTotal {
		return v
	}
	f, ok := stack.Top(l)
	if !ok || f.Fn.IsG || f.PC < 1 {
		return v
	}
	place := CallerPosition(l, 0)
	said, ok := strings.CutPrefix(string(text), place)
	if !ok {
		return v
	}
	if said = (vmError{s, l, f, luac.Instruction(f.Fn.Proto.Code[f.PC-1])}).text(said); said == "" {
		return v
	}
	return lua.LString(place + said)
}

// vmError is an error of an instruction.
type vmError struct {
	s *State
	l *lua.LState
	f stack.Frame
	i luac.Instruction
}

// text returns the message of Lua 5.1 for a message of the VM, or "".
func (e vmError) text(said string) string {
	switch {
	case said == "attempt to call a non-function object":
		if e.i.Op() == lua.OP_CALL || e.i.Op() == lua.OP_TAILCALL {
			return e.failed("call", e.i.A())
		}
		v := e.l.Get(e.i.A() + 1) // the function of a loop
		return "attempt to call " + withArticle(v) + e.s.iteration(v)
	case strings.HasPrefix(said, "attempt to index a non-table object("):
		return e.index(said)
	case strings.HasPrefix(said, "cannot perform "):
		return e.arithmetic()
	case said == "__unm undefined":
		return e.failed("perform arithmetic on", e.i.B())
	case said == "__len undefined":
		return e.failed("get length of", e.i.B())
	case strings.HasPrefix(said, "attempt to compare "):
		return comparison(said)
	case strings.HasPrefix(said, "for statement "):
		what, _, _ := strings.Cut(strings.TrimPrefix(said, "for statement "), " ")
		return loopText(what)
	}
	return ""
}

func loopText(what string) string {
	if what == "init" {
		return "'for' initial value must be a number"
	}
	return "'for' " + what + " must be a number"
}

// register returns the value of a register of the function.
func (e vmError) register(n int) lua.LValue {
	_, v := e.l.GetLocal(e.f.Debug, n+1)
	return v
}

// failed says what was tried with the value in a register.
func (e vmError) failed(try string, register int) string {
	v := e.register(register)
	return e.s.attempt(try, luac.VariableOf(e.f.Fn.Proto, e.f.PC-1, register), v) + e.meantField(register, v, try == "call")
}

// attempt says what was tried with the value of a variable.
func (s *State) attempt(try string, of luac.Variable, v lua.LValue) string {
	if of.Kind == "" {
		return "attempt to " + try + " " + withArticle(v)
	}
	text := fmt.Sprintf("attempt to %s %s '%s' (%s)", try, of.Kind, ClipText(of.Name, MaxQuoted), withArticle(v))
	if of.Kind == "global" && v == lua.LNil {
		text += s.meant(of.Name)
	}
	return text
}

// index explains `t.k` and `t.k = v`. The value can be that of an __index instead of the one in the
// register.
func (e vmError) index(said string) string {
	kind, key, _ := strings.Cut(strings.TrimPrefix(said, "attempt to index a non-table object("), ") with key ")
	register := e.i.B()
	switch e.i.Op() {
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		register = e.i.A()
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
	default:
		return ""
	}
	of := luac.VariableOf(e.f.Fn.Proto, e.f.PC-1, register)
	if v := e.l.Get(register + 1); v.Type().String() == kind && of.Kind != "" {
		return e.s.attempt("index", of, v) + e.meantField(register, v, false)
	}
	return "attempt to index a " + kind + " value (key " + ClipText(key, MaxQuoted) + ")"
}

// arithmetic names the second operand if the first is a number, and else the first.
func (e vmError) arithmetic() string {
	v := e.operand(e.i.B())
	operand := e.i.B()
	if isNumeral(v) {
		operand = e.i.C()
		v = e.operand(operand)
	} else if what := e.loopBound(); what != "" {
		return loopText(what)
	}
	if operand >= luac.ConstantBit {
		return "attempt to perform arithmetic on " + withArticle(v)
	}
	return e.failed("perform arithmetic on", operand)
}

func (e vmError) operand(operand int) lua.LValue {
	if operand >= luac.ConstantBit {
		return e.f.Fn.Proto.Constants[operand-luac.ConstantBit]
	}
	return e.l.Get(operand + 1)
}

// loopBound returns which value of a numeric loop the instruction converts to a number, or "". See
// rewriteBound.
func (e vmError) loopBound() string {
	p := e.f.Fn.Proto
	if e.i.Op() != lua.OP_SUB || e.i.C() < luac.ConstantBit || p.Constants[e.i.C()-luac.ConstantBit] != lua.LNumber(0) {
		return ""
	}
	for _, code := range p.Code[e.f.PC:] {
		i := luac.Instruction(code)
		if at := e.i.A() - i.A(); i.Op() == lua.OP_FORPREP && at >= 0 && at < 3 {
			return [...]string{"init", "limit", "step"}[at]
		}
	}
	return ""
}

func isNumeral(v lua.LValue) bool {
	switch v := v.(type) {
	case lua.LNumber:
		return true
	case lua.LString:
		_, ok := ParseNumber(string(v))
		return ok
	}
	return false
}

// comparison says "two nil values" for values of one type.
func comparison(said string) string {
	a, b, ok := strings.Cut(strings.TrimPrefix(said, "attempt to compare "), " with ")
	if ok && a == b {
		return "attempt to compare two " + a + " values"
	}
	return ""
}

// callerError describes the instruction that called the running Go function.
func (s *State) callerError(l *lua.LState) (e vmError, ok bool) {
	level := 0
	stack.Visit(l, func(f stack.Frame) bool {
		if level++; level == 2 && !f.Fn.IsG && f.PC > 0 {
			e, ok = vmError{s, l, f, luac.Instruction(f.Fn.Proto.Code[f.PC-1])}, true
		}
		return level < 2
	})
	return e, ok
}

// attemptArgument says what was tried with argument i of the running Go function, which a rewritten
// operator called.
func (s *State) attemptArgument(l *lua.LState, try string, i int) string {
	var of luac.Variable
	if e, ok := s.callerError(l); ok && e.i.Op() == lua.OP_CALL {
		of = luac.VariableOf(e.f.Fn.Proto, e.f.PC-1, e.i.A()+i)
	}
	return s.attempt(try, of, l.Get(i)) + s.meantArgument(l, i)
}

// meantArgument returns a suggestion for the field that is argument i of the running Go function
// and nil.
func (s *State) meantArgument(l *lua.LState, i int) string {
	if e, ok := s.callerError(l); ok && (e.i.Op() == lua.OP_CALL || e.i.Op() == lua.OP_TAILCALL) {
		return e.meantField(e.i.A()+i, l.Get(i), false)
	}
	return ""
}

// failArithmetic raises the error of an operator whose operand is not a number. first is true if
// that is the first operand.
func (s *State) failArithmetic(l *lua.LState, v lua.LValue, first bool) {
	var of luac.Variable
	meant := ""
	if e, ok := s.callerError(l); ok {
		operand := e.i.B()
		if !first {
			operand = e.i.C()
		}
		if what := e.loopBound(); what != "" {
			l.RaiseError("%s", loopText(what))
		}
		if arithmetic := e.i.Op() >= lua.OP_ADD && e.i.Op() <= lua.OP_UNM; arithmetic && operand < luac.ConstantBit {
			of, meant = luac.VariableOf(e.f.Fn.Proto, e.f.PC-1, operand), e.meantField(operand, v, false)
		}
	}
	l.RaiseError("%s", s.attempt("perform arithmetic on", of, v)+meant)
}

// CallsMethod reports whether the running Go function, an __index, reads the method of o:name().
func (a Args) CallsMethod() bool {
	e, ok := a.Mod.State.callerError(a.L)
	return ok && e.i.Op() == lua.OP_SELF
}
