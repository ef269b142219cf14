package lint

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// Programs for several versions of Lua test whether a name exists before they use it:
//
//	local unpack = unpack or table.unpack
//	if jit then jit.off() end
//
// A test is no mistake, and neither is any other use of a name that the mod tests.

// test records the names whose existence a condition tests.
func (w *walker) test(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr:
		if name := strings.TrimSuffix(prefix(e), "."); name != "" && w.find(name) == nil {
			w.u.tested[name] = true
		}
	case *ast.LogicalOpExpr:
		w.test(e.Lhs)
		w.test(e.Rhs)
	case *ast.RelationalOpExpr:
		for _, side := range []ast.Expr{e.Lhs, e.Rhs} {
			if _, isNil := side.(*ast.NilExpr); isNil {
				w.test(e.Lhs)
				w.test(e.Rhs)
			}
		}
	case *ast.UnaryNotOpExpr:
		w.test(e.Expr)
	}
}

// testOperands records the tests of `a and b` and `a or b`. The last operand of `or` is the value
// for want of the others, and as a member of a library it can be nil.
func (w *walker) testOperands(e *ast.LogicalOpExpr) {
	w.test(e.Lhs)
	if member, ok := e.Rhs.(*ast.AttrGetExpr); ok && e.Operator == "or" {
		w.test(member)
	}
}

// pass records what a call does with the names and tables among its arguments.
func (w *walker) pass(e *ast.FuncCallExpr) {
	if len(e.Args) == 0 || !w.u.checked {
		return
	}
	w.c.tables.passed = append(w.c.tables.passed, e)
	name := ""
	if id, ok := e.Func.(*ast.IdentExpr); ok && w.c.vars[id] == nil {
		name = id.Value
	}
	if name == "type" {
		w.test(e.Args[0])
	}
	for _, arg := range e.Args {
		if !w.isGlobal(arg, "_G") {
			continue
		}
		switch name {
		case "rawget", "rawset", "type", "assert", "tostring", "rawequal":
		case "pairs", "next":
			w.u.dynamic = true
		default:
			w.u.dynamic, w.u.computed = true, true
		}
	}
}
