package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// deliver runs a function for an event of the engine that needs no result. The arguments are the
// objects in about, followed by args. They are made in the state of the target's mod.
func (d *dispatcher) deliver(t target, event string, about [2]sim.Object, args []sim.Value) bool {
	r := t.mod.EventRecord(event)
	if !t.mod.ReceivesOn(r) {
		return false
	}
	e, err := d.scripts.Runtime.OpenCallback(t.mod, r, t.fn)
	if err == nil {
		x, n := bind.Of(t.mod), len(args)
		for _, o := range about {
			if o != nil {
				e.Thread.Push(x.Object(o.Ident().ID()))
				n++
			}
		}
		for _, v := range args {
			e.Thread.Push(x.ToLua(v))
		}
		if err = e.Run(n, 0); err == nil {
			err = e.Close(nil)
		}
	}
	if err != nil {
		d.scripts.Runtime.Fail(t.mod, event, err)
	}
	return err == nil
}

// forwardCall calls a chain with the arguments of the current call and returns its results.
func forwardCall(a bind.Call, name string, chain []target) int {
	if len(chain) > 0 && !chain[0].override {
		return callTarget(a, name, chain[0])
	}
	return a.Return(runChain(a, name, chain, bind.Rest(a, 1))...)
}

// callTarget calls a function of the same mod or another one. It copies values from thread to thread
// without a list in between.
func callTarget(a bind.Call, name string, t target) int {
	h, x, to := a.Runtime(), a.Binding(), bind.Of(t.mod)
	e, err := h.OpenNested(t.mod, t.mod.EventRecord(name), &vm.Limit{}, t.fn)
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
				if h, ok := u.Value.(bind.Handle); ok {
					v = to.Object(h.ID) // without a copier, which allocates
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
