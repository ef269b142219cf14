package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// objectLib has the functions for making, finding and grouping objects.
func objectLib() vm.Lib {
	return Chapter("Objects and groups", []Row{
		{`new "Class" { field = value }`, "", vm.Both, "Makes an object with these fields. The field `name` names it.", nil},
		{"new", "class: string|Class -> fun(fields: table?): Object", vm.Both, "Returns a function that makes an object of the class from a table of fields.", newObject},
		{"find", "idOrName: any -> Object?", vm.Both, "Returns the object with an id or name, or nil.", findObject},
		{"isObject", "x: any -> boolean", vm.Both, "Returns whether x is an existing object, or the id or name of one.", isObject},
		{"objects", "class: string|Class -> fun(): Object", vm.Both, "Iterates over every object of the class and of classes that inherit from it. On a client, a class that has not arrived from the server has none.", eachObject},
		{"rootGroup", ": Group", vm.Both, "The group of objects that are in no other group.", nil},
		{"clientGroup", ": Group", vm.Both, "The group of the players' connections.", nil},
		{"missionGroup", ": Group", vm.Both, "The group of the mission's objects. The end of the mission deletes them.", nil},
		{"dataBlockGroup", ": Group", vm.Both, "The group of the datablocks.", nil},
		{"obj.id", ": integer", vm.Both, "The object's number. The program never reuses an id. An object has the fields in this chapter and the fields of its class; any other name is an error.", nil},
		{"obj.name", ": string", vm.Both, "Its name, \"\" without one. It can be set.", nil},
		{"obj.className", ": string", vm.Both, "The name of its class.", nil},
		{"obj.group", ": Group?", vm.Both, "Its group.", nil},
		{"obj.own", ": table", vm.Both, "This mod's own table for the object. It exists as long as the object.", nil},
		{"#group", "", vm.Both, "The number of members of a group or set.", nil},
		{"obj:delete", "[reason: string]", vm.Both, "Deletes the object at the end of the tick. If another mod made it, mod.toml must request mod.delete.", deleteObject},
		{"obj:isMemberOfClass", "class: string|Class -> boolean", vm.Both, "Returns whether the object is of the class or of a class that inherits from it.", isMember},
		{"obj:dump", "", vm.Both, "Prints every field of the object with its value, and every method, on the console.", dumpObject},
		{"group:add", "obj: Object", vm.Both, "Adds an object. A group owns its members, a set only refers to them.", addMember},
		{"group:remove", "obj: Object -> boolean", vm.Both, "Removes an object. Returns whether it was a member.", removeMember},
		{"group:each", "-> fun(): Object", vm.Both, "Iterates over the members, in order.", eachMember},
		{"group:at", "i: integer -> Object?", vm.Both, "Returns the i-th member, counted from 1, or nil.", memberAt},
	})
}

func newObject(a Call) int {
	c := classArg(a, 1)
	if c == nil {
		a.Fail("class %s has not arrived from the server", classRefArg(a, 1).name)
	}
	return a.Return(Bind(a.Mod.State, Row{Name: "new", Params: "fields: table?", Realm: vm.Both, Fn: func(a Call) int {
		return makeObject(a, c)
	}}))
}

func makeObject(a Call, c *sim.Class) int {
	x, fields := caller(a), a.OptTable(1)
	a.Charge(makeCost)
	if fields != nil {
		a.chargeKeys(fields)
	}
	if x.scripts.objects[x.mod.Name] >= x.scripts.caps.objects {
		a.Fail("a mod can have at most %d objects", x.scripts.caps.objects)
	}
	o, err := x.values.world().New(c.Name, func(o sim.Object) error { return x.values.setFields(o, fields) })
	if err != nil {
		a.Fail("%s", err)
	}
	if g := x.scripts.loading; g != nil {
		a.Check(g.Add(o))
	}
	x.scripts.recordMaker(x.mod, o.Ident().ID())
	x.scripts.objectAdded(o)
	return a.Return(x.values.handleOf(o.Ident().ID())) // onAdd can have deleted it
}

func findObject(a Call) int {
	x := caller(a)
	if o := x.values.lookup(a.Any(1)); o != nil {
		return a.Return(x.values.object(o.Ident().ID()))
	}
	return a.Return(lua.LNil)
}

func isObject(a Call) int { return a.Return(lua.LBool(a.Binding().lookup(a.Get(1)) != nil)) }

func eachObject(a Call) int {
	x, c := caller(a), knownClass(a, 1)
	var all []sim.Object
	if c != nil {
		x.values.world().Each(c, func(o sim.Object) bool { all = append(all, o); return true })
	}
	a.Charge(len(all))
	return iterate(a, all)
}

// iterate returns an iterator over objects to Lua. It skips objects deleted since.
func iterate(a Call, all []sim.Object) int {
	x, i := a.Binding(), 0
	return a.Return(Bind(a.Mod.State, Row{Name: "iterator", Realm: vm.Both, Fn: func(a Call) int {
		for i < len(all) {
			o := all[i]
			if i++; o.Ident().Alive() {
				return a.Return(x.object(o.Ident().ID()))
			}
		}
		return a.Return(lua.LNil)
	}}))
}

func deleteObject(a Call) int {
	o := a.Binding().world().Find(a.id(1))
	if o == nil {
		return 0
	}
	if c, ok := o.(*engine.Connection); ok {
		c.Disconnect(a.OptString(2, ""))
		return 0
	}
	if o.Ident().IsGhost() {
		a.Fail("%s", readOnly(o))
	}
	a.Check(caller(a).mayDelete(o))
	a.Check(a.Binding().world().Delete(o))
	return 0
}

func isMember(a Call) int {
	c := a.Binding().world().Classes().Lookup(className(a, a.Get(2), "argument "+a.Label(2)))
	return a.Return(lua.LBool(c != nil && a.Object(1).Ident().Class().IsA(c)))
}

func dumpObject(a Call) int {
	printLines(a, describe(a, a.Object(1)))
	return 0
}

func addMember(a Call) int {
	g, o := a.group(1), a.Object(2)
	checkRegroup(a, g, o)
	a.Check(g.Add(o))
	return 0
}

func removeMember(a Call) int {
	g, o := a.group(1), a.Object(2)
	checkRegroup(a, g, o)
	return a.Return(lua.LBool(g.Remove(o)))
}

// checkRegroup fails for objects that cannot change their group. A ghost belongs to its connection. A
// client must stay in clientGroup, where others look for it, and must not be deleted with a mod's
// group. Sets can refer to both.
func checkRegroup(a Call, g Set, o sim.Object) {
	if owns := a.Binding().world().Root.Ident().Class(); !g.Ident().Class().IsA(owns) {
		return
	}
	if o.Ident().IsGhost() {
		a.Fail("%s", readOnly(o))
	}
	if _, is := o.(*engine.Connection); is {
		a.Fail("%s must stay in clientGroup; use a SimSet to group connections", o.Ident())
	}
}

func eachMember(a Call) int {
	all := a.group(1).Members(nil)
	a.Charge(len(all))
	return iterate(a, all)
}

func memberAt(a Call) int {
	all := a.group(1).Members(nil)
	i := a.Int(2)
	if i < 1 || i > len(all) {
		return a.Return(lua.LNil)
	}
	return a.Return(a.Binding().object(all[i-1].Ident().ID()))
}
