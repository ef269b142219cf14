package sim

import "math"

// Grid finds what is near. It knows things by number, small and dense, as a
// point with a radius; whoever uses it says when they move.
//
// Space is cut into square columns, unlimited in Z, for worlds are flat. A
// thing is in the one cell of its centre, in the layer whose cells are at
// least twice its radius wide: layer 0 has the cell of NewGrid, each next one
// twice that. So a query looks at little more than what it finds, however
// large the world and some of the things in it are. Cells exist only as the
// hash of their coordinates: a list of things per bucket, in flat memory.
//
// Nothing is computed again in a query, so any number of readers may ask at
// once while nobody changes it. Answers depend only on the calls made before.
type Grid struct {
	layers  [gridLayers]gridLayer
	things  []gridThing // by number
	buckets []uint32    // first thing of each list, 0 none; the length is a power of two
	count   int
}

const (
	gridLayers = 24      // the last one holds whatever is larger still
	gridLimit  = 1 << 26 // cells are counted this far from the origin, the last is all beyond
)

// gridLayer is the cells of one width.
type gridLayer struct {
	perMetre float64 // 1/width
	reach    float64 // the largest radius of a thing in it
	count    int
}

// gridThing is one thing and its links to the others of its bucket, 0 for none.
type gridThing struct {
	at         Vec3
	radius     float64
	cell       gridCell
	next, prev uint32
}

// gridCell names a cell; layer is 1 more than its index, so the zero is none.
type gridCell struct {
	x, y  int32
	layer int32
}

// NewGrid makes an empty grid with cells of some metres, at best about a tenth
// of the usual radius of a query.
func NewGrid(cell float64) *Grid {
	if !(cell > 0) || math.IsInf(cell, 1) {
		panic("BUG: a grid needs cells of some size")
	}
	g := &Grid{things: make([]gridThing, 1), buckets: make([]uint32, 64)}
	for i := range g.layers {
		g.layers[i] = gridLayer{perMetre: 1 / cell, reach: cell / 2}
		cell *= 2
	}
	g.layers[gridLayers-1].reach = math.Inf(1)
	return g
}

// Len is the number of things in the grid.
func (g *Grid) Len() int { return g.count }

// Add puts thing n, from 1, at a place. A radius below 0 is 0. A thing that is
// there already is there anew.
func (g *Grid) Add(n uint32, at Vec3, radius float64) {
	if n == 0 {
		panic("BUG: a thing in a grid needs a number")
	}
	g.Remove(n)
	if int(n) >= len(g.things) {
		g.things = append(g.things, make([]gridThing, int(n)+1-len(g.things))...)
	}
	if g.count == len(g.buckets) {
		g.grow()
	}
	if !(radius > 0) {
		radius = 0
	}
	layer := 0
	for radius > g.layers[layer].reach {
		layer++
	}
	g.count++
	g.layers[layer].count++
	g.things[n] = gridThing{at: at, radius: radius, cell: g.layers[layer].cell(at, int32(layer+1))}
	g.link(n)
}

// Move says that thing n is now elsewhere. It does nothing if n was not added.
func (g *Grid) Move(n uint32, at Vec3) {
	if int(n) >= len(g.things) {
		return
	}
	t := &g.things[n]
	if t.cell.layer == 0 {
		return
	}
	t.at = at
	if cell := g.layers[t.cell.layer-1].cell(at, t.cell.layer); cell != t.cell {
		g.unlink(n)
		t.cell = cell
		g.link(n)
	}
}

// Remove takes thing n out. It does nothing if n was not added.
func (g *Grid) Remove(n uint32) {
	if int(n) >= len(g.things) || g.things[n].cell.layer == 0 {
		return
	}
	g.unlink(n)
	g.count--
	g.layers[g.things[n].cell.layer-1].count--
	g.things[n] = gridThing{}
}

// Near appends to dst the number of each thing whose sphere meets the sphere
// of a radius around center, in no order that means anything.
func (g *Grid) Near(center Vec3, radius float64, dst []uint32) []uint32 {
	dst, _ = g.near(center, radius, dst)
	return dst
}

