package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// objectLib has the functions for making, finding and grouping objects.
func objectLib() vm.Lib {
	return bind.Chapter("Objects and groups", []bind.Row{
		bind.Def(`new "Class" { field = value }`, "", vm.Both, "Makes an object with these fields. The field `name` names it.", nil),
		bind.Def("new", "class: string|Class -> fun(fields: table?): Object", vm.Both, "Returns a function that makes an object of the class from a table of fields.", newObject),
		bind.Def("find", "idOrName: any -> Object?", vm.Both, "Returns the object with an id or name, or nil.", findObject),
		bind.Def("isObject", "x: any -> boolean", vm.Both, "Returns whether x is an existing object, or the id or name of one.", isObject),
		bind.Def("objects", "class: string|Class -> fun(): Object", vm.Both, "Iterates over every object of the class and of classes that inherit from it. On a client, a class that has not arrived from the server has none.", eachObject),
		bind.Def("positions", "objects: Object[] -> Object[], number[], number[], number[]", vm.Both, "Returns the objects of a list that have a position, and the lists of their x, y and z. A client stands for its control object. Deleted objects are left out. One call costs much less than o.position for each object.", positions),
		bind.Def("rootGroup", ": Group", vm.Both, "The group of objects that are in no other group.", nil),
		bind.Def("clientGroup", ": Group", vm.Both, "The group of the players' connections.", nil),
		bind.Def("missionGroup", ": Group", vm.Both, "The group of the mission's objects. The end of the mission deletes them.", nil),
		bind.Def("dataBlockGroup", ": Group", vm.Both, "The group of the datablocks.", nil),
		bind.Def("obj.id", ": integer", vm.Both, "The object's number. The program never reuses an id. An object has the fields in this chapter and the fields of its class; any other name is an error.", nil),
		bind.Def("obj.name", ": string", vm.Both, "Its name, \"\" without one. It can be set.", nil),
		bind.Def("obj.className", ": string", vm.Both, "The name of its class.", nil),
		bind.Def("obj.group", ": Group?", vm.Both, "Its group.", nil),
		bind.Def("obj.own", ": table", vm.Both, "This mod's own table for the object. It exists as long as the object.", nil),
		bind.Def("#group", "", vm.Both, "The number of members of a group or set.", nil),
		bind.Def("obj:delete", "[reason: string]", vm.Both, "Deletes the object at the end of the tick. If another mod made it, mod.toml must request mod.delete.", deleteObject),
		bind.Def("obj:isMemberOfClass", "class: string|Class -> boolean", vm.Both, "Returns whether the object is of the class or of a class that inherits from it.", isMember),
		bind.Def("obj:dump", "", vm.Both, "Prints every field of the object with its value, and every method, on the console.", dumpObject),
		bind.Def("group:add", "obj: Object", vm.Both, "Adds an object. A group owns its members, a set only refers to them.", addMember),
		bind.Def("group:remove", "obj: Object -> boolean", vm.Both, "Removes an object. Returns whether it was a member.", removeMember),
		bind.Def("group:contains", "obj: Object -> boolean", vm.Both, "Returns whether an object is a member. A deleted object is not.", containsMember),
		bind.Def("group:clear", "", vm.Both, "Removes all members. Those of a group become members of rootGroup.", clearMembers),
		bind.Def("group:random", "-> Object?", vm.Both, "Returns a random member, or nil without members. The choice uses the mod's numbers of math.random.", randomMember),
		bind.Def("group:each", "-> fun(): Object", vm.Both, "Iterates over the members, in order.", eachMember),
		bind.Def("group:at", "i: integer -> Object?", vm.Both, "Returns the i-th member, counted from 1, or nil.", memberAt),
	})
}

// positionCost is the cost of an object in positions, in instructions.
const positionCost = 8

// positions returns the objects of a list and their positions as lists.
func positions(a bind.Call) int {
	list := a.Table(1)
	n := list.Len()
	a.Charge(positionCost * n)
	var out [4]*lua.LTable
	for i := range out {
		out[i] = a.Mod.State.Lua().CreateTable(n, 0)
	}
	for i := 1; i <= n; i++ {
		v := list.RawGetInt(i)
		who, at, ok := a.Binding().Position(v)
		if !ok {
			a.Fail("value %d of the list is %s, not an object", i, bind.KindOf(v))
		}
		if who == nil {
			continue
		}
		boxes := a.Binding().Boxes()
		out[0].Append(who)
		out[1].Append(boxes.Number(at.X))
		out[2].Append(boxes.Number(at.Y))
		out[3].Append(boxes.Number(at.Z))
	}
	return a.Return(out[0], out[1], out[2], out[3])
}

func newObject(a bind.Call) int {
	c := classArg(a, 1)
	if c == nil {
		a.Fail("class %s has not arrived from the server", classRefArg(a, 1).name)
	}
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "new", Params: "fields: table?", Realm: vm.Both, Fn: func(a bind.Call) int {
		return makeObject(a, c)
	}}))
}

