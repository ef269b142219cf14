package lint

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/vm"
)

// A walker walks a file in source order, so that names match their tokens.
type walker struct {
	c     *checker
	u     *modFiles
	f     *luaFile
	scope *blockScope
	realm vm.Realm // realm of the current code

	callee   ast.Expr // the function of the call around it
	catches  string   // the function that runs the next function literal in a thread of its own
	catching string   // the one that runs the current function, "" if none does
}

// later queues a check until all files are read.
func (w *walker) later(check func()) {
	if w.u.checked {
		w.c.later = append(w.c.later, check)
	}
}

// function walks a function body with its parameters. typ returns the type of parameter i, counted
// from 0; it can be nil. If self is not empty, the function is a method, and self is declared
// first.
func (w *walker) function(body []ast.Stmt, params *ast.ParList, typ func(i int) inferred, self string) {
	outer := w.catching
	w.catching, w.catches = w.catches, ""
	defer func() { w.catching = outer }()
	w.open()
	first := 0
	if self != "" {
		first = 1
		w.declare(&variable{name: self, mayBeUnused: true, typ: numbered(typ, 0)})
	}
	if params != nil {
		for i, name := range params.Names {
			w.declare(&variable{name: name, at: w.f.src.name(name, 0), mayBeUnused: true, typ: numbered(typ, i+first)})
		}
	}
	w.stmts(body)
	w.close()
}

func numbered(of func(i int) inferred, i int) func() inferred {
	if of == nil {
		return nil
	}
	return func() inferred { return of(i) }
}

// block walks statements in a new scope.
func (w *walker) block(list []ast.Stmt) {
	w.open()
	w.stmts(list)
	w.close()
}

func (w *walker) stmts(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.LocalAssignStmt:
		w.local(s)
	case *ast.FuncCallStmt:
		w.expr(s.Expr)
	case *ast.DoBlockStmt:
		w.block(s.Stmts)
	case *ast.WhileStmt:
		w.test(s.Condition)
		w.expr(s.Condition)
		w.block(s.Stmts)
	case *ast.RepeatStmt:
		w.open()
		w.stmts(s.Stmts)
		w.expr(s.Condition)
		w.close()
	case *ast.IfStmt:
		w.test(s.Condition)
		w.expr(s.Condition)
		w.block(s.Then)
		w.block(s.Else)
	case *ast.NumberForStmt:
		w.numberFor(s)
	case *ast.GenericForStmt:
		w.genericFor(s)
	case *ast.FuncDefStmt:
		w.funcDef(s)
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	case *ast.LabelStmt:
		w.f.src.name(s.Name, s.Line())
	case *ast.GotoStmt:
		w.f.src.name(s.Label, s.Line())
	}
}

func (w *walker) numberFor(s *ast.NumberForStmt) {
	at := w.f.src.name(s.Name, s.Line())
	for _, e := range []ast.Expr{s.Init, s.Limit, s.Step} {
		if e != nil {
			w.expr(e)
		}
	}
	w.open()
	w.declare(&variable{name: s.Name, at: at, mayBeUnused: true, typ: func() inferred { return inferred{name: "number"} }})
	w.stmts(s.Stmts)
	w.close()
}

func (w *walker) genericFor(s *ast.GenericForStmt) {
	at := make([]position, len(s.Names))
	for i, name := range s.Names {
		at[i] = w.f.src.name(name, s.Line())
	}
	w.exprs(s.Exprs)
	w.later(func() { w.c.iterates(w.f, s.Exprs[0]) })
	w.open()
	for i, name := range s.Names {
		w.declare(&variable{name: name, at: at[i], mayBeUnused: true, typ: func() inferred { return w.c.iterated(s.Exprs, i) }})
	}
	w.find(s.Names[0]).keys = loopKeys(s.Exprs)
	w.stmts(s.Stmts)
	w.close()
}

// local walks a local statement. A local function can call itself. Other values cannot use the new
// names.
func (w *walker) local(s *ast.LocalAssignStmt) {
	at := make([]position, len(s.Names))
	for i, name := range s.Names {
		at[i] = w.f.src.name(name, s.Line())
	}
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if fn, is := s.Exprs[0].(*ast.FunctionExpr); is {
			w.locals(s.Names, at, s.Exprs)
			w.function(fn.Stmts, fn.ParList, nil, "")
			return
		}
	}
	w.exprs(s.Exprs)
	w.locals(s.Names, at, s.Exprs)
}

