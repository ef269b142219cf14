package script

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// gameCost is the cost of a call into the game in instructions, for about 1 µs. valueCost is added
// for each result. makeCost is the cost of creating something permanent: an object, a datablock or
// a command.
const gameCost, valueCost, makeCost = 200, 20, 2000

// methodRow makes the row of a class method. Methods that change an object are for the server only.
// While files are loading, a call that changes an older object is held back until the load
// succeeds.
func methodRow(c *sim.Class, m *sim.Method) row {
	changes := !m.Ghosts && !hasResults(m.Params)
	return row{c.Name + ":" + m.Name, m.Params, realmOf(m.Ghosts), reference.Sentence(m.Doc), func(a Call) int {
		o := a.Object(1)
		switch i := o.Ident(); {
		case !i.Class().IsA(c):
			a.Fail("argument %s is %s, not of class %s", a.Label(1), i, c.Name)
		case i.IsGhost() && !m.Ghosts:
			a.Fail("%s", readOnly(o))
		}
		args := a.gameArgs(2)
		if changes && (o.Ident().PredatesTransaction() || slices.ContainsFunc(args, a.binding().older)) {
			return a.deferCall(func() error {
				if !o.Ident().Alive() {
					return fmt.Errorf("object %d has been deleted", o.Ident().ID())
				}
				_, err := m.Do(o, args)
				return err
			})
		}
		return a.pushResults(m.Do(o, args))
	}}
}

// hasResults reports whether a function returns a value. Calls of such a function cannot be held back.
func hasResults(params string) bool { return strings.Contains(params, "->") }

// older reports whether a value is an object that is older than the open change. It is false for
// datablocks, because no call changes them.
func (x *binding) older(v sim.Value) bool {
	o := x.world().Find(v.Object())
	_, block := o.(sim.Datablock)
	return o != nil && !block && o.Ident().PredatesTransaction()
}

// deferCall delays a call until the files being loaded have loaded without an error.
func (a Call) deferCall(do func() error) int {
	a.Charge(gameCost)
	failed := a.deferredFailure()
	a.binding().world().OnCommit(func() {
		if err := do(); err != nil {
			failed(err)
		}
	})
	return 0
}

// functionRow makes the row of a function of the world.
func functionRow(f sim.Function) row {
	changes := !f.Client && !f.List && !hasResults(f.Params)
	return row{f.Name, f.Params, realmOf(f.Client), reference.Sentence(f.Doc), func(a Call) int {
		w, args := a.binding().world(), a.functionArgs(f)
		if changes && w.InTransaction() {
			return a.deferCall(func() error { _, err := f.Do(w, args); return err })
		}
		out, err := f.Do(w, args)
		if f.List && a.Mod.Runtime.Side == vm.Client && errors.Is(err, sim.ErrUnknownClass) {
			out, err = nil, nil // the class has not arrived from the server, so no object has it
		}
		if f.List && err == nil {
			return a.returnList(out)
		}
		return a.pushResults(out, err)
	}}
}

func realmOf(clients bool) vm.Realm {
	if clients {
		return vm.Both
	}
	return vm.Server
}

// pushResults returns the results of the game to Lua, or raises the game's error.
func (a Call) pushResults(out []sim.Value, err error) int {
	if err != nil {
		a.Fail("%s", err)
	}
	a.Charge(gameCost + valueCost*len(out))
	x := a.binding()
	for _, v := range out {
		a.L.Push(x.toLua(v))
	}
	return len(out)
}

// returnList returns the results of the game as one table.
func (a Call) returnList(out []sim.Value) int {
	a.Charge(gameCost + valueCost*len(out))
	x, t := a.binding(), a.L.CreateTable(len(out), 0)
	for _, v := range out {
		t.Append(x.toLua(v))
	}
	return a.Return(t)
}

// gameArgs converts the arguments from…top for the game. Every number must be finite and every
// object alive.
func (a Call) gameArgs(from int) []sim.Value {
	n := a.N() - from + 1
	if n <= 0 {
		return nil
	}
	args := make([]sim.Value, n)
	for i := range args {
		args[i] = a.gameArg(from + i)
	}
	return args
}

func (a Call) gameArg(i int) sim.Value {
	return a.gameValue(a.Get(i), func() string { return "argument " + a.Label(i) })
}

// functionArgs converts the arguments of a function. A table as the last argument gives the values of
// the function's options.
func (a Call) functionArgs(f sim.Function) []sim.Value {
	last := a.N()
	if len(f.Options) == 0 || last == 0 || a.Get(last).Type() != lua.LTTable {
		return a.gameArgs(1)
	}
	t := a.options(last, f.Options...)
	var args []sim.Value
	for i := 1; i < last; i++ {
		args = append(args, a.gameArg(i))
	}
	for _, name := range f.Options {
		args = append(args, a.gameValue(t.RawGetString(name), func() string { return "option " + name }))
	}
	return args
}

