package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// deliver runs a function for an event of the engine that needs no result. The arguments are the
// objects in about, followed by args. They are made in the state of the target's mod.
func (s *Scripts) deliver(t target, event string, about [2]sim.Object, args []sim.Value) bool {
	r := t.mod.handler(event)
	if !t.mod.hearsOn(r) {
		return false
	}
	e, err := s.Host.callback(t.mod, r, t.fn)
	if err == nil {
		x, n := extOf(t.mod), len(args)
		for _, o := range about {
			if o != nil {
				e.thread.Push(x.object(o.Ident().ID()))
				n++
			}
		}
		for _, v := range args {
			e.thread.Push(x.toLua(v))
		}
		if err = e.run(n, 0); err == nil {
			err = e.close(nil)
		}
	}
	if err != nil {
		s.Fail(t.mod, event, err)
	}
	return err == nil
}

// passOn calls a chain with the arguments of the current call and returns its results.
func (a Args) passOn(name string, chain []target) int {
	if len(chain) > 0 && !chain[0].override {
		return a.through(name, chain[0])
	}
	return a.Return(a.runChain(name, chain, keep(a, 1))...)
}

// through calls a function of the same mod or another one. It copies values from thread to thread
// without a list in between.
func (a Args) through(name string, t target) int {
	h, x, to := a.Host(), a.ext(), extOf(t.mod)
	e, err := h.open(t.mod, t.mod.handler(name), &Limit{}, t.fn)
	if err != nil {
		a.Raise(err)
	}
	n := a.N()
	err = carry(x, to, a.L, e.thread, n)
	if err == nil {
		if err = e.run(n, lua.MultRet); err != nil {
			a.Raise(err)
		}
		n = e.thread.GetTop()
		a.L.SetTop(0)
		err = carry(to, x, e.thread, a.L, n)
	}
	if spent := e.close(nil); spent != nil {
		a.Raise(spent)
	}
	if err != nil {
		a.Fail("%s", err)
	}
	return n
}

// carry pushes the first n values of a thread of one state onto a thread of another.
func carry(from, to *ext, src, dst *lua.LState, n int) error {
	var c *crossing
	for i := 1; i <= n; i++ {
		v := src.Get(i)
		switch text := v.(type) {
		case lua.LString:
			to.mod.holds(len(text))
		case *lua.LNilType, lua.LBool, lua.LNumber:
		default:
			if from == to {
				break
			}
			if c == nil {
				c = &crossing{to: to}
			}
			var err error
			if v, err = c.copy(v); err != nil {
				return fmt.Errorf("value %d: %w", i, err)
			}
		}
		dst.Push(v)
	}
	return nil
}
