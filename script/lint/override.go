package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
)

// overridden reports override(target, "name", …) of a function that nothing defines.
func (c *checker) overridden(f *luaFile, call *ast.FuncCallExpr) {
	name, ok := text(call, 1)
	if !ok {
		return
	}
	at, target := c.placeOf(call.Args[1]), call.Args[0]
	t := c.typeOf(target)
	switch {
	case t.name == "Mod":
		c.imported(f, f.realm, t.arg, name, at)
	case t.name == "Class":
		c.overriddenCallback(f, c.class(t.arg), name, at)
	case t.name == "string":
		if s, ok := target.(*ast.StringExpr); ok {
			c.overriddenCallback(f, c.class(s.Value), name, at)
		}
	case isCommandTable(target):
		c.overriddenCommand(f, strings.TrimSuffix(prefix(target), "."), name, at)
	default:
		k, _ := c.handleClass(target)
		c.overriddenCallback(f, k, name, at)
	}
}

// packageHere reports the name of a package to which the mod adds no override.
func (c *checker) packageHere(f *luaFile, name string, at position) {
	u := c.unit
	if u.packages[fold(name)] != "" || u.anyPackage || u.dynamic || u.computed {
		return
	}
	names := slices.DeleteFunc(slices.Collect(maps.Values(u.packages)), func(name string) bool { return name == "" })
	c.report(f, at, ruleUnknown, "no override names the package %q%s", name, meant(name, slices.Sorted(slices.Values(names))))
}

func isCommandTable(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && (id.Value == "serverCmd" || id.Value == "clientCmd")
}

// overriddenCommand reports the override of a command without a handler. Without a near name it is
// only sure if no unknown mod can have the handler.
func (c *checker) overriddenCommand(f *luaFile, table, name string, at position) {
	var names []string
	for _, u := range c.units() {
		if u.handlers[fold(table+name)] != "" {
			return
		}
		for _, key := range keys(u.handlers) {
			if strings.HasPrefix(key, fold(table)) {
				names = append(names, u.handlers[key])
			}
		}
	}
	near := meant(name, names)
	if near == "" {
		if !c.knowsAllMods() {
			return
		}
		near = reference.ThereAre(names)
	}
	c.report(f, at, ruleUnknown, "nothing defines %s.%s%s", table, name, near)
}

// knowsAllMods reports whether the mod can only override functions of mods that were read.
func (c *checker) knowsAllMods() bool {
	m := c.unit.manifest
	if m == nil || slices.Contains(m.Permissions, manifest.MayOverride) || c.any(func(u *modFiles) bool { return u.dynamic || u.computed }) {
		return false
	}
	read := map[string]bool{}
	for _, u := range c.units() {
		read[u.name] = true
	}
	for _, need := range slices.Concat(m.Depends, m.Optional) {
		if !read[need.Name] {
			return false
		}
	}
	return read[manifest.Base]
}

// overriddenCallback reports the override of a misspelt callback of a class. A function that any
// mod defines can be one of the class.
func (c *checker) overriddenCallback(f *luaFile, k *class, name string, at position) {
	if k == nil || c.event(k, name) != nil || c.any(func(u *modFiles) bool { return u.functions[name] }) {
		return
	}
	events := keys(c.api.callbacks["Handle"])
	if slices.Contains(events, name) {
		return
	}
	title := k.name
	for n := 0; k != nil && n < 64; n++ {
		events = append(events, keys(c.api.callbacks[k.name])...)
		k = c.class(k.parent)
	}
	for _, u := range c.units() {
		events = append(events, keys(u.functions)...)
	}
	if near := meant(name, events); near != "" {
		c.report(f, at, ruleUnknown, "nothing defines %s of class %s%s", name, title, near)
	}
}