// assign walks an assignment. It walks the left side first, in source order.
func (w *walker) assign(s *ast.AssignStmt) {
	for i, left := range s.Lhs {
		var value ast.Expr
		if i < len(s.Rhs) {
			value = s.Rhs[i]
		}
		switch left := left.(type) {
		case *ast.IdentExpr:
			w.set(left, value)
		case *ast.AttrGetExpr:
			w.setMember(left, value)
		}
	}
	for i, e := range s.Rhs {
		fn, is := e.(*ast.FunctionExpr)
		if is && i < len(s.Lhs) {
			w.define(s.Lhs[i], fn)
			continue
		}
		w.expr(e)
	}
}

// set records an assignment to a name.
func (w *walker) set(left *ast.IdentExpr, value ast.Expr) {
	at := w.f.src.name(left.Value, left.Line())
	w.c.places[left] = at
	if v := w.find(left.Value); v != nil {
		w.c.vars[left] = v
		v.sets++
		return
	}
	w.global(left.Value, at, value)
}

// global records an assignment to a global.
func (w *walker) global(name string, at position, value ast.Expr) {
	g := w.u.globals[name]
	if g == nil {
		g = &global{}
		w.u.globals[name] = g
	}
	g.defs = append(g.defs, definition{w.f, at, w.realm, value})
}

// setMember walks the left side of an assignment to a field.
func (w *walker) setMember(left *ast.AttrGetExpr, value ast.Expr) {
	w.expr(left.Object)
	w.fill(left.Object, left.Key, value)
	key, named := left.Key.(*ast.StringExpr)
	if !named {
		w.expr(left.Key)
		w.u.computed = w.u.computed || w.isGlobal(left.Object, "_G")
		return
	}
	at := w.f.src.key(key.Value, key.Line())
	w.c.places[key] = at
	if w.isGlobal(left.Object, "_G") {
		w.global(key.Value, at, value)
		return
	}
	if _, isFunction := value.(*ast.FunctionExpr); isFunction {
		w.u.functions[key.Value] = true
		return // it can be a callback
	}
	realm := w.realm
	w.later(func() { w.c.setField(w.f, realm, left, value) })
}

// isGlobal reports whether an expression is the global with this name, or a local that holds it, as
// after local class = class.
func (w *walker) isGlobal(e ast.Expr, name string) bool {
	id, ok := e.(*ast.IdentExpr)
	if !ok {
		return false
	}
	if v := w.c.vars[id]; v != nil {
		return v.sets == 0 && v.value != nil && w.isGlobal(v.value, name)
	}
	return id.Value == name
}

// funcDef walks `function a.b:c() … end`.
func (w *walker) funcDef(s *ast.FuncDefStmt) {
	if s.Name.Method != "" {
		w.expr(s.Name.Receiver)
		at := w.f.src.name(s.Name.Method, s.Func.Line())
		w.u.functions[s.Name.Method] = true
		w.c.tables.method[s.Func] = true
		w.fill(s.Name.Receiver, &ast.StringExpr{Value: s.Name.Method}, s.Func)
		w.callback(s.Name.Receiver, s.Name.Method, at, s.Func, "self")
		return
	}
	switch name := s.Name.Func.(type) {
	case *ast.IdentExpr:
		w.set(name, s.Func)
	case *ast.AttrGetExpr:
		w.setMember(name, s.Func)
	}
	w.define(s.Name.Func, s.Func)
}

func (w *walker) exprs(list []ast.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *walker) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		w.read(e)
	case *ast.StringExpr:
		w.c.places[e] = w.f.src.key(e.Value, e.Line())
	case *ast.AttrGetExpr:
		w.member(e)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			if field.Key != nil {
				w.expr(field.Key)
			}
			w.expr(field.Value)
		}
		w.picture(e)
	case *ast.FuncCallExpr:
		w.call(e)
	case *ast.LogicalOpExpr:
		w.testOperands(e)
		w.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.RelationalOpExpr:
		w.test(e)
		w.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.StringConcatOpExpr:
		w.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.ArithmeticOpExpr:
		w.exprs([]ast.Expr{e.Lhs, e.Rhs})
		w.later(func() { w.c.arithmetic(w.f, e) })
	case *ast.UnaryMinusOpExpr:
		w.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		w.test(e.Expr)
		w.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		w.expr(e.Expr)
	case *ast.FunctionExpr:
		w.function(e.Stmts, e.ParList, nil, "")
	}
}

