package bind

import (
	"fmt"
	"math"
	"sort"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// objectMeta is the metatable of object handles. It gives access to fields by the class table, to
// methods by the rows, and to callbacks of datablocks.
var objectMeta = []Row{
	{"__index", "", vm.Both, "", indexObject},
	{"__newindex", "", vm.Both, "", setObject},
	{"__len", "", vm.Both, "", lenObject},
	{"__tostring", "", vm.Both, "", func(a Call) int { return a.Text(a.Binding().objectText(a.ID(1))) }},
	{"__eq", "", vm.Both, "", func(a Call) int { return a.Return(lua.LBool(a.ID(1) == a.ID(2))) }},
}

// objectText returns the name of an object, or its id if it has no name.
func (x *Binding) objectText(id sim.ID) string { return sim.Handle(id).Print(x.World()) }

// ID returns the object id of argument i, a handle. The object may have been deleted.
func (a Call) ID(i int) sim.ID {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		switch v := u.Value.(type) {
		case *Handle:
			return v.ID
		case Sendable:
			to, err := v.Send()
			a.Check(err)
			if to.Kind() == sim.KindObject {
				return to.Object()
			}
		}
	}
	a.Wrong(i, "an object")
	return 0
}

// Object returns argument i, the handle of an object that is alive.
func (a Call) Object(i int) sim.Object {
	id := a.ID(i)
	o := a.Binding().alive(id)
	if o == nil {
		a.Fail("object %d has been deleted", id)
	}
	return o
}

// alive finds an object that can be used: one in the world, or the one with a running onRemove.
func (x *Binding) alive(id sim.ID) sim.Object {
	if o := x.env.Removing; o != nil && o.Ident().ID() == id {
		return o
	}
	return x.World().Find(id)
}

// Group returns argument i, a set or a group.
func (a Call) Group(i int) ObjectSet {
	g, ok := a.Object(i).(ObjectSet)
	if !ok {
		a.Wrong(i, "a group or a set")
	}
	return g
}

// Client returns argument i, a connection or its id.
func (a Call) Client(i int) *engine.Connection {
	id := sim.ID(0)
	switch v := a.Get(i).(type) {
	case lua.LNumber, lua.LString:
		id = idOf(v)
	default:
		id = a.ID(i)
	}
	c := a.Binding().env.Engine.Connection(id)
	if gone, ok := a.Binding().env.Removing.(*engine.Connection); ok && gone.ID() == id {
		c = gone
	}
	if c == nil {
		a.Fail("argument %s: unknown connection %d", a.Label(i), id)
	}
	return c
}

// idOf reads an id from a whole number or its text. It returns 0 for anything else.
func idOf(v lua.LValue) sim.ID {
	n, ok := v.(lua.LNumber)
	if text, isText := v.(lua.LString); isText {
		var read float64
		read, ok = vm.ParseNumber(string(text))
		n = lua.LNumber(read)
	}
	if !ok || n < 1 || n > math.MaxUint32 || n != lua.LNumber(math.Trunc(float64(n))) {
		return 0
	}
	return sim.ID(n)
}

// ObjectSet is the common interface of sets and groups.
type ObjectSet interface {
	sim.Object
	Add(sim.Object) error
	Remove(sim.Object) bool
	Has(sim.Object) bool
	Len() int
	At(i int) sim.Object
	Members(dst []sim.Object) []sim.Object
}

func indexObject(a Call) int {
	key := a.String(2)
	if key == "id" {
		return a.Return(a.Binding().env.Boxes.Number(float64(a.ID(1))))
	}
	return a.Index(a.Object(1), key)
}

// Index returns a property, field, method or callback of an object.
func (a Call) Index(o sim.Object, key string) int {
	x := a.Binding()
	if len(key) > sim.MaxName { // no name is that long, so do not search for it and do not cache it
		a.Fail("%s has no field or method %q", o.Ident().Class().Name, vm.ClipText(key, vm.MaxQuoted))
	}
	if get := x.property(o, key); get != nil {
		x.cacheMember(o.Ident().Class(), key, member{get: get})
		return a.Return(get(o))
	}
	if f := o.Ident().Class().Lookup(key); f != nil {
		x.cacheMember(o.Ident().Class(), key, member{field: f})
		return a.Return(x.fromField(f, o))
	}
	if fn := x.ObjectMethod(o, key); fn != nil {
		return a.Return(fn)
	}
	if fn := x.holder.Callback(o, key); fn != nil {
		return a.Return(fn)
	}
	a.Fail("%s", x.env.noMemberError(o, key, a.CallsMethod()))
	return 0
}

// property returns a reader of a member that all objects of o's class have besides their fields, or
// nil if they have no such member.
func (x *Binding) property(o sim.Object, key string) func(sim.Object) lua.LValue {
	_, connection := o.(*engine.Connection)
	switch key {
	case "id":
		return func(o sim.Object) lua.LValue { return x.env.Boxes.Number(float64(o.Ident().ID())) }
	case "name":
		if connection {
			return func(o sim.Object) lua.LValue { return lua.LString(o.(*engine.Connection).PlayerName) }
		}
		return func(o sim.Object) lua.LValue { return lua.LString(o.Ident().Name()) }
	case "className":
		return func(o sim.Object) lua.LValue { return lua.LString(o.Ident().Class().Name) }
	case "own":
		return x.ownOf
	case "group":
		return x.groupOf
	}
	if !connection {
		return nil
	}
	get := x.holder.Property(key)
	if get == nil {
		return nil
	}
	return func(o sim.Object) lua.LValue { return get(o.(*engine.Connection)) }
}

