package engine

import "github.com/torc-engine/torc/engine/sim"

// maxChain is the most objects that one move can drive. That covers a rider on a mount that is
// itself mounted.
const maxChain = 4

// A chain is the control object and the objects driven by it (sim.Driver).
type chain struct {
	links [maxChain]sim.Controllable
	n     int
}

// all returns the links, the control object first.
func (k *chain) all() []sim.Controllable { return k.links[:k.n] }

func (k *chain) has(o sim.Object) bool {
	for _, l := range k.all() {
		if sim.Object(l) == o {
			return true
		}
	}
	return false
}

// chainOf returns the chain of an object. It ends before the first dead object. The chain of nil is
// empty.
func chainOf(o sim.Controllable) (k chain) {
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

// follow updates k to the chain of o. It sets the controller and the lag (in ticks) of each link
// that nothing else controls, and clears both on objects that left the chain. It reports whether
// any object left.
func (k *chain) follow(o sim.Controllable, who sim.ID, lag int) (less bool) {
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

// groups returns o's groups that are part of the control state, or 0 if o is not a link.
func (k *chain) groups(o sim.Object) uint32 {
	if k.n == 0 {
		return 0
	}
	return k.controlGroups(o)
}

func (k *chain) controlGroups(o sim.Object) uint32 {
	if !k.has(o) {
		return 0
	}
	return o.Ident().Class().Control
}