// read walks the use of a name.
func (w *walker) read(e *ast.IdentExpr) {
	at := w.f.src.name(e.Value, e.Line())
	w.c.places[e] = at
	if v := w.find(e.Value); v != nil {
		w.c.vars[e] = v
		v.reads++
		return
	}
	w.use(e.Value, w.realm)
	if tableMutators[e.Value] && e != w.callee && w.u.checked {
		w.c.tables.anyField = true
	}
	realm := w.realm
	w.later(func() { w.c.undefined(w.f, realm, e.Value, at) })
}

// use records that a global is read.
func (w *walker) use(name string, realm vm.Realm) {
	g := w.u.globals[name]
	if g == nil {
		g = &global{}
		w.u.globals[name] = g
	}
	g.reads |= realm
}

// member walks t.x and t[x].
func (w *walker) member(e *ast.AttrGetExpr) {
	w.expr(e.Object)
	key, named := e.Key.(*ast.StringExpr)
	if !named {
		w.expr(e.Key)
		w.u.dynamic = w.u.dynamic || w.isGlobal(e.Object, "_G")
		return
	}
	w.c.places[key] = w.f.src.key(key.Value, key.Line())
	w.u.mentioned[key.Value] = true
	if w.isGlobal(e.Object, "_G") {
		w.use(key.Value, w.realm)
		w.c.tables.anyField = w.c.tables.anyField || w.u.checked && tableMutators[key.Value]
		return
	}
	realm, used := w.realm, e == w.callee
	w.later(func() { w.c.readMember(w.f, realm, e.Object, key.Value, w.c.places[key], used) })
}

// call walks a call and records its declarations.
func (w *walker) call(e *ast.FuncCallExpr) {
	if e.Method != "" {
		w.expr(e.Receiver)
		w.c.places[e] = w.f.src.name(e.Method, e.Line())
		w.u.mentioned[e.Method] = true
	} else {
		w.trick(e)
		w.callee = e.Func
		w.expr(e.Func)
		w.c.places[e] = w.c.placeOf(e.Func)
	}
	w.args(e)
	w.pass(e)
	w.note(e)
	realm := w.realm
	w.later(func() { w.c.call(w.f, realm, e) })
}

// placeOf returns the position of the last name in an expression.
func (c *checker) placeOf(e ast.Expr) position {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		if at, ok := c.places[e.Key]; ok {
			return at
		}
		return c.placeOf(e.Object)
	case *ast.FuncCallExpr:
		return c.places[e]
	}
	if at, ok := c.places[e]; ok {
		return at
	}
	return position{max(e.Line(), 1), 1}
}

// catchers are the functions that run another one in a thread of its own, with the index of that
// argument. wait cannot suspend the thread around it.
var catchers = map[string]int{"pcall": 0, "xpcall": 0, "pcallFor": 1, "coroutine.wrap": 0, "coroutine.create": 0}

// args walks the arguments of a call, and reports wait where it cannot work.
func (w *walker) args(e *ast.FuncCallExpr) {
	name := ""
	if root, ok := rootOf(e.Func).(*ast.IdentExpr); ok && w.c.vars[root] == nil {
		name = strings.TrimSuffix(prefix(e.Func), ".")
	}
	at, catches := catchers[name]
	for i, a := range e.Args {
		if _, is := a.(*ast.FunctionExpr); is && catches && i == at {
			w.catches = name
		}
		w.expr(a)
		if catches && i == at && w.isGlobal(a, "wait") {
			w.noWait(a, name)
		}
	}
	if name == "wait" && w.catching != "" {
		w.noWait(e.Func, w.catching)
	}
}

func (w *walker) noWait(e ast.Expr, catcher string) {
	if !w.f.test { // where wait runs the game
		w.later(func() {
			w.c.report(w.f, w.c.placeOf(e), ruleRealm, "wait fails inside %s: call it directly in the function that spawn starts", catcher)
		})
	}
}

// rootOf returns the expression at the beginning of a.b.c.
func rootOf(e ast.Expr) ast.Expr {
	for {
		member, ok := e.(*ast.AttrGetExpr)
		if !ok {
			return e
		}
		e = member.Object
	}
}