// ownOf returns the mod's own table of an object. It makes the table on first use.
func (x *Binding) ownOf(o sim.Object) lua.LValue {
	id := o.Ident().ID()
	t := x.Own[id]
	if t == nil {
		t = x.Mod.State.Lua().CreateTable(0, 4)
		x.Own[id] = t
	}
	return t
}

func (x *Binding) groupOf(o sim.Object) lua.LValue {
	if g := o.Ident().Group(); g != nil {
		return x.Object(g.ID())
	}
	return lua.LNil
}

// Peek returns obj.own if that exists, and else nil.
func (x *Binding) Peek(u *lua.LUserData, key lua.LValue) lua.LValue {
	if h, ok := u.Value.(*Handle); ok && key == lua.LString("own") && x.Own[h.ID] != nil {
		return x.Own[h.ID]
	}
	return lua.LNil
}

// Method binds the row "kind:name" in this state, once.
func (x *Binding) Method(kind, name string) *lua.LFunction {
	key := kind + ":" + name
	if fn := x.boundMethods[key]; fn != nil {
		return fn
	}
	row := x.env.rows[key]
	if row == nil {
		return nil
	}
	fn := x.Mod.State.Bind(row)
	x.boundMethods[key] = fn
	return fn
}

func setObject(a Call) int {
	x, o, key, v := a.Binding(), a.Object(1), a.String(2), a.Get(3)
	fn, isCallback := v.(*lua.LFunction)
	if isCallback && o.Ident().Class().Lookup(key) == nil {
		if _, ok := o.(sim.Datablock); !ok {
			a.Fail("only datablocks and classes have callbacks; %s is neither", o.Ident())
		}
		RejectMethodName(a, o.Ident().Class(), key)
		x.holder.SetCallback(o, key, fn)
		return 0
	}
	switch key {
	case "id", "className", "own", "group":
		a.Fail("%s of an object is read-only", key)
	case "name":
		if err := x.rename(o, a.String(3)); err != nil {
			a.Fail("%s", err)
		}
		return 0
	}
	if isCallback || o.Ident().Class().Lookup(key) != nil {
		a.Check(x.setField(o, key, v))
		return 0
	}
	a.Fail("%s", x.env.noMemberError(o, key, false))
	return 0
}

func (x *Binding) rename(o sim.Object, name string) error {
	if c, ok := o.(*engine.Connection); ok {
		was := c.PlayerName
		x.World().OnRollback(func() { c.PlayerName = was })
		c.PlayerName = name
		return nil
	}
	if o.Ident().IsGhost() {
		return ReadOnly(o)
	}
	return o.Ident().SetName(name)
}

// ReadOnly returns the error for a change to a ghost.
func ReadOnly(o sim.Object) error {
	return fmt.Errorf("%s is a ghost: on a client only its own table is writable", o.Ident())
}

// setField sets a field of the class table. On a client, datablocks declared by the server and
// ghosts are read-only.
func (x *Binding) setField(o sim.Object, key string, v lua.LValue) error {
	f, err := o.Ident().Class().Field(key)
	if err != nil {
		return err
	}
	value, err := x.toField(f, v)
	if err != nil {
		return err
	}
	if b, ok := o.(sim.Datablock); ok && b.Ident().Alive() && x.env.Runtime.Side == vm.Client {
		return fmt.Errorf("%s belongs to the server and is read-only here", o.Ident())
	}
	if o.Ident().IsGhost() {
		return ReadOnly(o)
	}
	return f.Set(o, value)
}

// toField converts a value for a field.
func (x *Binding) toField(f *sim.Field, v lua.LValue) (sim.Value, error) {
	if f.Form != nil {
		return x.forms().Pack(f, v)
	}
	if value, err := FromLua(v); err == nil {
		return value, nil
	}
	return sim.Nil(), fmt.Errorf("%s cannot be %s", f.Name, KindOf(v))
}

// fromField returns the value of a field.
func (x *Binding) fromField(f *sim.Field, o sim.Object) lua.LValue {
	if f.Form != nil {
		return x.forms().Unpack(f, o)
	}
	return x.ToLua(f.Get(o))
}

// forms converts the values of fields with a form.
func (x *Binding) forms() formConverter {
	return formConverter{Lua: x.Mod.State.Lua(), Charge: x.Mod.State.Book, ToLua: x.ToLua, FromLua: FromLua, KindOf: KindOf}
}

func lenObject(a Call) int { return a.Return(lua.LNumber(a.Group(1).Len())) }

// SetFields sets fields from a table, in order of their names.
func (x *Binding) SetFields(o sim.Object, fields *lua.LTable) error {
	if fields == nil {
		return nil
	}
	var keys []string
	var bad error
	vm.Each(fields, func(k, _ lua.LValue) {
		if s, ok := k.(lua.LString); ok {
			keys = append(keys, string(s))
		} else {
			bad = fmt.Errorf("field names must be strings, not %s", KindOf(k))
		}
	})
	if bad != nil {
		return bad
	}
	sort.Strings(keys)
	for _, key := range keys {
		v := fields.RawGetString(key)
		if key == "name" {
			if err := o.Ident().SetName(TextOf(v)); err != nil {
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

// Lookup returns the object for a handle, an id or a name, or nil.
func (x *Binding) Lookup(v lua.LValue) sim.Object {
	switch v := v.(type) {
	case lua.LNumber:
		return x.World().Find(idOf(v))
	case lua.LString:
		if o := x.World().FindName(string(v)); o != nil {
			return o
		}
		return x.World().Find(idOf(v))
	case *lua.LUserData:
		switch v := v.Value.(type) {
		case *Handle:
			return x.World().Find(v.ID)
		case Sendable:
			if to, err := v.Send(); err == nil {
				return x.World().Find(to.Object())
			}
		}
	}
	return nil
}
