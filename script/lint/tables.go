package lint

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/vm"
)

// A tableRecord is a table literal of the mod, such as local score = { total = 0 }, with the fields
// assigned to it later.
type tableRecord struct {
	fields map[string][]ast.Expr // all values assigned to the field; nil for a later result of a call
	open   bool                  // it can have any field
}

// tables holds the table literals of the mod. A field assigned to a value of unknown type may
// belong to any of them.
type tables struct {
	known         map[*ast.TableExpr]*tableRecord
	method        map[ast.Expr]bool   // functions defined with a colon
	filled        []fieldAssignment   // assignments from all files, until fillTables
	mutated       []ast.Expr          // tables passed to setmetatable and rawset
	passed        []*ast.FuncCallExpr // calls with arguments
	unboundFields map[string]bool
	libraryFields map[string][]string // members that the mod adds to a library, by its name
	openLibrary   map[string]bool     // libraries that it adds members of unknown name to
	anyField      bool                // any table can have any field
}

// A fieldAssignment is an assignment to a field.
type fieldAssignment struct{ object, key, value ast.Expr }

// fill records an assignment to a field of a possible table.
func (w *walker) fill(object, key, value ast.Expr) {
	if w.u.checked {
		w.c.tables.filled = append(w.c.tables.filled, fieldAssignment{object, key, value})
	}
}

// tableMutators are the functions that change tables in other ways. If the mod uses one as a value
// instead of calling it, that function can change any table.
var tableMutators = map[string]bool{"setmetatable": true, "rawset": true}

// trick records a call of a function in changers.
func (w *walker) trick(e *ast.FuncCallExpr) {
	if id, ok := e.Func.(*ast.IdentExpr); ok && w.find(id.Value) == nil && tableMutators[id.Value] && w.u.checked && len(e.Args) > 0 {
		w.c.tables.mutated = append(w.c.tables.mutated, e.Args[0])
	}
}

// table returns the record of a table literal.
func (c *checker) table(e *ast.TableExpr) *tableRecord {
	t := c.tables.known[e]
	if t == nil {
		t = &tableRecord{fields: map[string][]ast.Expr{}}
		c.tables.known[e] = t
		for _, f := range e.Fields {
			t.add(c, f.Key, f.Value)
		}
	}
	return t
}

// add adds a field. A value without a key is a list element, and no name finds it.
func (t *tableRecord) add(c *checker, key, value ast.Expr) {
	switch key := key.(type) {
	case nil:
	case *ast.StringExpr:
		t.fields[key.Value] = append(t.fields[key.Value], value)
	default:
		t.open = t.open || !c.isNumber(key)
	}
}

// isNumber reports whether a key is certainly a number, and so not a name.
func (c *checker) isNumber(key ast.Expr) bool {
	_, arithmetic := key.(*ast.ArithmeticOpExpr)
	return arithmetic || c.typeOf(key).name == "number"
}

// fillTables adds the recorded assignments to their tables, when all files are read.
func (c *checker) fillTables() {
	ts := &c.tables
	for _, p := range ts.filled {
		switch t := c.typeOf(p.object); {
		case t.table != nil:
			c.table(t.table).add(c, p.key, p.value)
		case t.name == "lib":
			if key, named := p.key.(*ast.StringExpr); named {
				ts.libraryFields[t.arg] = append(ts.libraryFields[t.arg], key.Value)
			} else {
				ts.openLibrary[t.arg] = true
			}
		case t.name != "" && t.name != "table": // an object, so not a table of the mod
		default:
			if key, named := p.key.(*ast.StringExpr); named {
				ts.unboundFields[key.Value] = true
			} else if !c.isNumber(p.key) {
				ts.anyField = true
			}
		}
	}
	for _, e := range ts.mutated {
		if t := c.typeOf(e); t.table != nil {
			c.table(t.table).open = true
		} else {
			ts.anyField = true
		}
	}
	for _, e := range ts.passed {
		c.openPassed(e)
	}
	ts.anyField = ts.anyField || c.unit.dynamic
}

// openPassed opens the tables that a call passes to a function of unknown origin: it can set any of
// their fields.
func (c *checker) openPassed(e *ast.FuncCallExpr) {
	var callee inferred
	if e.Method != "" {
		callee = c.typeOfMember(c.typeOf(e.Receiver), e.Method)
	} else {
		callee = c.typeOf(e.Func)
	}
	if callee.entry != nil || callee.sig != nil || callee.step != "" {
		return
	}
	for _, arg := range e.Args {
		if t := c.typeOf(arg); t.table != nil {
			c.table(t.table).open = true
		}
	}
}

// typeOfField returns the type of a table field, if the mod assigns exactly one value to it.
func (c *checker) typeOfField(e *ast.TableExpr, key string) inferred {
	t := c.table(e)
	values := t.fields[key]
	if len(values) != 1 || values[0] == nil || t.open || c.tables.anyField || c.tables.unboundFields[key] {
		return inferred{}
	}
	if fn, is := values[0].(*ast.FunctionExpr); is {
		return inferred{name: "function", sig: signature(fn, c.tables.method[fn])}
	}
	return c.typeOf(values[0])
}

// readField reports a field that the mod never sets.
func (c *checker) readField(f *luaFile, e *ast.TableExpr, object ast.Expr, key string, at position) {
	t := c.table(e)
	if t.open || c.tables.anyField || c.tables.unboundFields[key] || t.fields[key] != nil {
		return
	}
	c.report(f, at, ruleUnknown, "nothing ever sets %s%s%s", prefix(object), key, meant(key, keys(t.fields)))
}

// prefix formats a name with a dot after it. It returns "" for any other expression.
func prefix(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return e.Value + "."
	case *ast.AttrGetExpr:
		if key, ok := e.Key.(*ast.StringExpr); ok && prefix(e.Object) != "" {
			return prefix(e.Object) + key.Value + "."
		}
	}
	return ""
}

// signature returns the signature of a function of the mod. The parameter types are unknown, and
// every parameter is optional.
func signature(fn *ast.FunctionExpr, method bool) *vm.Signature {
	s := &vm.Signature{}
	if method {
		s.Params = append(s.Params, vm.Param{Name: "self", Optional: true})
	}
	for _, name := range fn.ParList.Names {
		s.Params = append(s.Params, vm.Param{Name: name, Optional: true})
	}
	if fn.ParList.HasVargs {
		s.Params = append(s.Params, vm.Param{Name: "...", Variadic: true})
	}
	return s
}

// typeOfModule returns the type of the value that require returns for a file. The file must have
// one return statement, at its end.
func (c *checker) typeOfModule(name string) inferred {
	for _, f := range c.unit.files {
		if f.name != name || len(f.chunk) == 0 || returns(f.chunk) != 1 {
			continue
		}
		if last, ok := f.chunk[len(f.chunk)-1].(*ast.ReturnStmt); ok && len(last.Exprs) == 1 {
			return c.typeOf(last.Exprs[0])
		}
	}
	return inferred{}
}

// returns counts the return statements in a block and its inner blocks.
func returns(list []ast.Stmt) (n int) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			n++
		case *ast.DoBlockStmt:
			n += returns(s.Stmts)
		case *ast.WhileStmt:
			n += returns(s.Stmts)
		case *ast.RepeatStmt:
			n += returns(s.Stmts)
		case *ast.IfStmt:
			n += returns(s.Then) + returns(s.Else)
		case *ast.NumberForStmt:
			n += returns(s.Stmts)
		case *ast.GenericForStmt:
			n += returns(s.Stmts)
		}
	}
	return n
}
