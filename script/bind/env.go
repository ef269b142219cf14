package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/vm"
)

// An Env is what the bindings of all mods of a host share.
type Env struct {
	Engine   *engine.Host
	Runtime  *vm.Runtime
	MaxTags  int        // texts of tagged strings of one mod
	Removing sim.Object // object with a running onRemove: deleted but still usable
	Boxes    vm.Boxes

	rows    map[string]*vm.Func // methods, by "kind:name"
	vectors [512]fieldVector    // recent vectors of fields
	meta    *metatables         // made with the first mod
}

// Index makes the rows of all installed chapters known as methods. Call it when they are complete.
func (e *Env) Index() {
	e.rows = map[string]*vm.Func{}
	for i := range e.Runtime.List() {
		for j := range e.Runtime.List()[i].Funcs {
			row := &e.Runtime.List()[i].Funcs[j]
			e.rows[row.Name] = row
		}
	}
}

// NameClash returns an error if a method or function of the game has a name that is already taken
// in Lua. Mods could not call it.
func (e *Env) NameClash() error {
	taken := map[string]bool{}
	for _, lib := range e.Runtime.List() {
		for _, f := range lib.Funcs {
			taken[f.Name] = true
		}
	}
	classes := e.Engine.World().Classes()
	for _, f := range classes.Functions() {
		if taken[f.Name] {
			return fmt.Errorf("function %s: the name is taken by a function of Lua", f.Name)
		}
	}
	for _, c := range classes.List() {
		for _, m := range c.Methods {
			if taken["obj:"+m.Name] || c.Lookup(m.Name) != nil {
				return fmt.Errorf("method %s of %s: the name is taken by another member", m.Name, c.Name)
			}
		}
	}
	return nil
}

// MembersOf lists the members of an object that work on this side, sorted: the names of its fields,
// and the rows of its methods.
func (e *Env) MembersOf(o sim.Object) (fields []string, methods []*vm.Func) {
	for _, f := range o.Ident().Class().AllFields() {
		fields = append(fields, f.Name)
	}
	found := map[string]bool{}
	for _, kind := range methodKinds(o) {
		for _, lib := range e.Runtime.List() {
			for i := range lib.Funcs {
				f := &lib.Funcs[i]
				rest, of := strings.CutPrefix(f.Name, kind)
				switch {
				case !of || f.Sides()&e.Runtime.Side == 0 || found[rest]:
				case rest[:1] == ".":
					fields = append(fields, rest[1:])
				case rest[:1] == ":":
					methods, found[rest] = append(methods, f), true
				}
			}
		}
	}
	slices.Sort(fields)
	slices.SortFunc(methods, func(a, b *vm.Func) int { return cmp.Compare(MethodName(a), MethodName(b)) })
	return slices.Compact(fields), methods
}

// noMemberError returns the error for a name that is no member of an object, or none that a mod can
// set. called tells that the mod calls it.
func (e *Env) noMemberError(o sim.Object, name string, called bool) error {
	class, word := o.Ident().Class(), sim.String(name).Literal()
	members, methods := e.MembersOf(o)
	for _, f := range methods {
		members = append(members, MethodName(f))
	}
	near := spell.Nearest(name, members)
	switch {
	case near == name:
		return fmt.Errorf("%s of %s is read-only", name, class.Name)
	case near != "" && class.Lookup(near) == nil:
		return fmt.Errorf("%s has no field or method %s, did you mean %q?", class.Name, word, near)
	}
	_, err := class.Field(name)
	if _, block := o.(sim.Datablock); near == "" && !block && !called && len(name) <= maxMember && names.Identifier(name) {
		err = fmt.Errorf("%w: a value of the mod belongs in obj.own.%s", err, name)
	}
	return err
}

// maxMember is the length in bytes of the longest name that an error repeats.
const maxMember = 64

// WithDeleted runs callbacks that can still read a deleted object.
func (e *Env) WithDeleted(o sim.Object, run func()) {
	outer := e.Removing
	e.Removing = o
	run()
	e.Removing = outer
}
