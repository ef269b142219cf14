package lint

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// call checks a function call. It knows functions of the reference, notations, console commands and
// functions of the mod.
func (c *checker) call(f *luaFile, realm vm.Realm, e *ast.FuncCallExpr) {
	at := c.places[e]
	if e.Method != "" {
		c.methodCall(f, realm, e, at)
		c.shows(f, e, at)
		return
	}
	t := c.typeOf(e.Func)
	switch {
	case t.step != "" && t.arg != "":
		c.describe(f, t, e, at)
		return
	case t.entry != nil:
		c.realm(f, realm, t.entry, at)
		c.checkKnownCalls(f, t.entry, e, at)
		c.network(f, rowName(t.entry), e, at)
		c.textKey(f, rowName(t.entry), e, at)
		if rowName(t.entry) == "hudToWatchers" {
			c.shown(f, &elementShape, e, at, false)
		}
	case c.command(f, e, at):
		return
	}
	args := e.Args
	if t.entry != nil && t.entry.Kind == reference.KindMethod {
		if len(args) == 0 || kindOf(args[0]) != "" {
			c.report(f, at, ruleArity, "%s is called with a colon: %s(…)", rowName(t.entry), colon(e.Func))
			return
		}
		args = args[1:]
	}
	if t.sig != nil {
		name := cmp.Or(strings.TrimSuffix(prefix(e.Func), "."), "the function")
		if t.entry != nil {
			name = rowName(t.entry)
		}
		c.arguments(f, name, t.sig, args, at)
	}
}

// colon rewrites obj.name as a method call, obj:name.
func colon(e ast.Expr) string {
	name := strings.TrimSuffix(prefix(e), ".")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i] + ":" + name[i+1:]
	}
	return "object:name"
}

// methodCall checks obj:name(…).
func (c *checker) methodCall(f *luaFile, realm vm.Realm, e *ast.FuncCallExpr, at position) {
	of := c.typeOf(e.Receiver)
	c.readMember(f, realm, e.Receiver, e.Method, at, true)
	t := c.typeOfMember(of, e.Method)
	if of.table != nil && t.sig != nil {
		c.arguments(f, prefix(e.Receiver)+e.Method, t.sig, append([]ast.Expr{e.Receiver}, e.Args...), at)
		return
	}
	if t.entry == nil || c.any(func(u *modFiles) bool { return u.functions[e.Method] || u.overrides[e.Method] }) && t.entry.Kind != reference.KindMethod {
		return
	}
	c.realm(f, realm, t.entry, at)
	args := e.Args
	if of.name == "string" || of.name == "lib" {
		args = append([]ast.Expr{e.Receiver}, args...)
	}
	c.arguments(f, rowName(t.entry), t.sig, args, at)
	if rowName(t.entry) == "client:transfer" {
		c.transfers(f, e, at)
	}
}

// rowName returns the name of an entry as error messages write it.
func rowName(e *reference.Symbol) string {
	head, _, _ := strings.Cut(e.Call, "(")
	return head
}

// realm reports a call that is not available in this realm.
func (c *checker) realm(f *luaFile, realm vm.Realm, e *reference.Symbol, at position) {
	if may := realmOf(e); realm&^may != 0 {
		c.report(f, at, ruleRealm, "%s is available only on the %s, and %s", rowName(e), may, here(realm))
	}
}

// command checks a call of a console command, such as kick(3). It reports whether the expression is
// one.
func (c *checker) command(f *luaFile, e *ast.FuncCallExpr, at position) bool {
	name, ok := c.dotted(e.Func)
	if !ok || !c.api.commands[name] {
		return false
	}
	c.permission(f, name, at)
	return true
}

// permission reports a console command without a permission in the manifest. It ignores names that
// are also the first word of other names (net of net.rate), because the mod may mean those.
func (c *checker) permission(f *luaFile, name string, at position) {
	others := slices.ContainsFunc(c.names.console, func(other string) bool { return strings.HasPrefix(other, name+".") })
	if !c.api.commands[name] || others || c.unit.manifest == nil || slices.Contains(c.unit.manifest.Permissions, "console."+name) {
		return
	}
	c.report(f, at, rulePermission, "%s is a console command: mod.toml must request it with permissions = [%q]", name, "console."+name)
}

