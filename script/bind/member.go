package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// memberCache caches the members that a mod has used, by class and by name as written.
type memberCache map[*sim.Class]map[string]classMember

// maxCachedNames is the maximum number of cached names per class. Field names ignore case, so one
// field can have many spellings.
const maxCachedNames = 1024

// A classMember is a method or a field of a class.
type classMember struct {
	fn    *lua.LFunction
	field *sim.Field
}

// cacheMember caches the meaning of a name in objects of a class. The next use costs one table
// access.
func (x *Binding) cacheMember(class *sim.Class, name string, m classMember) {
	names := x.members[class]
	if names == nil || len(names) >= maxCachedNames {
		names = map[string]classMember{}
		x.members[class] = names
	}
	names[name] = m
	x.lastClass, x.names = class, names
}

// cachedMember returns the cached member of a name, or the zero member if there is none.
func (x *Binding) cachedMember(class *sim.Class, name string) classMember {
	if class != x.lastClass {
		x.lastClass, x.names = class, x.members[class]
	}
	return x.names[name]
}

// ForgetMembers empties the cache, because the classes may no longer exist.
func (x *Binding) ForgetMembers() {
	clear(x.members)
	x.lastClass, x.names = nil, nil
}

// indexHandle makes the fast path for most reads of a handle, o.field and o:method(). It allocates
// nothing but the value. Row handles all other cases and reports errors.
func (x *Binding) indexHandle(row vm.Func) lua.LGFunction {
	s := x.Mod.State
	return func(l *lua.LState) int {
		defer s.Rescue(l, &row)
		u, _ := l.Get(1).(*lua.LUserData)
		name, _ := l.Get(2).(lua.LString)
		if u == nil {
			return row.Fn(vm.Args{L: l, Mod: x.Mod, Row: &row})
		}
		if h, ok := u.Value.(Handle); ok {
			if name == "id" {
				l.Push(x.env.Boxes.Number(float64(h.ID)))
				return 1
			}
			if o := x.alive(h.ID); o != nil {
				switch m := x.cachedMember(o.Ident().Class(), string(name)); {
				case m.field != nil:
					if n, ok := m.field.Float(o); ok {
						l.Push(x.env.Boxes.Number(n))
					} else {
						l.Push(x.fromField(m.field, o))
					}
					return 1
				case m.fn != nil:
					l.Push(m.fn)
					return 1
				}
			}
		}
		return row.Fn(vm.Args{L: l, Mod: x.Mod, Row: &row})
	}
}

// CachedClasses returns the number of classes with cached members.
func (x *Binding) CachedClasses() int { return len(x.members) }
