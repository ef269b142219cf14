package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// forwardCall calls a chain with the arguments of the current call and returns its results.
func forwardCall(a bind.Call, name string, chain []target) int {
	if len(chain) > 0 && chain[0].of == nil {
		return callTarget(a, chain[0].mod.EventRecord(name), chain[0])
	}
	return a.Return(runChain(a, name, chain, bind.Rest(a, 1))...)
}

// callTarget calls a function of the same mod or another one, as the event with a record. It copies
// values from thread to thread without a list in between.
func callTarget(a bind.Call, r *vm.EventRecord, t target) int {
	h, x, to := a.Runtime(), a.Binding(), bind.Of(t.mod)
	e, err := h.OpenNested(t.mod, r, &vm.Limit{}, t.fn)
	if err != nil {
		a.Raise(err)
	}
	e.Caller = a.L
	n := a.N()
	err = pushCopies(x, to, a.L, e.Thread, n)
	if err == nil {
		if err = e.Run(n, lua.MultRet); err != nil {
			a.Raise(err)
		}
		n = e.Thread.GetTop()
		a.L.SetTop(0)
		err = pushCopies(to, x, e.Thread, a.L, n)
	}
	if spent := e.Close(nil); spent != nil {
		a.Raise(spent)
	}
	if err != nil {
		a.Fail("%s", err)
	}
	return n
}

// pushCopies pushes the first n values of a thread of one state onto a thread of another.
func pushCopies(from, to *bind.Binding, src, dst *lua.LState, n int) error {
	var c *bind.Copier
	for i := 1; i <= n; i++ {
		v := src.Get(i)
		switch text := v.(type) {
		case lua.LString:
			to.Mod.NoteString(len(text))
		case *lua.LNilType, lua.LBool, lua.LNumber:
		default:
			if from == to {
				break
			}
			if u, ok := v.(*lua.LUserData); ok {
				if h, ok := u.Value.(*bind.Handle); ok {
					v = to.Object(h.ID) // without a copier, which allocates
					break
				}
				if p, ok := u.Value.(bind.Portable); ok {
					v = p.In(to)
					break
				}
			}
			if c == nil {
				c = &bind.Copier{To: to}
			}
			var err error
			if v, err = c.Copy(v); err != nil {
				return fmt.Errorf("value %d: %w", i, err)
			}
		}
		dst.Push(v)
	}
	return nil
}

// runChain runs a chain on behalf of the calling mod. Arguments and results belong to the state of
// that mod.
func runChain(a bind.Call, name string, chain []target, args []lua.LValue) []lua.LValue {
	if chain = running(chain); len(chain) == 0 {
		return nil
	}
	t, x := chain[0], a.Binding()
	to, s := bind.Of(t.mod), caller(a).scripts
	values := copyValues(a, x, to, args)
	if t.of == nil {
		out, err := s.Runtime.EnterCallback(name, t.mod, t.fn, values)
		if err != nil {
			a.Raise(err)
		}
		return copyValues(a, to, x, out)
	}
	var l parentCall
	parent := parentFunction(t.mod, name, chain[1:], values, &l)
	out, err := s.Runtime.EnterCallback(name, t.mod, t.fn, append([]lua.LValue{parent}, values...))
	switch {
	case err == nil:
		return copyValues(a, to, x, out)
	case rootExhausted(err) || l.called && !l.returned:
		a.Raise(err)
	}
	s.Runtime.Fail(t.mod, name, err)
	if l.returned { // it failed after calling parent, so the results of parent count
		return copyValues(a, to, x, l.out)
	}
	return runChain(a, name, chain[1:], args)
}

// copyValues copies values of one state into another. It fails for a value that cannot be copied.
func copyValues(a bind.Call, from, to *bind.Binding, vs []lua.LValue) []lua.LValue {
	out, err := from.CopyTo(to, vs)
	if err != nil {
		a.Fail("%s", err)
	}
	return out
}

// chainFunction makes a Lua function that runs a chain. It calls chain anew for each call.
func (x *instance) chainFunction(name string, chain func() []target) *lua.LFunction {
	return bind.Bind(x.mod.State, bind.Row{Name: name, Realm: vm.Both, Fn: func(a bind.Call) int {
		return forwardCall(a, name, chain())
	}})
}
