package script

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// warnOf warns of mistakes of a loaded mod that cause no error: in its files, and in the names of
// its callbacks. Only a server looks at the files.
func (r *modRoster) warnOf(m *vm.Mod) {
	if r.scripts.Runtime.Side == vm.Server {
		for _, bad := range manifest.FilesOf(m.FS).Mistakes() {
			r.scripts.warn(fmt.Sprintf("%s: %s: %s", m.Name, path.Join(m.Dir(), bad.Path), bad.Text))
		}
	}
	if t, ok := m.Global("GameConnection").(*lua.LTable); ok {
		r.warnOfNames(m, functionsIn(t), r.eventNames("GameConnection"), nil)
	}
	r.warnOfNames(m, functionsIn(m.State.Globals()), r.eventNames(""), func() bool {
		return manifest.FilesOf(m.FS).Mentions("_G", "getfenv") > 0
	})
	r.warnOfOverrides(m)
	x := instanceOf(m)
	for _, key := range slices.Sorted(maps.Keys(x.callbacks)) {
		r.warnOfNames(m, x.callbacks[key], r.eventsOf(key), nil)
	}
}

// warnOfNames warns of functions that nothing calls if a name in known is near. A function whose
// name a loaded mod uses again can be one that the mods call themselves. computes reports whether
// the mod can compute such a name; it reads all files, so it is asked last. nil: the mod cannot.
func (r *modRoster) warnOfNames(m *vm.Mod, functions map[string]*lua.LFunction, known []string, computes func() bool) {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		p := functions[name].Proto
		if p == nil || !strings.HasPrefix(name, "on") || slices.Contains(known, name) {
			continue
		}
		near, uses := spell.Nearest(name, known), 0
		if near == "" || computes != nil && computes() {
			continue
		}
		for _, other := range r.scripts.Runtime.Mods {
			if other.FS != nil {
				uses += manifest.FilesOf(other.FS).Mentions(name)
			}
		}
		if uses <= 1 {
			r.scripts.warn(fmt.Sprintf("%s: %s:%d: nothing calls %s, did you mean %q?", m.Name, p.SourceName, p.LineDefined, name, near))
		}
	}
}

// warnOfOverrides warns of overrides of functions that no mod defines. They replace nothing.
func (r *modRoster) warnOfOverrides(m *vm.Mod) {
	for _, o := range r.scripts.chains.overrides {
		if o.mod != m || o.fn.Proto == nil {
			continue
		}
		if names, title, replaces := r.replacedBy(&o); !replaces {
			r.scripts.warn(fmt.Sprintf("%s: %s:%d: override: nothing defines %s%s", m.Name, o.fn.Proto.SourceName, o.fn.Proto.LineDefined,
				title, cmp.Or(vm.Meant(o.name, names), reference.ThereAre(names))))
		}
	}
}

// replacedBy reports whether an override replaces something: a function of a mod, or a callback
// that the engine calls. Otherwise it returns the names that exist there, and what the override
// names.
func (r *modRoster) replacedBy(o *override) (names []string, title string, replaces bool) {
	kind, owner, _ := strings.Cut(o.key, ":")
	name := vm.ClipText(o.name, vm.MaxQuoted)
	switch kind {
	case "import":
		exports := map[string]lua.LValue{}
		if exporter := r.scripts.Runtime.Mod(owner); exporter != nil {
			exports = instanceOf(exporter).exports
		}
		return slices.Sorted(maps.Keys(exports)), name + " of mod " + owner, exports[o.name] != nil
	case "serverCmd", "clientCmd":
		names = r.handlerNames(kind)
		return names, kind + "." + name, slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, o.name) })
	}
	names = r.eventsOf(o.key)
	if names == nil {
		return nil, "", true // of an unknown class
	}
	for _, key := range r.parentKeys(o.key) {
		for _, m := range r.scripts.Runtime.Mods {
			names = slices.AppendSeq(names, maps.Keys(instanceOf(m).callbacks[key]))
		}
	}
	return names, name + " of " + r.titleOf(kind, owner), slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, o.name) })
}

// titleOf returns the name of a class or datablock as it is declared.
func (r *modRoster) titleOf(kind, name string) string {
	if c := r.scripts.engine.World().Classes().Lookup(name); kind == "class" && c != nil {
		return "class " + c.Name
	}
	if o := r.scripts.engine.World().FindName(name); kind == "block" && o != nil {
		return "datablock " + o.Ident().Name()
	}
	return name
}

// handlerNames returns the names of all handlers of commands in a direction.
func (r *modRoster) handlerNames(prefix string) (names []string) {
	for _, m := range r.scripts.Runtime.Mods {
		table := &instanceOf(m).client
		if prefix == instanceOf(m).server.prefix {
			table = &instanceOf(m).server
		}
		for _, global := range table.global {
			names = append(names, global[len(prefix):])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parentKeys returns the keys under which mods store the callbacks of a block or class and of its
// parents.
func (r *modRoster) parentKeys(key string) []string {
	keys := []string{key}
	if of, is := strings.CutPrefix(key, classKey("")); is {
		for c := r.scripts.engine.World().Classes().Lookup(of); c != nil; c = c.ParentClass() {
			keys = append(keys, classKey(c.Name))
		}
		return keys
	}
	if o, ok := r.scripts.engine.World().FindName(strings.TrimPrefix(key, blockKey(""))).(sim.Datablock); ok {
		for b := o.Data().ParentBlock(); b != nil; b = b.(sim.Datablock).Data().ParentBlock() {
			keys = append(keys, blockKey(b.Ident().Name()))
		}
	}
	return keys
}

// eventNames returns the names of the callbacks of GameConnection, of a class without its parents,
// of Handle, or with "" the names of global callbacks.
func (r *modRoster) eventNames(of string) (names []string) {
	for _, lib := range r.scripts.Runtime.List() {
		for i := range lib.Funcs {
			name, is := strings.CutPrefix(lib.Funcs[i].Name, "function ")
			if !is { // most are no events
				continue
			}
			name, _, _ = strings.Cut(name, "(")
			if at := strings.LastIndexAny(name, ".:"); name[:max(at, 0)] == of {
				names = append(names, name[at+1:])
			}
		}
	}
	return names
}

// eventsOf returns the names of the callbacks of a block or class. It returns nil if the class is
// not known, or if several classes share the datablock class.
func (r *modRoster) eventsOf(key string) []string {
	classes, c := r.scripts.engine.World().Classes(), (*sim.Class)(nil)
	if of, is := strings.CutPrefix(key, classKey("")); is {
		c = classes.Lookup(of)
	} else if o := r.scripts.engine.World().FindName(strings.TrimPrefix(key, blockKey(""))); o != nil {
		for _, user := range classes.List() {
			if data := classes.Lookup(user.DataBlock); user.DataBlock == "" || data == nil || !o.Ident().Class().IsA(data) {
				continue
			}
			if c != nil {
				return nil
			}
			c = user
		}
	}
	if c == nil {
		return nil
	}
	names := r.eventNames("Handle")
	for ; c != nil; c = c.ParentClass() {
		names = append(names, r.eventNames(c.Name)...)
	}
	return names
}

// functionsIn returns the functions of a table by their names.
func functionsIn(t *lua.LTable) map[string]*lua.LFunction {
	functions := map[string]*lua.LFunction{}
	vm.Each(t, func(k, v lua.LValue) {
		if fn, ok := v.(*lua.LFunction); ok {
			functions[bind.TextOf(k)] = fn
		}
	})
	return functions
}
