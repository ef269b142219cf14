package engine

import (
	"math/bits"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// A ghostGate stands between scope and the peer. It passes an object when the peer is known to have
// its class description and its datablock. Until then the object waits. So the peer never receives
// an object that it cannot create.
type ghostGate struct {
	conn    *Connection
	classes int      // number of declared classes already described
	known   int      // number of declared classes that the peer is known to have
	blocks  bitSet   // by index: the peer is known to have the datablock
	passed  bitSet   // by number: the object is in the peer's scope
	waiting []uint32 // numbers of objects in scope that cannot pass yet, ascending
	learnt  bool     // the peer has received descriptions since the last step
}

// admit adds an object to the connection's scope, or to the waiting objects. It returns false if
// there is no room.
func (g *ghostGate) admit(n uint32) bool {
	if g.passed.has(n) {
		return true
	}
	c := g.conn
	if !g.open(c.host.ObjectOf(n)) {
		if at, waits := slices.BinarySearch(g.waiting, n); !waits {
			g.waiting = slices.Insert(g.waiting, at, n)
		}
		return true
	}
	if !c.ghosts.Scope(n) {
		return false
	}
	c.Visible.watch(n, 1)
	c.Visible.hideFields(c.host.ObjectOf(n))
	g.passed.add(n)
	return true
}

// expel removes an object from the connection's scope.
func (g *ghostGate) expel(n uint32) {
	if g.take(n) {
		g.conn.ghosts.Unscope(n)
		g.conn.Visible.watch(n, -1)
	}
}

// forget removes an object that loses its number. Nobody counts its watchers any more.
func (g *ghostGate) forget(n uint32) {
	if g.take(n) {
		g.conn.ghosts.Forget(n)
	}
}

// take takes an object out of the gate. It reports whether the object had passed.
func (g *ghostGate) take(n uint32) (passed bool) {
	if at, waits := slices.BinarySearch(g.waiting, n); waits {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	passed = g.passed.has(n)
	g.passed.remove(n)
	return passed
}

// recheck returns a passed object to the waiting ones, if the peer lacks something that the object
// now needs.
func (g *ghostGate) recheck(n uint32) {
	if g.passed.has(n) && !g.open(g.conn.host.ObjectOf(n)) {
		g.expel(n)
		g.admit(n)
	}
}

// step retries the waiting objects, if the peer has received descriptions.
func (g *ghostGate) step() {
	if !g.learnt {
		return
	}
	g.learnt = false
	waiting := g.waiting
	g.waiting = nil
	for _, n := range waiting {
		if !g.admit(n) {
			g.learnt = true // retry when there is room
			at, _ := slices.BinarySearch(g.waiting, n)
			g.waiting = slices.Insert(g.waiting, at, n)
		}
	}
}

// reset removes all waiting and all passed objects.
func (g *ghostGate) reset() {
	g.waiting = g.waiting[:0]
	for at, word := range g.passed {
		for ; word != 0; word &= word - 1 {
			g.conn.host.snapshots.watch(uint32(64*at+bits.TrailingZeros64(word)), -1)
		}
		g.passed[at] = 0
	}
}

// open reports whether the peer has the class and the datablock of o.
func (g *ghostGate) open(o sim.Object) bool {
	if f := g.conn.foreign(); f != nil && f.left > 0 {
		return false
	}
	class := o.Ident().Class()
	if class.Spec() != nil && g.conn.host.described.indexOf(class) >= g.known {
		return false
	}
	if class.DataBlock == "" {
		return true
	}
	block, ok := g.conn.host.world.Find(class.Lookup("dataBlock").Get(o).Object()).(sim.Datablock)
	return ok && g.blocks.has(uint32(block.Data().Index()))
}

// learntBlock records that the peer has a datablock.
func (g *ghostGate) learntBlock(index uint16) {
	g.blocks.add(uint32(index))
	g.learnt = true
}

// learntListed records that the peer has another class of the list.
func (g *ghostGate) learntListed() {
	f := g.conn.foreign()
	if f.left--; f.left == 0 {
		g.learnt = true
	}
}

// learntClass records that the peer has the first n declared classes.
func (g *ghostGate) learntClass(n int) { g.known, g.learnt = n, true }
