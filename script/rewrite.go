package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// catName is the variable that holds the guarded concatenation; no script can write such a name.
const catName = "\x00cat"

const (
	maxTree = 1000 // depth of a syntax tree: the compiler recurses
	maxCat  = 150  // operands of a chain of `..`: each needs a register
)

// rewriter walks a chunk before it is compiled. It turns `a .. b .. c` into one call of a guarded function (the VM's
// own operator has no limit), mends numbers with leading zeros (the VM reads 010 as octal), and refuses trees that
// are too deep.
type rewriter struct {
	file  string
	depth int
	cats  int
}

// tooLarge is raised inside the walk and returned by chunk.
type tooLarge struct {
	line int
	text string
}

func (w *rewriter) chunk(stmts []ast.Stmt) (out []ast.Stmt, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case tooLarge:
			err = &SyntaxError{File: w.file, Line: r.line, Text: r.text}
		default:
			panic(r)
		}
	}()
	w.stmts(stmts)
	if w.cats == 0 {
		return stmts, nil
	}
	// A local of the chunk is faster to reach than a global, and cannot be replaced.
	cat := &ast.LocalAssignStmt{Names: []string{catName}, Exprs: []ast.Expr{ident(catName, 1)}}
	cat.SetLine(1)
	cat.SetLastLine(1)
	return append([]ast.Stmt{cat}, stmts...), nil
}

func ident(name string, line int) *ast.IdentExpr {
	e := &ast.IdentExpr{Value: name}
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

func (w *rewriter) down(n ast.PositionHolder) {
	if w.depth++; w.depth > maxTree {
		panic(tooLarge{max(n.Line(), 1), fmt.Sprintf("an expression or chain of more than %d parts", maxTree)})
	}
}

func (w *rewriter) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.down(s)
		w.stmt(s)
		w.depth--
	}
}

func (w *rewriter) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.exprs(s.Lhs)
		w.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		w.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		w.expr(&s.Expr)
	case *ast.DoBlockStmt:
		w.stmts(s.Stmts)
	case *ast.WhileStmt:
		w.expr(&s.Condition)
		w.stmts(s.Stmts)
	case *ast.RepeatStmt:
		w.expr(&s.Condition)
		w.stmts(s.Stmts)
	case *ast.IfStmt:
		w.expr(&s.Condition)
		w.stmts(s.Then)
		w.stmts(s.Else)
	case *ast.NumberForStmt:
		w.expr(&s.Init)
		w.expr(&s.Limit)
		w.expr(&s.Step)
		w.stmts(s.Stmts)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		w.stmts(s.Stmts)
	case *ast.FuncDefStmt:
		w.expr(&s.Name.Func)
		w.expr(&s.Name.Receiver)
		w.stmts(s.Func.Stmts)
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	}
}

func (w *rewriter) exprs(list []ast.Expr) {
	for i := range list {
		w.expr(&list[i])
	}
}

func (w *rewriter) expr(e *ast.Expr) {
	if *e == nil {
		return
	}
	w.down(*e)
	defer func() { w.depth-- }()
	switch x := (*e).(type) {
	case *ast.NumberExpr:
		x.Value = decimal(x.Value)
	case *ast.AttrGetExpr:
		w.expr(&x.Object)
		w.expr(&x.Key)
	case *ast.TableExpr:
		for _, f := range x.Fields {
			w.expr(&f.Key)
			w.expr(&f.Value)
		}
	case *ast.FuncCallExpr:
		w.expr(&x.Func)
		w.expr(&x.Receiver)
		w.exprs(x.Args)
	case *ast.LogicalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.RelationalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.ArithmeticOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.UnaryMinusOpExpr:
		w.expr(&x.Expr)
	case *ast.UnaryNotOpExpr:
		w.expr(&x.Expr)
	case *ast.UnaryLenOpExpr:
		w.expr(&x.Expr)
	case *ast.FunctionExpr:
		w.stmts(x.Stmts)
	case *ast.StringConcatOpExpr:
		*e = w.concat(x)
	}
}

// concat makes one call of a chain of `..`, which associates to the right.
func (w *rewriter) concat(c *ast.StringConcatOpExpr) ast.Expr {
	w.cats++
	var parts []ast.Expr
	var rest ast.Expr = c
	for {
		pair, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			parts = append(parts, rest)
			break
		}
		parts, rest = append(parts, pair.Lhs), pair.Rhs
	}
	if len(parts) > maxCat {
		panic(tooLarge{c.Line(), fmt.Sprintf("a chain of more than %d '..'; table.concat joins a list", maxCat)})
	}
	w.exprs(parts)
	single(parts[len(parts)-1])
	e := &ast.FuncCallExpr{Func: ident(catName, c.Line()), Args: parts, AdjustRet: true}
	e.SetLine(c.Line())
	e.SetLastLine(c.LastLine())
	return e
}

// single makes an operand give one value even as the last argument of a call.
func single(e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
}

// decimal drops the zeros before a decimal number.
func decimal(n string) string {
	if len(n) < 2 || n[0] != '0' || !isDigit(n[1]) {
		return n
	}
	n = strings.TrimLeft(n, "0")
	if n == "" || !isDigit(n[0]) {
		return "0" + n
	}
	return n
}

// concatenate is the guarded `..`: right to left, numbers as text, __concat where an operand is neither.
func (s *State) concatenate(l *lua.LState) int {
	n := l.GetTop()
	result := l.Get(n)
	for i := n - 1; i >= 1; {
		from, size := i, 0
		if _, ok := operand(result); ok {
			for from = i; from >= 1; from-- {
				if _, ok := operand(l.Get(from)); !ok {
					break
				}
			}
		}
		if from == i { // nothing to join: a metamethod decides
			result = s.metaConcat(l, l.Get(i), result)
			i--
			continue
		}
		parts := make([]string, 0, i-from+1)
		for k := from + 1; k <= i; k++ {
			text, _ := operand(l.Get(k))
			parts = append(parts, text)
		}
		text, _ := operand(result)
		parts = append(parts, text)
		for _, p := range parts {
			size += len(p)
		}
		if size > maxString {
			l.RaiseError("a string of %d bytes is longer than %d", size, maxString)
		}
		s.mod.Host.meter.chargeBytes(l, size)
		result = lua.LString(strings.Join(parts, ""))
		i = from
	}
	l.Push(result)
	return 1
}

// operand is the text of a string or number.
func operand(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numberText(float64(v)), true
	}
	return "", false
}

func (s *State) metaConcat(l *lua.LState, a, b lua.LValue) lua.LValue {
	fn := l.GetMetaField(a, "__concat")
	if fn == lua.LNil {
		fn = l.GetMetaField(b, "__concat")
	}
	if fn == lua.LNil {
		bad := a
		if _, ok := operand(a); ok {
			bad = b
		}
		l.RaiseError("attempt to concatenate %s", withArticle(bad))
	}
	l.Push(fn)
	l.Push(a)
	l.Push(b)
	l.Call(2, 1)
	v := l.Get(-1)
	l.Pop(1)
	return v
}

// withArticle is "a nil value", "a table value".
func withArticle(v lua.LValue) string { return "a " + v.Type().String() + " value" }
