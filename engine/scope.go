package engine

import (
	"math/bits"

	"github.com/torc-engine/torc/engine/sim"
)

// Parameters of scoping.
const (
	scopeCell      = 64.0  // side of a cell of the spatial index, in metres
	scopeInterval  = 8     // ticks between two queries of a connection
	scopeSlack     = 1.15  // an object leaves scope beyond this multiple of the entry distance
	scopeClose     = 1.001 // factor on the query distance, covers rounding errors
	scopeStay      = 16    // least time of an object in scope, in ticks, unless it must be hidden
	scopeJump      = 32.0  // metres; a larger jump triggers an immediate query
	scopeDelay     = 8     // ticks within which a moving object that nobody sees gets its new place
	scopeFarRounds = 4     // an object far from all views gets its place once in so many times scopeDelay
	scopeChanges   = 512   // changed objects per tick; above this, all connections run a query
	scopeQuestions = 256   // script answers per tick
	scopeTrim      = 8     // queries between two looks for unused memory of a connection
	scopeProbes    = 8192  // objects per tick for which scripts are asked if they have a callback
)

// bodyFlags are the flags of a body.
type bodyFlags uint8

const (
	bodyHere    bodyFlags = 1 << iota // the object exists
	bodyPlaced                        // it has a place
	bodyAlways                        // in scope at any distance
	bodyForeign                       // a ghost of another host's object
	bodyChanged                       // already in the list of changed objects of this tick
)

// A scopeBody is the part of an object that scope and priority need. Bodies live in one array, by
// object number. Each fits a cache line. Connections read them in parallel while they build
// packets.
type scopeBody struct {
	at       point   // metres
	velocity point   // metres per second
	radius   float32 // metres
	base     float32 // the part of its priority that is the same for all connections
	groups   uint64  // scope groups; 0 is visible to all
	weight   float32 // set by scripts, 0…1
	kind     uint16  // index of its class in kinds
	flags    bodyFlags
}

// A bodySource is the object behind a body.
type bodySource struct {
	object   sim.Object
	placed   sim.Placer   // nil: no place
	animated sim.Animator // nil: no animation
}

// scope holds the data to compute visible sets: the bodies of a host's net objects, a spatial
// index, and the rules set by scripts. Each connection has its own visible set.
//
// Only the host changes it, and never while connections build packets.
type scope struct {
	host         *Host
	grid         *sim.Grid
	sources      []bodySource
	bodies       []scopeBody // by number; 0 is unused
	born         []uint32    // by number: the tick in which connections can first see an object
	unplaced     numberSet
	always       numberSet
	changed      []uint32         // objects that every connection must review in this tick
	pendingRules map[sim.ID]rule  // of objects without a number
	kinds        []classQuestions // by class number on the wire
	quiet        bool             // no class with objects can have a callback in this tick
	memories     [scopeChunks]scopeMemory
	do           func(m *scopeMemory, c *Connection) // in a fork
	swept        []uint32                            // objects that leave all visible sets
	doChunk      func(worker, chunk int)             // runChunk, bound once so that a tick allocates nothing
	delayed      bitSet                              // objects that have changed since their bodies were updated
	remote       bitSet                              // those of them that were far from all views at the last update
	lookout      lookout                             // what connections have looked at lately
	phase        uint32                              // of the next connection; spreads the queries over the ticks
	turn         int                                 // connection whose questions come first
	tick         uint32
}

func newScope(h *Host) *scope {
	s := &scope{host: h, grid: sim.NewGrid(scopeCell), bodies: make([]scopeBody, 1), sources: make([]bodySource, 1), born: make([]uint32, 1)}
	s.doChunk = s.runChunk
	return s
}

// add starts tracking an object with a new number.
func (s *scope) add(number uint32, o sim.Object) {
	for int(number) >= len(s.bodies) {
		s.bodies, s.sources = append(s.bodies, scopeBody{}), append(s.sources, bodySource{})
		s.born = append(s.born, 0)
	}
	s.born[number] = s.tick + 1
	r, known := s.pendingRules[o.Ident().ID()]
	if !known {
		r = usualRule(o)
	}
	src := bodySource{object: o}
	src.placed, _ = o.(sim.Placer)
	src.animated, _ = o.(sim.Animator)
	s.sources[number] = src
	s.bodies[number] = scopeBody{flags: bodyHere, groups: r.groups, weight: r.weight, kind: s.enroll(number, o)}
	b := &s.bodies[number]
	if o.Ident().IsGhost() {
		b.flags |= bodyForeign
	}
	if r.always {
		b.flags |= bodyAlways
		s.always.add(number)
	}
	if src.placed == nil {
		s.unplaced.add(number)
	} else {
		b.flags |= bodyPlaced
		p := src.placed.Place()
		b.place(&p)
		s.grid.Add(number, b.at.vec(), float64(b.radius))
	}
	s.updateBase(number)
	s.change(number)
}

