package bind

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// NotGlobal implements vm.Explainer. It knows the names of classes, datablocks and objects.
func (x *Binding) NotGlobal(name string) string {
	if c := x.World().Classes().Lookup(name); c != nil && c.Name == name {
		if c.Spec() != nil && c.Spec().Mod == x.Mod.Name {
			return reference.SetsNoGlobal(fmt.Sprintf("class %q", name), name)
		}
		return reference.IsNoGlobal(name)
	}
	o := x.World().FindName(name)
	if o == nil || o.Ident().Name() != name {
		return ""
	}
	if _, ok := o.(sim.Datablock); ok {
		return reference.SetsNoGlobal(fmt.Sprintf("datablock %q %q", o.Ident().Class().Name, name), name)
	}
	return fmt.Sprintf(": the name of an object is no global, write find(%q)", name)
}

// Iteration implements vm.Explainer.
func (x *Binding) Iteration(u *lua.LUserData) string {
	if h, ok := u.Value.(*Handle); ok {
		if _, ok := x.World().Find(h.ID).(ObjectSet); ok {
			return ": write " + reference.IteratesGroup("group")
		}
	}
	return ""
}

// Title implements vm.Explainer.
func (x *Binding) Title(u *lua.LUserData) (text string, expands bool) {
	h, ok := u.Value.(*Handle)
	if !ok {
		return dataText(u.Value), len(dataMembers(u.Value)) > 0
	}
	o := x.alive(h.ID)
	if o == nil {
		return fmt.Sprintf("object %d, deleted", h.ID), false
	}
	text = fmt.Sprintf("%s %d", o.Ident().Class().Name, h.ID)
	if name := x.objectName(o); name != "" {
		text += " " + Quote(vm.ClipText(name, vm.MaxQuoted))
	}
	return text, true
}

// Members implements vm.Explainer. The table own is among them if the mod has made it.
func (x *Binding) Members(u *lua.LUserData) (members []vm.Member) {
	h, ok := u.Value.(*Handle)
	if !ok {
		return dataMembers(u.Value)
	}
	o := x.alive(h.ID)
	if o == nil {
		return nil
	}
	fields, _ := x.env.MembersOf(o)
	for _, name := range fields {
		if name != "own" || x.Own[h.ID] != nil {
			members = append(members, vm.Member{Name: name, Value: FieldValue(x, o, name)})
		}
	}
	if set, ok := o.(ObjectSet); ok {
		for i, member := range set.Members(nil) {
			members = append(members, vm.Member{Name: fmt.Sprintf("[%d]", i+1), Method: fmt.Sprintf(":at(%d)", i+1), Value: x.Object(member.Ident().ID())})
		}
	}
	return members
}

// objectName returns the name of an object or of a player.
func (x *Binding) objectName(o sim.Object) string {
	return x.property(o, "name")(o).String()
}

// dataText returns a value in Lua syntax, or "" for handles of the host.
func dataText(value any) string {
	switch value.(type) {
	case Tag, Client, *sim.Vec3, sim.Rot:
		return DataText(value)
	}
	return ""
}

// dataMembers returns the parts of a vec or a rot.
func dataMembers(value any) []vm.Member {
	switch v := value.(type) {
	case *sim.Vec3:
		return []vm.Member{{Name: "x", Value: lua.LNumber(v.X)}, {Name: "y", Value: lua.LNumber(v.Y)}, {Name: "z", Value: lua.LNumber(v.Z)}}
	case sim.Rot:
		return []vm.Member{{Name: "yaw", Value: lua.LNumber(v.Yaw)}, {Name: "pitch", Value: lua.LNumber(v.Pitch)}, {Name: "roll", Value: lua.LNumber(v.Roll)}}
	}
	return nil
}