func makeObject(a bind.Call, c *sim.Class) int {
	x, fields := caller(a), a.OptTable(1)
	a.Charge(bind.MakeCost)
	if fields != nil {
		a.ChargeKeys(fields)
	}
	if x.scripts.objects.counts[x.mod.Name] >= x.scripts.caps.objects {
		a.Fail("a mod can have at most %d objects", x.scripts.caps.objects)
	}
	o, err := x.values.World().New(c.Name, func(o sim.Object) error { return x.values.SetFields(o, fields) })
	if err != nil {
		a.Fail("%s", err)
	}
	if g := x.scripts.mission.loading; g != nil {
		a.Check(g.Add(o))
	}
	x.scripts.objects.record(x.mod, o.Ident().ID())
	x.scripts.dispatch.objectAdded(o)
	return a.Return(x.values.HandleOf(o.Ident().ID())) // onAdd can have deleted it
}

func findObject(a bind.Call) int {
	x := caller(a)
	if o := x.values.Lookup(a.Any(1)); o != nil {
		return a.Return(x.values.Object(o.Ident().ID()))
	}
	return a.Return(lua.LNil)
}

func isObject(a bind.Call) int { return a.Return(lua.LBool(a.Binding().Lookup(a.Get(1)) != nil)) }

func eachObject(a bind.Call) int {
	x, c := caller(a), knownClass(a, 1)
	var all []sim.Object
	if c != nil {
		x.values.World().Each(c, func(o sim.Object) bool { all = append(all, o); return true })
	}
	a.Charge(len(all))
	return a.Iterate(all)
}

func deleteObject(a bind.Call) int {
	o := a.Binding().World().Find(a.ID(1))
	if o == nil {
		return 0
	}
	if c, ok := o.(*engine.Connection); ok {
		c.Disconnect(a.OptString(2, ""))
		return 0
	}
	if o.Ident().IsGhost() {
		a.Fail("%s", bind.ReadOnly(o))
	}
	a.Check(caller(a).mayDelete(o))
	a.Check(a.Binding().World().Delete(o))
	return 0
}

func isMember(a bind.Call) int {
	c := a.Binding().World().Classes().Lookup(bind.ClassName(a, a.Get(2), "argument "+a.Label(2)))
	return a.Return(lua.LBool(c != nil && a.Object(1).Ident().Class().IsA(c)))
}

func dumpObject(a bind.Call) int {
	printLines(a, bind.Describe(a, a.Object(1)))
	return 0
}

func addMember(a bind.Call) int {
	g, o := a.Group(1), a.Object(2)
	checkRegroup(a, g, o)
	a.Check(g.Add(o))
	return 0
}

func removeMember(a bind.Call) int {
	g, o := a.Group(1), a.Object(2)
	checkRegroup(a, g, o)
	return a.Return(lua.LBool(g.Remove(o)))
}

// containsMember does not look at the object, so that mods can ask for one that is deleted.
func containsMember(a bind.Call) int {
	g, o := a.Group(1), a.Binding().World().Find(a.ID(2))
	return a.Return(lua.LBool(o != nil && g.Has(o)))
}

// memberCost is the cost of a member that leaves, in instructions. One instruction counts as many
// members.
const memberCost = 8

// clearMembers removes all members or, if one of them cannot leave, none.
func clearMembers(a bind.Call) int {
	g := a.Group(1)
	all := g.Members(nil)
	a.Charge(memberCost * len(all))
	for _, o := range all {
		checkRegroup(a, g, o)
	}
	for _, o := range all {
		if !g.Remove(o) {
			a.Fail("%s must stay in %s", o.Ident(), g.Ident())
		}
	}
	return 0
}

func randomMember(a bind.Call) int {
	g := a.Group(1)
	return returnMember(a, g, a.Mod.State.RandomIndex(g.Len()))
}

// checkRegroup fails for objects that cannot change their group. A ghost belongs to its connection.
// A client must stay in clientGroup, where others look for it, and must not be deleted with a mod's
// group. Nothing else can be there, or among the datablocks: all mods walk these groups. Sets can
// refer to anything.
func checkRegroup(a bind.Call, g bind.ObjectSet, o sim.Object) {
	world := a.Binding().World()
	if owns := world.Root.Ident().Class(); !g.Ident().Class().IsA(owns) {
		return
	}
	if o.Ident().IsGhost() {
		a.Fail("%s", bind.ReadOnly(o))
	}
	if _, is := o.(*engine.Connection); is {
		a.Fail("%s must stay in clientGroup; use a SimSet to group connections", o.Ident())
	}
	_, block := o.(sim.Datablock)
	switch id := g.Ident().ID(); {
	case id == world.Clients.ID():
		a.Fail("clientGroup has only clients, not %s: use a group or a SimSet of your own", o.Ident())
	case id == world.DataBlocks.ID() && !block:
		a.Fail("dataBlockGroup has only datablocks, not %s: use a group or a SimSet of your own", o.Ident())
	}
}

func eachMember(a bind.Call) int {
	all := a.Group(1).Members(nil)
	a.Charge(len(all))
	return a.Iterate(all)
}

func memberAt(a bind.Call) int {
	return returnMember(a, a.Group(1), a.Int(2)-1)
}

// returnMember returns the i-th member, counted from 0, or nil. A set with holes counts its
// members.
func returnMember(a bind.Call, g bind.ObjectSet, i int) int {
	a.Charge(g.Len() / memberCost)
	if o := g.At(i); o != nil {
		return a.Return(a.Binding().Object(o.Ident().ID()))
	}
	return a.Return(lua.LNil)
}