// arguments checks the number of arguments and the literals among them.
func (c *checker) arguments(f *luaFile, name string, s *vm.Signature, args []ast.Expr, place position) {
	n, open := len(args), false
	if n > 0 {
		open = manyValues(args[n-1])
	}
	least, most := s.Least(), s.Most()
	switch {
	case most >= 0 && (n > most && !open || n-1 > most):
		c.report(f, place, ruleArity, "%s takes %s, not %s", name, count(most, least < most), count(n, false))
	case !open && n < least:
		c.report(f, place, ruleArity, "%s needs %s: argument %d (%s) is missing", name, count(least, false), n+1, s.Params[min(n, len(s.Params)-1)].Name)
	}
	for i, e := range args {
		at, sure := paramOf(s, i, n, open)
		if !sure {
			break
		}
		p, ok := paramAt(s, at)
		if !ok {
			break
		}
		c.argument(f, fmt.Sprintf("%s: argument %d (%s)", name, i+1, p.Name), p, e, place)
	}
}

// paramOf returns the index of the parameter that argument i of n belongs to. Optional parameters
// can stand before required ones, as in table.insert(list, [position,] value): then the number of
// arguments decides. sure is false if it does not decide, because only some of the optional
// parameters are given, or because the last argument can be several values (open).
func paramOf(s *vm.Signature, i, n int, open bool) (at int, sure bool) {
	first, optional, after := -1, 0, 0 // the optional parameters before a required one
	for j, p := range s.Params {
		switch {
		case p.Optional && first < 0:
			first = j
		case !p.Optional && !p.Variadic && first >= 0:
			after = j - first
		}
		if p.Optional {
			optional++
		}
	}
	switch {
	case first < 0, after == 0, i < first, !open && n == len(s.Params):
		return i, true
	case !open && n == s.Least() && optional == len(s.Params)-s.Least():
		return i + optional, true
	}
	return 0, false
}

func paramAt(s *vm.Signature, i int) (vm.Param, bool) {
	if i < len(s.Params) {
		return s.Params[i], true
	}
	if n := len(s.Params); n > 0 && s.Params[n-1].Variadic {
		return s.Params[n-1], true
	}
	return vm.Param{}, false
}

func count(n int, most bool) string {
	text := fmt.Sprintf("%d arguments", n)
	switch {
	case n == 0:
		return "no arguments"
	case n == 1:
		text = "1 argument"
	}
	if most {
		return "at most " + text
	}
	return text
}

