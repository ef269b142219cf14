package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// A GhostView is an object of this host as the peer of a connection sees it, as far as acks tell.
type GhostView struct {
	Object  sim.Object // nil: it has left the scope, and the peer is told to delete its ghost
	ID      int        // of the ghost; −1: the object is not in scope
	Status  ghost.Status
	Weight  uint8 // base priority
	Pending bool  // the peer lacks a change that no packet in flight carries
	Own     bool  // the peer moves it itself, so updates do not carry its place
	SentAge int   // ticks since the newest update in a packet

	Placed    bool      // the object has a place
	Truth     sim.Place // of the object now
	Known     bool      // the fields below have values
	KnownAge  int       // ticks since the position below; 0: it is the newest one
	At        sim.Vec3  // the newest position that the peer is known to have
	Predicted sim.Vec3  // the position where the peer shows the ghost now, if nothing newer has arrived
}

// EachGhostView calls do for every ghost that this side sends to the peer, in order of ids. do must
// not keep the view.
func (i *Inspector) EachGhostView(c *Connection, do func(v *GhostView)) {
	if c.ghosts == nil || !c.sends() {
		return
	}
	l := ghostLooker{host: i.host, conn: c, now: i.host.snapshots.Tick(), places: map[*sim.Class]placeCells{}}
	c.ghosts.EachSeen(func(s ghost.Seen) {
		l.look(&s)
		do(&l.view)
	})
}

// EachUnseen calls do for the objects with a place that are not in scope of a connection and at
// most some metres from a point, until do returns false.
func (i *Inspector) EachUnseen(c *Connection, from sim.Vec3, within float64, do func(v *GhostView) bool) {
	s, v := i.host.scope, GhostView{ID: -1, Placed: true}
	near, _ := s.grid.Around(from, within, within, nil, nil)
	for _, n := range near {
		if c.Visible.in.has(n) {
			continue
		}
		v.Object, v.Truth = s.sources[n].object, s.sources[n].placed.Place()
		if !do(&v) {
			return
		}
	}
}

// Eye returns the point from which the peer of a connection looks, the direction, and the view. ok
// is false while the peer has no place.
func (v *VisibleSet) Eye() (at, look sim.Vec3, view ScopeView, ok bool) {
	k := &v.camera
	return k.at.vec(), k.look.vec(), v.view.orDefault(), k.on && v.stage != stageOff
}

// ghostLooker makes the views of a connection's ghosts.
type ghostLooker struct {
	host   *Host
	conn   *Connection
	now    uint32 // tick of the newest snapshots
	places map[*sim.Class]placeCells
	cells  []uint32 // buffer
	view   GhostView
}

// look makes the view of a ghost.
func (l *ghostLooker) look(s *ghost.Seen) {
	o := l.host.ObjectOf(s.Object)
	l.view = GhostView{Object: o, ID: s.ID, Status: s.Status, Weight: s.Weight, Pending: s.Pending&^s.Held != 0, SentAge: int(l.now - s.Sent)}
	if o == nil {
		return
	}
	placed := l.host.scope.sources[s.Object].placed
	if placed == nil {
		return
	}
	v := &l.view
	v.Placed, v.Truth = true, placed.Place()
	if c, ok := o.(sim.Controllable); ok && l.conn.Control.chain.has(c) {
		v.Own = true
		return
	}
	l.locate(s, o.Ident().Class())
}

// locate finds the position that the peer has. A position that is not sent as differences is known
// only while the peer has everything.
func (l *ghostLooker) locate(s *ghost.Seen, class *sim.Class) {
	p, found := l.places[class]
	if !found {
		p = placeCellsOf(class)
		l.places[class] = p
	}
	v := &l.view
	if !p.smooth {
		v.Known = s.Status == ghost.Live && s.Pending == 0 && s.Known >= s.Sent
		v.At, v.Predicted = v.Truth.Position, v.Truth.Position
		return
	}
	cells, tick, ok := l.conn.ghosts.SeenCells(s, p.group, l.cells[:0])
	l.cells = cells
	if !ok {
		return
	}
	v.Known, v.At = true, vecOf(p.cells, cells, p.position)
	v.Predicted = v.At
	if changed := l.host.snapshots.ChangedAt(s.Object, p.group); tick >= changed && class.PredictedGroups>>p.group&1 != 0 {
		v.Predicted = v.Truth.Position // the ghost computes the same movement
		return
	} else if tick < changed {
		v.KnownAge = int(l.now - tick)
	}
	if p.velocity >= 0 {
		ticks := min(int(l.now-tick), class.Motion.MostAhead())
		v.Predicted = v.At.Add(vecOf(p.cells, cells, p.velocity).Mul(float64(ticks) * sim.TickSeconds))
	}
}

// placeCells says where a class has its position.
type placeCells struct {
	smooth   bool // the other fields have values
	group    int
	cells    []sim.Cell // of the group
	position int        // index of its first cell
	velocity int        // the same of the rate of the position; −1: none
}

// placeCellsOf finds the position of a class: the smooth vector with that name.
func placeCellsOf(class *sim.Class) placeCells {
	f := class.Lookup("position")
	if f == nil || f.Kind != sim.KindVec || class.Coder(int(f.Group)) != nil {
		return placeCells{}
	}
	p := placeCells{group: int(f.Group), cells: class.Cells(int(f.Group)), velocity: -1}
	for i := range p.cells {
		if !p.cells[i].Smooth {
			return placeCells{}
		}
		if c := &p.cells[i]; c.Field == f && c.Part == "x" {
			p.position, p.smooth = i, true
			if c.Rate != nil {
				p.velocity = c.Rate.Cell
			}
		}
	}
	p.smooth = p.smooth && p.group > 0
	return p
}

// vecOf returns the vector whose first cell has index i.
func vecOf(cells []sim.Cell, codes []uint32, i int) sim.Vec3 {
	at := func(k int) float64 { return cells[i+k].Number(uint64(codes[i+k])) }
	return sim.Vec3{X: at(0), Y: at(1), Z: at(2)}
}
