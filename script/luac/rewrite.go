package luac

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// These variables hold the functions that replace operators. A script cannot write such names. The
// variables are upvalues of every chunk and not globals, so no script can reach them another way.
const (
	catName   = "\x00cat"
	setName   = "\x00set"
	fillName  = "\x00fill"
	priceName = "\x00price"
)

// Guards are the names of the upvalues that Compile leaves to its caller: functions that join
// values, assign t[k] = v, fill a new table, and charge for one.
var Guards = [...]string{catName, setName, fillName, priceName}

const (
	maxTree       = 1000 // depth of a syntax tree, because the compiler is recursive
	maxCat        = 150  // operands of a chain of `..`, because each needs a register
	maxPairs      = 50   // pairs of key and value in one call of the function in fillName
	maxCheapIndex = 256  // indices up to this one are cheap enough not to be charged

	maxConstants = 1 << 18 // constants per function; an instruction has no room for a larger number
	maxGlobals   = 8192    // beside its first constants: the compiler searches all of them for each one
)

// rewriter walks the syntax tree of a chunk before compilation. It turns `a .. b .. c`, `t[k] = v`
// and `{[k] = v}` into calls of guarded functions, because the VM's operators have no limits: a
// concatenation may have any size, and one assignment can fill a million slots. A call charges for
// `{x = v}` and `t = {} t.x = v`, too: making such a table takes as long as a dozen instructions.
// The rewriter works around errors of the VM's compiler: assignments to locals, loops that begin
// with a jump, and 010, which the compiler reads as octal. It rejects trees that are too deep.
type rewriter struct {
	file           string
	depth          int
	locals         int // in scope, including those of the enclosing functions
	blockScope         // of the current function
	cost           int // cost of compiling in instructions, without the cost per byte
	places         places
	firstConstants int // of a function, pass through the compiler
	late           []lateConstant
	visible        map[string]int         // how many locals in scope have a name, in all functions
	farJumps       map[int]bool           // by the line of a function
	stores         map[*ast.TableExpr]int // names that the block of a table stores into it later
}

// blockScope holds the parts of a function that the compiler searches linearly for each use.
type blockScope struct {
	constants  constants
	gotos      int         // found so far
	labelled   int         // labels found so far
	labels     labels      // of the block
	loopLocals int         // in scope at the beginning of the body of the innermost loop
	scope      *scopeLocal // the last local in scope
	inTable    bool        // within a table constructor
	price      int         // of the tables of the outermost constructor, in instructions
	size       codeSize
}

// gotoCost is the cost of processing a goto, in instructions.
const gotoCost = 16

// limitError is a panic inside the walk. chunk returns it as an error.
type limitError struct {
	line int
	text string
}

func (w *rewriter) chunk(stmts []ast.Stmt) (out []ast.Stmt, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case limitError:
			err = &SyntaxError{File: w.file, Line: w.places.line(r.line), Text: r.text}
		default:
			panic(r)
		}
	}()
	w.function([]string{"arg"}, stmts, 1)
	// Wrap the chunk in a function with the guards as locals. They become upvalues of the chunk,
	// where Compile sets them.
	guards := &ast.LocalAssignStmt{Names: Guards[:]}
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

func newIdent(name string, line int) *ast.IdentExpr {
	e := &ast.IdentExpr{Value: name}
	e.SetLine(line)
	e.SetLastLine(line)
	return e
}

func (w *rewriter) enterNode(n ast.PositionHolder) {
	if w.depth++; w.depth > maxTree {
		panic(limitError{max(n.Line(), 1), fmt.Sprintf("an expression or chain has more than %d parts", maxTree)})
	}
	w.size.count(n)
	switch n.(type) {
	case *ast.GotoStmt: // jump does it
	case *ast.LabelStmt: // the compiler quotes its line
	default:
		w.mark(n)
	}
}

