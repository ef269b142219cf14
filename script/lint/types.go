package lint

import (
	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// inferred is the inferred type of a value. The zero value means unknown.
type inferred struct {
	name  string            // a type of Lua or torc, or a class; "lib" is a library table
	exact bool              // for a class: not a class that inherits from it
	arg   string            // for "lib", "Class" and "Mod": the name; for a notation: the text so far
	sig   *vm.Signature     // for a function
	entry *reference.Symbol // the function's entry in the reference
	step  string            // of a notation: new, datablock, datablock2, class
	table *ast.TableExpr    // for a table literal of the mod
}

// notations are the functions that take a string and return a function for the rest.
var notations = map[string]bool{"new": true, "datablock": true, "class": true}

// typeOf infers the type of an expression. It never fails: an unknown type is the zero typ.
func (c *checker) typeOf(e ast.Expr) inferred {
	if c.depth > 24 {
		return inferred{}
	}
	c.depth++
	defer func() { c.depth-- }()
	switch e := e.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr:
		return inferred{name: "string"}
	case *ast.NumberExpr, *ast.UnaryLenOpExpr:
		return inferred{name: "number"}
	case *ast.TrueExpr, *ast.FalseExpr, *ast.UnaryNotOpExpr, *ast.RelationalOpExpr:
		return inferred{name: "boolean"}
	case *ast.TableExpr:
		return inferred{name: "table", table: e}
	case *ast.FunctionExpr:
		return inferred{name: "function", sig: signature(e, false)}
	case *ast.IdentExpr:
		return c.typeOfName(e)
	case *ast.AttrGetExpr:
		if key, ok := e.Key.(*ast.StringExpr); ok {
			return c.typeOfMember(c.typeOf(e.Object), key.Value)
		}
	case *ast.FuncCallExpr:
		return c.typeOfCall(e)
	}
	return inferred{}
}

func (c *checker) typeOfName(e *ast.IdentExpr) inferred {
	if v := c.vars[e]; v != nil {
		switch {
		case v.sets > 0:
		case v.typ != nil:
			return v.typ()
		case v.value != nil:
			return c.typeOf(v.value)
		}
		return inferred{}
	}
	if g := c.unit.globals[e.Value]; g != nil && len(g.defs) > 0 {
		return c.typeOfGlobal(e.Value, g.defs)
	}
	if e.Value == "clientGroup" {
		return inferred{name: "SimGroup", arg: "GameConnection"}
	}
	entry := c.api.globals[e.Value]
	if entry == nil {
		entry = c.api.tests[e.Value]
	}
	t := c.typeOfEntry(entry)
	if c.api.members[e.Value] != nil && c.api.classes[fold(e.Value)] == nil && (entry == nil || entry.Kind == reference.KindFunction) {
		t.name, t.arg = "lib", e.Value
	}
	return t
}

// typeOfGlobal returns the type of a global that the mod sets once. A name with another meaning in
// the other realm has no type.
func (c *checker) typeOfGlobal(name string, defs []definition) inferred {
	_, handler := isHandler(name)
	elsewhere := defs[0].realm != vm.Both && (c.api.globals[name] != nil || c.names.roots[name])
	if len(defs) > 1 || defs[0].value == nil || handler || elsewhere {
		return inferred{}
	}
	t := c.typeOf(defs[0].value)
	if c.unit.dynamic {
		t.sig, t.table = nil, nil // code compiled at run time can set it again
	}
	return t
}

// typeOfEntry returns the type of an entry of the reference.
func (c *checker) typeOfEntry(e *reference.Symbol) inferred {
	switch {
	case e == nil:
		return inferred{}
	case e.Kind == reference.KindValue || e.Kind == reference.KindField:
		return c.typeOfTypes(e.Types)
	}
	s := e.Signature()
	t := inferred{name: "function", sig: &s, entry: e}
	if e.Of == "" && notations[e.Name] {
		t.step = e.Name
	}
	return t
}

