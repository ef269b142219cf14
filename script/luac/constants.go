package luac

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// gopher-lua's compiler compares each constant of a function with all those before it. For 65,536
// numbers that takes eight seconds. So only the first constants of a function pass through the
// compiler. Each further number, string and method name stands for itself as a placeholder: the
// same constant everywhere, with a place of its own. settle then puts the constants into the
// compiled function, by their places. Its code is the same as without placeholders, because the
// compiler loads constants with large numbers into a register anyway.
//
// Globals cannot be put in afterwards: the VM has their names in a list that only its compiler
// fills.

// firstConstants is the number of constants of a function that pass through the compiler. An
// operand of an instruction can be one of the first 256, and placeholders must not be among these.
const firstConstants = 512

// lateCost is the cost of a constant that is put in afterwards, in instructions.
const lateCost = 50

// errEarlyPlaceholder reports that a placeholder is among the first constants of a function: the
// compiler met them in another order than the rewriter.
var errEarlyPlaceholder = errors.New("a placeholder is among the first constants")

// constants holds the constants of a function.
type constants struct {
	known map[string]int                      // by key: 0, or 1 + the number of the late constant
	first int                                 // how many pass through the compiler, beside globals
	early int                                 // constants that pass through the compiler
	late  []func(text string, number float64) // the others: each writes its placeholder
}

// A lateConstant is put into a compiled function.
type lateConstant struct {
	value lua.LValue
	in    *placeholders
}

// placeholders are the constants that stand for the late ones of a function.
type placeholders struct {
	text   lua.LString
	number lua.LNumber
}

// use notes a constant that passes through the compiler.
func (c *constants) use(name string) { c.useKey("s" + name) }

func (c *constants) useKey(key string) {
	if _, known := c.known[key]; !known {
		c.known[key] = 0
		c.early++
	}
}

// isLate reports whether a constant is put in afterwards, and whether it is new.
func (c *constants) isLate(key string) (late, first bool) {
	n, known := c.known[key]
	if known {
		return n > 0, false
	}
	if c.early < c.first {
		c.useKey(key)
		return false, false
	}
	return true, true
}

// constant walks a constant at a node. set replaces the constant in the syntax tree.
func (w *rewriter) constant(key string, value lua.LValue, n ast.PositionHolder, set func(text string, number float64)) {
	c := &w.constants
	late, first := c.isLate(key)
	if !late {
		return
	}
	if first {
		w.late = append(w.late, lateConstant{value: value})
		c.known[key] = len(w.late)
	}
	w.places = append(w.places, place{line: w.places.line(n.Line()), local: w.scope, constant: c.known[key]})
	n.SetLine(firstPlace + len(w.places) - 1)
	c.late = append(c.late, set)
}

func (w *rewriter) stringConstant(x *ast.StringExpr) {
	w.constant("s"+x.Value, lua.LString(x.Value), x, func(text string, _ float64) { x.Value = text })
}

func (w *rewriter) numberConstant(x *ast.NumberExpr) {
	w.constant("n"+x.Value, lua.LNumber(parseNumber(x.Value)), x, func(_ string, number float64) { x.Value = numberText(number) })
}

// method walks the name of a method at a node whose first constant it is.
func (w *rewriter) method(name *string, n ast.PositionHolder) {
	if *name != "" {
		w.constant("s"+*name, lua.LString(*name), n, func(text string, _ float64) { *name = text })
	}
}

// foldedConstant walks an expression of which the compiler makes the constant n. Its placeholder
// has the same form, because the form decides about the code of assignments.
func (w *rewriter) foldedConstant(e ast.Expr, n float64) {
	w.constant("n"+numberText(n), lua.LNumber(n), e, func(_ string, number float64) {
		switch x := e.(type) {
		case *ast.UnaryMinusOpExpr:
			x.Expr = &ast.NumberExpr{Value: numberText(-number)}
		case *ast.ArithmeticOpExpr:
			x.Operator, x.Lhs, x.Rhs = "+", &ast.NumberExpr{Value: numberText(number)}, &ast.NumberExpr{Value: "0"}
		}
	})
}