// update handles a changed object.
func (s *scope) update(number uint32) {
	b, src := &s.bodies[number], &s.sources[number]
	if src.placed != nil {
		at, radius := b.at, b.radius
		p := src.placed.Place()
		b.place(&p)
		switch {
		case b.radius != radius:
			s.grid.Remove(number)
			s.grid.Add(number, b.at.vec(), float64(b.radius))
		case b.at != at:
			s.grid.Move(number, b.at.vec())
		}
		if b.at.sub(at).square() > scopeJump*scopeJump {
			s.change(number)
		}
	}
	if src.animated != nil { // else nothing in it changes: add and setRule know of class and weight
		s.updateBase(number)
	}
}

// delay handles an object that begins to change while no connection sees it. Its body is updated
// every scopeDelay ticks from the next tick on, until it stands still: most objects of a large
// world move far from all players, and it does not matter when one of them comes into view a little
// later. While no connection looks near it, it is updated even more rarely.
func (s *scope) delay(number uint32) { s.delayed.add(number) }

// updateDelayed updates a part of the delayed objects, another one in each tick.
func (s *scope) updateDelayed() {
	round := int(s.tick / scopeDelay)
	for w := int(s.tick % scopeDelay); w < len(s.delayed); w += scopeDelay {
		objects := s.delayed[w]
		if w < len(s.remote) && (w/scopeDelay+round)%scopeFarRounds != 0 {
			objects &^= s.remote[w]
		}
		for ; objects != 0; objects &= objects - 1 {
			s.catchUp(uint32(w<<6 + bits.TrailingZeros64(objects)))
		}
	}
}

// catchUp updates a delayed object. If it stands still, or if a connection sees it, it is no longer
// delayed.
func (s *scope) catchUp(n uint32) {
	b := &s.bodies[n]
	before := b.at
	s.update(n)
	switch {
	case b.at == before || s.host.snapshots.watched(n):
		s.delayed.remove(n)
		s.remote.remove(n)
		s.host.snapshots.unpark(n)
	case s.lookout.watches(b.at, b.radius, s.tick):
		s.remote.remove(n)
	default:
		s.remote.add(n)
	}
}

// remove stops tracking an object and removes it from every visible set.
func (s *scope) remove(number uint32) {
	for _, c := range s.host.conns {
		c.Visible.forget(number, s.sources[number].object)
	}
	s.drop(number)
}

// removeAll is remove of several objects. It removes all of them from one visible set, and then
// from the next, because the data of so many connections does not fit into the CPU cache.
func (s *scope) removeAll(numbers []uint32) {
	if len(numbers) == 0 {
		return
	}
	s.swept = numbers
	s.fork(forgetSwept)
	s.swept = nil
	for _, n := range numbers {
		s.drop(n)
	}
}

// drop stops tracking an object that is in no visible set.
func (s *scope) drop(number uint32) {
	b, o := &s.bodies[number], s.sources[number].object
	r := s.rule(o)
	o.Ident().SetNumber(0)
	if o.Ident().Alive() { // it will get another number
		s.remember(o.Ident().ID(), r)
	}
	if b.flags&bodyPlaced != 0 {
		s.grid.Remove(number)
	}
	s.unplaced.remove(number)
	s.always.remove(number)
	s.delayed.remove(number)
	s.remote.remove(number)
	s.kinds[b.kind].live--
	*b, s.sources[number] = scopeBody{}, bodySource{}
}

// change queues an object for review by every connection in this tick. An object is queued at most
// once.
func (s *scope) change(number uint32) {
	if b := &s.bodies[number]; b.flags&bodyChanged == 0 {
		b.flags |= bodyChanged
		s.changed = append(s.changed, number)
	}
}

// step updates every connection's scope. The host calls it once per tick, after the snapshots.
func (s *scope) step() {
	s.tick = uint32(s.host.tick)
	s.updateDelayed()
	s.listen()
	s.stepAll()
	for _, n := range s.changed {
		s.bodies[n].flags &^= bodyChanged
	}
	s.changed = s.changed[:0]
	clear(s.pendingRules)
	s.ask() // last, so that changes by scripts are handled in the next tick
}

// place copies an object's place. NaN becomes 0, and coordinates are clamped so that their squares
// are finite. Readers of bodies rely on both.
func (b *scopeBody) place(p *sim.Place) {
	b.at = pointOf(p.Position)
	b.velocity = pointOf(p.Velocity)
	b.radius = max(0, finite(p.Radius))
}

// A numberSet is a set of object numbers. Its order depends only on the operations on it.
type numberSet struct {
	list []uint32
	at   map[uint32]int
}

func (s *numberSet) has(n uint32) bool {
	_, has := s.at[n]
	return has
}

// add adds n and reports whether it was missing.
func (s *numberSet) add(n uint32) bool {
	if s.has(n) {
		return false
	}
	if s.at == nil {
		s.at = map[uint32]int{}
	}
	s.at[n] = len(s.list)
	s.list = append(s.list, n)
	return true
}

// remove removes n and reports whether it was present.
func (s *numberSet) remove(n uint32) bool {
	at, has := s.at[n]
	if !has {
		return false
	}
	last := len(s.list) - 1
	s.list[at] = s.list[last]
	s.at[s.list[at]] = at
	s.list = s.list[:last]
	delete(s.at, n)
	return true
}