// typeOfTypes returns the one type in a list besides nil.
func (c *checker) typeOfTypes(types vm.Types) inferred {
	var one *vm.Type
	for i := range types {
		switch {
		case types[i].Name == "nil", one != nil && written(*one) && written(types[i]):
		case one != nil:
			return inferred{}
		default:
			one = &types[i]
		}
	}
	switch {
	case one == nil || one.Name == "any":
		return inferred{}
	case one.List || one.Name == "{}":
		return inferred{name: "table"}
	case one.Name == "fun" || one.Name == "function":
		return inferred{name: "function", sig: one.Fun}
	case written(*one):
		return inferred{name: "string"}
	case one.Name == "integer":
		return inferred{name: "number"}
	}
	if class := alias[one.Name]; class != "" {
		return inferred{name: class}
	}
	return inferred{name: one.Name}
}

// typeOfMember returns the type of t.key.
func (c *checker) typeOfMember(t inferred, key string) inferred {
	if t.name == "lib" {
		return c.typeOfEntry(c.api.members[t.arg][key])
	}
	if t.name == "string" {
		return c.typeOfEntry(c.api.members["string"][key])
	}
	if t.table != nil {
		return c.typeOfField(t.table, key)
	}
	m, _ := c.member(t, key)
	if m.types != nil {
		return c.typeOfTypes(m.types)
	}
	return c.typeOfEntry(m.entry)
}

// typeOfCall returns the type of the first result of a call.
func (c *checker) typeOfCall(e *ast.FuncCallExpr) inferred {
	if e.Method != "" {
		of := c.typeOf(e.Receiver)
		if of.name == "SimGroup" && of.arg != "" && e.Method == "each" {
			return inferred{name: "function", sig: &vm.Signature{Results: []vm.Param{{Types: vm.Types{{Name: of.arg}}}}}}
		}
		return c.result(c.typeOfMember(of, e.Method))
	}
	callee := c.typeOf(e.Func)
	literal, seen := text(e, 0)
	switch {
	case callee.step == "new" && callee.arg == "" && seen:
		return inferred{name: "function", step: "new", arg: literal}
	case callee.step == "datablock" && callee.arg == "" && seen:
		return inferred{name: "function", step: "datablock", arg: literal}
	case callee.step == "datablock":
		return inferred{name: "function", step: "datablock2", arg: callee.arg}
	case callee.step == "class" && callee.arg == "" && seen:
		return inferred{name: "function", step: "class", arg: literal}
	case callee.step == "new" || callee.step == "datablock2":
		if k := c.class(callee.arg); k != nil {
			return inferred{name: k.name, exact: true}
		}
		return inferred{}
	case callee.step == "class":
		return inferred{name: "Class", arg: callee.arg}
	case callee.entry != nil && callee.entry.Of == "" && callee.entry.Name == "import":
		return inferred{name: "Mod", arg: literal}
	case callee.entry != nil && callee.entry.Of == "" && callee.entry.Name == "require" && vm.IsStandardModule(literal):
		return inferred{name: "lib", arg: literal}
	case callee.entry != nil && callee.entry.Of == "" && callee.entry.Name == "require" && seen:
		return c.typeOfModule(fileOf(literal))
	case callee.entry != nil && callee.entry.Of == "" && callee.entry.Name == "setmetatable":
		return c.typeOf(arg(e, 0))
	case callee.entry != nil && callee.entry.Of == "" && callee.entry.Name == "objects" && seen:
		if k := c.class(literal); k != nil {
			return inferred{name: "function", sig: &vm.Signature{Results: []vm.Param{{Types: vm.Types{{Name: k.name}}}}}}
		}
		return inferred{}
	}
	return c.result(callee)
}

// result returns the type of the first result of a function.
func (c *checker) result(t inferred) inferred {
	if t.sig == nil || len(t.sig.Results) == 0 || t.sig.Results[0].Variadic {
		return inferred{}
	}
	return c.typeOfTypes(t.sig.Results[0].Types)
}

// iterated returns the type of loop variable i in a generic for loop over exprs.
func (c *checker) iterated(exprs []ast.Expr, i int) inferred {
	if len(exprs) != 1 {
		return inferred{}
	}
	if call, ok := exprs[0].(*ast.FuncCallExpr); ok && call.Method == "" {
		if fn := c.typeOf(call.Func).entry; fn != nil && fn.Name == "ipairs" && i == 0 {
			return inferred{name: "number"}
		}
	}
	t := c.typeOf(exprs[0])
	if t.sig == nil || i >= len(t.sig.Results) || t.sig.Results[i].Variadic {
		return inferred{}
	}
	return c.typeOfTypes(t.sig.Results[i].Types)
}
