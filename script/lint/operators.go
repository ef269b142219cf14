package lint

import (
	"cmp"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/reference"
)

// iterates reports a generic for loop over a value that is not a function.
func (c *checker) iterates(f *luaFile, e ast.Expr) {
	t, what, instead := c.typeOf(e), "", "ipairs(list), pairs(table) or group:each()"
	switch k := c.class(t.name); {
	case k != nil && c.isA(k, "SimSet"):
		what, instead = article(k.name), groupName(e)+":each()"
	case k != nil:
		what = article(k.name)
	case t.table != nil && (c.tables.anyField || c.table(t.table).open):
		return // a metatable can make the table callable
	case t.name == "table":
		what, instead = "a table", "ipairs(list), or pairs(table)"
	case t.name == "string", t.name == "number", t.name == "boolean", t.name == "vec":
		what = article(t.name)
	default:
		return
	}
	c.report(f, c.placeOf(e), ruleType, "a loop needs a function that iterates, not %s: write %s", what, instead)
}

// groupName returns how the source names a group.
func groupName(e ast.Expr) string { return strings.TrimSuffix(cmp.Or(prefix(e), "group."), ".") }

// iteratesTable reports pairs, ipairs and next of a group.
func (c *checker) iteratesTable(f *luaFile, function string, call *ast.FuncCallExpr) {
	e := arg(call, 0)
	if e == nil {
		return
	}
	if k := c.class(c.typeOf(e).name); k != nil && c.isA(k, "SimSet") {
		c.report(f, c.placeOf(e), ruleType, "%s takes a table, not %s: write %s", function, article(k.name), reference.IteratesGroup(groupName(e)))
	}
}

// arithmetic reports operators that a vec does not have with the other operand.
func (c *checker) arithmetic(f *luaFile, e *ast.ArithmeticOpExpr) {
	x, y := c.typeOf(e.Lhs).name, c.typeOf(e.Rhs).name
	if x != "vec" && y != "vec" || x == "" || y == "" || c.class(x) != nil || c.class(y) != nil {
		return
	}
	if text := reference.VecOperands(e.Operator, article(x), article(y)); text != "" {
		c.report(f, c.placeOf(e.Lhs), ruleType, "%s", text)
	}
}
