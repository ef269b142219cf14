package bind

import (
	"fmt"
	"strings"
	"weak"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/json"
	"github.com/torc-engine/torc/script/vm"
)

// Limits of values that are copied from one state to another. Plain values, tags, vectors,
// rotations, handles, and tables of them can be copied.
const (
	MaxCopyDepth   = 8
	MaxCopyEntries = 16_384
	maxCopyText    = 512 << 10 // bytes of the strings in tables
	copyCost       = 20        // instructions per table entry
)

// A Tag is a tagged string in Lua. Equal tags share one userdata, so that they are the same table
// key.
type Tag struct{ Value sim.Value }

// A Client is a client of the server in a mod of another client. Equal ids share one userdata, so
// that they are equal and the same table key.
type Client struct {
	ID   sim.ID
	Name string
}

// The values of userdata can have these methods, so that this file knows no kind of the bindings.
type (
	// Kinded names its kind in messages: "a class".
	Kinded interface{ Kind() string }
	// Written is its own text in Lua syntax.
	Written interface{ Literal() string }
	// Sendable stands for a value that can be sent.
	Sendable interface{ Send() (sim.Value, error) }
	// Portable is a handle by name. Another state makes its own.
	Portable interface{ In(x *Binding) lua.LValue }
	// ClassHandle is the handle of a class.
	ClassHandle interface{ ClassName() string }
)

// KindOf names a value's type for error messages: "nil", "a string", "a vec".
func KindOf(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nil"
	case *lua.LUserData:
		return KindOfData(v.Value)
	}
	return "a " + v.Type().String()
}

// KindOfData describes the value of a userdata in messages.
func KindOfData(v any) string {
	switch v := v.(type) {
	case Tag:
		return "a tag"
	case *sim.Vec3:
		return "a vec"
	case sim.Rot:
		return "a rot"
	case *Handle:
		return "an object"
	case Client:
		return "a client"
	case Kinded:
		return v.Kind()
	}
	return "a userdata"
}

// NewPrinter returns a printer of values.
func NewPrinter() *Printer { return &Printer{Data: DataText} }

// Literal returns a value in Lua syntax for a message: a long string cut, a table as its length.
func Literal(v lua.LValue) string { return NewPrinter().Word(v) }

// DataText returns the value of a userdata in Lua syntax.
func DataText(value any) string {
	switch d := value.(type) {
	case Tag:
		return "tag " + Quote(d.Value.Text())
	case *sim.Vec3:
		return fmt.Sprintf("vec(%.14g, %.14g, %.14g)", d.X, d.Y, d.Z)
	case sim.Rot:
		return fmt.Sprintf("rot(%.14g, %.14g, %.14g)", d.Yaw, d.Pitch, d.Roll)
	case *Handle:
		return fmt.Sprintf("object %d", d.ID)
	case Client:
		return fmt.Sprintf("client %d %s", d.ID, Quote(d.Name))
	case Written:
		return d.Literal()
	}
	return strings.TrimPrefix(KindOfData(value), "a ")
}

// interned are the tags and clients of a state. It does not keep them alive.
type interned struct {
	byValue map[sim.Value]weak.Pointer[lua.LUserData]
	sweepAt int
}

func (t *interned) intern(v sim.Value, make func() *lua.LUserData) *lua.LUserData {
	if u := t.byValue[v].Value(); u != nil {
		return u
	}
	if len(t.byValue) >= t.sweepAt {
		t.sweep()
	}
	u := make()
	t.byValue[v] = weak.Make(u)
	return u
}

// sweep removes the values that Lua has dropped.
func (t *interned) sweep() {
	if t.byValue == nil {
		t.byValue = map[sim.Value]weak.Pointer[lua.LUserData]{}
	}
	for v, w := range t.byValue {
		if w.Value() == nil {
			delete(t.byValue, v)
		}
	}
	t.sweepAt = max(256, 2*len(t.byValue))
}

// ToLua converts v to a value of this mod's state. A handle to a deleted object becomes nil.
func (x *Binding) ToLua(v sim.Value) lua.LValue {
	switch v.Kind() {
	case sim.KindBool:
		return lua.LBool(v.Bool())
	case sim.KindNumber:
		return x.env.Boxes.Number(v.Number())
	case sim.KindString:
		return lua.LString(v.Text())
	case sim.KindTag:
		return x.Tag(v)
	case sim.KindVec:
		return x.Vec(v.Vec())
	case sim.KindRot:
		return x.Rot(v.Rot())
	case sim.KindObject:
		return x.Object(v.Object())
	case sim.KindClient:
		return x.client(v)
	}
	return lua.LNil
}

