package lint

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/vm"
)

// note records declarations, exports, registrations and requires of a call.
func (w *walker) note(e *ast.FuncCallExpr) {
	if e.Method == "schedule" && len(e.Args) > 1 {
		w.names(e.Args[1])
		return
	}
	switch callee := e.Func.(type) {
	case *ast.IdentExpr:
		if w.c.vars[callee] == nil {
			w.noteGlobal(callee.Value, e)
		}
	case *ast.FuncCallExpr:
		w.noteNotation(callee, e)
	}
}

// names records a function that is called by name.
func (w *walker) names(e ast.Expr) {
	if s, ok := e.(*ast.StringExpr); ok {
		w.u.called[s.Value] = true
	}
}

func (w *walker) noteGlobal(name string, e *ast.FuncCallExpr) {
	literal, seen := text(e, 0)
	switch name {
	case "export":
		w.noteExport(arg(e, 0))
	case "broadcast":
		w.u.called[literal] = true
	case "setting":
		w.u.console[literal] = true
	case "addCommand":
		if t, ok := arg(e, 0).(*ast.TableExpr); ok {
			if s, ok := field(t, "name").(*ast.StringExpr); ok {
				w.u.console[s.Value] = true
			}
		}
	case "eval", "loadstring", "load":
		w.u.dynamic = true
	case "rawset", "rawget":
		w.noteRaw(name, e)
	case "require", "exec":
		w.u.anyFile = w.u.anyFile || !seen
	case "class":
		w.u.openClass = w.u.openClass || !seen
	case "override":
		if s, ok := text(e, 1); ok {
			w.u.overrides[s] = true
		}
		pkg, isText := text(e, 3)
		w.u.packages[fold(pkg)] = pkg
		w.u.anyPackage = w.u.anyPackage || !isText && (len(e.Args) > 3 || len(e.Args) < 3)
	}
}

// noteExport records the export of one name, or of all keys of a table literal in a loop.
func (w *walker) noteExport(e ast.Expr) {
	switch e := e.(type) {
	case *ast.StringExpr:
		w.u.exports[e.Value] |= w.realm
		return
	case *ast.IdentExpr:
		if v := w.c.vars[e]; v != nil && v.keys != nil && v.sets == 0 {
			for _, name := range v.keys {
				w.u.exports[name] |= w.realm
			}
			return
		}
	}
	w.u.openExport = true
}

// loopKeys returns the keys of the table literal in `for k in pairs { a = …, b = … }`. It returns
// nil if one of the keys is not a literal.
func loopKeys(exprs []ast.Expr) []string {
	call, ok := exprs[0].(*ast.FuncCallExpr)
	if !ok {
		return nil
	}
	t, ok := arg(call, 0).(*ast.TableExpr)
	if !ok {
		return nil
	}
	var list []string
	for _, f := range t.Fields {
		key, ok := f.Key.(*ast.StringExpr)
		if !ok {
			return nil
		}
		list = append(list, key.Value)
	}
	return list
}

// noteRaw records rawget and rawset on _G.
func (w *walker) noteRaw(name string, e *ast.FuncCallExpr) {
	if !w.isGlobal(arg(e, 0), "_G") {
		return
	}
	key, seen := text(e, 1)
	switch {
	case !seen:
		w.u.dynamic = true
		w.u.computed = w.u.computed || name == "rawset"
	case name == "rawset":
		w.global(key, w.c.places[e], arg(e, 2))
	default:
		w.use(key, w.realm)
	}
}

// noteNotation records the name in datablock "Class" "Name", and the fields in class "Name" {…}.
func (w *walker) noteNotation(callee, e *ast.FuncCallExpr) {
	if name, ok := text(callee, 0); ok && w.isGlobal(callee.Func, "class") {
		if t, ok := arg(e, 0).(*ast.TableExpr); ok {
			w.u.classes[fold(name)] = declaredClass(name, t)
		} else {
			w.u.classes[fold(name)] = &class{name: name, open: true}
		}
	}
	if id, ok := callee.Func.(*ast.IdentExpr); ok && w.isGlobal(id, "datablock") {
		class, _ := text(callee, 0)
		if s, ok := text(e, 0); ok {
			w.u.blocks[fold(s)] = class
		} else {
			w.u.openBlock = true
		}
	}
}

// fieldTypes maps the functions that declare fields to the field types.
var fieldTypes = map[string]string{"int": "integer", "float": "number", "bool": "boolean", "ref": "Object", "point": "vec", "str": "string"}

// declaredClass reads the declaration of a class.
func declaredClass(name string, t *ast.TableExpr) *class {
	k := &class{name: name, parent: "NetObject", fields: map[string]vm.Types{}}
	switch parent := field(t, "inherit").(type) {
	case nil:
	case *ast.StringExpr:
		k.parent = parent.Value
	default:
		k.parent, k.open = "", true
	}
	fields, ok := field(t, "fields").(*ast.TableExpr)
	if !ok {
		k.open = k.open || field(t, "fields") != nil
		return k
	}
	for _, f := range fields.Fields {
		key, ok := f.Key.(*ast.StringExpr)
		if !ok {
			k.open = true
			continue
		}
		k.fields[fold(key.Value)] = fieldType(f.Value)
	}
	return k
}

func fieldType(e ast.Expr) vm.Types {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok {
		return nil
	}
	maker, ok := call.Func.(*ast.IdentExpr)
	if !ok || fieldTypes[maker.Value] == "" {
		return nil
	}
	name := fieldTypes[maker.Value]
	if of, ok := text(call, 0); ok && maker.Value == "ref" && of != "" {
		name = of
	}
	if maker.Value == "ref" {
		return vm.Types{{Name: name}, {Name: "nil"}}
	}
	return vm.Types{{Name: name}}
}

// arg returns argument i of a call, counted from 0, or nil.
func arg(e *ast.FuncCallExpr, i int) ast.Expr {
	if i < len(e.Args) {
		return e.Args[i]
	}
	return nil
}

// text returns argument i if it is a literal string.
func text(e *ast.FuncCallExpr, i int) (string, bool) {
	s, ok := arg(e, i).(*ast.StringExpr)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// field returns the value of a named field of a table literal, or nil.
func field(t *ast.TableExpr, name string) ast.Expr {
	for _, f := range t.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && key.Value == name {
			return f.Value
		}
	}
	return nil
}

// isHandler reports whether a global is a command handler by its name, and returns its prefix.
func isHandler(name string) (prefix string, is bool) {
	for _, prefix := range []string{"serverCmd", "clientCmd"} {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return prefix, true
		}
	}
	return "", false
}