// near is Near; looked counts the cells and the things that it looked at.
func (g *Grid) near(center Vec3, radius float64, dst []uint32) (_ []uint32, looked int64) {
	var boxes [gridLayers]gridBox
	for i := range g.layers {
		if l := &g.layers[i]; l.count > 0 {
			boxes[i] = l.box(center, radius)
			looked += boxes[i].cells()
		}
	}
	if looked > int64(len(g.things)) { // fewer things than cells: ask each
		for n := range g.things {
			if t := &g.things[n]; t.cell.layer != 0 && t.meets(center, radius) {
				dst = append(dst, uint32(n))
			}
		}
		return dst, int64(len(g.things))
	}
	for i := range g.layers {
		if g.layers[i].count == 0 {
			continue
		}
		cell, box := gridCell{layer: int32(i + 1)}, boxes[i]
		for cell.y = box.y0; cell.y <= box.y1; cell.y++ {
			for cell.x = box.x0; cell.x <= box.x1; cell.x++ {
				for n := g.buckets[g.bucket(cell)]; n != 0; {
					t := &g.things[n]
					if looked++; t.cell == cell && t.meets(center, radius) {
						dst = append(dst, n)
					}
					n = t.next
				}
			}
		}
	}
	return dst, looked
}

// meets reports whether the spheres touch.
func (t *gridThing) meets(center Vec3, radius float64) bool {
	d, r := t.at.Sub(center), radius+t.radius
	return r >= 0 && d.Dot(d) <= float64(r*r)
}

// gridBox is a range of cells, the ends included.
type gridBox struct{ x0, x1, y0, y1 int32 }

// cells is the number of cells in the box, at most about 2^54.
func (b gridBox) cells() int64 { return int64(b.x1-b.x0+1) * int64(b.y1-b.y0+1) }

// box is the cells in which things of the layer can be that meet the sphere.
// The margin is for the rounding of what touches only just.
func (l *gridLayer) box(center Vec3, radius float64) gridBox {
	r := max(radius, 0) + l.reach
	x := r + 1e-9*(r+math.Abs(center.X))
	y := r + 1e-9*(r+math.Abs(center.Y))
	return gridBox{l.index(center.X - x), l.index(center.X + x), l.index(center.Y - y), l.index(center.Y + y)}
}

// cell is the cell of a place in the layer of this number.
func (l *gridLayer) cell(at Vec3, layer int32) gridCell {
	return gridCell{l.index(at.X), l.index(at.Y), layer}
}

// index is the column of a coordinate. It never falls where x rises, which is
// what makes a box hold all that is between its corners. It is that of the
// lower limit for what is no number.
func (l *gridLayer) index(x float64) int32 {
	x *= l.perMetre
	switch {
	case x >= gridLimit:
		return gridLimit
	case x > -gridLimit:
		return int32(math.Floor(x))
	}
	return -gridLimit
}

// bucket is the list that the things of a cell are in, among others.
func (g *Grid) bucket(c gridCell) uint32 {
	h := uint64(uint32(c.x))*0x9e3779b97f4a7c15 ^ uint64(uint32(c.y))*0xc2b2ae3d27d4eb4f ^ uint64(c.layer)*0x165667b19e3779f9
	return uint32(h>>32) & uint32(len(g.buckets)-1)
}

// link puts thing n first into the list of its cell.
func (g *Grid) link(n uint32) {
	t := &g.things[n]
	head := &g.buckets[g.bucket(t.cell)]
	t.prev, t.next = 0, *head
	if t.next != 0 {
		g.things[t.next].prev = n
	}
	*head = n
}

// unlink takes thing n out of its list.
func (g *Grid) unlink(n uint32) {
	t := &g.things[n]
	if t.next != 0 {
		g.things[t.next].prev = t.prev
	}
	if t.prev != 0 {
		g.things[t.prev].next = t.next
	} else {
		g.buckets[g.bucket(t.cell)] = t.next
	}
}

// grow doubles the buckets.
func (g *Grid) grow() {
	g.buckets = make([]uint32, 2*len(g.buckets))
	for n := range g.things {
		if g.things[n].cell.layer != 0 {
			g.link(uint32(n))
		}
	}
}