// ToLuaAll returns ToLua of each value.
func (x *Binding) ToLuaAll(vs []sim.Value) []lua.LValue {
	out := make([]lua.LValue, len(vs))
	for i, v := range vs {
		out[i] = x.ToLua(v)
	}
	return out
}

// Tag returns the one userdata of a text. A tag received over the network and a tag of the mod
// itself are the same table key. A received tag is sent on as a plain string, unless the mod has
// declared a tag with that text. Only a text with a % has two userdata: one to expand and one
// already expanded.
func (x *Binding) Tag(v sim.Value) lua.LValue {
	key := v
	if v.Expanded() && strings.IndexByte(v.Text(), '%') < 0 {
		key = sim.Tag(v.Text())
		if x.DeclaredTags[v.Text()] > 0 {
			v = key
		}
	}
	u := x.interned.intern(key, func() *lua.LUserData { return x.Userdata(Tag{v}, x.meta.tag) })
	u.Value = Tag{v}
	return u
}

// client returns the one userdata of a client. Its name is the one that arrived last.
func (x *Binding) client(v sim.Value) lua.LValue {
	id, name := v.Client()
	u := x.interned.intern(sim.Client(id, ""), func() *lua.LUserData { return x.Userdata(nil, x.meta.client) })
	u.Value = Client{id, name}
	return u
}

// Rot returns a new value of Lua for a rotation.
func (x *Binding) Rot(r sim.Rot) lua.LValue { return x.Userdata(r, x.meta.rot) }

// Userdata returns a new userdata with a value of Go and a metatable.
func (x *Binding) Userdata(v any, meta *lua.LTable) *lua.LUserData {
	u := x.Mod.State.Lua().NewUserData()
	u.Value, u.Metatable = v, meta
	return u
}

// FromLua converts a Lua value to a value that can be sent. For any other value it returns an error
// that names its kind.
func FromLua(v lua.LValue) (sim.Value, error) {
	switch v := v.(type) {
	case *lua.LNilType:
		return sim.Nil(), nil
	case lua.LBool:
		return sim.Bool(bool(v)), nil
	case lua.LNumber:
		return sim.Number(float64(v)), nil
	case lua.LString:
		return sim.String(string(v)), nil
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case Sendable:
			return d.Send()
		case Tag:
			return d.Value, nil
		case *sim.Vec3:
			return sim.Vec(*d), nil
		case sim.Rot:
			return sim.Rotation(d), nil
		case *Handle:
			return sim.Handle(d.ID), nil
		case Client:
			return sim.Client(d.ID, d.Name), nil
		}
	}
	return sim.Nil(), fmt.Errorf("%s cannot be sent", KindOf(v))
}

// Values reads the arguments from…top as values to send. Its errors count the arguments of the
// command, like the errors of the engine and of the receiver.
func (a Call) Values(from int) []sim.Value {
	if a.N() < from {
		return nil
	}
	out := make([]sim.Value, 0, a.N()-from+1)
	for i := from; i <= a.N(); i++ {
		v, err := FromLua(a.Get(i))
		if err != nil {
			a.Fail("command argument %d: %s", i-from+1, err)
		}
		out = append(out, v)
	}
	return out
}

// Copier copies values from one state to another.
type Copier struct {
	To         *Binding
	Object     func(sim.ID) sim.ID // maps an object id to the id in the other state; nil keeps the id
	emptySlots int                 // empty slots in the copied lists
	entries    int
	text       int           // bytes of the strings in tables
	enclosing  []*lua.LTable // the tables being copied, to find cycles
}

// Copy copies v into the state of to.
func Copy(to *Binding, v lua.LValue) (lua.LValue, error) {
	c := Copier{To: to}
	return c.Copy(v)
}

// CopyAll is Copy for several values, which share the limits of one copy.
func CopyAll(to *Binding, vs []lua.LValue) ([]lua.LValue, error) {
	c := Copier{To: to}
	return c.All(vs)
}

