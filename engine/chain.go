package engine

import "github.com/torc-engine/torc/engine/sim"

// maxChain is how many objects one move can drive: who sits on what sits on
// something is deep enough.
const maxChain = 4

// A chain is what a connection controls: an object, and what that drives in its
// turn (sim.Driver).
type chain struct {
	links [maxChain]sim.Controlled
	n     int
}

// all are the links, the control object first.
func (k *chain) all() []sim.Controlled { return k.links[:k.n] }

func (k *chain) has(o sim.Object) bool {
	for _, l := range k.all() {
		if sim.Object(l) == o {
			return true
		}
	}
	return false
}

// chainOf is the chain of an object, nil of none. It ends before what is dead.
func chainOf(o sim.Controlled) (k chain) {
	for o != nil && k.n < maxChain && o.Ident().Alive() && !k.has(o) {
		k.links[k.n] = o
		k.n++
		d, ok := o.(sim.Driver)
		if !ok {
			break
		}
		o = d.Drives()
	}
	return k
}

// follow makes k the chain of an object: its links are controlled by who, with
// that lag, unless they are by somebody else, and what is no link any more by
// nobody. It reports whether there is anything of that.
func (k *chain) follow(o sim.Controlled, who sim.ID, lag int) (less bool) {
	now := chainOf(o)
	for _, l := range k.all() {
		if now.has(l) {
			continue
		}
		less = true
		if i := l.Ident(); i.Controller() == who {
			i.SetController(0)
			i.SetLag(0)
		}
	}
	for _, l := range now.all() {
		if i := l.Ident(); i.Controller() == 0 || i.Controller() == who {
			i.SetController(who)
			i.SetLag(lag)
		}
	}
	*k = now
	return less
}

// groups are the groups of o that travel as control state while o is a link.
func (k *chain) groups(o sim.Object) uint32 {
	if !k.has(o) {
		return 0
	}
	return o.Ident().Class().Control
}
