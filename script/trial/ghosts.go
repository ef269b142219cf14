package trial

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// toActor copies values to an actor's console. Objects become the actor's ghosts of them.
func (t *testState) toActor(a *Actor, vs []lua.LValue) ([]lua.LValue, error) {
	c := bind.Copier{To: bind.Of(a.Scripts.Operator()), Object: func(id sim.ID) sim.ID { return idAlive(t.ghost(a, id)) }}
	return c.All(vs)
}

// fromActor copies values from an actor's console. Ghosts become the server's objects.
func (t *testState) fromActor(a *Actor, vs []lua.LValue) ([]lua.LValue, error) {
	c := bind.Copier{To: bind.Of(t.mod), Object: func(id sim.ID) sim.ID { return idAlive(t.original(a, id)) }}
	return c.All(vs)
}

func idAlive(o sim.Object) sim.ID {
	if o == nil {
		return 0
	}
	return o.Ident().ID()
}

// ghost returns an actor's ghost of a server object, or nil without one.
func (t *testState) ghost(a *Actor, id sim.ID) sim.Object {
	here, there, o := t.connection(a), a.Host.Server(), t.trial.engine.World().Find(id)
	switch {
	case here == nil || there == nil || o == nil:
		return nil
	case here.ID() == id:
		return there
	}
	return there.PeerGhosts.Ghost(there.Ghosts().TokenOf(here.Ghosts().NameOf(o.Ident().Number())))
}

// original returns the server object for a ghost of an actor. It compares the ghosts of all
// objects, because ghost ids have a meaning only while a packet is read.
func (t *testState) original(a *Actor, id sim.ID) (found sim.Object) {
	if a.Host.World().Find(id) == nil {
		return nil
	}
	t.trial.engine.World().Each(nil, func(o sim.Object) bool {
		if ghost := t.ghost(a, o.Ident().ID()); ghost != nil && ghost.Ident().ID() == id {
			found = o
		}
		return found == nil
	})
	return found
}
