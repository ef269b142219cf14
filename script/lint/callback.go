package lint

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// define walks a function that is assigned to a name or to a field. The target can make it a
// callback.
func (w *walker) define(left ast.Expr, fn *ast.FunctionExpr) {
	switch left := left.(type) {
	case *ast.IdentExpr:
		if w.c.vars[left] == nil {
			w.globalFunction(left, fn)
			return
		}
	case *ast.AttrGetExpr:
		if key, ok := left.Key.(*ast.StringExpr); ok {
			w.callback(left.Object, key.Value, w.c.places[key], fn, "")
			return
		}
	}
	w.function(fn.Stmts, fn.ParList, nil, "")
}

// globalFunction walks a global function: a command handler, a callback such as onTick, or a plain
// function.
func (w *walker) globalFunction(name *ast.IdentExpr, fn *ast.FunctionExpr) {
	at := w.c.places[name]
	if prefix, is := isHandler(name.Value); is {
		w.handler(prefix, name.Value[len(prefix):], at, fn)
		return
	}
	e := w.c.api.callbacks[""][name.Value]
	if e == nil {
		w.function(fn.Stmts, fn.ParList, nil, "")
		return
	}
	w.called(e, name.Value, at, fn, "")
}

// handler walks a command handler.
func (w *walker) handler(prefix, name string, at position, fn *ast.FunctionExpr) {
	w.u.handlers[fold(prefix+name)] = name
	e := w.c.api.callbacks[prefix]["NAME"]
	if e == nil {
		w.function(fn.Stmts, fn.ParList, nil, "")
		return
	}
	w.called(e, prefix+"."+name, at, fn, "")
}

// called walks a callback and checks its parameters against the reference entry.
func (w *walker) called(e *reference.Symbol, name string, at position, fn *ast.FunctionExpr, self string) {
	w.later(func() { w.c.checkParams(w.f, name, at, fn, e.Params, 0) })
	inner := w.inner(realmOf(e), name, at)
	inner.function(fn.Stmts, fn.ParList, func(i int) inferred { return w.c.param(e, i) }, self)
}

// inner returns a walker for code that only runs in the given realm.
func (w *walker) inner(realm vm.Realm, name string, at position) *walker {
	inner := *w
	if inner.realm &= realm; inner.realm == 0 {
		inner.realm = w.realm
		if w.u.checked {
			w.c.report(w.f, at, ruleRealm, "%s runs only on the %s, and %s", name, realm, here(w.realm))
		}
	}
	return &inner
}

// callback walks a function that is assigned to a key of a table or handle.
func (w *walker) callback(base ast.Expr, key string, at position, fn *ast.FunctionExpr, self string) {
	for _, prefix := range []string{"serverCmd", "clientCmd"} {
		if w.isGlobal(base, prefix) {
			w.handler(prefix, key, at, fn)
			return
		}
	}
	if w.isGlobal(base, "GameConnection") {
		w.connection(key, at, fn, self)
		return
	}
	inner := w
	if realm := w.c.api.eventRealm(key); realm != 0 && w.realm&realm != 0 {
		narrowed := *w
		narrowed.realm &= realm
		inner = &narrowed
	}
	inner.function(fn.Stmts, fn.ParList, func(i int) inferred { return w.c.handleParam(base, key, self != "", i) }, self)
	w.later(func() { w.c.handleCallback(w.f, base, key, at, fn, self != "") })
}

// connection walks a callback of GameConnection.
func (w *walker) connection(key string, at position, fn *ast.FunctionExpr, self string) {
	e := w.c.api.callbacks["GameConnection"][key]
	if e != nil {
		w.called(e, "GameConnection."+key, at, fn, self)
		return
	}
	w.function(fn.Stmts, fn.ParList, nil, self)
	w.later(func() {
		if !w.u.called[key] && !w.u.mentioned[key] {
			w.c.report(w.f, at, ruleCallback, "nothing calls GameConnection.%s%s", key, meant(key, keys(w.c.api.callbacks["GameConnection"])))
		}
	})
}

// eventRealm returns the realms of all callbacks with this name. It returns 0 if no class has one.
func (a *api) eventRealm(name string) vm.Realm {
	var realm vm.Realm
	for _, of := range keys(a.callbacks) {
		if e := a.callbacks[of][name]; e != nil && of != "" && of != "GameConnection" {
			realm |= realmOf(e)
		}
	}
	return realm
}