// block walks statements with the given locals besides those that they declare, and expressions at
// their end.
func (w *rewriter) block(locals []string, stmts []ast.Stmt, end ...*ast.Expr) {
	outer, scope := w.locals, w.scope
	outerLabels := w.labels
	w.labels = labels{}
	w.declare(locals...)
	w.countStores(stmts)
	for i, s := range stmts {
		w.enterNode(s)
		stmts[i] = w.stmt(s)
		w.depth--
		if i > 0 && isLabel(stmts[i-1]) && !isLabel(s) {
			stmts[i] = landingStmt(stmts[i])
		}
	}
	for _, e := range end {
		w.expr(e)
	}
	w.undeclare(scope)
	w.locals = outer
	w.leave(outerLabels)
}

// loop walks the body of a loop, as block does.
func (w *rewriter) loop(locals []string, stmts []ast.Stmt, end ...*ast.Expr) {
	outer := w.loopLocals
	w.loopLocals = w.scope.number() + len(locals)
	w.size.loops++
	w.block(locals, stmts, end...)
	w.size.loops--
	w.loopLocals = outer
}

// function walks the body of a function and adds the cost of its constants.
func (w *rewriter) function(params []string, body []ast.Stmt, line int) {
	outer := w.blockScope
	w.blockScope = blockScope{constants: constants{known: map[string]int{}, first: w.firstConstants}}
	w.block(params, body)
	w.finishConstants(line)
	if w.size.far() {
		w.farJumps[w.places.line(line)] = true
	}
	w.blockScope = outer
}

// localFunction returns the name of a local function, which is in scope in its own body, or "".
func localFunction(s *ast.LocalAssignStmt) string {
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			return s.Names[0]
		}
	}
	return ""
}

// variable adds the cost of a variable: the compiler searches all locals in scope before it treats
// the name as a global.
func (w *rewriter) variable(name string) {
	if w.visible[name] == 0 {
		w.constants.use(name)
	}
	w.cost += w.locals / 2
}

// stmt rewrites a statement, in place where possible.
func (w *rewriter) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.exprs(s.Lhs)
		w.exprs(s.Rhs)
		return rewriteAssign(s)
	case *ast.LocalAssignStmt:
		own := localFunction(s)
		w.visible[own]++
		w.exprs(s.Exprs)
		w.visible[own]--
		w.declare(s.Names...)
	case *ast.FuncCallStmt:
		w.expr(&s.Expr)
	case *ast.DoBlockStmt:
		w.block(nil, s.Stmts)
	case *ast.BreakStmt:
		return w.rewriteBreak(s)
	case *ast.WhileStmt:
		w.expr(&s.Condition)
		w.loop(nil, s.Stmts)
		rewriteWhile(s)
	case *ast.RepeatStmt:
		w.loop(nil, s.Stmts, &s.Condition)
		s.Stmts = landing(s, s.Stmts)
	case *ast.IfStmt:
		w.expr(&s.Condition)
		hideConstant(&s.Condition)
		w.block(nil, s.Then)
		w.block(nil, s.Else)
	case *ast.NumberForStmt:
		w.expr(&s.Init)
		w.expr(&s.Limit)
		w.expr(&s.Step)
		s.Init, s.Limit, s.Step = rewriteBound(s.Init), rewriteBound(s.Limit), rewriteBound(s.Step)
		w.loop([]string{"(for index)", "(for limit)", "(for step)", s.Name}, s.Stmts)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		out, locals := rewriteFor(s)
		w.loop(append(locals, s.Names...), s.Stmts)
		s.Stmts = landing(s, s.Stmts)
		return out
	case *ast.FuncDefStmt:
		w.expr(&s.Name.Func)
		w.expr(&s.Name.Receiver)
		w.mark(s.Func)
		w.method(&s.Name.Method, s.Func)
		w.function(parameters(s.Func.ParList, s.Name.Method != ""), s.Func.Stmts, s.Func.Line())
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	case *ast.GotoStmt:
		w.gotos++
		w.cost += gotoCost * w.depth // the compiler checks it at the end of each enclosing block
		w.jump(s)
	case *ast.LabelStmt:
		w.cost += gotoCost*w.gotos + w.labelled
		w.labelled++
		w.label(s.Name)
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
	w.enterNode(*e)
	defer func() { w.depth-- }()
	switch x := (*e).(type) {
	case *ast.NumberExpr:
		x.Value = trimLeadingZeros(x.Value)
		w.numberConstant(x)
	case *ast.StringExpr:
		w.stringConstant(x)
	case *ast.IdentExpr:
		w.variable(x.Value)
	case *ast.AttrGetExpr:
		w.expr(&x.Object)
		w.expr(&x.Key)
	case *ast.TableExpr:
		*e = w.table(x)
	case *ast.FuncCallExpr:
		w.expr(&x.Func)
		w.expr(&x.Receiver)
		w.method(&x.Method, x)
		w.exprs(x.Args)
	case *ast.LogicalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
		hideConstant(&x.Lhs)
	case *ast.RelationalOpExpr:
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.ArithmeticOpExpr:
		w.cost += w.depth // the compiler looks for constants in it from each of its outer expressions
		if n, ok := fold(x); ok {
			w.foldedConstant(x, n)
			return
		}
		w.expr(&x.Lhs)
		w.expr(&x.Rhs)
	case *ast.UnaryMinusOpExpr:
		w.cost += w.depth
		if n, ok := fold(x); ok {
			w.foldedConstant(x, n)
			return
		}
		w.expr(&x.Expr)
	case *ast.UnaryNotOpExpr:
		w.expr(&x.Expr)
	case *ast.UnaryLenOpExpr:
		w.expr(&x.Expr)
	case *ast.FunctionExpr:
		w.function(parameters(x.ParList, false), x.Stmts, x.Line())
	case *ast.StringConcatOpExpr:
		*e = w.concat(x)
	}
}

