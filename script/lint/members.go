package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// A member is a field, a property or a method.
type member struct {
	entry *reference.Symbol
	types vm.Types // for a field of a class from Lua
}

// member finds a member of a type by name. known is false if the members of the type are not known.
func (c *checker) member(t inferred, key string) (m member, known bool) {
	k := c.class(t.name)
	if k == nil {
		if t.name == "table" {
			return member{}, false // a plain table does not have the functions of the table library
		}
		of := c.api.members[t.name]
		return member{entry: of[key]}, of != nil
	}
	known = true
	for n := 0; k != nil && n < 64; n++ {
		if e := c.api.members[k.name][key]; e != nil {
			return member{entry: e}, true
		}
		if e := c.foldedField(k.name, key); e != nil {
			return member{entry: e}, true
		}
		if types, ok := k.fields[fold(key)]; ok {
			return member{types: types}, true
		}
		known = known && !k.open
		if k.parent != "" && c.class(k.parent) == nil {
			known = false
		}
		k = c.class(k.parent)
	}
	return member{}, known
}

// foldedField finds a field by name, ignoring case.
func (c *checker) foldedField(of, key string) *reference.Symbol {
	for _, name := range keys(c.api.members[of]) {
		if e := c.api.members[of][name]; e.Kind == reference.KindField && strings.EqualFold(name, key) {
			return e
		}
	}
	return nil
}

// has reports whether a value can have a member. The member can belong to the class, to a class
// that inherits from it, or to any handle. sure is false if this is not known.
func (c *checker) has(t inferred, key string) (has, sure bool) {
	m, known := c.member(t, key)
	k := c.class(t.name)
	switch {
	case m.entry != nil || m.types != nil:
		return true, true
	case !known:
		return false, false
	case k == nil:
		return false, true
	case c.declared(k, key), c.any(func(u *modFiles) bool { return u.functions[key] || u.overrides[key] }):
		return true, true
	case t.exact:
		return false, true
	}
	for _, heir := range c.allClasses() {
		if heir != k && c.isA(heir, k.name) {
			if m, known := c.member(inferred{name: heir.name}, key); m.entry != nil || m.types != nil || !known {
				return true, true
			}
		}
	}
	return false, true
}

// declared reports whether a class from Lua declares a field, even one of unknown type.
func (c *checker) declared(k *class, key string) bool {
	for n := 0; k != nil && n < 64; n++ {
		if _, ok := k.fields[fold(key)]; ok {
			return true
		}
		k = c.class(k.parent)
	}
	return false
}

// memberNames returns the names of the members of a type.
func (c *checker) memberNames(t inferred) []string {
	k := c.class(t.name)
	if k == nil {
		return keys(c.api.members[t.name])
	}
	var list []string
	for n := 0; k != nil && n < 64; n++ {
		list = append(list, keys(c.api.members[k.name])...)
		list = append(list, keys(k.fields)...)
		k = c.class(k.parent)
	}
	return list
}

// baseClasses are base classes. A value of such a class can be of any class of any mod.
var baseClasses = map[string]bool{"SimObject": true, "NetObject": true, "SceneObject": true, "SimDataBlock": true}

