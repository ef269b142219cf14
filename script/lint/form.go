package lint

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/engine/form"
)

// A shape is what a call that shows rows takes.
type shape struct {
	one   string // what the call shows, with an article
	keys  []string
	rows  int      // at most
	kinds []string // of its rows
	seen  bool     // its rows are only seen
}

// A form and an element of the HUD have rows.
var (
	formShape    = shape{one: "a form", keys: []string{"name", "title", "rows", "done"}, rows: form.MaxRows, kinds: form.KindNames[:]}
	elementShape = shape{one: "an element of the HUD", keys: []string{"name", "at", "rows"}, rows: form.MaxElementRows, kinds: form.ElementKinds(), seen: true}
)

// shapes are the methods that show rows.
var shapes = map[string]*shape{"form": &formShape, "hud": &elementShape}

// shows checks client:form {…} and client:hud {…}.
func (c *checker) shows(f *luaFile, e *ast.FuncCallExpr, at position) {
	s := shapes[e.Method]
	if s == nil || c.any(func(u *modFiles) bool { return u.functions[e.Method] || u.overrides[e.Method] }) {
		return
	}
	if of := c.typeOf(e.Receiver); of.table == nil && (of.name == "" || of.name == "GameConnection") {
		c.shown(f, s, e, at, of.name == "")
	}
}

// shown checks the constant rows and the constant place of a table that a call shows, and its keys
// unless the types of the function tell.
func (c *checker) shown(f *luaFile, s *shape, e *ast.FuncCallExpr, at position, untyped bool) {
	t, literal := arg(e, 0).(*ast.TableExpr)
	if !literal {
		return
	}
	if untyped {
		c.namedKeys(f, t, s.one, s.keys)
	}
	if place, ok := field(t, "at").(*ast.StringExpr); ok && s.seen && !slices.Contains(form.PlaceNames[:], place.Value) {
		c.report(f, c.places[place], ruleType, "there is no place %q%s", place.Value, meant(place.Value, form.PlaceNames[:]))
	}
	rows, ok := field(t, "rows").(*ast.TableExpr)
	if !ok {
		return
	}
	n := 0
	for _, row := range rows.Fields {
		if r, ok := row.Value.(*ast.TableExpr); ok && row.Key == nil {
			n++
			c.row(f, s, r)
		}
	}
	if len(rows.Fields) == 0 {
		c.report(f, at, ruleType, "%s needs a row", s.one)
	}
	if n > s.rows {
		c.report(f, at, ruleType, "%s has %d rows: must be at most %d", s.one, n, s.rows)
	}
}

// namedKeys reports the keys of a table that it cannot have. It returns whether all keys are
// constant.
func (c *checker) namedKeys(f *luaFile, t *ast.TableExpr, one string, known []string) (constant bool) {
	constant = true
	for _, have := range t.Fields {
		key, named := have.Key.(*ast.StringExpr)
		if !named {
			constant = false
		} else if !slices.Contains(known, key.Value) {
			c.report(f, c.places[key], ruleUnknown, "%s has no %s%s", one, key.Value, meant(key.Value, known))
		}
	}
	return constant
}

// row checks a row of constant kind.
func (c *checker) row(f *luaFile, s *shape, t *ast.TableExpr) {
	name, ok := field(t, "kind").(*ast.StringExpr)
	if !ok {
		return
	}
	at, kind := c.places[name], form.Kind(slices.Index(form.KindNames[:], name.Value))
	if kind >= form.Kinds {
		c.report(f, at, ruleUnknown, "there is no row of kind %q%s", name.Value, meant(name.Value, s.kinds))
		return
	}
	if s.seen {
		c.seenRow(f, s, t, kind, at)
		return
	}
	r := form.Row{Kind: kind}
	switch constant := c.namedKeys(f, t, kind.One(), form.RowKeys[kind]); {
	case constant && r.Answers() && field(t, "name") == nil:
		c.report(f, at, ruleType, "%s needs a name, which its value has in the answer", kind.One())
	}
}

// seenRow checks a row in which nothing can be chosen.
func (c *checker) seenRow(f *luaFile, s *shape, t *ast.TableExpr, kind form.Kind, at position) {
	if !kind.Shown() {
		c.report(f, at, ruleType, "%s cannot be in %s: its rows are only seen", kind.One(), s.one)
		return
	}
	c.namedKeys(f, t, kind.One()+" in "+s.one, form.ElementKeys(kind))
}
