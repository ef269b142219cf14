package script

import (
	"cmp"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// GhostAdded runs onAdd of a ghost's class and datablock, as for a local object. Then it calls
// onGhostAdded in every mod.
func (s *Scripts) GhostAdded(c *engine.Connection, o sim.Object) {
	s.dispatch.objectAdded(o)
	s.dispatch.callEach("onGhostAdded", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// GhostRemoved calls onGhostRemoved in every mod. onRemove follows at the end of the tick.
func (s *Scripts) GhostRemoved(c *engine.Connection, o sim.Object) {
	s.env.WithDeleted(o, func() {
		s.dispatch.callEach("onGhostRemoved", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
	})
}

// GhostAcked calls onGhostAcked in every mod: the client has acknowledged the object.
func (s *Scripts) GhostAcked(c *engine.Connection, o sim.Object) {
	s.dispatch.callEach("onGhostAcked", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// InScope asks the object's class whether a client can see the object. If the callback fails or is
// suspended, the last answer holds, so that a failed callback changes nothing.
func (s *Scripts) InScope(o sim.Object, c *engine.Connection, last bool) (visible, asked bool) {
	chain := s.chains.chainOf(o, "inScope")
	if len(chain) == 0 {
		return true, false
	}
	out, ok := s.dispatch.runChain(o.Ident().Class().Name+" inScope", chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return []lua.LValue{x.Object(o.Ident().ID()), x.Object(c.ID())}, nil
	})
	if !ok {
		return last, true
	}
	return len(out) > 0 && lua.LVAsBool(out[0]), true
}

// objectTicks runs onTick of objects.
type objectTicks struct {
	scripts *Scripts
	scratch []tickTarget
	from    sim.ID // object to continue with, because its onTick was deferred to this tick
}

// A tickTarget is an object whose class has onTick.
type tickTarget struct {
	o     sim.Object
	class *tickClass
}

type tickClass struct {
	class *sim.Class
	event string
	chain []target
}

// run runs onTick of every object whose class has one, in id order. If a mod runs out of
// its share of the tick, the next tick begins with its first skipped object.
func (k *objectTicks) run() {
	classes := k.classes()
	if len(classes) == 0 {
		return
	}
	all := k.scratch[:0]
	k.scripts.engine.World().Each(nil, func(o sim.Object) bool {
		for i := range classes {
			if classes[i].class == o.Ident().Class() {
				all = append(all, tickTarget{o, &classes[i]})
			}
		}
		return true
	})
	k.scratch = all
	first, _ := slices.BinarySearchFunc(all, k.from, func(t tickTarget, id sim.ID) int { return cmp.Compare(t.o.Ident().ID(), id) })
	k.from = 0
	for i := range all {
		t := all[(first+i)%len(all)]
		switch wait := k.scripts.Runtime.Busy() && k.scripts.Runtime.BusyFor(t.class.chain[0].mod); {
		case !t.o.Ident().Alive():
		case !wait:
			k.runOne(t)
		case k.from == 0:
			k.from = t.o.Ident().ID()
		}
	}
	clear(all)
}

func (k *objectTicks) runOne(t tickTarget) {
	k.scripts.dispatch.runChain(t.class.event, t.class.chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return []lua.LValue{x.Object(t.o.Ident().ID())}, nil
	})
}

// classes returns the classes that define or inherit onTick.
func (k *objectTicks) classes() []tickClass {
	if !k.scripts.chains.has("onTick") {
		return nil
	}
	var list []tickClass
	for _, c := range k.scripts.engine.World().Classes().List() {
		if chain := k.scripts.chains.classChain(c, "onTick"); len(chain) > 0 && c.Kind != sim.BlockClass {
			list = append(list, tickClass{c, c.Name + " onTick", chain})
		}
	}
	return list
}
