package lint

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script"
)

// A table is one that the mod writes out, as in local score = { total = 0 }, and what it gets besides.
type table struct {
	fields map[string][]ast.Expr // what is ever put there; nil where that is one of several that a call gives
	open   bool                  // it may have any field
}

// tables are those of the mod. A field that is put into what cannot be seen may be put into any of them.
type tables struct {
	known  map[*ast.TableExpr]*table
	method map[ast.Expr]bool // functions that were defined with a colon
	filled []filled          // in all files, until they are sorted out
	tricks []ast.Expr        // tables that setmetatable and rawset get
	loose  map[string]bool
	any    bool // any table may have any field
}

// A filled is a field that an assignment sets.
type filled struct{ object, key, value ast.Expr }

// fill notes an assignment to a field of what may be a table of the mod.
func (w *walker) fill(object, key, value ast.Expr) {
	if w.u.own {
		w.c.tables.filled = append(w.c.tables.filled, filled{object, key, value})
	}
}

// changers are the functions that change tables in other ways. Where they are not called at once, but handed on, they
// may change any table.
var changers = map[string]bool{"setmetatable": true, "rawset": true}

// trick notes a call of one of them.
func (w *walker) trick(e *ast.FuncCallExpr) {
	if id, ok := e.Func.(*ast.IdentExpr); ok && w.find(id.Value) == nil && changers[id.Value] && w.u.own && len(e.Args) > 0 {
		w.callee = id
		w.c.tables.tricks = append(w.c.tables.tricks, e.Args[0])
	}
}

// table is what is known of a table that is written out.
func (c *checker) table(e *ast.TableExpr) *table {
	t := c.tables.known[e]
	if t == nil {
		t = &table{fields: map[string][]ast.Expr{}}
		c.tables.known[e] = t
		for _, f := range e.Fields {
			t.add(c, f.Key, f.Value)
		}
	}
	return t
}

// add adds a field. Without a key it is an element of a list, which no name finds.
func (t *table) add(c *checker, key, value ast.Expr) {
	switch key := key.(type) {
	case nil:
	case *ast.StringExpr:
		t.fields[key.Value] = append(t.fields[key.Value], value)
	default:
		t.open = t.open || !c.isNumber(key)
	}
}

// isNumber reports whether a key cannot be a name.
func (c *checker) isNumber(key ast.Expr) bool {
	_, arithmetic := key.(*ast.ArithmeticOpExpr)
	return arithmetic || c.typeOf(key).name == "number"
}

// fillTables gives each table what is put into it, when all files are read.
func (c *checker) fillTables() {
	ts := &c.tables
	for _, p := range ts.filled {
		switch t := c.typeOf(p.object); {
		case t.table != nil:
			c.table(t.table).add(c, p.key, p.value)
		case t.name != "" && t.name != "table": // an object, which no table of the mod is
		default:
			if key, named := p.key.(*ast.StringExpr); named {
				ts.loose[key.Value] = true
			} else if !c.isNumber(p.key) {
				ts.any = true
			}
		}
	}
	for _, e := range ts.tricks {
		if t := c.typeOf(e); t.table != nil {
			c.table(t.table).open = true
		} else {
			ts.any = true
		}
	}
	ts.any = ts.any || c.unit.dynamic
}

// typeOfField is the type of a field of a table, if one value alone is ever put there.
func (c *checker) typeOfField(e *ast.TableExpr, key string) typ {
	t := c.table(e)
	values := t.fields[key]
	if len(values) != 1 || values[0] == nil || t.open || c.tables.any || c.tables.loose[key] {
		return typ{}
	}
	if fn, is := values[0].(*ast.FunctionExpr); is {
		return typ{name: "function", sig: signature(fn, c.tables.method[fn])}
	}
	return c.typeOf(values[0])
}

// readField complains about a field that nothing in the mod ever sets.
func (c *checker) readField(f *file, e *ast.TableExpr, object ast.Expr, key string, at place) {
	t := c.table(e)
	if t.open || c.tables.any || c.tables.loose[key] || t.fields[key] != nil {
		return
	}
	c.report(f, at, ruleUnknown, "nothing ever sets %s%s%s", prefix(object), key, meant(key, keys(t.fields)))
}

// prefix is how a name is written, with a point after it; "" for what is no name.
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

// signature is that of a function of the mod: nothing says what it takes, and nothing that it must get all of it.
func signature(fn *ast.FunctionExpr, method bool) *script.Signature {
	s := &script.Signature{}
	if method {
		s.Params = append(s.Params, script.Param{Name: "self", Optional: true})
	}
	for _, name := range fn.ParList.Names {
		s.Params = append(s.Params, script.Param{Name: name, Optional: true})
	}
	if fn.ParList.HasVargs {
		s.Params = append(s.Params, script.Param{Name: "...", Variadic: true})
	}
	return s
}

// typeOfModule is the type of what a file gives to whoever requires it, if it ends with return and returns nowhere else.
func (c *checker) typeOfModule(name string) typ {
	for _, f := range c.unit.files {
		if f.name != name || len(f.chunk) == 0 || returns(f.chunk) != 1 {
			continue
		}
		if last, ok := f.chunk[len(f.chunk)-1].(*ast.ReturnStmt); ok && len(last.Exprs) == 1 {
			return c.typeOf(last.Exprs[0])
		}
	}
	return typ{}
}

// returns counts the returns of a block and of the blocks in it.
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