// manyValues reports whether an expression can return any number of values.
func manyValues(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// argument checks one argument, if it is a literal.
func (c *checker) argument(f *luaFile, what string, p vm.Param, e ast.Expr, at position) {
	if s, ok := e.(*ast.StringExpr); ok && p.Name == "class" && p.Types.Has("string") {
		if c.class(s.Value) == nil && s.Value != "" && !c.openClasses() {
			c.report(f, c.places[s], ruleUnknown, "unknown class %q%s", s.Value, meant(s.Value, c.classNames()))
		}
		return
	}
	if _, isNil := e.(*ast.NilExpr); isNil && p.Optional {
		return
	}
	if t, ok := e.(*ast.TableExpr); ok {
		for i := range p.Types {
			if p.Types[i].Name == "{}" {
				c.record(f, what, p.Types[i].Fields, t, at)
				return
			}
		}
	}
	c.literal(f, at, what, p.Types, e, false)
}

// record checks a table literal with named fields.
func (c *checker) record(f *luaFile, what string, fields []vm.Param, t *ast.TableExpr, at position) {
	if len(fields) == 0 {
		return
	}
	var names []string
	for _, p := range fields {
		names = append(names, p.Name)
	}
	seen, all := map[string]bool{}, true
	for _, have := range t.Fields {
		key, ok := have.Key.(*ast.StringExpr)
		if !ok {
			all = false
			continue
		}
		seen[key.Value] = true
		i := slices.Index(names, key.Value)
		if i < 0 {
			c.report(f, c.places[key], ruleUnknown, "unknown option %q%s", key.Value, meant(key.Value, names))
			continue
		}
		c.literal(f, c.places[key], "option "+key.Value, fields[i].Types, have.Value, false)
	}
	for _, p := range fields {
		if all && !seen[p.Name] && !p.Types.Has("nil") && !p.Types.Has("any") {
			c.report(f, at, ruleArity, "%s: the option %s is missing", what, p.Name)
		}
	}
}

// checkKnownCalls checks the arguments of require, exec, import, new and datablock.
func (c *checker) checkKnownCalls(f *luaFile, e *reference.Symbol, call *ast.FuncCallExpr, at position) {
	if e.Of != "" {
		return
	}
	switch e.Name {
	case "override":
		c.overridden(f, call)
	case "pairs", "ipairs", "next":
		c.iteratesTable(f, e.Name, call)
	}
	name, ok := text(call, 0)
	if !ok {
		return
	}
	switch e.Name {
	case "require":
		if file := fileOf(name); !vm.IsStandardModule(name) && !c.unit.has(packageOf(file)) {
			c.file(f, name, file, at)
		}
	case "exec":
		c.file(f, name, name, at)
	case "activatePackage", "deactivatePackage":
		c.packageHere(f, name, c.placeOf(call.Args[0]))
	case "import":
		c.dependency(f, name, at)
	case "setting":
		c.engineName(f, name, at)
	case "new", "datablock":
		if k := c.class(name); k != nil {
			c.checkNotation(f, e.Name, k, at)
		}
	}
}

// engineName reports a setting under a name of the engine without the permission for it.
func (c *checker) engineName(f *luaFile, name string, at position) {
	prefix, _, dotted := strings.Cut(name, ".")
	engines := slices.ContainsFunc(c.api.console, func(other string) bool { return strings.HasPrefix(other, prefix+".") })
	if m := c.unit.manifest; dotted && engines && m != nil && !slices.Contains(m.Permissions, manifest.MaySettings) {
		c.report(f, at, rulePermission, "names that begin with %s. belong to the engine: mod.toml must request them with permissions = [%q]", prefix, manifest.MaySettings)
	}
}

// checkNotation reports notations with a wrong kind of class, such as new "PlayerData" and
// datablock "Player", and abstract classes.
func (c *checker) checkNotation(f *luaFile, notation string, k *class, at position) {
	switch block := c.isBlock(k); {
	case notation == "new" && block:
		c.report(f, at, ruleUnknown, "%s is a class of datablocks: write datablock %q \"Name\" {…}", k.name, k.name)
	case notation == "datablock" && !block:
		c.report(f, at, ruleUnknown, "%s is not a class of datablocks: write new %q {…}", k.name, k.name)
	case k.abstract:
		c.report(f, at, ruleUnknown, "class %s is only a base of others", k.name)
	}
}

func (c *checker) file(f *luaFile, name, path string, at position) {
	if !fs.ValidPath(path) || !strings.HasSuffix(path, ".lua") {
		c.report(f, at, ruleFile, "%q must be the path of a .lua file in the mod's own folder", name)
		return
	}
	if _, err := fs.Stat(c.unit.dir, path); err != nil {
		var files []string
		for _, have := range c.unit.files {
			files = append(files, have.name)
		}
		c.report(f, at, ruleFile, "there is no file %s%s", path, meant(path, files))
	}
}

func (c *checker) dependency(f *luaFile, name string, at position) {
	m := c.unit.manifest
	if m == nil || name == m.Name || name == manifest.Base {
		return
	}
	for _, need := range slices.Concat(m.Depends, m.Optional) {
		if need.Name == name {
			return
		}
	}
	c.report(f, at, ruleDepends, "mod.toml does not list %s: write depends = [%q], or use optional if the mod can run without it", name, name)
}