// finishConstants ends a function: it writes the placeholders, and adds the cost of the constants.
func (w *rewriter) finishConstants(line int) {
	c := &w.constants
	switch {
	case len(c.known) > maxConstants:
		panic(limitError{line, fmt.Sprintf("a function has more than %d different names, numbers and strings; split it", maxConstants)})
	case c.early > maxGlobals:
		panic(limitError{line, fmt.Sprintf("a function has more than %d different globals; split it, or put them into a table", maxGlobals)})
	}
	w.cost += 2*c.early*c.early + lateCost*len(c.late)
	if len(c.late) == 0 {
		return
	}
	in := c.unused()
	for _, n := range c.known { // any order: each is set by itself
		if n > 0 {
			w.late[n-1].in = in
		}
	}
	for _, set := range c.late {
		set(string(in.text), float64(in.number))
	}
}

// unused returns placeholders that the function does not have as constants.
func (c *constants) unused() *placeholders {
	in := placeholders{"\x00k", 0x1p-900}
	for c.has("s" + string(in.text)) {
		in.text += "k"
	}
	for c.has("n"+numberText(float64(in.number))) || c.has("n"+numberText(-float64(in.number))) {
		in.number *= 2
	}
	return &in
}

func (c *constants) has(key string) bool {
	_, known := c.known[key]
	return known
}

// fill puts the late constants into a compiled function and its inner functions, before settle
// removes their places. The first ones take the places of the placeholders in the list.
func (w *rewriter) fill(f *lua.FunctionProto) error {
	numbers := map[int]int{} // in f, by the number of a late constant
	var in *placeholders
	var text, number int // of the placeholders in f
	for pc, n := range f.DbgSourcePositions {
		i := Instruction(f.Code[pc])
		if n < firstPlace || w.places[n-firstPlace].constant == 0 || i.Op() != lua.OP_LOADK {
			continue
		}
		late := w.places[n-firstPlace].constant
		if in == nil {
			in = w.late[late-1].in
			text, number = slices.Index(f.Constants, lua.LValue(in.text)), slices.Index(f.Constants, lua.LValue(in.number))
			if text >= 0 && text < ConstantBit || number >= 0 && number < ConstantBit {
				return errEarlyPlaceholder
			}
		}
		if i.Bx() != text && i.Bx() != number {
			continue // another constant of the same place
		}
		at, known := numbers[late]
		if !known {
			if at = i.Bx(); f.Constants[at] != in.text && f.Constants[at] != in.number {
				at = len(f.Constants)
				f.Constants = append(f.Constants, nil)
			}
			f.Constants[at], numbers[late] = w.late[late-1].value, at
		}
		f.Code[pc] = uint32(i)&^(1<<18-1) | uint32(at)
	}
	if in != nil {
		in.name(f)
	}
	for _, inner := range f.FunctionPrototypes {
		if err := w.fill(inner); err != nil {
			return err
		}
	}
	return nil
}

// name corrects the names of the functions that f calls.
func (in *placeholders) name(f *lua.FunctionProto) {
	for i := range f.DbgCalls {
		if call := &f.DbgCalls[i]; call.Name == string(in.text) {
			call.Name = "?"
			if at := setBefore(f, call.Pc, Instruction(f.Code[call.Pc]).A()); at >= 0 {
				if key := setBefore(f, at, Instruction(f.Code[at]).C()); key >= 0 && Instruction(f.Code[key]).Op() == lua.OP_LOADK {
					call.Name = ConstantText(f, Instruction(f.Code[key]).Bx())
				}
			}
		}
	}
}

// setBefore returns an instruction before pc that sets a register, or -1 if there is none nearby.
func setBefore(f *lua.FunctionProto, pc, register int) int {
	for at := pc - 1; at >= max(0, pc-maxSearched); at-- {
		if Instruction(f.Code[at]).sets(register) {
			return at
		}
	}
	return -1
}

// fold returns the number that the compiler makes of an expression of numbers.
func fold(e ast.Expr) (float64, bool) {
	switch x := e.(type) {
	case *ast.NumberExpr:
		return parseNumber(trimLeadingZeros(x.Value)), true
	case *ast.UnaryMinusOpExpr:
		n, ok := fold(x.Expr)
		return -n, ok
	case *ast.ArithmeticOpExpr:
		a, ok := fold(x.Lhs)
		if !ok {
			return 0, false
		}
		b, ok := fold(x.Rhs)
		return arithmetic(x.Operator, a, b), ok
	}
	return 0, false
}

func arithmetic(operator string, a, b float64) float64 {
	switch operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "^":
		return math.Pow(a, b)
	}
	n := math.Mod(a, b)
	if b > 0 && n < 0 || b < 0 && n > 0 {
		n += b
	}
	return n
}

// parseNumber reads a number as the compiler does.
func parseNumber(text string) float64 {
	text = strings.Trim(text, " \t\n")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

func numberText(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
