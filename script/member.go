package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// members is what a mod has found in objects: by their classes, then by the names as they were written.
type members map[*sim.Class]map[string]member

// maxSpellings is how many names of a class are remembered; fields go by any spelling.
const maxSpellings = 1024

// A member is a method or a field.
type member struct {
	fn    *lua.LFunction
	field *sim.Field
}

// found keeps what a name means in objects of a class, so that the next time it costs one look.
func (x *ext) found(class *sim.Class, name string, m member) {
	names := x.members[class]
	if names == nil || len(names) >= maxSpellings {
		names = map[string]member{}
		x.members[class] = names
	}
	names[name] = m
	x.newest, x.names = class, names
}

// known is what was found of a name, the zero member if nothing was.
func (x *ext) known(class *sim.Class, name string) member {
	if class != x.newest {
		x.newest, x.names = class, x.members[class]
	}
	return x.names[name]
}

// forgetMembers lets go of classes that may be gone.
func (x *ext) forgetMembers() {
	clear(x.members)
	x.newest, x.names = nil, nil
}

// indexHandle is the way of most reads of a handle, o.field and o:method(): it makes nothing but the value. Whatever
// else there is, and what is wrong, is for row to find out.
func (x *ext) indexHandle(row *Func) lua.LGFunction {
	s := x.mod.State
	return func(l *lua.LState) int {
		defer s.rescue(l, row)
		u, _ := l.Get(1).(*lua.LUserData)
		name, _ := l.Get(2).(lua.LString)
		if u == nil {
			return row.Fn(Args{l, x.mod, row})
		}
		if h, ok := u.Value.(handle); ok {
			if name == "id" {
				l.Push(x.mod.Host.boxes.number(float64(h.id)))
				return 1
			}
			if o := x.alive(h.id); o != nil {
				switch m := x.known(o.Ident().Class(), string(name)); {
				case m.field != nil:
					if n, ok := m.field.Float(o); ok {
						l.Push(x.mod.Host.boxes.number(n))
					} else {
						l.Push(x.toLua(m.field.Get(o)))
					}
					return 1
				case m.fn != nil:
					l.Push(m.fn)
					return 1
				}
			}
		}
		return row.Fn(Args{l, x.mod, row})
	}
}
