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

// missingGlobals maps globals of standard Lua that torc does not have to a hint about the
// replacement.
var missingGlobals = map[string]string{
	"module": "a file returns its table", "dofile": "exec \"server/file.lua\" runs a file of the mod",
	"loadfile": "exec \"server/file.lua\" runs a file of the mod",
	"newproxy": "there are no proxies here", "bit32": "use bit, as in LuaJIT: bit.band(x, y)", "jit": "this is no LuaJIT",
}

// undefined reports the use of a global without a definition in the realm.
func (c *checker) undefined(f *luaFile, realm vm.Realm, name string, at position) {
	g := c.unit.globals[name]
	var defined vm.Realm
	var by string
	if g != nil {
		for _, d := range g.defs {
			if d.file.test && !f.test {
				continue
			}
			defined |= d.realm
			by = d.file.name
		}
	}
	switch {
	case defined&realm != 0, c.api.globals[name] != nil, slices.Contains(implicitGlobals, name), f.test && c.api.tests[name] != nil:
		return
	case c.api.members[name] != nil && c.api.classes[fold(name)] == nil:
		return
	case c.names.roots[name]:
		c.permission(f, name, at)
		return
	case c.isHandlerHere(name):
		return
	case defined != 0:
		c.report(f, at, ruleUndefined, "the global %s is defined only on the %s (%s), and %s", name, defined, by, here(realm))
		return
	case c.api.tests[name] != nil:
		c.report(f, at, ruleUndefined, "%s is available only in test/*_test.lua", name)
		return
	case c.unit.computed, c.unit.tested[name] && (missingGlobals[name] != "" || meant(name, c.ownGlobals(vm.Both)) == ""):
		return
	case missingGlobals[name] != "":
		c.report(f, at, ruleUndefined, "%s is not available: %s", name, missingGlobals[name])
		return
	}
	c.report(f, at, ruleUndefined, "undefined global %s%s", name, cmp.Or(c.notGlobal(name), meant(name, c.names.globals[realm])))
}

// notGlobal explains that the name of a class or datablock is no global, as the end of a sentence.
// It returns "" for other names.
func (c *checker) notGlobal(name string) string {
	k, own := c.class(name), c.unit.classes[fold(name)]
	block, known := c.unit.blocks[fold(name)]
	switch {
	case own != nil && own.name == name:
		return reference.SetsNoGlobal(fmt.Sprintf("class %q", name), name)
	case known:
		return reference.SetsNoGlobal(fmt.Sprintf("datablock %q %q", block, name), name)
	case k != nil && k.name == name:
		return reference.IsNoGlobal(name)
	}
	return ""
}

// isHandlerHere reports whether a name is a handler in serverCmd or clientCmd.
func (c *checker) isHandlerHere(name string) bool { return c.unit.handlers[fold(name)] != "" }

// allNames collects the candidates for undefined names.
func (c *checker) allNames() candidates {
	n := candidates{globals: map[vm.Realm][]string{}, console: slices.Clone(c.api.console), roots: map[string]bool{}}
	for _, realm := range []vm.Realm{vm.Server, vm.Client, vm.Both} {
		n.globals[realm] = c.globalNames(realm)
	}
	for _, u := range c.units() {
		n.console = append(n.console, keys(u.console)...)
	}
	for _, name := range n.console {
		root, _, _ := strings.Cut(name, ".")
		n.roots[root] = true
	}
	return n
}

// globalNames returns the globals defined in a realm.
func (c *checker) globalNames(realm vm.Realm) []string {
	return append(slices.Clone(c.api.names), c.ownGlobals(realm)...)
}

// ownGlobals returns the globals that the mod defines in a realm.
func (c *checker) ownGlobals(realm vm.Realm) (list []string) {
	for _, name := range keys(c.unit.globals) {
		for _, d := range c.unit.globals[name].defs {
			if d.realm&realm != 0 {
				list = append(list, name)
				break
			}
		}
	}
	return list
}

// unread reports globals that are never read. Those with the form of a callback name get a
// suggestion.
func (c *checker) unread() {
	for _, name := range keys(c.unit.globals) {
		g := c.unit.globals[name]
		for _, d := range g.defs {
			if g.reads&d.realm == 0 && !d.file.test {
				c.unreadHere(name, d)
			}
		}
	}
}

func (c *checker) unreadHere(name string, d definition) {
	_, handler := isHandler(name)
	_, function := d.value.(*ast.FunctionExpr)
	switch {
	case c.unit.dynamic, handler, strings.HasPrefix(name, "_"), c.api.callbacks[""][name] != nil:
	case c.any(func(u *modFiles) bool { return u.called[name] }):
	case c.unit.globals["onReload"] != nil && c.unit.mentioned[name]: // onReload can read it as old.name
	case function && isCallbackName(name):
		if near := meant(name, keys(c.api.callbacks[""])); near != "" {
			c.report(d.file, d.at, ruleCallback, "nothing calls %s%s", name, near)
		}
	case c.isDeclaration(d.value):
	default:
		c.report(d.file, d.at, ruleUnread, "the global %s is set and never read", name)
	}
}

// isDeclaration reports whether a value is a datablock, a class or an object. These are used even
// if their global is never read.
func (c *checker) isDeclaration(e ast.Expr) bool {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	t := c.typeOf(call)
	return t.name == "Class" || c.class(t.name) != nil
}
