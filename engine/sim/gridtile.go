package sim

import (
	"math"
	"math/bits"
)

const (
	tileShift = 2 // binary logarithm of the width of a tile in cells
	tileSide  = 1 << tileShift
	tileCells = tileSide * tileSide
	minRoom   = 4 // smallest capacity of a tile with things

	recomputeAfter = 4 // changes per thing
)

// gridTile is a square of cells. It exists while it holds a thing. Its things are one block of the
// grid's spots, cell by cell.
type gridTile struct {
	x, y  int32 // in tiles
	layer uint32
	next  uint32 // in its bucket, or among the unused tiles; index plus 1

	first uint32            // first spot of the block
	room  uint32            // capacity, a power of two
	ends  [tileCells]uint32 // of the cells, relative to first; each cell begins where the one before ends

	low, high float64 // bounds of the heights of its things; NaN if a height is NaN
	changes   uint32  // since the bounds were last exact
}

// gridSpot is the part of a thing that a query reads.
type gridSpot struct {
	at     Vec3
	radius float64
}

func (t *gridTile) count() uint32 { return t.ends[tileCells-1] }

// cellIndex returns the number of a cell in its tile.
func cellIndex(x, y int32) int { return int(y&(tileSide-1))<<tileShift | int(x&(tileSide-1)) }

// insert makes room for a thing in a cell and returns its index. Each later cell shifts up: its
// first thing moves behind its last.
func (g *Grid) insert(t *gridTile, cell int) uint32 {
	if t.count() == t.room {
		g.resize(t, max(minRoom, 2*t.room))
	}
	hole := t.first + t.count()
	for c := tileCells - 1; c > cell; c-- {
		t.ends[c]++
		hole = g.shift(t.first+t.ends[c-1], hole)
	}
	t.ends[cell]++
	return hole
}

// remove takes a thing out of a cell. The cell's last thing fills the hole, and the last thing of
// each later cell fills the hole of the cell before.
func (g *Grid) remove(t *gridTile, cell int, hole uint32) {
	for c := cell; c < tileCells; c++ {
		t.ends[c]--
		hole = g.shift(t.first+t.ends[c], hole)
	}
	switch {
	case t.count() == 0:
		g.release(t)
		t.room = 0
	case t.room > minRoom && t.count() <= t.room/4:
		g.resize(t, t.room/2)
	}
}

// moveInTile takes the thing at index hole out of one cell and returns the free index for it in
// another. The cells between the two shift up or down.
func (g *Grid) moveInTile(t *gridTile, from, to int, hole uint32) uint32 {
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

// shift moves a thing from one index to another and returns the index that becomes free.
func (g *Grid) shift(from, to uint32) uint32 {
	if from != to {
		g.spots[to], g.numbers[to] = g.spots[from], g.numbers[from]
		g.things[g.numbers[to]].at = to
	}
	return from
}

// resize gives a tile a block with capacity room.
func (g *Grid) resize(t *gridTile, room uint32) {
	first := g.block(room)
	for i := range t.count() {
		g.shift(t.first+i, first+i)
	}
	g.release(t)
	t.first, t.room = first, room
}

// block returns a free block.
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

// release frees the block of a tile.
func (g *Grid) release(t *gridTile) {
	if t.room > 0 {
		head := &g.blocks[bits.TrailingZeros32(t.room)]
		g.numbers[t.first], *head = *head, t.first+1
	}
}

// extendBounds extends the bounds of the tile to a height. After some changes per thing it
// recomputes exact bounds.
func (t *gridTile) extendBounds(g *Grid, z float64) {
	if !(z >= t.low && z <= t.high) {
		t.low, t.high = min(t.low, z), max(t.high, z)
	}
	if t.changes++; t.changes > recomputeAfter*t.count() {
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

// tileAt returns the index plus 1 of the tile there, 0 if it does not exist.
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

// openTile makes the tile there and returns its index plus 1.
func (g *Grid) openTile(x, y int32, layer uint32) uint32 {
	if g.usedTiles == len(g.buckets) {
		g.rehash()
	}
	g.usedTiles++
	i := g.freeTile
	if i == 0 {
		g.tiles = append(g.tiles, gridTile{})
		i = uint32(len(g.tiles))
	} else {
		g.freeTile = g.tiles[i-1].next
	}
	head := &g.buckets[g.bucket(x, y, layer)]
	g.tiles[i-1] = gridTile{x: x, y: y, layer: layer, next: *head, low: math.Inf(1), high: math.Inf(-1)}
	*head = i
	return i
}

// closeTile frees an empty tile.
func (g *Grid) closeTile(i uint32) {
	t := &g.tiles[i-1]
	link := &g.buckets[g.bucket(t.x, t.y, t.layer)]
	for *link != i {
		link = &g.tiles[*link-1].next
	}
	*link, t.next, g.freeTile = t.next, g.freeTile, i
	g.usedTiles--
}

// rehash doubles the number of buckets.
func (g *Grid) rehash() {
	g.buckets = make([]uint32, 2*len(g.buckets))
	for i := range g.tiles {
		t := &g.tiles[i]
		head := &g.buckets[g.bucket(t.x, t.y, t.layer)]
		t.next, *head = *head, uint32(i+1)
	}
}

// bucket returns the index of the tile's hash bucket.
func (g *Grid) bucket(x, y int32, layer uint32) uint32 {
	h := uint64(uint32(x))*0x9e3779b97f4a7c15 ^ uint64(uint32(y))*0xc2b2ae3d27d4eb4f ^ uint64(layer)*0x165667b19e3779f9
	return uint32(h>>32) & uint32(len(g.buckets)-1)
}
