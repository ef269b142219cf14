package bind

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// GameCost is the cost of a call into the game in instructions, for about 1 µs. valueCost is added
// for each result, and workCost for each object and place that a function looked at. MakeCost is
// the cost of creating something permanent: an object, a datablock or a command.
const GameCost, valueCost, workCost, MakeCost = 200, 20, 4, 2000

// methodRow makes the row of a class method. Methods that change an object are for the server only.
// While files are loading, a call that changes an older object is held back until the load
// succeeds.
func methodRow(c *sim.Class, m *sim.Method) Row {
	changes := !m.Ghosts && !hasResults(m.Params)
	return Row{c.Name + ":" + m.Name, m.Params, realmOf(m.Ghosts), reference.Sentence(m.Doc), func(a Call) int {
		o := a.Object(1)
		switch i := o.Ident(); {
		case !i.Class().IsA(c):
			a.Fail("argument %s is %s, not of class %s", a.Label(1), i, c.Name)
		case i.IsGhost() && !m.Ghosts:
			a.Fail("%s", ReadOnly(o))
		}
		args := gameArgs(a, 2)
		if changes && (o.Ident().PredatesTransaction() || slices.ContainsFunc(args, a.Binding().older)) {
			return deferCall(a, func() error {
				if !o.Ident().Alive() {
					return fmt.Errorf("object %d has been deleted", o.Ident().ID())
				}
				_, err := m.Do(o, args)
				return err
			})
		}
		out, err := m.Do(o, args)
		return pushResults(a, out, err)
	}}
}

// hasResults reports whether a function returns a value. Calls of such a function cannot be held
// back.
func hasResults(params string) bool { return strings.Contains(params, "->") }

// older reports whether a value is an object that is older than the open change. It is false for
// datablocks, because no call changes them.
func (x *Binding) older(v sim.Value) bool {
	o := x.World().Find(v.Object())
	_, block := o.(sim.Datablock)
	return o != nil && !block && o.Ident().PredatesTransaction()
}

// deferCall delays a call until the files being loaded have loaded without an error.
func deferCall(a Call, do func() error) int {
	a.Charge(GameCost)
	failed := a.DeferredFailure()
	a.Binding().World().OnCommit(func() {
		if err := do(); err != nil {
			failed(err)
		}
	})
	return 0
}

// functionRow makes the row of a function of the world.
func functionRow(f sim.Function) Row {
	changes := !f.Client && !f.List && !hasResults(f.Params)
	before := paramsBeforeRest(f.Params)
	return Row{f.Name, f.Params, realmOf(f.Client), reference.Sentence(f.Doc), func(a Call) int {
		w, args := a.Binding().World(), functionArgs(a, f, before)
		if changes && w.InTransaction() {
			return deferCall(a, func() error { _, err := f.Do(w, args); return err })
		}
		w.Work = 0
		out, err := f.Do(w, args)
		a.Charge(workCost * w.Work)
		if a.Mod.Runtime.Side == vm.Client && errors.Is(err, sim.ErrUnknownClass) {
			err = nil // the class has not arrived from the server, so no object has it
		}
		switch {
		case err == nil && f.List:
			return returnList(a, out)
		case err == nil && f.Each:
			return returnEach(a, out)
		}
		return pushResults(a, out, err)
	}}
}

// paramsBeforeRest returns the number of parameters before "...".
func paramsBeforeRest(params string) int {
	s, err := vm.ParseSignature(params)
	n := len(s.Params)
	if err == nil && n > 0 && s.Params[n-1].Variadic {
		n--
	}
	return n
}

func realmOf(clients bool) vm.Realm {
	if clients {
		return vm.Both
	}
	return vm.Server
}

// pushResults returns the results of the game to Lua, or raises the game's error.
func pushResults(a Call, out []sim.Value, err error) int {
	if err != nil {
		a.Fail("%s", err)
	}
	a.Charge(GameCost + valueCost*len(out))
	x := a.Binding()
	for _, v := range out {
		a.L.Push(x.ToLua(v))
	}
	return len(out)
}

// returnList returns the results of the game as one table.
func returnList(a Call, out []sim.Value) int {
	a.Charge(GameCost + valueCost*len(out))
	x, t := a.Binding(), a.L.CreateTable(len(out), 0)
	for _, v := range out {
		t.Append(x.ToLua(v))
	}
	return a.Return(t)
}

// returnEach returns an iterator over the results of the game, which are objects.
func returnEach(a Call, out []sim.Value) int {
	a.Charge(GameCost + valueCost*len(out))
	found := make([]sim.Object, 0, len(out))
	for _, v := range out {
		if o := a.Binding().World().Find(v.Object()); o != nil {
			found = append(found, o)
		}
	}
	return a.Iterate(found)
}

