package bind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// A plan holds the members of a class that a mod has used, by name as written.
type plan struct {
	class  *sim.Class // nil: the plan is outdated
	names  map[string]*member
	recent [recentNames]namedMember
}

// A member is a method, a field or a property of a class. Exactly one of its fields is set.
type member struct {
	fn    *lua.LFunction
	field *sim.Field
	get   func(sim.Object) lua.LValue
}

type namedMember struct {
	name string
	*member
}

const (
	// maxPlannedNames is the maximum number of names in a plan. Field names ignore case, so one
	// field can have many spellings.
	maxPlannedNames = 1024

	// recentNames is the number of names that a plan finds without a look-up in its map. A name's
	// place depends on its length and on its ends.
	recentNames = 32
)

// cacheMember caches the meaning of a name in objects of a class.
func (x *Binding) cacheMember(class *sim.Class, name string, m member) {
	p := x.plans[class]
	if p == nil {
		p = &plan{class: class}
		x.plans[class] = p
	}
	if p.names == nil || len(p.names) >= maxPlannedNames {
		p.names = map[string]*member{}
	}
	name = strings.Clone(name) // a script can cut a name out of a long string
	p.names[name] = &m
	p.recent[recentPlace(name)] = namedMember{name, &m}
}

// recentPlace returns the place of a name, which is not empty, among the recent ones.
func recentPlace(name string) int {
	return (len(name)*5 + int(name[0])*3 + int(name[len(name)-1])) % recentNames
}

// member returns the member of a name, or nil if the plan does not have it.
func (p *plan) member(name string) *member {
	if p == nil || name == "" {
		return nil
	}
	r := &p.recent[recentPlace(name)]
	if r.name != name {
		m := p.names[name]
		if m == nil {
			return nil
		}
		*r = namedMember{name, m}
	}
	return r.member
}

// read returns the value of a member of an object.
func (m *member) read(x *Binding, o sim.Object) lua.LValue {
	switch {
	case m.get != nil:
		return m.get(o)
	case m.fn != nil:
		return m.fn
	}
	if n, ok := m.field.Float(o); ok {
		return x.env.Boxes.Number(n)
	}
	if v, ok := m.field.Vec3(o); ok {
		return x.fieldVec(o.Ident().ID(), m.field, v)
	}
	return x.fromField(m.field, o)
}

// ForgetMembers discards the plans, because the classes may no longer exist.
func (x *Binding) ForgetMembers() {
	for _, p := range x.plans { // any order: each is discarded by itself
		p.class = nil
	}
	clear(x.plans)
}

// CachedClasses returns the number of classes with plans.
func (x *Binding) CachedClasses() int { return len(x.plans) }

// readHandle makes the fast path for most reads of a handle, o.field and o:method(). It allocates
// nothing but the value. row handles all other reads and reports errors.
func readHandle(row lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		u, _ := l.Get(1).(*lua.LUserData)
		name, _ := l.Get(2).(lua.LString)
		if u == nil {
			return row(l)
		}
		h, ok := u.Value.(*Handle)
		if !ok {
			return row(l)
		}
		v := h.of.readMember(h, string(name))
		if v == nil {
			return row(l)
		}
		l.Push(v)
		return 1
	}
}

// readMember returns the value of a member that is in the plan of its class, or nil.
func (x *Binding) readMember(h *Handle, name string) lua.LValue {
	o := h.object
	if o == nil || !o.Ident().Alive() {
		if o = x.alive(h.ID); o == nil {
			return nil
		}
	}
	class := o.Ident().Class()
	if h.plan == nil || h.plan.class != class {
		h.plan = x.plans[class]
	}
	if m := h.plan.member(name); m != nil {
		return m.read(x, o)
	}
	return nil
}
