package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// modsLib has the functions for calls between mods: export, import, override, broadcast.
func modsLib() vm.Lib {
	return bind.Chapter("Mods", []bind.Row{
		bind.Def("export", "name: string, value: any", vm.Both, "Makes a function or a plain value available to other mods.", export),
		bind.Def("import", "mod: string -> Mod", vm.Both, "Returns a table with the exports of another mod. Values are copied.", importMod),
		bind.Def("override", "target: Datablock|Class|Mod|table|string, name: string, fn: function, [package: string] -> Override?", vm.Both, "Replaces a function with fn(parent, ...); fn can call parent. The target is a datablock, a class (handle or name), serverCmd, clientCmd, or import \"mod\". If it belongs to a mod on which this mod does not depend, mod.toml must request mod.override. With a package, the override runs while that package of this mod is active, and nothing is returned. Without one, it runs at once, and override returns a value that switches it.", overrideFunc),
		bind.Def("Override:off", "", vm.Both, "Ends the effect of the override: what it replaced runs again. Without effect if it is off.", overrideOff),
		bind.Def("Override:on", "", vm.Both, "Makes the override run again, as the newest one, so outside all others. Without effect if it is on.", overrideOn),
		bind.Def("activatePackage", "name: string", vm.Both, "Makes the overrides of a package of this mod run, outside all others. Without effect if the package is active. A package that a mission file activates ends with the mission.", activatePackage),
		bind.Def("deactivatePackage", "name: string", vm.Both, "Ends the effect of the overrides of a package of this mod: what they replaced runs again. Without effect if the package is not active.", deactivatePackage),
		bind.Def("isActivePackage", "name: string -> boolean", vm.Both, "Reports whether a package of this mod is active. It is false for a name without overrides.", isActivePackage),
		bind.Def("broadcast", "name: string, ...: any -> any", vm.Both, "Calls the global function of this name in every mod, in load order. It stops at the first result other than nil and returns it.", broadcast),
		bind.Def("modName", "-> string", vm.Both, "Returns the name of this mod.", func(a bind.Call) int { return a.Text(a.Mod.Name) }),
		bind.Def("function onReload(old: table)", "", vm.Both, "Runs after a reload, when the new files have run, to take over state of the old instance. old.NAME is a copy of an old global, old:module of an old module, without functions and metatables. An error keeps the old instance.", nil),
		bind.Def("old:module", "name: string -> any", vm.Both, "Returns, in onReload, a copy of the value that the old instance's require of the module returned; nil if the module did not run.", previousModule),
	})
}

func export(a bind.Call) int {
	x, name, v := caller(a), a.ShortString(1), a.Any(2)
	if _, ok := v.(*lua.LFunction); !ok {
		if _, err := bind.Copy(x.values, v); err != nil {
			a.Fail("%s", err)
		}
	}
	x.exports[name] = v
	x.scripts.Runtime.Changes++
	return 0
}

// A modHandle is the handle of another mod. It stores only the name, so it survives a reload of
// that mod.
type modHandle struct{ name string }

func (x *instance) newModHandle(name string) lua.LValue {
	return x.values.Userdata(modHandle{name}, x.meta.modHandle)
}

// An exportKey identifies an export of a mod.
type exportKey struct{ mod, name string }

func importMod(a bind.Call) int {
	name := a.String(1)
	m := a.Runtime().Mod(name)
	if m == nil {
		a.Fail("unknown mod %q", name)
	}
	return a.Return(caller(a).newModHandle(name))
}

var modHandleMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexImport),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int { a.Fail("only the mod itself can set its exports"); return 0 }),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text("mod " + modHandleName(a, 1)) }),
}

func modHandleName(a bind.Call, i int) string {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if m, ok := u.Value.(modHandle); ok {
			return m.name
		}
	}
	a.Wrong(i, "an imported mod")
	return ""
}

func indexImport(a bind.Call) int {
	x, key := caller(a), exportKey{modHandleName(a, 1), a.String(2)}
	_, v, err := findExport(x.scripts, key)
	if err == nil {
		if _, ok := v.(*lua.LFunction); ok {
			return a.Return(x.importedFunction(key))
		}
		v, err = bind.Copy(x.values, v)
	}
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(v)
}

// findExport returns the current value of an export.
func findExport(s *Scripts, key exportKey) (*vm.Mod, lua.LValue, error) {
	m := s.Runtime.Mod(key.mod)
	if m == nil {
		return nil, nil, fmt.Errorf("mod %s is no longer loaded", key.mod)
	}
	x := instanceOf(m)
	switch v, ok := x.exports[key.name]; {
	case ok:
		return m, v, nil
	case m.Emptied():
		return nil, nil, fmt.Errorf("mod %s is suspended: %s", key.mod, m.Suspended())
	case x.lostExports[key.name]:
		return nil, nil, fmt.Errorf("mod %s no longer exports %q since its reload (%s)", key.mod, key.name, manifestOf(m).Version)
	}
	return nil, nil, fmt.Errorf("mod %s exports no %q%s", key.mod, key.name, vm.Meant(key.name, slices.Sorted(maps.Keys(x.exports))))
}

