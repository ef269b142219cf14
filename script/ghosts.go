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
	s.objectAdded(o)
	s.callEach("onGhostAdded", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// GhostRemoved calls onGhostRemoved in every mod. onRemove follows at the end of the tick.
func (s *Scripts) GhostRemoved(c *engine.Connection, o sim.Object) {
	s.env.WithDeleted(o, func() {
		s.callEach("onGhostRemoved", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
	})
}

// GhostAcked calls onGhostAcked in every mod: the client has acknowledged the object.
func (s *Scripts) GhostAcked(c *engine.Connection, o sim.Object) {
	s.callEach("onGhostAcked", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// InScope asks the object's class whether a client can see the object. If the callback fails or is
// suspended, the last answer holds, so that a failed callback changes nothing.
func (s *Scripts) InScope(o sim.Object, c *engine.Connection, last bool) (visible, asked bool) {
	chain := s.chainOf(o, "inScope")
	if len(chain) == 0 {
		return true, false
	}
	out, ok := s.dispatchChain(o.Ident().Class().Name+" inScope", chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return []lua.LValue{x.Object(o.Ident().ID()), x.Object(c.ID())}, nil
	})
	if !ok {
		return last, true
	}
	return len(out) > 0 && lua.LVAsBool(out[0]), true
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

// tickObjects runs onTick of every object whose class has one, in id order. If a mod runs out of
// its share of the tick, the next tick begins with its first skipped object.
func (s *Scripts) tickObjects() {
	classes := s.tickClasses()
	if len(classes) == 0 {
		return
	}
	all := s.ticking[:0]
	s.engine.World().Each(nil, func(o sim.Object) bool {
		for i := range classes {
			if classes[i].class == o.Ident().Class() {
				all = append(all, tickTarget{o, &classes[i]})
			}
		}
		return true
	})
	s.ticking = all
	first, _ := slices.BinarySearchFunc(all, s.tickFrom, func(t tickTarget, id sim.ID) int { return cmp.Compare(t.o.Ident().ID(), id) })
	s.tickFrom = 0
	for i := range all {
		t := all[(first+i)%len(all)]
		switch wait := s.Runtime.Busy() && s.Runtime.BusyFor(t.class.chain[0].mod); {
		case !t.o.Ident().Alive():
		case !wait:
			s.tickObject(t)
		case s.tickFrom == 0:
			s.tickFrom = t.o.Ident().ID()
		}
	}
	clear(all)
}

func (s *Scripts) tickObject(t tickTarget) {
	s.dispatchChain(t.class.event, t.class.chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return []lua.LValue{x.Object(t.o.Ident().ID())}, nil
	})
}

// tickClasses returns the classes that define or inherit onTick.
func (s *Scripts) tickClasses() []tickClass {
	if !s.hasCallback("onTick") {
		return nil
	}
	var list []tickClass
	for _, c := range s.engine.World().Classes().List() {
		if chain := s.classChain(c, "onTick"); len(chain) > 0 && c.Kind != sim.BlockClass {
			list = append(list, tickClass{c, c.Name + " onTick", chain})
		}
	}
	return list
}
