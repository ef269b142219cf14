package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// scopeLib has the functions that control the visible set of each client.
func scopeLib() vm.Lib {
	return bind.Chapter("Ghosts and scope", []bind.Row{
		bind.Def("client:setScopeObject", "[obj: Object?]", vm.Server, "Sets the object whose surroundings are in the client's scope. nil selects the control object. With neither, every object is in scope.", setScopeObject),
		bind.Def("client:setControlObject", "[obj: Object?]", vm.Server, "Sets the object that the client's moves control: a Player or another controllable object, or nil. A previous controller of the object loses control.", setControlObject),
		bind.Def("client.controlObject", ": Object?", vm.Both, "The object that the client controls, or nil. On a client it is the ghost.", nil),
		bind.Def("client.scopeObject", ": Object?", vm.Server, "The object set with setScopeObject, or nil.", nil),
		bind.Def("client:setScopeView", "view: {distance: number?, fov: number?, viewOnly: boolean?}", vm.Server, "Sets the client's view distance in metres (default 1000) and field of view in degrees (default 90). viewOnly limits the scope to objects inside the view (default false).", setScopeView),
		bind.Def("client:setScopeGroups", "groups: integer|integer[]", vm.Server, "Sets the client's visibility groups: a list of numbers 0…63, or a bit mask of the first 53.", setClientGroups),
		bind.Def("client:activateGhosting", "", vm.Server, "Begins ghosting. Then onGhostAlwaysObjectsReceived runs.", func(a bind.Call) int { a.Client(1).Ghosting.Activate(); return 0 }),
		bind.Def("client:resetGhosting", "", vm.Server, "Ends ghosting, for a map change. The join starts again.", func(a bind.Call) int { a.Client(1).Ghosting.Reset(); return 0 }),
		bind.Def("client:each", "-> fun(): Object", vm.Both, "Iterates over a client's members; on a client, over the server's ghosts.", eachGhost),
		bind.Def("obj:scopeToClient", "client: Client|integer", vm.Server, "Keeps the object in the client's scope at any distance.", scopeToClient),
		bind.Def("obj:clearScopeToClient", "client: Client|integer", vm.Server, "Undoes scopeToClient.", clearScopeToClient),
		bind.Def("obj:setScopeAlways", "", vm.Server, "Keeps the object in every client's scope. New clients receive it before they enter the game.", setScopeAlways),
		bind.Def("obj:clearScopeAlways", "", vm.Server, "Undoes setScopeAlways.", clearScopeAlways),
		bind.Def("obj:setScopeGroups", "groups: integer|integer[]", vm.Server, "Sets the object's visibility groups. Only clients with a common group have it in scope; without groups every client does.", setObjectGroups),
		bind.Def("obj:hideField", "field: string, [client: Client|integer|nil, [hide: boolean]]", vm.Server, "Never sends a field to a client: its ghost has the default value, or the value from before. Without client, hides it from every client. false shows the field; a rule for a client takes precedence over the one for all. Fields of one group are hidden together.", hideField),
		bind.Def("obj:showFieldTo", "field: string, groups: integer|integer[]", vm.Server, "Hides a field from every client but those with one of these visibility groups (client:setScopeGroups), as a health from the other team. hideField with a client takes precedence.", showFieldTo),
		bind.Def("obj:setScopeWeight", "weight: number", vm.Server, "Sets the priority of the object's updates, 0…1: 0.5 at first, and less if it is far. With 1, it has every update at any distance.", setScopeWeight),
	})
}

// netObject returns argument i, an object of a class derived from NetObject.
func netObject(a bind.Call, i int) sim.Object {
	o := a.Object(i)
	if c := o.Ident().Class(); c.Kind != sim.NetClass {
		a.Fail("%s cannot be a ghost: its class must inherit from NetObject", o.Ident())
	}
	return o
}

// optNetObject is like netObject but returns nil if argument i is nil or missing.
func optNetObject(a bind.Call, i int) sim.Object {
	if !a.Has(i) {
		return nil
	}
	return netObject(a, i)
}

func setScopeObject(a bind.Call) int {
	a.Check(a.Client(1).Visible.SetObject(optNetObject(a, 2)))
	return 0
}

func setControlObject(a bind.Call) int {
	a.Check(a.Client(1).Control.Set(optNetObject(a, 2)))
	return 0
}

func scopeToClient(a bind.Call) int {
	a.Client(2).Visible.ToClient(netObject(a, 1))
	return 0
}

