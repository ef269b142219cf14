package sim

import (
	"math"
	"math/bits"
)

const (
	tileShift = 2 // binary logarithm of how many cells a tile is wide
	tileSide  = 1 << tileShift
	tileCells = tileSide * tileSide
	leastRoom = 4 // things that a tile has room for as soon as it has one

	narrowAfter = 4 // changes for each thing
)

// gridTile is a square of cells, which exists while anything is in it. Its
// things are one block of the grid's spots, cell by cell.
type gridTile struct {
	x, y  int32 // in tiles
	layer uint32
	next  uint32 // of its bucket, or of the tiles that do not exist; 1 more than its index

	first uint32            // of the block
	room  uint32            // a power of two
	ends  [tileCells]uint32 // of the cells, counted from first; each begins where the one before ends

	low, high float64 // no thing in it is lower or higher; no numbers if the height of one is none
	changes   uint32  // since these were as narrow as they can be
}

// gridSpot is a thing as a query sees it.
type gridSpot struct {
	at     Vec3
	radius float64
}

func (t *gridTile) count() uint32 { return t.ends[tileCells-1] }

// within is the number of a cell in its tile.
func within(x, y int32) int { return int(y&(tileSide-1))<<tileShift | int(x&(tileSide-1)) }

// insert makes room for a thing in a cell and returns its place: every later
// cell moves up by its first thing going behind its last.
func (g *Grid) insert(t *gridTile, cell int) uint32 {
	if t.count() == t.room {
		g.resize(t, max(leastRoom, 2*t.room))
	}
	hole := t.first + t.count()
	for c := tileCells - 1; c > cell; c-- {
		t.ends[c]++
		hole = g.shift(t.first+t.ends[c-1], hole)
	}
	t.ends[cell]++
	return hole
}

// remove takes a thing out of a cell: the last one there fills its place, and
// the last one of every later cell that of the cell before.
func (g *Grid) remove(t *gridTile, cell int, hole uint32) {
	for c := cell; c < tileCells; c++ {
		t.ends[c]--
		hole = g.shift(t.first+t.ends[c], hole)
	}
	switch {
	case t.count() == 0:
		g.release(t)
		t.room = 0
	case t.room > leastRoom && t.count() <= t.room/4:
		g.resize(t, t.room/2)
	}
}

// pass takes a thing that is in the place hole out of a cell, and returns the
// place that is free for it in another: cells between the two move up or down.
func (g *Grid) pass(t *gridTile, from, to int, hole uint32) uint32 {
	for c := from; c < to; c++ {
		t.ends[c]--
		hole = g.shift(t.first+t.ends[c], hole)
	}
	for c := from; c > to; c-- {
		hole = g.shift(t.first+t.ends[c-1], hole)
		t.ends[c-1]++
	}
	return hole
}

// shift moves the thing at a place and returns the place that becomes free.
func (g *Grid) shift(from, to uint32) uint32 {
	if from != to {
		g.spots[to], g.numbers[to] = g.spots[from], g.numbers[from]
		g.things[g.numbers[to]].at = to
	}
	return from
}

// resize gives a tile a block with room for so many things.
func (g *Grid) resize(t *gridTile, room uint32) {
	first := g.block(room)
	for i := range t.count() {
		g.shift(t.first+i, first+i)
	}
	g.release(t)
	t.first, t.room = first, room
}

// block is a block that is free.
func (g *Grid) block(room uint32) (first uint32) {
	head := &g.blocks[bits.TrailingZeros32(room)]
	if *head != 0 {
		first = *head - 1
		*head = g.numbers[first]
		return first
	}
	first = uint32(len(g.spots))
	g.spots = append(g.spots, make([]gridSpot, room)...)
	g.numbers = append(g.numbers, make([]uint32, room)...)
	return first
}

// release makes the block of a tile free.
func (g *Grid) release(t *gridTile) {
	if t.room > 0 {
		head := &g.blocks[bits.TrailingZeros32(t.room)]
		g.numbers[t.first], *head = *head, t.first+1
	}
}

// rise keeps the bounds of the tile right for a thing that is now at a height.
// They become as narrow as they can be after some changes for each thing.
func (t *gridTile) rise(g *Grid, z float64) {
	if !(z >= t.low && z <= t.high) {
		t.low, t.high = min(t.low, z), max(t.high, z)
	}
	if t.changes++; t.changes > narrowAfter*t.count() {
		g.narrow(t)
	}
}

func (g *Grid) narrow(t *gridTile) {
	t.changes, t.low, t.high = 0, math.Inf(1), math.Inf(-1)
	for i := range t.count() {
		if z := g.spots[t.first+i].at.Z; !(z >= t.low && z <= t.high) {
			t.low, t.high = min(t.low, z), max(t.high, z)
		}
	}
}

// tileAt is the tile there, as 1 more than its index, 0 if nothing is in it.
func (g *Grid) tileAt(x, y int32, layer uint32) uint32 {
	for i := g.buckets[g.bucket(x, y, layer)]; i != 0; {
		t := &g.tiles[i-1]
		if t.x == x && t.y == y && t.layer == layer {
			return i
		}
		i = t.next
	}
	return 0
}

// openTile makes the tile there.
func (g *Grid) openTile(x, y int32, layer uint32) uint32 {
	if g.open == len(g.buckets) {
		g.rehash()
	}
	g.open++
	i := g.spare
	if i == 0 {
		g.tiles = append(g.tiles, gridTile{})
		i = uint32(len(g.tiles))
	} else {
		g.spare = g.tiles[i-1].next
	}
	head := &g.buckets[g.bucket(x, y, layer)]
	g.tiles[i-1] = gridTile{x: x, y: y, layer: layer, next: *head, low: math.Inf(1), high: math.Inf(-1)}
	*head = i
	return i
}

// closeTile lets go of a tile that is empty.
func (g *Grid) closeTile(i uint32) {
	t := &g.tiles[i-1]
	link := &g.buckets[g.bucket(t.x, t.y, t.layer)]
	for *link != i {
		link = &g.tiles[*link-1].next
	}
	*link, t.next, g.spare = t.next, g.spare, i
	g.open--
}

// rehash doubles the buckets.
func (g *Grid) rehash() {
	g.buckets = make([]uint32, 2*len(g.buckets))
	for i := range g.tiles {
		t := &g.tiles[i]
		head := &g.buckets[g.bucket(t.x, t.y, t.layer)]
		t.next, *head = *head, uint32(i+1)
	}
}

// bucket is the list that a tile is in, among others.
func (g *Grid) bucket(x, y int32, layer uint32) uint32 {
	h := uint64(uint32(x))*0x9e3779b97f4a7c15 ^ uint64(uint32(y))*0xc2b2ae3d27d4eb4f ^ uint64(layer)*0x165667b19e3779f9
	return uint32(h>>32) & uint32(len(g.buckets)-1)
}