// readMember checks t.x and t:x(). used is true if the value is called: local pack = table.pack
// only asks for a name, and gets nil.
func (c *checker) readMember(f *luaFile, realm vm.Realm, object ast.Expr, key string, at position, used bool) {
	t := c.typeOf(object)
	switch {
	case c.consoleMember(f, object, key, at), t.name == "":
		return
	case t.table != nil:
		c.readField(f, t.table, object, key, at)
		return
	case t.name == "lib":
		names := append(keys(c.api.members[t.arg]), c.tables.libraryFields[t.arg]...)
		near := meant(key, names)
		if !slices.Contains(names, key) && !c.tables.openLibrary[t.arg] && !c.unit.tested[prefix(object)+key] && (near != "" || used) {
			c.report(f, at, ruleUnknown, "there is no %s.%s%s", t.arg, key, near)
		}
		return
	case t.name == "string":
		if names := c.tables.libraryFields["string"]; c.api.members["string"][key] == nil && !slices.Contains(names, key) && !c.tables.openLibrary["string"] {
			c.report(f, at, ruleUnknown, "strings have no %s%s", key, meant(key, keys(c.api.members["string"])))
		}
		return
	case t.name == "Mod":
		c.imported(f, realm, t.arg, key, at)
		return
	case t.name == "boolean" || t.name == "number" || t.name == "function":
		c.report(f, at, ruleUnknown, "a %s has no %s", t.name, key)
		return
	}
	if has, sure := c.has(t, key); has || !sure {
		return
	}
	near := meant(key, c.memberNames(t))
	if near == "" && baseClasses[t.name] && !t.exact {
		return
	}
	if k := c.class(t.name); near == "" && !used && k != nil && !c.isBlock(k) {
		near = fmt.Sprintf(": a value of the mod belongs in %sown.%s", cmp.Or(prefix(object), "object."), key)
	}
	c.report(f, at, ruleUnknown, "%s has no %s%s", c.typeTitle(t), key, near)
}

// typeTitle formats a type for error messages.
func (c *checker) typeTitle(t inferred) string {
	switch {
	case t.name == "GameConnection":
		return "a client"
	case c.class(t.name) != nil:
		return "class " + c.class(t.name).name
	}
	return "a " + t.name
}

// imported checks the use of another mod's export.
func (c *checker) imported(f *luaFile, realm vm.Realm, mod, key string, at position) {
	for _, u := range c.deps {
		if u.name != mod || u.openExport {
			continue
		}
		where, exports := u.exports[key]
		switch {
		case !exports:
			c.report(f, at, ruleUnknown, "mod %s exports no %q%s", mod, key, meant(key, keys(u.exports)))
		case where&realm == 0:
			c.report(f, at, ruleRealm, "mod %s exports %q only on the %s, and %s", mod, key, where, here(realm))
		}
	}
}

// consoleMember checks a console name such as net.rate. It reports whether the prefix belongs to
// the console.
func (c *checker) consoleMember(f *luaFile, object ast.Expr, key string, at position) bool {
	prefix, ok := c.dotted(object)
	if !ok {
		return false
	}
	var names []string
	for _, name := range c.names.console {
		if rest, ok := strings.CutPrefix(name, prefix+"."); ok {
			if rest == key || strings.HasPrefix(rest, key+".") {
				return true
			}
			names = append(names, rest)
		}
	}
	if len(names) == 0 {
		return false
	}
	c.report(f, at, ruleUnknown, "the console has no %s.%s%s", prefix, key, meant(key, names))
	return true
}

// dotted returns the full name of a dotted expression. ok is true if its first word is a global
// that only the console defines.
func (c *checker) dotted(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		g := c.unit.globals[e.Value]
		own := c.vars[e] != nil || c.api.globals[e.Value] != nil || c.api.members[e.Value] != nil || g != nil && len(g.defs) > 0
		return e.Value, !own && c.names.roots[e.Value]
	case *ast.AttrGetExpr:
		key, named := e.Key.(*ast.StringExpr)
		prefix, ok := c.dotted(e.Object)
		if named && ok {
			return prefix + "." + key.Value, true
		}
	}
	return "", false
}

// setField checks t.x = value.
func (c *checker) setField(f *luaFile, realm vm.Realm, left *ast.AttrGetExpr, value ast.Expr) {
	key := left.Key.(*ast.StringExpr)
	at := c.places[key]
	t := c.typeOf(left.Object)
	switch {
	case t.name == "lib":
		return
	case t.name == "Mod":
		c.report(f, at, ruleUnknown, "only mod %s itself can set what it exports", t.arg)
		return
	}
	c.readMember(f, realm, left.Object, key.Value, at, false)
	m, _ := c.member(t, key.Value)
	types := m.types
	if m.entry != nil {
		types = m.entry.Types
	}
	if types != nil && value != nil {
		c.literal(f, at, fmt.Sprintf("%s.%s", t.name, key.Value), types, value, c.class(t.name) != nil)
	}
}
