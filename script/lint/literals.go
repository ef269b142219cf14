package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// literal checks a literal against the allowed types. If blocks is set, the name of a datablock can
// stand for the datablock, and numbers and strings are not converted. This is the rule for object
// fields.
func (c *checker) literal(f *luaFile, at position, what string, types vm.Types, e ast.Expr, blocks bool) {
	kind := kindOf(e)
	if kind == "" || len(types) == 0 {
		return
	}
	for _, t := range types {
		if c.accepts(t, kind, e, blocks) {
			return
		}
	}
	if s, ok := e.(*ast.StringExpr); ok && written(types[0]) {
		var choices []string
		for _, t := range types {
			choices = append(choices, strings.Trim(t.Name, `"`))
		}
		c.report(f, at, ruleType, "%s must be %s, not %q%s", what, typeWords(types), s.Value, meant(s.Value, choices))
		return
	}
	c.report(f, at, ruleType, "%s must be %s, not %s", what, typeWords(types), article(kind))
}

// written reports whether a type is a literal string.
func written(t vm.Type) bool { return strings.HasPrefix(t.Name, `"`) }

// typeWords formats types for error messages: "a number or nil".
func typeWords(types vm.Types) string {
	var list []string
	for _, t := range types {
		word := article(t.Name)
		switch {
		case t.List || t.Name == "{}":
			word = "a table"
		case written(t) || t.Name == "nil":
			word = t.Name
		case t.Name == "fun":
			word = "a function"
		}
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func article(name string) string {
	switch {
	case name == "nil" || name == "":
		return name
	case strings.ContainsAny(name[:1], "aeiouAEIOU"):
		return "an " + name
	}
	return "a " + name
}

// kindOf returns the type of a literal, or "" for any other expression.
func kindOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StringExpr:
		return "string"
	case *ast.NumberExpr:
		return "number"
	case *ast.UnaryMinusOpExpr:
		if _, ok := e.Expr.(*ast.NumberExpr); ok {
			return "number"
		}
	case *ast.TrueExpr, *ast.FalseExpr:
		return "boolean"
	case *ast.NilExpr:
		return "nil"
	case *ast.TableExpr:
		return "table"
	case *ast.FunctionExpr:
		return "function"
	}
	return ""
}

// accepts reports whether type t accepts a literal. Functions convert numbers to strings, and
// numeric strings to numbers.
func (c *checker) accepts(t vm.Type, kind string, e ast.Expr, blocks bool) bool {
	s, isText := e.(*ast.StringExpr)
	switch {
	case t.Name == "any":
		return true
	case t.List || t.Name == "{}" || t.Name == "table":
		return kind == "table"
	case written(t):
		return isText && strconv.Quote(s.Value) == t.Name
	case t.Name == "string":
		return kind == "string" || kind == "number" && !blocks
	case t.Name == "number" || t.Name == "integer":
		return kind == "number" || isText && !blocks && readsAsNumber(s.Value)
	case t.Name == "fun":
		return kind == "function"
	case kind == "string" && blocks:
		k := c.class(t.Name)
		return k != nil && c.isBlock(k)
	}
	return t.Name == kind
}

func readsAsNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil
}

// describe checks the last call of new "Class" {…}, datablock "Class" "Name" {…} and class "Name"
// {…}.
func (c *checker) describe(f *luaFile, t inferred, e *ast.FuncCallExpr, at position) {
	table, ok := arg(e, 0).(*ast.TableExpr)
	if t.step == "datablock" || !ok {
		return // this call takes the name
	}
	if t.step == "class" {
		c.description(f, table)
		return
	}
	k := c.class(t.arg)
	if k == nil {
		return // already reported
	}
	for _, have := range table.Fields {
		key, named := have.Key.(*ast.StringExpr)
		switch {
		case !named && have.Key == nil:
			c.report(f, at, ruleType, "fields have names: write { name = value }")
		case !named:
		case t.step == "datablock2" && key.Value == "inherit":
			c.inherits(f, have.Value)
		case t.step == "datablock2" && key.Value == "override":
		case t.step == "new" && key.Value == "name":
		default:
			c.given(f, k, key, have.Value)
		}
	}
}

