package script

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// modsLib has the functions for calls between mods: export, import, override, broadcast.
func modsLib() Lib {
	return Lib{"Mods", []Func{
		{"export", "name: string, value: any", Both, "Lets other mods import a function or a plain value.", export},
		{"import", "mod: string -> Mod", Both, "A table of what another mod exports; values are copied.", importMod},
		{"override", "target: Datablock|Class|Mod|table|string, name: string, fn: function", Both, "Puts fn(parent, ...) in front of a function of a datablock, of a class (its handle or its name), of serverCmd, clientCmd, or of import \"mod\".", overrideFunc},
		{"broadcast", "name: string, ...: any -> any", Both, "Calls the global function of that name in every mod, in load order; the first result that is not nil stops it and is returned.", broadcast},
		{"modName", "-> string", Both, "The name of this mod.", func(a Args) int { return a.Text(a.Mod.Name) }},
		{"function onReload(old: table)", "", Both, "The mod has been reloaded: its files have run, and this is its chance to take over what the old instance had. old.NAME is a global of it and old:module a module, copied; functions and metatables are left out. An error keeps the old instance.", nil},
		{"old:module", "name: string -> any", Both, "In onReload: what the old instance's require of that module gave, copied; nil if it did not run.", formerModule},
	}}
}

func export(a Args) int {
	x, name, v := a.ext(), a.Word(1), a.Any(2)
	if _, ok := v.(*lua.LFunction); !ok {
		if _, err := cross(x, v); err != nil {
			a.Fail("%s", err)
		}
	}
	x.exports[name] = v
	x.scripts.changes++
	return 0
}

// An imported is the handle of another mod. It stores only the name, so it survives a reload of
// that mod.
type imported struct{ name string }

func (x *ext) imported(name string) lua.LValue { return x.userdata(imported{name}, x.meta.imported) }

// An exportKey identifies an export of a mod.
type exportKey struct{ mod, name string }

func importMod(a Args) int {
	name := a.String(1)
	m := a.Host().Mod(name)
	if m == nil {
		a.Fail("no mod is called %q", name)
	}
	return a.Return(a.ext().imported(name))
}

var importMeta = []Func{
	{"__index", "", Both, "", indexImport},
	{"__newindex", "", Both, "", func(a Args) int { a.Fail("only a mod itself can export"); return 0 }},
	{"__tostring", "", Both, "", func(a Args) int { return a.Text("mod " + a.imported(1)) }},
}

func (a Args) imported(i int) string {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if m, ok := u.Value.(imported); ok {
			return m.name
		}
	}
	a.wrong(i, "an imported mod")
	return ""
}

func indexImport(a Args) int {
	x, key := a.ext(), exportKey{a.imported(1), a.String(2)}
	_, v, err := x.scripts.exported(key)
	if err == nil {
		if _, ok := v.(*lua.LFunction); ok {
			return a.Return(x.importedFunction(key))
		}
		v, err = cross(x, v)
	}
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(v)
}

// exported returns the current value of an export.
func (s *Scripts) exported(key exportKey) (*Mod, lua.LValue, error) {
	m := s.Mod(key.mod)
	if m == nil {
		return nil, nil, fmt.Errorf("mod %s is not loaded any more", key.mod)
	}
	x := extOf(m)
	switch v, ok := x.exports[key.name]; {
	case ok:
		return m, v, nil
	case x.lost[key.name]:
		return nil, nil, fmt.Errorf("mod %s exports no %q since it was reloaded (%s)", key.mod, key.name, manifestOf(m).Version)
	}
	return nil, nil, fmt.Errorf("mod %s exports no %q", key.mod, key.name)
}

// importedFunction returns an exported function as a function of this state. It remains valid when
// the exporting mod is reloaded.
func (x *ext) importedFunction(key exportKey) *lua.LFunction {
	if c := x.imports[key]; c != nil {
		return c.fn
	}
	c := &importedCall{at: -1}
	c.fn = x.mod.State.Bind(&Func{Name: key.name, Params: "...: any", Realm: Both, Fn: func(a Args) int {
		if s := a.ext().scripts; c.at != s.changes {
			m, v, err := s.exported(key)
			if err != nil {
				a.Fail("%s", err)
			}
			fn, ok := v.(*lua.LFunction)
			if !ok {
				a.Fail("what mod %s exports as %q is no function any more", key.mod, key.name)
			}
			c.chain = append(s.addOverrides(nil, "import:"+key.mod, key.name), target{mod: m, fn: fn})
			c.at = s.changes
		}
		return a.passOn(key.name, c.chain)
	}})
	x.imports[key] = c
	return c.fn
}

// An importedCall is an exported function as a function of another state. It caches the functions
// to call; a change of the loaded mods makes the cache invalid.
type importedCall struct {
	fn    *lua.LFunction
	chain []target
	at    int // the value of Host.changes when chain was built
}

func overrideFunc(a Args) int {
	x, key, name := a.ext(), a.overridden(1), a.String(2)
	if class, ok := strings.CutPrefix(key, classKey("")); ok {
		a.ownMethod(x.world().Classes().Lookup(class), name)
	}
	x.scripts.addOverride(override{key, name, target{a.Mod, a.Function(3), true}})
	return 0
}

const overridable = "a datablock, a class, serverCmd, clientCmd or import \"mod\""

// overridden returns the key of the target given in argument i.
func (a Args) overridden(i int) string {
	switch v := a.Any(i).(type) {
	case *lua.LTable:
		for _, name := range []string{"serverCmd", "clientCmd"} {
			if a.Mod.Global(name) == v {
				return name
			}
		}
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case imported:
			return "import:" + d.name
		case handle:
			if _, ok := a.Object(i).(sim.Datablock); ok {
				return blockKey(a.ext().world().NameOf(d.id))
			}
		case future:
			return blockKey(d.name)
		case classRef:
			return classKey(d.name)
		}
	case lua.LString: // on a client the class may not have arrived yet
		if a.Mod.Host.Side == Client || a.ext().world().Classes().Lookup(string(v)) != nil {
			return classKey(string(v))
		}
		a.Fail("argument %s must be %s; no class is called %s", a.label(i), overridable, literal(v))
	}
	a.wrong(i, overridable)
	return ""
}

// engineEvents are the global functions called by the engine. Mods cannot broadcast them, because
// every mod relies on the engine for these calls.
var engineEvents = []string{"onTick", "onMissionEnd", "onMissionLoaded", "onChat", "onReload"}

func broadcast(a Args) int {
	name := a.String(1)
	if strings.HasPrefix(name, "serverCmd") || strings.HasPrefix(name, "clientCmd") {
		a.Fail("commands are not broadcast")
	}
	if slices.Contains(engineEvents, name) {
		a.Fail("%s is for the engine to call, which every mod relies on", name)
	}
	x, args := a.ext(), keep(a, 2)
	for _, m := range append([]*Mod(nil), x.scripts.Mods...) {
		fn, ok := m.Global(name).(*lua.LFunction)
		if !ok || m.Suspended() != "" {
			continue
		}
		crossed, err := crossAll(extOf(m), args)
		if err != nil {
			a.Fail("%s", err)
		}
		a.Charge(gameCost)
		out, err := x.scripts.enterAs(name, m, fn, crossed)
		if err != nil {
			a.Mod.State.book(makeCost)
			x.scripts.Fail(m, name, err)
			continue
		}
		if len(out) > 0 && out[0] != lua.LNil {
			back, err := cross(x, out[0])
			if err != nil {
				a.Fail("%s", err)
			}
			return a.Return(back)
		}
	}
	return a.Return(lua.LNil)
}