func clearScopeToClient(a bind.Call) int {
	a.Client(2).Visible.ClearToClient(netObject(a, 1))
	return 0
}

func setScopeAlways(a bind.Call) int {
	caller(a).scripts.engine.Rules.SetAlways(netObject(a, 1))
	return 0
}

func clearScopeAlways(a bind.Call) int {
	caller(a).scripts.engine.Rules.ClearAlways(netObject(a, 1))
	return 0
}

func setClientGroups(a bind.Call) int {
	a.Client(1).Visible.SetGroups(scopeGroups(a, 2))
	return 0
}

func setObjectGroups(a bind.Call) int {
	caller(a).scripts.engine.Rules.SetGroups(netObject(a, 1), scopeGroups(a, 2))
	return 0
}

// scopeGroups returns argument i, a set of visibility groups. Group n is bit n of the mask. A Lua
// number can hold 53 of the 64 bits; a list can hold all.
func scopeGroups(a bind.Call, i int) uint64 {
	switch v := a.Get(i).(type) {
	case lua.LNumber:
		n := float64(v)
		if !(n >= 0 && n < 1<<53) || n != math.Trunc(n) {
			a.Fail("argument %s must be a mask below 2^53 or a list of groups, not %s", a.Label(i), vm.NumberText(n))
		}
		return uint64(n)
	case *lua.LTable:
		return groupList(a, v)
	}
	a.Wrong(i, "a mask or a list of groups")
	return 0
}

func groupList(a bind.Call, t *lua.LTable) uint64 {
	a.ChargeKeys(t)
	var mask uint64
	n := 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		g, ok := v.(lua.LNumber)
		if !ok || !(g >= 0 && g <= 63) || float64(g) != math.Trunc(float64(g)) {
			a.Fail("a visibility group must be a number 0…63, not %s", bind.Literal(v))
		}
		mask |= 1 << uint(g)
		n++
	}
	if n != t.Len() {
		a.Fail("the keys of a list of groups must be 1, 2, 3 and so on")
	}
	return mask
}

func hideField(a bind.Call) int {
	var c *engine.Connection
	if a.Has(3) {
		c = a.Client(3)
	}
	a.Check(caller(a).scripts.engine.Rules.HideField(netObject(a, 1), c, a.String(2), a.N() < 4 || a.Bool(4)))
	return 0
}

func showFieldTo(a bind.Call) int {
	a.Check(caller(a).scripts.engine.Rules.ShowFieldTo(netObject(a, 1), scopeGroups(a, 3), a.String(2)))
	return 0
}

func setScopeWeight(a bind.Call) int {
	a.Check(caller(a).scripts.engine.Rules.SetWeight(netObject(a, 1), a.Number(2)))
	return 0
}

func setScopeView(a bind.Call) int {
	c, t := a.Client(1), a.Options(2, "distance", "fov", "viewOnly")
	v := engine.ScopeView{Distance: positiveOption(a, t, "distance", 1e6), FOV: positiveOption(a, t, "fov", 360)}
	switch only := t.RawGetString("viewOnly").(type) {
	case *lua.LNilType:
	case lua.LBool:
		v.ViewOnly = bool(only)
	default:
		a.Fail("viewOnly must be a boolean, not %s", bind.KindOf(only))
	}
	c.Visible.SetView(v)
	return 0
}

// positiveOption returns the option key, which must be above 0 and at most most. If it is missing,
// positiveOption returns 0, which means the default.
func positiveOption(a bind.Call, t *lua.LTable, key string, most float64) float64 {
	v := t.RawGetString(key)
	if v == lua.LNil {
		return 0
	}
	n, ok := v.(lua.LNumber)
	if !ok || !(n > 0 && float64(n) <= most) {
		a.Fail("%s must be a number above 0 and up to %s, not %s", key, vm.NumberText(most), bind.Literal(v))
	}
	return float64(n)
}

// eachGhost iterates over a server's ghosts on a client, and over a client's members on a server.
func eachGhost(a bind.Call) int {
	c, ok := a.Object(1).(*engine.Connection)
	if !ok {
		a.Wrong(1, "a connection")
	}
	if c.Inbound() {
		return eachMember(a)
	}
	var all []sim.Object
	c.PeerGhosts.Each(func(o sim.Object) bool { all = append(all, o); return true })
	a.Charge(len(all))
	return a.Iterate(all)
}
