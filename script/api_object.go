package script

import (
	"fmt"
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// objectLib has the functions for making, finding and grouping objects.
func objectLib() Lib {
	return Lib{"Objects and groups", []Func{
		{`new "Class" { field = value }`, "", Both, "Makes an object with these fields; `name` names it.", nil},
		{"new", "class: string|Class -> fun(fields: table?): Object", Both, "Returns a function that makes an object of the class from a table of fields.", newObject},
		{"find", "idOrName: any -> Object?", Both, "The object of that id or name, or nil.", findObject},
		{"isObject", "x: any -> boolean", Both, "Whether x is an object, its id or its name, and alive.", isObject},
		{"objects", "class: string|Class -> fun(): Object", Both, "An iterator over every object of the class and its heirs.", eachObject},
		{"rootGroup", ": Group", Both, "The group of every object that is in no other.", nil},
		{"clientGroup", ": Group", Both, "The group of the connections.", nil},
		{"missionGroup", ": Group", Both, "The group of what the mission has made; it goes with the mission.", nil},
		{"dataBlockGroup", ": Group", Both, "The group of the datablocks.", nil},
		{"obj.id", ": integer", Both, "Its number, which no other object gets while the program runs. An object answers to these and to the fields of its class; anything else is an error.", nil},
		{"obj.name", ": string", Both, "Its name, \"\" for none; can be set.", nil},
		{"obj.className", ": string", Both, "The name of its class.", nil},
		{"obj.group", ": Group?", Both, "The group that it is in.", nil},
		{"obj.own", ": table", Both, "This mod's own table for the object, gone with it.", nil},
		{"#group", "", Both, "How many members a group or a set has.", nil},
		{"obj:delete", "[reason: string]", Both, "Deletes the object; it leaves the world at the end of the tick.", deleteObject},
		{"obj:isMemberOfClass", "class: string|Class -> boolean", Both, "Whether the object is of the class or an heir.", isMember},
		{"obj:dump", "", Both, "Prints the object's fields on the console.", dumpObject},
		{"group:add", "obj: Object", Both, "Adds an object; a group owns it from then on, a set refers to it.", addMember},
		{"group:remove", "obj: Object -> boolean", Both, "Takes an object out; whether it was in.", removeMember},
		{"group:each", "-> fun(): Object", Both, "An iterator over the members, in order.", eachMember},
		{"group:at", "i: integer -> Object?", Both, "The i-th member, from 1, or nil.", memberAt},
	}}
}

func newObject(a Args) int {
	c := a.class(1)
	if c == nil {
		a.Fail("class %s has not come from the server", a.classRef(1).name)
	}
	return a.Return(a.Mod.State.Bind(&Func{Name: "new", Params: "fields: table?", Realm: Both, Fn: func(a Args) int {
		return makeObject(a, c)
	}}))
}

func makeObject(a Args, c *sim.Class) int {
	x, fields := a.ext(), a.OptTable(1)
	a.Charge(makeCost)
	if fields != nil {
		a.named(fields)
	}
	if x.scripts.objects[x.mod.Name] >= x.scripts.caps.objects {
		a.Fail("a mod may have %d objects", x.scripts.caps.objects)
	}
	o, err := x.world().New(c.Name, func(o sim.Object) error { return x.setFields(o, fields) })
	if err != nil {
		a.Fail("%s", err)
	}
	if g := x.scripts.loading; g != nil {
		if err := g.Add(o); err != nil {
			a.Fail("%s", err)
		}
	}
	x.scripts.makes(x.mod, o.Ident().ID())
	x.scripts.whole(o)
	return a.Return(x.object(o.Ident().ID()))
}

// setFields sets fields from a table, in order of their names.
func (x *ext) setFields(o sim.Object, fields *lua.LTable) error {
	if fields == nil {
		return nil
	}
	var keys []string
	var bad error
	fields.ForEach(func(k, _ lua.LValue) {
		if s, ok := k.(lua.LString); ok {
			keys = append(keys, string(s))
		} else {
			bad = fmt.Errorf("fields are named, %s is no name", kindOf(k))
		}
	})
	if bad != nil {
		return bad
	}
	sort.Strings(keys)
	for _, key := range keys {
		v := fields.RawGetString(key)
		if key == "name" {
			if err := o.Ident().SetName(textOf(v)); err != nil {
				return err
			}
			continue
		}
		if err := x.setField(o, key, v); err != nil {
			return err
		}
	}
	return nil
}

// lookup returns the object for a handle, an id or a name, or nil.
func (x *ext) lookup(v lua.LValue) sim.Object {
	switch v := v.(type) {
	case lua.LNumber:
		return x.world().Find(idOf(v))
	case lua.LString:
		if o := x.world().FindName(string(v)); o != nil {
			return o
		}
		return x.world().Find(idOf(v))
	case *lua.LUserData:
		switch v := v.Value.(type) {
		case handle:
			return x.world().Find(v.id)
		case future:
			return v.block()
		}
	}
	return nil
}

func findObject(a Args) int {
	x := a.ext()
	if o := x.lookup(a.Any(1)); o != nil {
		return a.Return(x.object(o.Ident().ID()))
	}
	return a.Return(lua.LNil)
}

func isObject(a Args) int { return a.Return(lua.LBool(a.ext().lookup(a.Get(1)) != nil)) }

func eachObject(a Args) int {
	x, c := a.ext(), a.class(1)
	var all []sim.Object
	if c != nil {
		x.world().Each(c, func(o sim.Object) bool { all = append(all, o); return true })
	}
	a.Charge(len(all))
	return x.iterate(a, all)
}

// iterate returns an iterator over objects to Lua. It skips objects deleted since.
func (x *ext) iterate(a Args, all []sim.Object) int {
	i := 0
	return a.Return(a.Mod.State.Bind(&Func{Name: "iterator", Realm: Both, Fn: func(a Args) int {
		for i < len(all) {
			o := all[i]
			if i++; o.Ident().Alive() {
				return a.Return(x.object(o.Ident().ID()))
			}
		}
		return a.Return(lua.LNil)
	}}))
}

func deleteObject(a Args) int {
	o := a.ext().world().Find(a.id(1))
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
	if err := a.ext().world().Delete(o); err != nil {
		a.Fail("%s", err)
	}
	return 0
}

func isMember(a Args) int {
	c := a.ext().world().Classes().Lookup(a.classNamed(a.Get(2), "argument "+a.label(2)))
	return a.Return(lua.LBool(c != nil && a.Object(1).Ident().Class().IsA(c)))
}

func dumpObject(a Args) int {
	x, o := a.ext(), a.Object(1)
	x.scripts.echo(fmt.Sprintf("%s id %d", o.Ident(), o.Ident().ID()))
	for _, f := range o.Ident().Class().AllFields() {
		x.scripts.echo(fmt.Sprintf("  %s = %s", f.Name, f.Get(o).Literal()))
	}
	return 0
}

func addMember(a Args) int {
	g, o := a.group(1), a.Object(2)
	a.mayMove(g, o)
	if err := g.Add(o); err != nil {
		a.Fail("%s", err)
	}
	return 0
}

func removeMember(a Args) int {
	g, o := a.group(1), a.Object(2)
	a.mayMove(g, o)
	return a.Return(lua.LBool(g.Remove(o)))
}

// mayMove fails for objects that cannot change their group. A ghost belongs to its connection. A
// client must stay in clientGroup, where others look for it, and must not be deleted with a mod's
// group. Sets can refer to both.
func (a Args) mayMove(g container, o sim.Object) {
	if owns := a.ext().world().Root.Ident().Class(); !g.Ident().Class().IsA(owns) {
		return
	}
	if o.Ident().IsGhost() {
		a.Fail("%s", readOnly(o))
	}
	if _, is := o.(*engine.Connection); is {
		a.Fail("%s stays in clientGroup; a SimSet can refer to it as well", o.Ident())
	}
}

func eachMember(a Args) int {
	all := a.group(1).Members(nil)
	a.Charge(len(all))
	return a.ext().iterate(a, all)
}

func memberAt(a Args) int {
	all := a.group(1).Members(nil)
	i := a.Int(2)
	if i < 1 || i > len(all) {
		return a.Return(lua.LNil)
	}
	return a.Return(a.ext().object(all[i-1].Ident().ID()))
}
