package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// GhostAdded runs onAdd of a ghost's class and datablock, as for a local object. Then it calls
// onGhostAdded in every mod.
func (s *hooks) GhostAdded(c *engine.Connection, o sim.Object) {
	s.fields.ghostAdded(o)
	s.dispatch.objectAdded(o)
	s.dispatch.callEach("onGhostAdded", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// GhostRemoved calls onGhostRemoved in every mod. onRemove follows at the end of the tick.
func (s *hooks) GhostRemoved(c *engine.Connection, o sim.Object) {
	s.env.WithDeleted(o, func() {
		s.dispatch.callEach("onGhostRemoved", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
	})
}

// GhostAcked calls onGhostAcked in every mod: the client has acknowledged the object.
func (s *hooks) GhostAcked(c *engine.Connection, o sim.Object) {
	s.dispatch.callEach("onGhostAcked", c, []sim.Value{sim.Handle(o.Ident().ID())}, nil)
}

// WatchesAcks implements engine.Scripts. In a fight, thousands of ghosts are acknowledged per tick.
func (s *hooks) WatchesAcks() bool { return s.dispatch.hears("onGhostAcked") }

// InScope asks the object's class whether a client can see the object. If the callback fails, or if
// it or its mod is suspended, the last answer holds: a failed callback shows nothing that was
// hidden.
func (s *hooks) InScope(o sim.Object, c *engine.Connection, last bool) (visible, asked bool) {
	chain := s.chains.chainOf(o, "inScope")
	switch {
	case s.chains.has("inScope") && s.gates.checkSuspended(o, "inScope"):
		return last, true
	case len(chain) == 0:
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
