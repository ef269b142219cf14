package sim

import "math"

// Grid finds what is near. It knows things by number, small and dense, as a
// point with a radius; whoever uses it says when they move.
//
// Space is cut into square columns, unlimited in Z, for worlds are flat. A
// thing is in the one cell of its centre, in the layer whose cells are at
// least twice its radius wide: layer 0 has the cell of NewGrid, each next one
// twice that. So a query looks at little more than what it finds, however
// large the world and some of the things in it are.
//
// Squares of cells are tiles. The things of a tile are next to each other in
// memory, cell by cell, and a tile exists only where things are: a query reads
// them in order, and takes those of tiles and cells that are in its range as a
// whole without a look at each.
//
// Nothing is computed again in a query, so any number of readers may ask at
// once while nobody changes it. Answers depend only on the calls made before.
type Grid struct {
	layers [gridLayers]gridLayer
	things []gridThing // by number
	count  int

	tiles   []gridTile
	buckets []uint32 // first tile of each list, as 1 more than its index, 0 none; the length is a power of two
	open    int      // tiles that have things
	spare   uint32   // first of those that have none

	spots   []gridSpot // of the things, a block for each tile
	numbers []uint32   // of the things at the same places
	blocks  [32]uint32 // first free block of each size, as 1 more than its place, 0 none; numbers has the next
}

const (
	gridLayers = 24      // the last one holds whatever is larger still
	gridLimit  = 1 << 26 // cells are counted this far from the origin, the last is all beyond
)

// gridLayer is the cells of one width.
type gridLayer struct {
	width    float64
	perMetre float64 // 1/width
	reach    float64 // the largest radius of a thing in it
	largest  float64 // the largest there was since the layer was empty
	count    int
}

// gridThing is where a thing is.
type gridThing struct {
	tile  uint32 // 1 more than its index, 0: the thing is not in the grid
	at    uint32 // among the spots
	x, y  int32  // its cell
	layer uint32
}

// NewGrid makes an empty grid with cells of some metres, at best about a tenth
// of the usual radius of a query.
func NewGrid(cell float64) *Grid {
	if !(cell > 0) || math.IsInf(cell, 1) {
		panic("BUG: a grid needs cells of some size")
	}
	g := &Grid{things: make([]gridThing, 1), buckets: make([]uint32, 64)}
	for i := range g.layers {
		g.layers[i] = gridLayer{width: cell, perMetre: 1 / cell, reach: cell / 2}
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
	if !(radius > 0) {
		radius = 0
	}
	layer := uint32(0)
	for radius > g.layers[layer].reach {
		layer++
	}
	g.put(n, layer, gridSpot{at, radius})
}

// Move says that thing n is now elsewhere. It does nothing if n was not added.
func (g *Grid) Move(n uint32, at Vec3) {
	if int(n) >= len(g.things) || g.things[n].tile == 0 {
		return
	}
	t := &g.things[n]
	l := &g.layers[t.layer]
	if l.holds(t.x, at.X) && l.holds(t.y, at.Y) {
		g.spots[t.at].at = at // is not read, which would take longer than all else
		g.tiles[t.tile-1].rise(g, at.Z)
		return
	}
	g.cross(n, gridSpot{at, g.spots[t.at].radius})
}

// cross moves a thing to another cell.
func (g *Grid) cross(n uint32, s gridSpot) {
	thing := g.things[n]
	l, tile := &g.layers[thing.layer], &g.tiles[thing.tile-1]
	x, y := l.index(s.at.X), l.index(s.at.Y)
	if x>>tileShift != tile.x || y>>tileShift != tile.y {
		g.take(n)
		g.put(n, thing.layer, s)
		return
	}
	at := g.pass(tile, within(thing.x, thing.y), within(x, y), thing.at)
	g.set(n, s, gridThing{tile: thing.tile, at: at, x: x, y: y, layer: thing.layer})
}

// set writes down where a thing is.
func (g *Grid) set(n uint32, s gridSpot, thing gridThing) {
	g.things[n], g.numbers[thing.at], g.spots[thing.at] = thing, n, s
	g.tiles[thing.tile-1].rise(g, s.at.Z)
}

// Remove takes thing n out. It does nothing if n was not added.
func (g *Grid) Remove(n uint32) {
	if int(n) < len(g.things) && g.things[n].tile != 0 {
		g.take(n)
	}
}

// put puts a thing into its cell.
func (g *Grid) put(n, layer uint32, s gridSpot) {
	l := &g.layers[layer]
	if l.largest = max(l.largest, s.radius); layer == gridLayers-1 {
		l.largest = math.Inf(1) // squares are no measure any more
	}
	l.count++
	g.count++
	x, y := l.index(s.at.X), l.index(s.at.Y)
	i := g.tileAt(x>>tileShift, y>>tileShift, layer)
	if i == 0 {
		i = g.openTile(x>>tileShift, y>>tileShift, layer)
	}
	t := &g.tiles[i-1]
	at := g.insert(t, within(x, y))
	g.set(n, s, gridThing{tile: i, at: at, x: x, y: y, layer: layer})
}

// take takes a thing out of its cell.
func (g *Grid) take(n uint32) {
	thing := g.things[n]
	g.things[n] = gridThing{}
	t, l := &g.tiles[thing.tile-1], &g.layers[thing.layer]
	g.remove(t, within(thing.x, thing.y), thing.at)
	if t.changes++; t.count() == 0 {
		g.closeTile(thing.tile)
	}
	g.count--
	if l.count--; l.count == 0 {
		l.largest = 0
	}
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

// holds reports whether a coordinate is in a column. It may be even if not, far
// from the origin.
func (l *gridLayer) holds(column int32, x float64) bool {
	x *= l.perMetre
	return x >= float64(column) && x < float64(column+1)
}