// checkParams reports a callback with more parameters than the engine passes. before counts the
// parameters in front of those in the entry.
func (c *checker) checkParams(f *luaFile, name string, at position, fn *ast.FunctionExpr, params []vm.Param, before int) {
	s := vm.Signature{Params: params}
	if most := s.Most(); most >= 0 && len(fn.ParList.Names) > most+before {
		var list []string
		if before > 0 {
			list = append(list, "the object")
		}
		for _, p := range params {
			list = append(list, p.Name)
		}
		gets := "nothing"
		if len(list) > 0 {
			gets = strings.Join(list, ", ")
		}
		c.report(f, at, ruleArity, "%s gets %s: %s is one parameter too many", name, gets, fn.ParList.Names[most+before])
	}
}

// param returns the type of parameter i of a callback, counted from 0.
func (c *checker) param(e *reference.Symbol, i int) inferred {
	if i < len(e.Params) {
		return c.typeOfTypes(e.Params[i].Types)
	}
	if n := len(e.Params); n > 0 && e.Params[n-1].Variadic {
		return c.typeOfTypes(e.Params[n-1].Types)
	}
	return inferred{}
}

// owners returns the classes that use this datablock class.
func (c *checker) owners(block *class) []*class {
	var list []*class
	for _, k := range c.allClasses() {
		if k.data != "" && (c.isA(block, k.data) || fold(k.data) == fold(block.name)) {
			list = append(list, k)
		}
	}
	return list
}

// event finds the callback of a class, or of a base of it, by name. It returns nil if there is
// none.
func (c *checker) event(k *class, name string) *reference.Symbol {
	for n := 0; k != nil && n < 64; n++ {
		if e := c.api.callbacks[k.name][name]; e != nil {
			return e
		}
		k = c.class(k.parent)
	}
	return nil
}

// handleClass returns the class behind a handle, and whether the handle is a datablock. It returns
// nil if base is no handle, or if several classes share the datablock class.
func (c *checker) handleClass(base ast.Expr) (k *class, block bool) {
	switch t := c.typeOf(base); {
	case t.name == "Class":
		return c.class(t.arg), false
	default:
		if data := c.class(t.name); data != nil && c.isBlock(data) {
			if list := c.owners(data); len(list) == 1 {
				return list[0], true
			}
		}
	}
	return nil, false
}

func (c *checker) isBlock(k *class) bool { return k.block || c.isA(k, "SimDataBlock") }

// handleParam returns the type of parameter i of a function in a handle.
func (c *checker) handleParam(base ast.Expr, key string, method bool, i int) inferred {
	k, block := c.handleClass(base)
	if k == nil {
		return inferred{}
	}
	if block && method {
		i--
	}
	if i < 0 {
		return c.typeOf(base)
	}
	e := c.event(k, key)
	switch {
	case i == 0 && (!block || e != nil || key == "onAdd" || key == "onRemove" || key == "onNewDataBlock"):
		return inferred{name: k.name}
	case e != nil:
		return c.param(e, i-1)
	}
	return inferred{}
}

// handleCallback reports a function in a handle that looks like a misspelt callback, or that has
// too many parameters.
func (c *checker) handleCallback(f *luaFile, base ast.Expr, key string, at position, fn *ast.FunctionExpr, method bool) {
	k, block := c.handleClass(base)
	if k == nil {
		return
	}
	before := 0
	if block {
		before++ // the object
	}
	if !method {
		before++ // the handle, self in a method
	}
	if e := c.event(k, key); e != nil {
		c.checkParams(f, key, at, fn, e.Params, before)
		return
	}
	if !isCallbackName(key) || c.any(func(u *modFiles) bool { return u.called[key] || u.mentioned[key] }) {
		return
	}
	events := keys(c.api.callbacks["Handle"])
	for n := 0; k != nil && n < 64; n++ {
		events = append(events, keys(c.api.callbacks[k.name])...)
		k = c.class(k.parent)
	}
	if !slices.Contains(events, key) {
		if near := meant(key, events); near != "" {
			c.report(f, at, ruleCallback, "nothing calls %s%s", key, near)
		}
	}
}

// isCallbackName reports whether a name has the form of a callback name: on, then an upper-case
// letter.
func isCallbackName(name string) bool {
	return len(name) > 2 && name[:2] == "on" && name[2] >= 'A' && name[2] <= 'Z'
}
