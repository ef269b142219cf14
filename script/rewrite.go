package script

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// The variables that hold the functions to which operators are rewritten. No script can write such a name, and they
// are upvalues of every chunk, not globals: no script can reach them otherwise either.
const (
	catName  = "\x00cat"
	setName  = "\x00set"
	fillName = "\x00fill"
)

var guardNames = [...]string{catName, setName, fillName}

const (
	maxTree  = 1000 // depth of a syntax tree: the compiler recurses
	maxCat   = 150  // operands of a chain of `..`: each needs a register
	maxPairs = 50   // keys and values of one call of the function behind fillName
	nearby   = 256  // indices up to here cost nothing that would have to be charged

	maxConstants = 8192 // names, numbers and strings of a function: the compiler looks for each among all of them
)

// rewriter walks a chunk before it is compiled. It turns `a .. b .. c`, `t[k] = v` and `{[k] = v}` into calls of
// guarded functions (the VM's own operators have no limit: a concatenation may be of any size, and one assignment can
// make it fill a million slots), mends what the VM's compiler does wrong (assignments to locals, and 010, which it reads as
// octal), and refuses trees that are too deep.
type rewriter struct {
	file   string
	depth  int
	locals int // in scope, those of the functions around it too
	scope      // of the function that is walked
	cost   int // of compiling, in instructions, besides what each byte takes
}

// scope is what the compiler goes through one by one in a function, again and again.
type scope struct {
	constants     map[string]bool
	gotos, labels int // so far
}

// gotoCost is what it costs to look at a goto, in instructions.
const gotoCost = 16

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
	w.function(nil, stmts, 1)
	// The chunk becomes a function in a function whose locals the guards are: its upvalues, where Compile puts them.
	guards := &ast.LocalAssignStmt{Names: guardNames[:]}
	fn := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true, Names: []string{}}, Stmts: stmts}
	fn.SetLastLine(lastLine(stmts))
	return []ast.Stmt{guards, &ast.ReturnStmt{Exprs: []ast.Expr{fn}}}, nil
}

func lastLine(stmts []ast.Stmt) int {
	if len(stmts) == 0 {
		return 1
	}
	return stmts[len(stmts)-1].LastLine()
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

// block walks statements that have locals of their own besides those they declare.
func (w *rewriter) block(locals int, stmts []ast.Stmt) {
	outer := w.locals
	w.locals += locals
	for i, s := range stmts {
		w.down(s)
		stmts[i] = w.stmt(s)
		w.depth--
	}
	w.locals = outer
}

// function walks the body of a function, and reckons what its constants cost.
func (w *rewriter) function(params *ast.ParList, body []ast.Stmt, line int) {
	outer, locals := w.scope, 0
	w.scope = scope{constants: map[string]bool{}}
	if params != nil {
		locals = len(params.Names)
	}
	w.block(locals, body)
	n := len(w.constants)
	if n > maxConstants {
		panic(tooLarge{line, fmt.Sprintf("a function of more than %d different names, numbers and strings; split it", maxConstants)})
	}
	w.cost += 2 * n * n
	w.scope = outer
}

func (w *rewriter) constant(text string) { w.constants[text] = true }

// variable is looked for among all locals in scope before it is a name of a global.
func (w *rewriter) variable(name string) {
	w.constant(name)
	w.cost += w.locals / 2
}

// stmt rewrites a statement, in place where it can.
func (w *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.exprs(s.Lhs)
		w.exprs(s.Rhs)
		return assignment(s)
	case *ast.LocalAssignStmt:
		w.exprs(s.Exprs)
		w.locals += len(s.Names)
	case *ast.FuncCallStmt:
		w.expr(&s.Expr)
	case *ast.DoBlockStmt:
		w.block(0, s.Stmts)
	case *ast.WhileStmt:
		w.expr(&s.Condition)
		w.block(0, s.Stmts)
	case *ast.RepeatStmt:
		w.expr(&s.Condition)
		w.block(0, s.Stmts)
	case *ast.IfStmt:
		w.expr(&s.Condition)
		w.block(0, s.Then)
		w.block(0, s.Else)
	case *ast.NumberForStmt:
		w.expr(&s.Init)
		w.expr(&s.Limit)
		w.expr(&s.Step)
		w.block(4, s.Stmts)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		w.block(3+len(s.Names), s.Stmts)
		return iteration(s)
	case *ast.FuncDefStmt:
		w.expr(&s.Name.Func)
		w.expr(&s.Name.Receiver)
		w.constant(s.Name.Method)
		w.function(s.Func.ParList, s.Func.Stmts, s.Line())
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	case *ast.GotoStmt:
		w.gotos++
		w.cost += gotoCost * w.depth // at the end of each block around it
	case *ast.LabelStmt:
		w.cost += gotoCost*w.gotos + w.labels
		w.labels++
	}
	return s
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
		w.constant(x.Value)
	case *ast.StringExpr:
		w.constant(x.Value)
	case *ast.IdentExpr:
		w.variable(x.Value)
	case *ast.AttrGetExpr:
		w.expr(&x.Object)
		w.expr(&x.Key)
	case *ast.TableExpr:
		for _, f := range x.Fields {
			w.expr(&f.Key)
			w.expr(&f.Value)
		}
		*e = constructor(x)
	case *ast.FuncCallExpr:
		w.expr(&x.Func)
		w.expr(&x.Receiver)
		w.constant(x.Method)
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
		w.function(x.ParList, x.Stmts, x.Line())
	case *ast.StringConcatOpExpr:
		*e = w.concat(x)
	}
}

// iteration gives `for k, v in next, t do` all three of its values: the VM takes as many as there are names, and for the
// rest what its registers hold. One call gives three anyway.
func iteration(s *ast.GenericForStmt) ast.Stmt {
	if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && len(s.Exprs) == 1 && !call.AdjustRet {
		return s
	}
	values := &ast.LocalAssignStmt{Names: []string{"\x00f", "\x00s", "\x00k"}, Exprs: s.Exprs}
	standAt(values, s)
	s.Exprs = nil
	for _, name := range values.Names {
		s.Exprs = append(s.Exprs, ident(name, s.Line()))
	}
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{values, s}}
	standAt(block, s)
	return block
}

// concat makes one call of a chain of `..`, which associates to the right.
func (w *rewriter) concat(c *ast.StringConcatOpExpr) ast.Expr {
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
	return guard(catName, c, parts)
}

// guard is a call of a guarded function, which gives one value, in place of what stands at n.
func guard(name string, n ast.PositionHolder, args []ast.Expr) *ast.FuncCallExpr {
	adjust(args[len(args)-1], true)
	e := &ast.FuncCallExpr{Func: ident(name, n.Line()), Args: args, AdjustRet: true}
	e.SetLine(n.Line())
	e.SetLastLine(n.LastLine())
	return e
}

// adjust says of a call or `...` whether it gives one value even where it is the last of several.
func adjust(e ast.Expr, one bool) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = one
	case *ast.Comma3Expr:
		e.AdjustRet = one
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
