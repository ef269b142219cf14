package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// classLib has the functions for declaring replicated classes and their fields.
func classLib() vm.Lib {
	return bind.Chapter("Classes", []bind.Row{
		bind.Def(`class "Name" { inherit = "Item", fields = { team = int(0, 7) } }`, "", vm.Both, "Declares a class and returns its handle. It sets no global. Clients without the mod see its objects as ghosts too. Without inherit the parent is NetObject. On a client, in shared/, it declares nothing: the handle refers to the class that the server sends.", nil),
		bind.Def("class", "name: string -> fun(description: {inherit: string|Class?, description: string?, fields: table?}): Class", vm.Both, "The function that the notation above calls.", class),
		bind.Def("int", "lo: integer, hi: integer, [options: {group: string?, default: integer?}] -> Field", vm.Both, "A field of a class: a whole number, in as many bits as the range needs. Fields of one group are sent together; a field without a group is sent alone.", bind.IntField),
		bind.Def("float", "lo: number, hi: number, [bits: integer|table, [options: {group: string?, default: number?}]] -> Field", vm.Both, "A field: a number. With 2…32 bits it is rounded within the range, without bits it is exact.", bind.FloatField),
		bind.Def("bool", "[options: {group: string?, default: boolean?}] -> Field", vm.Both, "A field: true or false, in 1 bit.", bind.BoolField),
		bind.Def("ref", "[class: string|Class|table, [options: {group: string?}]] -> Field", vm.Both, "A field: an object of the class (default NetObject) or of a class that inherits from it, or nil. On a client without a ghost of the object it is nil until the ghost arrives.", bind.RefField),
		bind.Def("point", "[precision: number|table, [options: {group: string?, default: vec?}]] -> Field", vm.Both, "A field: a vec, rounded to precision in metres (default 0.01).", bind.PointField),
		bind.Def("str", "[max: integer|table, [options: {group: string?, default: string?}]] -> Field", vm.Both, "A field: a string of at most max bytes (default 255).", bind.StrField),
		bind.Def("function Handle:onAdd()", "", vm.Both, "A callback of a class: runs when a new object, or on a client a new ghost, is complete. Classes inherit callbacks. Any other name defines a method: obj:name(...).", nil),
		bind.Def("function Handle:onRemove()", "", vm.Both, "Runs before the object is removed, which is the last chance to read it.", nil),
		bind.Def("function Handle:onFieldChange(field: string, old: any, new: any)", "", vm.Both, "Runs when a field of an object of the class has another value than at the last call: at the end of the tick, or on a client after the packet that brings it. It runs once for each field, by object id and then by the order of the fields. A change that it makes is told in the next tick. On a client the values are those that the server has sent; the movement of this client's own body is not among them. Only classes of ghosts have it.", nil),
		bind.Def("function Handle:onTick()", "", vm.Both, "Runs once per tick for each object of the class.", nil),
		bind.Def("function Handle:inScope(client: Client) -> boolean", "", vm.Server, "Returns whether the object is in this client's scope. It runs when the object comes near and repeatedly after that. An error hides the object.", nil),
	})
}

// class implements `class "Name" {…}`. It takes the name and returns a function for the
// description.
func class(a bind.Call) int {
	name := a.String(1)
	return a.Return(bind.Bind(a.Mod.State, bind.Row{Name: "class", Params: "description: {inherit: string|Class?, description: string?, fields: table?}", Realm: vm.Both, Fn: func(a bind.Call) int {
		return describeClass(a, name)
	}}))
}

func describeClass(a bind.Call, name string) int {
	t := a.Options(1, "inherit", "description", "fields")
	if a.Mod.Runtime.Side == vm.Server {
		declareClass(a, classSpec(a, name, t))
	}
	return a.Return(caller(a).class(name))
}

// classSpec reads the description of a class.
func classSpec(a bind.Call, name string, t *lua.LTable) sim.ClassSpec {
	spec := sim.ClassSpec{Name: name, Mod: a.Mod.Name, Source: strings.TrimSuffix(vm.CallerPosition(a.L, 1), ": ")}
	if v := t.RawGetString("inherit"); v != lua.LNil {
		spec.Parent = bind.ClassName(a, v, "inherit")
	}
	if v := t.RawGetString("description"); v != lua.LNil {
		spec.Doc = bind.TextOf(v)
	}
	switch fields := t.RawGetString("fields").(type) {
	case *lua.LNilType:
	case *lua.LTable:
		spec.Fields = fieldSpecs(a, fields)
	default:
		a.Fail("fields must be a table, not %s", bind.KindOf(fields))
	}
	return spec
}

