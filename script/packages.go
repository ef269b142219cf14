package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// An overridePackage is a set of overrides of one mod that are switched together, as in Torque. An
// override without a name is a package of its own, and active from the beginning.
type overridePackage struct {
	mod     *vm.Mod
	name    string // as first written; "" for an override without a name
	active  bool
	ended   bool // the mission that declared it has ended
	mission bool // activated by a mission file, so it ends with the mission
	late    bool // activated in the game, and not while mods were loaded
	order   int  // number of the activation: the newest is outermost
}

// maxOverrides is the largest number of overrides of a mod. Switched off, an override still counts.
const maxOverrides = 1024

// compareOverrides sorts overrides, the outermost last. Those that are activated while mods are
// loaded have the place of their mod in the load order, so that a reload does not move them. Later
// activations come after all of these, in their order.
func (c *callChains) compareOverrides(a, b override) int {
	rank := func(o override) int {
		if o.of.late {
			return len(c.runtime.Mods) + 1
		}
		return c.loadRank(o.mod)
	}
	return cmp.Or(rank(a)-rank(b), a.of.order-b.of.order, a.made-b.made)
}

// activate makes the overrides of a package run, outside all others. An active package stays where
// it is.
func (x *instance) activate(p *overridePackage) {
	if p.active {
		return
	}
	c := x.scripts.chains
	c.activations++
	p.active, p.order = true, c.activations
	p.mission = x.scripts.mission.loading != nil
	p.late = !x.values.World().InTransaction()
	c.sort()
	c.changed()
}

// deactivate ends the effect of a package: what it replaced runs again.
func (c *callChains) deactivate(p *overridePackage) {
	if !p.active {
		return
	}
	p.active, p.mission = false, false
	c.changed()
}

// changed drops the cached chains.
func (c *callChains) changed() {
	c.runtime.Changes++
	c.forget()
}

// endMission deactivates the packages that mission files have activated, and removes the overrides
// that these files declared: each load of a mission would add them again.
func (c *callChains) endMission() {
	if !slices.ContainsFunc(c.overrides, func(o override) bool { return o.mission || o.of.mission }) {
		return
	}
	for _, o := range c.overrides {
		if o.of.mission {
			o.of.active, o.of.mission = false, false
		}
		o.of.ended = o.mission && o.of.name == ""
	}
	c.overrides = slices.DeleteFunc(c.overrides, func(o override) bool { return o.mission })
	for _, m := range c.runtime.Mods {
		maps.DeleteFunc(instanceOf(m).packages, func(_ string, p *overridePackage) bool {
			return !slices.ContainsFunc(c.overrides, func(o override) bool { return o.of == p })
		})
	}
	c.rebuild()
}

// running removes the functions at the beginning of a chain that do not run any more, although the
// call or a saved parent began before: of a package that is not active, of a suspended override,
// and of an instance that was unloaded or reloaded.
func running(chain []target) []target {
	for len(chain) > 0 && chain[0].over() {
		chain = chain[1:]
	}
	return chain
}

// over reports whether a function of a chain does not run any more.
func (t *target) over() bool {
	if t.of != nil && (!t.of.active || t.mod.Suspended() != "") {
		return true
	}
	return instanceOf(t.mod).disabled
}

// packageNamed returns the package in argument i, which the mod must have.
func packageNamed(a bind.Call, i int) *overridePackage {
	x, name := caller(a), a.ShortString(i)
	p := x.packages[strings.ToLower(name)]
	if p == nil {
		var names []string
		for _, key := range slices.Sorted(maps.Keys(x.packages)) {
			names = append(names, x.packages[key].name)
		}
		a.Fail("mod %s has no package %s%s", a.Mod.Name, bind.Quote(name), vm.Meant(name, names))
	}
	return p
}

// packageOf returns the package of a new override: the one named in argument i, or one of its own.
func packageOf(a bind.Call, i int) *overridePackage {
	if !a.Has(i) {
		return &overridePackage{mod: a.Mod}
	}
	x, name := caller(a), a.ShortString(i)
	if name == "" {
		a.Fail("argument %s must not be empty", a.Label(i))
	}
	key := strings.ToLower(name)
	if x.packages[key] == nil {
		x.packages[key] = &overridePackage{mod: a.Mod, name: name}
	}
	return x.packages[key]
}

func activatePackage(a bind.Call) int {
	a.Charge(bind.MakeCost)
	caller(a).activate(packageNamed(a, 1))
	return 0
}

func deactivatePackage(a bind.Call) int {
	a.Charge(bind.MakeCost)
	caller(a).scripts.chains.deactivate(packageNamed(a, 1))
	return 0
}

func isActivePackage(a bind.Call) int {
	p := caller(a).packages[strings.ToLower(a.ShortString(1))]
	return a.Return(lua.LBool(p != nil && p.active))
}

// Kind names an override in error messages.
func (*overridePackage) Kind() string { return "an override" }

var overrideMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexOverride),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int { a.Fail("an override has no fields"); return 0 }),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text("override") }),
}

func indexOverride(a bind.Call) int {
	overrideArg(a)
	name := a.String(2)
	if fn := a.Binding().Method("Override", name); fn != nil {
		return a.Return(fn)
	}
	a.Fail("an Override has no %s%s", vm.ClipText(name, vm.MaxQuoted), vm.Meant(name, []string{"off", "on"}))
	return 0
}

// overrideArg returns argument 1, a value that override has returned.
func overrideArg(a bind.Call) *overridePackage {
	p, ok := bind.DataArg[*overridePackage](a, 1)
	if !ok {
		a.Wrong(1, "an override")
	}
	return p
}

func overrideOn(a bind.Call) int {
	p := overrideArg(a)
	a.Charge(bind.MakeCost)
	if p.ended {
		a.Fail("the override has ended with the mission that declared it")
	}
	caller(a).activate(p)
	return 0
}

func overrideOff(a bind.Call) int {
	p := overrideArg(a)
	a.Charge(bind.MakeCost)
	caller(a).scripts.chains.deactivate(p)
	return 0
}

// checkOverrides fails if a mod has as many overrides as it can have.
func (c *callChains) checkOverrides(m *vm.Mod) error {
	if c.overridesOf(m) >= maxOverrides {
		return fmt.Errorf("a mod can have at most %d overrides: keep the value that override returns, and call its off and on", maxOverrides)
	}
	return nil
}
