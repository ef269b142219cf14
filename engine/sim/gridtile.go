package sim

import (
	"math"
	"math/bits"
)

// tileShift is the binary logarithm of how many cells a tile is wide.
const (
	tileShift = 2
	tileSide  = 1 << tileShift
	leastRoom = 4 // things a cell has room for as soon as it has one
)

// gridTile is a square of cells, which exists while anything is in it: what is
// near is found tile by tile, and cells without things cost nothing.
type gridTile struct {
	x, y  int32 // of its first cell, in tiles
	layer uint32
	next  uint32 // of its bucket, or of the free ones; 1 more than its index
	taken uint16 // the cells with things, a bit for each
	count uint32 // things

	low, high float64 // no thing in it is lower or higher; no numbers if the height of one is none
	changes   uint32  // things that have left those heights since they were as narrow as can be

	cells [tileSide * tileSide]gridCell
}

// gridCell is a block of the things in a cell, among the spots of the grid.
type gridCell struct {
	first uint32
	count uint32
	room  uint32 // a power of two, 0 without things
}

// gridSpot is a thing as a query sees it.
type gridSpot struct {
	at     Vec3
	radius float64
}

// within is the number of a cell in its tile.
func within(x, y int32) int { return int(y&(tileSide-1))<<tileShift | int(x&(tileSide-1)) }

// inside reports whether a height is within the bounds, and not at one of them.
func (t *gridTile) inside(z float64) bool { return z > t.low && z < t.high }

// widen keeps the bounds of the tile right for a thing that is now at a height.
func (t *gridTile) widen(z float64) {
	t.low, t.high = min(t.low, z), max(t.high, z)
}

// narrow hears that a thing is no more at a height that was a bound. It makes
// the bounds as narrow as they can be, once that may have happened to all
// things in the tile.
func (g *Grid) narrow(t *gridTile) {
	if t.changes++; t.changes <= t.count || t.low == t.high {
		return
	}
	t.changes, t.low, t.high = 0, math.Inf(1), math.Inf(-1)
	for i := range t.cells {
		c := &t.cells[i]
		for _, s := range g.spots[c.first : c.first+c.count] {
			if !t.inside(s.at.Z) {
				t.widen(s.at.Z)
			}
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
	t := &g.tiles[i-1]
	head := &g.buckets[g.bucket(x, y, layer)]
	*t = gridTile{x: x, y: y, layer: layer, next: *head, low: math.Inf(1), high: math.Inf(-1)}
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

// resize gives a cell a block with room for so many things, and takes the one
// it has back. 0 is no block.
func (g *Grid) resize(c *gridCell, room uint32) {
	old := *c
	c.first, c.room = 0, room
	if room > 0 {
		c.first = g.block(room)
		copy(g.spots[c.first:], g.spots[old.first:old.first+old.count])
		copy(g.numbers[c.first:], g.numbers[old.first:old.first+old.count])
		for i := c.first; i < c.first+c.count; i++ {
			g.things[g.numbers[i]].at = i
		}
	}
	if old.room > 0 {
		head := &g.blocks[bits.TrailingZeros32(old.room)]
		g.numbers[old.first], *head = *head, old.first+1
	}
}

// block is a block of spots that is free.
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