// importedFunction returns an exported function as a function of this state. It remains valid when
// the exporting mod is reloaded.
func (x *instance) importedFunction(key exportKey) *lua.LFunction {
	if c := x.imports[key]; c != nil {
		return c.fn
	}
	c := &importedCall{at: -1}
	c.fn = bind.Bind(x.mod.State, bind.Row{Name: key.name, Params: "...: any", Realm: vm.Both, Fn: func(a bind.Call) int {
		if s := caller(a).scripts; c.at != s.Runtime.Changes {
			m, v, err := findExport(s, key)
			if err != nil {
				a.Fail("%s", err)
			}
			fn, ok := v.(*lua.LFunction)
			if !ok {
				a.Fail("mod %s: the export %q is no longer a function", key.mod, key.name)
			}
			c.chain = append(s.chains.appendOverrides(nil, "import:"+key.mod, key.name, key.mod), target{mod: m, fn: fn})
			c.record, c.at = c.chain[0].mod.EventRecord(key.name), s.Runtime.Changes
		}
		if t := c.chain[0]; t.of == nil {
			return callTarget(a, c.record, t)
		}
		return forwardCall(a, key.name, c.chain)
	}})
	x.imports[key] = c
	return c.fn
}

// An importedCall is an exported function as a function of another state. It caches the functions
// to call; a change of the loaded mods makes the cache invalid.
type importedCall struct {
	fn     *lua.LFunction
	chain  []target
	record *vm.EventRecord // of the first function in chain
	at     int             // the value of Runtime.Changes when chain was built
}

func overrideFunc(a bind.Call) int {
	x, key, name := caller(a), overrideKey(a, 1), a.String(2)
	if class, ok := strings.CutPrefix(key, classKey("")); ok {
		bind.RejectMethodName(a, x.values.World().Classes().Lookup(class), name)
	}
	fn := a.Function(3)
	a.Check(x.mayOverride(x.scripts.owners.ownerOf(key, name), bind.Literal(a.Get(2))))
	chains, p := x.scripts.chains, packageOf(a, 4)
	a.Check(chains.checkOverrides(a.Mod))
	if p.name == "" {
		x.activate(p)
	}
	chains.add(override{key: key, name: name, target: target{a.Mod, fn, p}, mission: x.scripts.mission.loading != nil})
	if p.name != "" {
		return 0
	}
	return a.Return(x.values.Userdata(p, x.meta.override))
}

const overrideTargets = "a datablock, a class, serverCmd, clientCmd or import \"mod\""

// overrideKey returns the key of the target given in argument i.
func overrideKey(a bind.Call, i int) string {
	switch v := a.Any(i).(type) {
	case *lua.LTable:
		for _, name := range []string{"serverCmd", "clientCmd"} {
			if a.Mod.Global(name) == v {
				return name
			}
		}
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case modHandle:
			return "import:" + d.name
		case *bind.Handle:
			if _, ok := a.Object(i).(sim.Datablock); ok {
				return blockKey(a.Binding().World().NameOf(d.ID))
			}
		case pendingBlock:
			return blockKey(d.name)
		case classRef:
			return classKey(d.name)
		}
	case lua.LString: // on a client the class may not have arrived yet
		if a.Mod.Runtime.Side == vm.Client || a.Binding().World().Classes().Lookup(string(v)) != nil {
			return classKey(string(v))
		}
		a.Fail("argument %s must be %s; there is no class %s", a.Label(i), overrideTargets, bind.Literal(v))
	}
	a.Wrong(i, overrideTargets)
	return ""
}

// engineEvents are the global functions called by the engine. Mods cannot broadcast them, because
// every mod relies on the engine for these calls.
var engineEvents = []string{"onTick", "onMissionEnd", "onMissionLoaded", "onChat", "onReload", "onAllocated", "onDrain", "onShutdown", "onFleetChange", "onFleetMessage", "onFleetAsk", "onShared"}

func broadcast(a bind.Call) int {
	name := a.String(1)
	if strings.HasPrefix(name, "serverCmd") || strings.HasPrefix(name, "clientCmd") {
		a.Fail("commands cannot be broadcast")
	}
	if slices.Contains(engineEvents, name) {
		a.Fail("%s cannot be broadcast: only the engine calls it", name)
	}
	x, args := caller(a), bind.Rest(a, 2)
	for _, m := range append([]*vm.Mod(nil), x.scripts.Runtime.Mods...) {
		fn, ok := m.Global(name).(*lua.LFunction)
		if !ok || m.Suspended() != "" {
			continue
		}
		crossed, err := bind.CopyAll(bind.Of(m), args)
		if err != nil {
			a.Fail("%s", err)
		}
		a.Charge(bind.GameCost)
		out, err := x.scripts.Runtime.EnterCallback(name, m, fn, crossed)
		if err != nil {
			a.Mod.State.Book(bind.MakeCost)
			x.scripts.Runtime.Fail(m, name, err)
			continue
		}
		if len(out) > 0 && out[0] != lua.LNil {
			back, err := bind.Copy(x.values, out[0])
			if err != nil {
				a.Fail("%s", err)
			}
			return a.Return(back)
		}
	}
	return a.Return(lua.LNil)
}

func (h modHandle) Kind() string                  { return "a mod" }
func (h modHandle) In(x *bind.Binding) lua.LValue { return instanceOf(x.Mod).newModHandle(h.name) }