// given checks a field in the literal of a new object or datablock.
func (c *checker) given(f *luaFile, k *class, key *ast.StringExpr, value ast.Expr) {
	at := c.places[key]
	m, known := c.member(inferred{name: k.name}, key.Value)
	isField := m.types != nil || c.declared(k, key.Value) || m.entry != nil && m.entry.Kind == reference.KindField && !properties[m.entry.Of]
	switch {
	case isField:
		types := m.types
		if m.entry != nil {
			types = m.entry.Types
		}
		c.literal(f, at, k.name+"."+key.Value, types, value, true)
	case known:
		if _, isFunction := value.(*ast.FunctionExpr); isFunction && c.isBlock(k) {
			return
		}
		c.report(f, at, ruleUnknown, "class %s has no field %s%s", k.name, key.Value, meant(key.Value, c.fieldNames(k)))
	}
}

// properties are the classes with properties instead of fields in the reference.
var properties = map[string]bool{"SimObject": true, "GameConnection": true}

func (c *checker) fieldNames(k *class) []string {
	var list []string
	for n := 0; k != nil && n < 64; n++ {
		for _, name := range keys(c.api.members[k.name]) {
			if c.api.members[k.name][name].Kind == reference.KindField && !properties[k.name] {
				list = append(list, name)
			}
		}
		list = append(list, keys(k.fields)...)
		k = c.class(k.parent)
	}
	return list
}

// inherits checks the name of the base datablock.
func (c *checker) inherits(f *luaFile, value ast.Expr) {
	s, ok := value.(*ast.StringExpr)
	if !ok || c.any(func(u *modFiles) bool { _, has := u.blocks[fold(s.Value)]; return has || u.openBlock }) {
		return
	}
	var names []string
	for _, u := range c.units() {
		names = append(names, keys(u.blocks)...)
	}
	c.report(f, c.places[s], ruleUnknown, "unknown datablock %q%s", s.Value, meant(s.Value, names))
}

// inheritable reports classes that a mod class cannot inherit from.
func (c *checker) inheritable(f *luaFile, k *class, at position) {
	const first = "NetObject" // the root of the classes with ghosts
	switch {
	case k == nil || c.openClasses():
	case !c.isA(k, first):
		c.report(f, at, ruleUnknown, "%s has no ghosts, a class can only inherit from one that has", k.name)
	case k.abstract && k.name != first:
		c.report(f, at, ruleUnknown, "%s is only a base of others, inherit from one of these: %s", k.name, strings.Join(c.subclasses(k), ", "))
	}
}

// subclasses returns the concrete engine classes that inherit directly from a base.
func (c *checker) subclasses(base *class) (list []string) {
	for _, name := range keys(c.api.classes) {
		if k := c.api.classes[name]; k.parent == base.name && !k.abstract {
			list = append(list, k.name)
		}
	}
	return list
}

// description checks the declaration of a class.
func (c *checker) description(f *luaFile, table *ast.TableExpr) {
	known := []string{"description", "fields", "inherit"}
	for _, have := range table.Fields {
		key, ok := have.Key.(*ast.StringExpr)
		if !ok {
			continue
		}
		if !slices.Contains(known, key.Value) {
			c.report(f, c.places[key], ruleUnknown, "unknown option %q%s", key.Value, meant(key.Value, known))
		}
	}
	if s, ok := field(table, "inherit").(*ast.StringExpr); ok && c.class(s.Value) == nil && !c.openClasses() {
		c.report(f, c.places[s], ruleUnknown, "unknown class %q%s", s.Value, meant(s.Value, c.classNames()))
	} else if ok {
		c.inheritable(f, c.class(s.Value), c.places[s])
	}
	fields, ok := field(table, "fields").(*ast.TableExpr)
	if !ok {
		return
	}
	for _, have := range fields.Fields {
		key, named := have.Key.(*ast.StringExpr)
		if kind := kindOf(have.Value); named && kind != "" {
			c.report(f, c.places[key], ruleType, "field %s must be made with int, float, bool, ref, point or str, not %s", key.Value, article(kind))
		}
	}
}
