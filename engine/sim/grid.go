package sim

import "math"

// Grid finds nearby things. It identifies each thing by a small, dense number and stores it as a
// point with a radius. The caller reports every move.
//
// Space is divided into square columns, unlimited in Z, because worlds are flat. A thing belongs to
// the one cell of its centre, in the layer whose cells are at least twice its radius wide. Layer 0
// has the cell size of NewGrid, and each further layer has twice the size of the one before. A
// query therefore examines little more than its result, whatever the size of the world and of
// single things.
//
// Squares of cells form tiles. The things of a tile are adjacent in memory, cell by cell, and a
// tile exists only while it holds things. A query reads them in order. It takes all things of a
// tile or cell at once if the whole tile or cell is in range.
//
// Queries change nothing, so any number of readers can run at once while no caller changes the
// grid. Results depend only on earlier calls.
type Grid struct {
	layers [gridLayers]gridLayer
	things []gridThing // by number
	count  int

	tiles     []gridTile
	buckets   []uint32 // first tile of each list, index plus 1, 0 is none; the length is a power of two
	usedTiles int      // tiles with things
	freeTile  uint32   // first of the unused tiles

	spots   []gridSpot // of the things, one block per tile
	numbers []uint32   // of the things at the same indices
	blocks  [32]uint32 // first free block of each size, index plus 1; numbers links to the next
}

const (
	gridLayers = 24      // the last one holds all larger things
	gridLimit  = 1 << 26 // most cells from the origin; the last cell holds everything beyond
)

// gridLayer is the set of cells of one width.
type gridLayer struct {
	width    float64
	perMetre float64 // 1/width
	reach    float64 // largest radius allowed in the layer
	largest  float64 // largest radius since the layer was last empty
	count    int
}

// gridThing is the location of a thing in the grid.
type gridThing struct {
	tile  uint32 // index plus 1, 0: the thing is not in the grid
	at    uint32 // index in spots
	x, y  int32  // its cell
	layer uint32
}

// NewGrid makes an empty grid with cells of the given width in metres. About a tenth of the usual
// query radius works best.
func NewGrid(cell float64) *Grid {
	if !(cell > 0) || math.IsInf(cell, 1) {
		panic("BUG: the cell size of a grid must be above 0")
	}
	g := &Grid{things: make([]gridThing, 1), buckets: make([]uint32, 64)}
	for i := range g.layers {
		g.layers[i] = gridLayer{width: cell, perMetre: 1 / cell, reach: cell / 2}
		cell *= 2
	}
	g.layers[gridLayers-1].reach = math.Inf(1)
	return g
}

// Len returns the number of things in the grid.
func (g *Grid) Len() int { return g.count }

// Add puts thing n, at least 1, at a place. A negative radius counts as 0. If n is already in the
// grid, Add replaces it.
func (g *Grid) Add(n uint32, at Vec3, radius float64) {
	if n == 0 {
		panic("BUG: an entry of a grid needs a number")
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

// Move sets the place of thing n. It does nothing if n was not added.
func (g *Grid) Move(n uint32, at Vec3) {
	if int(n) >= len(g.things) || g.things[n].tile == 0 {
		return
	}
	t := &g.things[n]
	l := &g.layers[t.layer]
	if l.holds(t.x, at.X) && l.holds(t.y, at.Y) {
		g.spots[t.at].at = at // reading the old value would be the slowest step
		g.tiles[t.tile-1].extendBounds(g, at.Z)
		return
	}
	g.changeCell(n, gridSpot{at, g.spots[t.at].radius})
}

// changeCell moves a thing to another cell.
func (g *Grid) changeCell(n uint32, s gridSpot) {
	thing := g.things[n]
	l, tile := &g.layers[thing.layer], &g.tiles[thing.tile-1]
	x, y := l.index(s.at.X), l.index(s.at.Y)
	if x>>tileShift != tile.x || y>>tileShift != tile.y {
		g.take(n)
		g.put(n, thing.layer, s)
		return
	}
	at := g.moveInTile(tile, cellIndex(thing.x, thing.y), cellIndex(x, y), thing.at)
	g.set(n, s, gridThing{tile: thing.tile, at: at, x: x, y: y, layer: thing.layer})
}

// set stores the location of a thing.
func (g *Grid) set(n uint32, s gridSpot, thing gridThing) {
	g.things[n], g.numbers[thing.at], g.spots[thing.at] = thing, n, s
	g.tiles[thing.tile-1].extendBounds(g, s.at.Z)
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
		l.largest = math.Inf(1) // squared radii can overflow
	}
	l.count++
	g.count++
	x, y := l.index(s.at.X), l.index(s.at.Y)
	i := g.tileAt(x>>tileShift, y>>tileShift, layer)
	if i == 0 {
		i = g.openTile(x>>tileShift, y>>tileShift, layer)
	}
	t := &g.tiles[i-1]
	at := g.insert(t, cellIndex(x, y))
	g.set(n, s, gridThing{tile: i, at: at, x: x, y: y, layer: layer})
}

// take takes a thing out of its cell.
func (g *Grid) take(n uint32) {
	thing := g.things[n]
	g.things[n] = gridThing{}
	t, l := &g.tiles[thing.tile-1], &g.layers[thing.layer]
	g.remove(t, cellIndex(thing.x, thing.y), thing.at)
	if t.changes++; t.count() == 0 {
		g.closeTile(thing.tile)
	}
	g.count--
	if l.count--; l.count == 0 {
		l.largest = 0
	}
}

// index returns the column of a coordinate. It never decreases when x increases, so a box contains
// everything between its corners. NaN gives the lowest column.
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

// holds reports whether a coordinate is in a column. For the outermost columns, which hold
// everything beyond the limit, it can wrongly report false; Move then takes the slower path.
func (l *gridLayer) holds(column int32, x float64) bool {
	x *= l.perMetre
	return x >= float64(column) && x < float64(column+1)
}