// parameters returns the first locals of a function.
func parameters(list *ast.ParList, method bool) (names []string) {
	if method {
		names = append(names, "self")
	}
	names = append(names, list.Names...)
	if list.HasVargs {
		names = append(names, "arg")
	}
	return names
}

// rewriteFor makes sure that `for k, v in next, t do` has all three of its values. The VM takes as
// many values as there are names and leaves the other registers as they were. A single call always
// gives three values. rewriteFor also returns the hidden locals of the loop.
func rewriteFor(s *ast.GenericForStmt) (out ast.Stmt, locals []string) {
	locals = []string{"(for generator)", "(for state)", "(for control)"}
	if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && len(s.Exprs) == 1 && !call.AdjustRet {
		return s, locals
	}
	values := &ast.LocalAssignStmt{Names: []string{"\x00f", "\x00s", "\x00k"}, Exprs: s.Exprs}
	copyPosition(values, s)
	s.Exprs = nil
	for _, name := range values.Names {
		s.Exprs = append(s.Exprs, newIdent(name, s.Line()))
	}
	block := &ast.DoBlockStmt{Stmts: []ast.Stmt{values, s}}
	copyPosition(block, s)
	return block, append(values.Names[:3:3], locals...)
}

// concat turns a chain of `..`, which is right-associative, into one call.
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
		panic(limitError{c.Line(), fmt.Sprintf("a chain has more than %d '..'; use table.concat on a list", maxCat)})
	}
	w.exprs(parts)
	return guardedCall(catName, c, parts)
}

// guardedCall makes a call of a guarded function, with one result, at the position of n.
func guardedCall(name string, n ast.PositionHolder, args []ast.Expr) *ast.FuncCallExpr {
	setSingleResult(args[len(args)-1], true)
	e := &ast.FuncCallExpr{Func: newIdent(name, n.Line()), Args: args, AdjustRet: true}
	e.SetLine(n.Line())
	e.SetLastLine(n.LastLine())
	return e
}

// setSingleResult sets whether a call or `...` gives exactly one value even at the end of a list.
func setSingleResult(e ast.Expr, one bool) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = one
	case *ast.Comma3Expr:
		e.AdjustRet = one
	}
}

// trimLeadingZeros removes leading zeros from a decimal number.
func trimLeadingZeros(n string) string {
	if len(n) < 2 || n[0] != '0' || !isDigit(n[1]) {
		return n
	}
	n = strings.TrimLeft(n, "0")
	if n == "" || !isDigit(n[0]) {
		return "0" + n
	}
	return n
}