// gameValue converts a value for the game. label names it in errors.
func (a Call) gameValue(lv lua.LValue, label func() string) sim.Value {
	v, err := fromLua(lv)
	switch {
	case err == nil:
	case v.IsNil() && isFuture(lv):
		a.Fail("%s: %s", label(), err)
	default:
		a.Fail("%s cannot be %s", label(), kindOf(lv))
	}
	switch v.Kind() {
	case sim.KindNumber, sim.KindVec, sim.KindRot:
		if !finite(v) {
			a.Fail("%s must be finite, not %s", label(), luaLiteral(lv))
		}
	case sim.KindObject:
		if a.binding().alive(v.Object()) == nil {
			a.Fail("%s: object %d has been deleted", label(), v.Object())
		}
	}
	return v
}

func isFuture(v lua.LValue) bool {
	u, ok := v.(*lua.LUserData)
	if ok {
		_, ok = u.Value.(pendingBlock)
	}
	return ok
}

// finite reports whether a number, or every component of a vector or rotation, is finite.
func finite(v sim.Value) bool {
	parts := [3]float64{v.Number()}
	switch v.Kind() {
	case sim.KindVec:
		parts = [3]float64{v.Vec().X, v.Vec().Y, v.Vec().Z}
	case sim.KindRot:
		parts = [3]float64{v.Rot().Yaw, v.Rot().Pitch, v.Rot().Roll}
	}
	for _, p := range parts {
		if math.IsNaN(p) || math.IsInf(p, 0) {
			return false
		}
	}
	return true
}

// nameClash returns an error if a method or function of the game has a name that is already taken in
// Lua. Mods could not call it.
func (s *Scripts) nameClash() error {
	taken := map[string]bool{}
	for _, lib := range s.List() {
		for _, f := range lib.Funcs {
			taken[f.Name] = true
		}
	}
	classes := s.engine.World().Classes()
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

// objectMethod finds a method by the kind of the object: a connection, a set, any object, and then
// its class and the parent classes. The result is cached.
func (x *binding) objectMethod(o sim.Object, name string) *lua.LFunction {
	class := o.Ident().Class()
	if fn := x.cachedMember(class, name).fn; fn != nil {
		return fn
	}
	for _, kind := range methodKinds(o) {
		if fn := x.method(kind, name); fn != nil {
			x.cacheMember(class, name, member{fn: fn})
			return fn
		}
	}
	return nil
}

// methodKinds returns the row prefixes of an object's methods, in order of precedence.
func methodKinds(o sim.Object) []string {
	var kinds []string
	if _, ok := o.(*engine.Connection); ok {
		kinds = append(kinds, "client")
	}
	if _, ok := o.(objectSet); ok {
		kinds = append(kinds, "group")
	}
	kinds = append(kinds, "obj")
	for c := o.Ident().Class(); c != nil; c = c.ParentClass() {
		kinds = append(kinds, c.Name)
	}
	return kinds
}

// membersOf lists the members of an object that work on this side, sorted: the names of its fields,
// and the rows of its methods.
func (s *Scripts) membersOf(o sim.Object) (fields []string, methods []*vm.Func) {
	for _, f := range o.Ident().Class().AllFields() {
		fields = append(fields, f.Name)
	}
	found := map[string]bool{}
	for _, kind := range methodKinds(o) {
		for _, lib := range s.List() {
			for i := range lib.Funcs {
				f := &lib.Funcs[i]
				rest, of := strings.CutPrefix(f.Name, kind)
				switch {
				case !of || f.Sides()&s.Side == 0 || found[rest]:
				case rest[:1] == ".":
					fields = append(fields, rest[1:])
				case rest[:1] == ":":
					methods, found[rest] = append(methods, f), true
				}
			}
		}
	}
	slices.Sort(fields)
	slices.SortFunc(methods, func(a, b *vm.Func) int { return cmp.Compare(methodName(a), methodName(b)) })
	return slices.Compact(fields), methods
}

// methodName returns the name of a method row without its kind.
func methodName(f *vm.Func) string {
	_, name, _ := strings.Cut(f.Name, ":")
	return name
}

// noMemberError returns the error for a name that is no member of an object.
func (s *Scripts) noMemberError(o sim.Object, name string) error {
	class := o.Ident().Class()
	names, methods := s.membersOf(o)
	for _, f := range methods {
		names = append(names, methodName(f))
	}
	if near := spell.Nearest(name, names); near != "" && class.Lookup(near) == nil {
		return fmt.Errorf("%s has no field or method %s, did you mean %q?", class.Name, sim.String(name).Literal(), near)
	}
	_, err := class.Field(name)
	return err
}

// rejectMethodName fails if the game's classes have a method of this name. A callback with that name would
// never be called.
func (a Call) rejectMethodName(c *sim.Class, name string) {
	if c != nil && c.Method(name) != nil {
		a.Fail("%s is a method of %s and cannot be replaced: choose another name", name, c.Name)
	}
}
