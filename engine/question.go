package engine

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// Scripts can hide an object from a peer (Scripts.InScope). The host asks them when an object comes
// near, and then at most every scopeStay ticks. The answer is a bit of the entry. Without time to
// ask, an entry keeps its state, and a new object stays hidden.

// questionShare is the number of consecutive questions per connection, so that a connection with
// many questions does not block the others.
const questionShare = 64

// A classQuestions records a class for these questions. For most classes no script has a callback.
// This is found out once per class instead of once per object.
type classQuestions struct {
	silentUntil uint32 // no script has a callback before this tick
	sample      uint32 // number of an object of the class; it can be gone
	live        int    // objects of the class
}

// enroll counts an object of a kind, and returns the kind: the number of its class on the wire. The
// object becomes the sample of the kind.
func (s *scope) enroll(n uint32, o sim.Object) uint16 {
	at := s.host.world.Classes().WireID(o.Ident().Class())
	for at >= len(s.kinds) {
		s.kinds = append(s.kinds, classQuestions{})
	}
	s.kinds[at].sample = n
	s.kinds[at].live++
	return uint16(at)
}

// listen asks again about classes without callbacks, in case a script has added one. Then it notes
// whether a class can have one. Nearly always none can, and queries need not look at classes.
func (s *scope) listen() {
	for i := range s.kinds {
		k := &s.kinds[i]
		if k.silentUntil == 0 || k.silentUntil > s.tick || len(s.host.conns) == 0 {
			continue
		}
		n := k.sample
		if b := &s.bodies[n]; b.flags&bodyHere == 0 || int(b.kind) != i {
			continue
		}
		if _, asked := s.host.scripts.InScope(s.sources[n].object, s.host.conns[0], false); !asked {
			s.kinds[i].silentUntil = s.tick + scopeStay
		}
	}
	s.quiet = !slices.ContainsFunc(s.kinds, func(k classQuestions) bool { return k.live > 0 && k.silentUntil <= s.tick })
}

// silent reports whether no script has a callback for the class of an object.
func (v *VisibleSet) silent(n uint32) bool {
	s := v.scope
	return s.quiet || s.kinds[s.bodies[n].kind].silentUntil > s.tick
}

// mustAsk reports whether the scripts' answer about an entry is missing or too old.
func (v *VisibleSet) mustAsk(e *visibleEntry) bool {
	s := v.scope
	if v.silent(e.number) {
		e.set(entryHidden, false)
		return false
	}
	return !(e.is(entryRecent) && uint8(s.tick)-e.asked < scopeStay) && !v.isCamera(e.number)
}

// hides reports whether scripts hide an entry. The camera's own object cannot be hidden.
func (v *VisibleSet) hides(e *visibleEntry) bool { return e.is(entryHidden) && !v.isCamera(e.number) }

// unasked reports whether an entry waits for its first answer.
func (v *VisibleSet) unasked(e *visibleEntry) bool {
	return e.is(entryQueued) && !e.is(entryAnswered) && !v.isCamera(e.number)
}

// question queues an entry for the scripts.
func (v *VisibleSet) question(e *visibleEntry) {
	if !e.is(entryQueued) {
		e.set(entryQueued, true)
		v.asks = append(v.asks, e.number)
	}
}

// ask asks the scripts within this tick's limits. The connections take turns.
func (s *scope) ask() {
	conns := s.host.conns
	if len(conns) == 0 {
		return
	}
	s.turn = (s.turn + 1) % len(conns)
	questions, glances := scopeQuestions, scopeProbes
	for more := true; more; {
		more = false
		for i := range conns {
			v := &conns[(s.turn+i)%len(conns)].Visible
			if v.askSome(&questions, &glances); questions <= 0 || glances <= 0 || s.host.scripts.Busy() {
				return
			}
			more = more || len(v.asks) > 0
		}
	}
}

// askSome asks a connection's oldest questions. It subtracts their cost from the two limits.
func (v *VisibleSet) askSome(questions, glances *int) {
	n := 0
	for ; n < min(questionShare, len(v.asks)) && *questions > 0 && *glances > 0; n++ {
		*glances--
		if v.askAbout(v.asks[n]) {
			*questions--
		}
	}
	n = min(n, len(v.asks)) // a script can reset the connection
	v.asks = v.asks[:copy(v.asks, v.asks[n:])]
	if len(v.asks) == 0 && cap(v.asks) > questionShare {
		v.asks = nil // it was long after the join
	}
}

// askAbout asks about one object, and reports whether a script ran. That script can change
// anything, so no entry pointer is kept across the call.
func (v *VisibleSet) askAbout(n uint32) (thought bool) {
	s := v.scope
	at := v.where(n)
	if at < 0 || !v.entries[at].is(entryQueued) {
		return false
	}
	visible, last := true, v.entries[at].flags&(entryAnswered|entryHidden) == entryAnswered
	if kind := s.bodies[n].kind; s.kinds[kind].silentUntil <= s.tick {
		s.kinds[kind].sample = n // the last one can be gone
		visible, thought = s.host.scripts.InScope(s.sources[n].object, v.conn, last)
		if !thought {
			s.kinds[kind].silentUntil = s.tick + scopeStay
		}
	}
	if at = v.where(n); at < 0 {
		return thought
	}
	e := &v.entries[at]
	e.asked = uint8(s.tick)
	e.set(entryAnswered|entryRecent, true)
	e.set(entryQueued, false)
	e.set(entryHidden, thought && !visible)
	if e.is(entryNear) {
		v.settle(at)
	}
	return thought
}
