package engine

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// The measures of scoping.
const (
	scopeCell      = 64.0  // side of a cell of the spatial index, in metres
	scopeInterval  = 8     // ticks from one query of a connection to its next
	scopeSlack     = 1.15  // an object leaves at this many times the distance at which it enters
	scopeClose     = 1.001 // and none enters at this many times, however distances are rounded
	scopeStay      = 16    // ticks an object stays in scope at least, unless it must not be seen
	scopeLeap      = 32.0  // metres; who moves farther at once is looked at at once
	scopeChanges   = 512   // changed objects in a tick, beyond which all connections query anew
	scopeQuestions = 256   // answers of scripts a tick has time for
	scopeGlances   = 8192  // and how often it asks whether scripts have an answer at all
)

// bodyFlags are the yes-and-no of a body.
type bodyFlags uint8

const (
	bodyHere    bodyFlags = 1 << iota // there is such an object
	bodyPlaced                        // it is somewhere
	bodyAlways                        // in scope whatever the distance
	bodyForeign                       // a ghost of somebody else's object
	bodyChanged                       // in the list of what has changed in this tick
)

// A body is what scope and priority know of an object. They live in one array
// by the object's number in the images: a cache line each, which connections
// read at once while they pack.
type body struct {
	at       point   // metres
	velocity point   // metres a second
	radius   float32 // metres
	base     float32 // the part of its priority that does not depend on who looks
	groups   uint64  // scope groups; none is seen by all
	weight   float32 // as scripts set it, 0…1
	kind     uint16  // its class, among the kinds
	flags    bodyFlags
}

// A source is where a body comes from.
type source struct {
	object   sim.Object
	placed   sim.Placed   // nil: it has no place
	animated sim.Animated // nil: it has no animation
}

// scope is who sees what: the bodies of a host's net objects, an index of
// where they are, and the rules of the scripts. What a connection sees of them
// is its sight.
//
// It belongs to the owner. While connections pack, nothing in it changes.
type scope struct {
	host    *Host
	grid    *sim.Grid
	sources []source
	bodies  []body // by number; 0 is no object
	loose   numberSet
	always  numberSet
	changed []uint32        // what every connection has to look at in this tick
	early   map[sim.ID]rule // of objects that have no number yet
	kinds   []kind          // by the numbers of classes on the wire
	near    []uint32        // scratch of a query: what it finds,
	far     []uint32        // what is too far away to enter,
	doubts  []uint32        // what is in scope and must be looked at,
	marks   bitSet          // and by number what it finds; empty between queries
	phase   uint32          // of the next connection, so that their queries do not fall into one tick
	turn    int             // which connection's questions come first
	tick    uint32
}

func newScope(h *Host) *scope {
	return &scope{host: h, grid: sim.NewGrid(scopeCell), bodies: make([]body, 1), sources: make([]source, 1)}
}

// add takes in an object that has been given a number.
func (s *scope) add(number uint32, o sim.Object) {
	for int(number) >= len(s.bodies) {
		s.bodies, s.sources = append(s.bodies, body{}), append(s.sources, source{})
	}
	r, known := s.early[o.Ident().ID()]
	if !known {
		r = usualRule(o)
	}
	src := source{object: o}
	src.placed, _ = o.(sim.Placed)
	src.animated, _ = o.(sim.Animated)
	s.sources[number] = src
	s.bodies[number] = body{flags: bodyHere, groups: r.groups, weight: r.weight, kind: s.kind(number, o)}
	b := &s.bodies[number]
	if o.Ident().IsGhost() {
		b.flags |= bodyForeign
	}
	if r.always {
		b.flags |= bodyAlways
		s.always.add(number)
	}
	if src.placed == nil {
		s.loose.add(number)
	} else {
		b.flags |= bodyPlaced
		p := src.placed.Place()
		b.place(&p)
		s.grid.Add(number, b.at.vec(), float64(b.radius))
	}
	s.rate(number)
	s.change(number)
}

// update hears that an object has changed.
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
		if b.at.sub(at).square() > scopeLeap*scopeLeap {
			s.change(number)
		}
	}
	if src.animated != nil {
		s.rate(number)
	}
}

// remove lets an object go: it is out of everybody's scope at once.
func (s *scope) remove(number uint32) {
	b, o := &s.bodies[number], s.sources[number].object
	r := s.rule(o)
	o.Ident().SetNumber(0)
	for _, c := range s.host.conns {
		c.sight.forget(number, o)
	}
	if o.Ident().Alive() { // it will have another number
		s.remember(o.Ident().ID(), r)
	}
	if b.flags&bodyPlaced != 0 {
		s.grid.Remove(number)
	}
	s.loose.remove(number)
	s.always.remove(number)
	*b, s.sources[number] = body{}, source{}
}

// change puts an object on the list of what every connection looks at in this
// tick, however often it has changed.
func (s *scope) change(number uint32) {
	if b := &s.bodies[number]; b.flags&bodyChanged == 0 {
		b.flags |= bodyChanged
		s.changed = append(s.changed, number)
	}
}

// step brings every connection's scope up to date. It is the owner's, once a
// tick, after the images.
func (s *scope) step() {
	s.tick = uint32(s.host.tick)
	s.listen()
	for _, c := range s.host.conns {
		c.sight.step()
	}
	for _, n := range s.changed {
		s.bodies[n].flags &^= bodyChanged
	}
	s.changed = s.changed[:0]
	clear(s.early)
	s.ask() // last: what scripts change meanwhile is for the next tick to look at
}

// place takes over where an object is. What is not a number becomes 0, and
// what is far away is not farther than a number of metres that can be squared,
// so that nobody who reads bodies has to think of either.
func (b *body) place(p *sim.Place) {
	b.at = pointOf(p.Position)
	b.velocity = pointOf(p.Velocity)
	b.radius = max(0, finite(p.Radius))
}

// A point is a Vec3 of half the size; its length, squared, is a number.
type point struct{ x, y, z float32 }

// farthest is the most a point's coordinate can be.
const farthest = 1 << 24

func pointOf(v sim.Vec3) point { return point{finite(v.X), finite(v.Y), finite(v.Z)} }

func finite(x float64) float32 {
	switch {
	case x > -farthest && x < farthest:
		return float32(x)
	case x >= farthest:
		return farthest
	case x <= -farthest:
		return -farthest
	}
	return 0
}

func (p point) vec() sim.Vec3     { return sim.Vec3{X: float64(p.x), Y: float64(p.y), Z: float64(p.z)} }
func (p point) sub(q point) point { return point{p.x - q.x, p.y - q.y, p.z - q.z} }
func (p point) square() float32   { return p.dot(p) }
func (p point) dot(q point) float32 {
	return float32(p.x*q.x) + float32(p.y*q.y) + float32(p.z*q.z)
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// A numberSet is a set of objects' numbers with an order that depends on
// nothing but what was done to it.
type numberSet struct {
	list []uint32
	at   map[uint32]int
}

func (s *numberSet) has(n uint32) bool {
	_, has := s.at[n]
	return has
}

// add puts n in and reports whether it was out.
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

// remove takes n out and reports whether it was in.
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