// Iterate returns an iterator over objects to Lua. It skips objects deleted since.
func (a Call) Iterate(all []sim.Object) int {
	x, i := a.Binding(), 0
	return a.Return(Bind(a.Mod.State, Row{Name: "iterator", Realm: vm.Both, Fn: func(a Call) int {
		for i < len(all) {
			o := all[i]
			if i++; o.Ident().Alive() {
				return a.Return(x.Object(o.Ident().ID()))
			}
		}
		return a.Return(lua.LNil)
	}}))
}

// gameArgs converts the arguments from…top for the game. Every number must be finite and every
// object alive.
func gameArgs(a Call, from int) []sim.Value {
	n := a.N() - from + 1
	if n <= 0 {
		return nil
	}
	args := make([]sim.Value, n)
	for i := range args {
		args[i] = a.GameArg(from + i)
	}
	return args
}

// GameArg returns argument i as a value of the engine. It fails the call if there is none for it.
func (a Call) GameArg(i int) sim.Value {
	return gameValue(a, a.Get(i), func() string { return "argument " + a.Label(i) })
}

// functionArgs converts the arguments of a function. before is the number of parameters before
// "...". A table as the last of these gives the values of the function's options. A class after
// them stands for its name.
func functionArgs(a Call, f sim.Function, before int) []sim.Value {
	var args []sim.Value
	for i := 1; i <= a.N(); i++ {
		lv := a.Get(i)
		u, _ := lv.(*lua.LUserData)
		switch {
		case i == before && len(f.Options) > 0 && lv.Type() == lua.LTTable:
			t := a.Options(i, f.Options...)
			for _, name := range f.Options {
				args = append(args, gameValue(a, t.RawGetString(name), func() string { return "option " + name }))
			}
			continue
		case i > before && u != nil:
			if c, is := u.Value.(ClassHandle); is {
				args = append(args, sim.String(c.ClassName()))
				continue
			}
		}
		args = append(args, a.GameArg(i))
		if i == before && len(f.Options) > 0 {
			args = append(args, make([]sim.Value, len(f.Options)-1)...)
		}
	}
	return args
}

// gameValue converts a value for the game. label names it in errors.
func gameValue(a Call, lv lua.LValue, label func() string) sim.Value {
	v, err := FromLua(lv)
	switch {
	case err == nil:
	case v.IsNil() && isFuture(lv):
		a.Fail("%s: %s", label(), err)
	default:
		a.Fail("%s cannot be %s", label(), KindOf(lv))
	}
	switch v.Kind() {
	case sim.KindNumber, sim.KindVec, sim.KindRot:
		if !IsFinite(v) {
			a.Fail("%s must be finite, not %s", label(), Literal(lv))
		}
	case sim.KindObject:
		if a.Binding().alive(v.Object()) == nil {
			a.Fail("%s: object %d has been deleted", label(), v.Object())
		}
	}
	return v
}

func isFuture(v lua.LValue) bool {
	u, ok := v.(*lua.LUserData)
	if ok {
		_, ok = u.Value.(Sendable)
	}
	return ok
}

// IsFinite reports whether a number, or every component of a vector or rotation, is finite.
func IsFinite(v sim.Value) bool {
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

// ObjectMethod finds a method by the kind of the object: a connection, a set, any object, and then
// its class and the parent classes. The result is cached.
func (x *Binding) ObjectMethod(o sim.Object, name string) *lua.LFunction {
	class := o.Ident().Class()
	if m := x.plans[class].member(name); m != nil && m.fn != nil {
		return m.fn
	}
	for _, kind := range methodKinds(o) {
		if fn := x.Method(kind, name); fn != nil {
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
	if _, ok := o.(ObjectSet); ok {
		kinds = append(kinds, "group")
	}
	kinds = append(kinds, "obj")
	for c := o.Ident().Class(); c != nil; c = c.ParentClass() {
		kinds = append(kinds, c.Name)
	}
	return kinds
}

// MethodName returns the name of a method row without its kind.
func MethodName(f *vm.Func) string {
	_, name, _ := strings.Cut(f.Name, ":")
	return name
}

// RejectMethodName fails if the game's classes have a method of this name. A callback with that
// name would never be called.
func RejectMethodName(a Call, c *sim.Class, name string) {
	if c != nil && c.Method(name) != nil {
		a.Fail("%s is a method of %s and cannot be replaced: choose another name", name, c.Name)
	}
}