// fieldSpecs returns the fields in source order.
func fieldSpecs(a bind.Call, t *lua.LTable) []sim.FieldSpec {
	a.ChargeKeys(t)
	var list []sim.FieldSpec
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		name, ok := k.(lua.LString)
		if !ok {
			a.Fail("field names must be strings, not %s", bind.KindOf(k))
		}
		u, _ := v.(*lua.LUserData)
		if u == nil {
			a.Fail("field %s must be made with int, float, bool, ref, point or str, not %s", name, bind.KindOf(v))
		}
		row, ok := u.Value.(bind.FieldRow)
		if !ok {
			a.Fail("field %s must be made with int, float, bool, ref, point or str, not %s", name, bind.KindOf(v))
		}
		spec := row.Spec
		spec.Name = string(name)
		list = append(list, spec)
	}
	return list
}

// declareClass declares a class for the session. If a reloaded mod declares the same fields,
// nothing changes. If it declares other fields, a new class replaces the old one, and the objects
// move to it when all files of the mod have loaded.
func declareClass(a bind.Call, spec sim.ClassSpec) {
	a.Charge(bind.MakeCost)
	world := a.Binding().World()
	old := world.Classes().Lookup(spec.Name)
	if old == nil || old.Spec() == nil || old.Spec().Mod != a.Mod.Name {
		checkClassLimit(a)
		if _, err := world.Classes().Declare(spec); err != nil {
			a.FailWith(err)
		}
		return
	}
	if old.Spec().Same(&spec) {
		return
	}
	if !world.CanRedeclare(old) {
		advice := fmt.Sprintf("to change fields, change the file and run `mod reload %s`", a.Mod.Name)
		if manifestOf(a.Mod) == nil {
			advice = "the console cannot change the fields of a class: choose another name"
		}
		a.FailWith(fmt.Errorf("class %s was declared with other fields at %s; %s", old.Name, old.Spec().Source, advice))
	}
	if _, err := world.Classes().Redeclare(spec); err != nil {
		a.FailWith(err)
	}
}

// checkClassLimit fails if the mod has its maximum number of classes. A session has at most 1,024
// classes of all mods together.
func checkClassLimit(a bind.Call) {
	have, limit := 0, caller(a).scripts.caps.classes
	for _, c := range a.Binding().World().Classes().Declared() {
		if c.Spec().Mod == a.Mod.Name {
			have++
		}
	}
	if have >= limit {
		a.Fail("a mod can declare at most %d classes, counting earlier versions from before reloads", limit)
	}
}

// A classRef is the handle of a class. It stores only the name, so it remains valid for a class of
// that name on another server.
type classRef struct{ name string }

func (x *instance) class(name string) lua.LValue {
	return x.values.Userdata(classRef{name}, x.meta.class)
}

var classMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexClass),
	bind.Def("__newindex", "", vm.Both, "", setClass),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text(classRefArg(a, 1).name) }),
	bind.Def("__eq", "", vm.Both, "", func(a bind.Call) int {
		return a.Return(lua.LBool(strings.EqualFold(classRefArg(a, 1).name, classRefArg(a, 2).name)))
	}),
}

func classRefArg(a bind.Call, i int) classRef {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if c, ok := u.Value.(classRef); ok {
			return c
		}
	}
	a.Wrong(i, "a class")
	return classRef{}
}

// classArg returns argument i, a class or its name. It returns nil for the handle of a class not
// yet received from the server.
func classArg(a bind.Call, i int) *sim.Class {
	v := a.Get(i)
	c, err := a.Binding().World().Classes().Find(bind.ClassName(a, v, "argument "+a.Label(i)))
	if _, text := v.(lua.LString); err != nil && (text || a.Mod.Runtime.Side == vm.Server) {
		a.Fail("%s", err)
	}
	return c
}

// knownClass is class for a lookup: on a client, a class that has not arrived from the server has
// no objects, so its name is no error. It returns nil then.
func knownClass(a bind.Call, i int) *sim.Class {
	if a.Mod.Runtime.Side == vm.Client {
		return a.Binding().World().Classes().Lookup(bind.ClassName(a, a.Get(i), "argument "+a.Label(i)))
	}
	return classArg(a, i)
}

// indexClass implements reading a class handle: the name, or one of its callbacks.
func indexClass(a bind.Call) int {
	ref, key := classRefArg(a, 1), a.String(2)
	if key == "name" {
		return a.Text(ref.name)
	}
	x := caller(a)
	if fn := x.classCallback(ref.name, key); fn != nil {
		return a.Return(fn)
	}
	a.Fail("class %s has no function %q", ref.name, key)
	return 0
}

func setClass(a bind.Call) int {
	ref, key := classRefArg(a, 1), a.String(2)
	fn, ok := a.Get(3).(*lua.LFunction)
	if !ok {
		a.Fail("%s of class %s must be a function, not %s", key, ref.name, bind.KindOf(a.Get(3)))
	}
	bind.RejectMethodName(a, a.Binding().World().Classes().Lookup(ref.name), key)
	caller(a).setCallback(classKey(ref.name), key, fn)
	return 0
}

func (c classRef) Kind() string                  { return "a class" }
func (c classRef) Literal() string               { return "class " + bind.Quote(c.name) }
func (c classRef) In(x *bind.Binding) lua.LValue { return instanceOf(x.Mod).class(c.name) }
func (c classRef) ClassName() string             { return c.name }