// CopyTo copies values into the state of to. Values that stay in the same state are not copied,
// and may be functions.
func (x *Binding) CopyTo(to *Binding, vs []lua.LValue) ([]lua.LValue, error) {
	if x == to {
		return vs, nil
	}
	return CopyAll(to, vs)
}

// All copies values. The error names the first one that cannot be copied, counted from 1.
func (c *Copier) All(vs []lua.LValue) ([]lua.LValue, error) {
	out := make([]lua.LValue, len(vs))
	for i, v := range vs {
		w, err := c.Copy(v)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
		out[i] = w
	}
	return out, nil
}

// Copy copies a value. Tables are copied with all that they contain.
func (c *Copier) Copy(v lua.LValue) (lua.LValue, error) {
	switch v := v.(type) {
	case lua.LString:
		c.To.Mod.NoteString(len(v))
		return v, c.countText(len(v))
	case *lua.LNilType, lua.LBool, lua.LNumber:
		return v, nil
	}
	if t, ok := v.(*lua.LTable); ok {
		return c.copyTable(t)
	}
	if u, ok := v.(*lua.LUserData); ok {
		if named, ok := u.Value.(Portable); ok {
			return named.In(c.To), nil
		}
	}
	plain, err := FromLua(v)
	if err != nil {
		return nil, fmt.Errorf("%s cannot go to another mod", KindOf(v))
	}
	if plain.Kind() == sim.KindObject && c.Object != nil {
		plain = sim.Handle(c.Object(plain.Object()))
	}
	return c.To.ToLua(plain), nil
}

// countText counts a string. A string that is in no table can have any length: it is not copied.
func (c *Copier) countText(n int) error {
	if len(c.enclosing) == 0 {
		return nil
	}
	if c.text += n; c.text > maxCopyText {
		return fmt.Errorf("a table with more than %d bytes of strings cannot go to another mod", maxCopyText)
	}
	return nil
}

func (c *Copier) copyTable(t *lua.LTable) (lua.LValue, error) {
	if !json.Plain(t) {
		return nil, fmt.Errorf("a table with a metatable cannot go to another mod")
	}
	if len(c.enclosing) >= MaxCopyDepth {
		return nil, fmt.Errorf("a table nested deeper than %d cannot go to another mod", MaxCopyDepth)
	}
	for _, outer := range c.enclosing {
		if outer == t {
			return nil, fmt.Errorf("a table that contains itself cannot go to another mod")
		}
	}
	c.enclosing = append(c.enclosing, t)
	out := c.To.Mod.State.Lua().CreateTable(0, 4)
	if json.IsObject(t) {
		json.MarkObject(out)
	}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) { // ForEach has no fixed order
		if c.entries++; c.entries > MaxCopyEntries {
			return nil, fmt.Errorf("more than %d table entries cannot go to another mod at once", MaxCopyEntries)
		}
		key, err := c.Copy(k)
		if err != nil {
			return nil, err
		}
		value, err := c.Copy(v)
		if err != nil {
			return nil, err
		}
		holes := vm.MissingSlots(out, key)
		c.To.Mod.State.Book(copyCost + 2*holes)
		if c.emptySlots += holes; c.emptySlots > vm.MaxHoles {
			return nil, fmt.Errorf("a list with holes this large cannot go to another mod")
		}
		if key != lua.LNil {
			out.RawSet(key, value)
		}
	}
	c.enclosing = c.enclosing[:len(c.enclosing)-1]
	return out, nil
}

// TextOf returns a value's text for messages, without running Lua.
func TextOf(v lua.LValue) string {
	if u, ok := v.(*lua.LUserData); ok {
		if t, ok := u.Value.(Tag); ok {
			return t.Value.Text()
		}
	}
	return vm.PlainText(v)
}

// StringList returns texts as a Lua table.
func (x *Binding) StringList(texts []string) *lua.LTable {
	t := x.Mod.State.Lua().CreateTable(len(texts), 0)
	for i, text := range texts {
		t.RawSetInt(i+1, lua.LString(text))
	}
	return t
}

// Rest copies the arguments from i on, because the stack is reused.
func Rest(a Call, i int) []lua.LValue {
	var args []lua.LValue
	for ; i <= a.N(); i++ {
		args = append(args, a.Get(i))
	}
	return args
}
