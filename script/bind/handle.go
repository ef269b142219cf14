package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// A Handle is a reference to an object by its id. Ids are never reused, so a handle to a deleted
// object finds nothing.
type Handle struct {
	ID sim.ID

	of     *Binding
	data   lua.LUserData // the handle as a Lua value, in the same piece of memory
	object sim.Object    // the object when it was found last; nil for a handle that is not in Handles
	plan   *plan         // of the class of that object; it can be outdated
}

// recentHandles is the size of a binding's table of recent handles. Objects that a mod looks at in
// a tick are often made one after the other, so they have different places in it.
const recentHandles = 128

// NewHandle returns another handle of an object, which can be deleted.
func (x *Binding) NewHandle(id sim.ID) *lua.LUserData {
	h := &Handle{ID: id, of: x}
	h.data = lua.LUserData{Value: h, Env: x.Mod.State.Lua().Env, Metatable: x.meta.object}
	return &h.data
}

// Object returns the one handle of this state for an object, or nil if the object is deleted. An
// object stays in the world until the end of the tick in which it is deleted, and so does its
// handle.
func (x *Binding) Object(id sim.ID) lua.LValue {
	if h := x.recent[id%recentHandles]; h != nil && h.ID == id && h.object.Ident().Alive() {
		return &h.data
	}
	if x.alive(id) == nil {
		return lua.LNil
	}
	return x.HandleOf(id)
}

// HandleOf returns the one handle of this state for an object in the world, deleted or not.
func (x *Binding) HandleOf(id sim.ID) lua.LValue {
	u := x.Handles[id]
	if u == nil {
		u = x.NewHandle(id)
		x.Handles[id] = u
	}
	h := u.Value.(*Handle)
	if o := x.alive(id); o != nil { // a recent handle always has its object, dead or not
		h.object, x.recent[id%recentHandles] = o, h
	}
	return u
}

// dropHandle forgets the handle of an object. A script can keep the handle, but the handle does not
// keep the object in memory.
func (x *Binding) dropHandle(id sim.ID) {
	if u := x.Handles[id]; u != nil {
		h := u.Value.(*Handle)
		h.object, h.plan = nil, nil
		delete(x.Handles, id)
	}
	if h := x.recent[id%recentHandles]; h != nil && h.ID == id {
		x.recent[id%recentHandles] = nil
	}
}

// DropDeleted replaces the handles of deleted objects by nil.
func (x *Binding) DropDeleted(args []lua.LValue) []lua.LValue {
	for i, v := range args {
		if u, ok := v.(*lua.LUserData); ok {
			if h, ok := u.Value.(*Handle); ok {
				args[i] = x.Object(h.ID)
			}
		}
	}
	return args
}

// ObjectOrNil returns the handle of an object, nil for none.
func (x *Binding) ObjectOrNil(o sim.Object) lua.LValue {
	if o == nil {
		return lua.LNil
	}
	return x.Object(o.Ident().ID())
}

// Position returns the object that a handle stands for, and its position. A client stands for its
// control object. who is Go's nil if the object is deleted or has no position. ok is false if v is
// not a handle.
func (x *Binding) Position(v lua.LValue) (who lua.LValue, at sim.Vec3, ok bool) {
	u, _ := v.(*lua.LUserData)
	if u == nil {
		return nil, at, false
	}
	h, ok := u.Value.(*Handle)
	if !ok {
		return nil, at, false
	}
	o := x.alive(h.ID)
	if c, ok := o.(*engine.Connection); ok {
		if o = c.Control.Object(); o != nil {
			u, _ = x.Object(o.Ident().ID()).(*lua.LUserData)
		}
	}
	if o == nil || u == nil {
		return nil, at, true
	}
	f := o.Ident().Class().Lookup("position")
	if f == nil {
		return nil, at, true
	}
	at, located := f.Vec3(o)
	if !located {
		return nil, at, true
	}
	return u, at, true
}

// Boxes returns the recent numbers of the host.
func (x *Binding) Boxes() *vm.Boxes { return &x.env.Boxes }
