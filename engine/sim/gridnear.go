package sim

import (
	"math"
	"math/bits"
)

// Near appends to dst the number of each thing whose sphere meets the sphere
// of a radius around center, in no order that means anything.
func (g *Grid) Near(center Vec3, radius float64, dst []uint32) []uint32 {
	dst, _, _ = g.around(center, radius, radius, dst, nil)
	return dst
}

// Around is Near for two radii at once: it appends to near what meets the
// inner sphere, and to far what meets only the outer one.
func (g *Grid) Around(center Vec3, inner, outer float64, near, far []uint32) (_, _ []uint32) {
	near, far, _ = g.around(center, inner, outer, near, far)
	return near, far
}

// around is Around; looked counts the tiles, cells and things that it looked at.
func (g *Grid) around(center Vec3, inner, outer float64, near, far []uint32) (_, _ []uint32, looked int64) {
	q := gridQuery{center: center, inner: inner, outer: max(inner, outer), near: near, far: far}
	var boxes [gridLayers]gridBox
	tiles := int64(0)
	for i := range g.layers {
		if l := &g.layers[i]; l.count > 0 {
			boxes[i] = l.box(center, q.outer)
			tiles += boxes[i].tiles()
		}
	}
	if tiles > int64(len(g.tiles)) { // there are fewer
		for i := range g.tiles {
			q.look(g, &g.tiles[i])
		}
		return q.near, q.far, q.looked
	}
	for i := range g.layers {
		if g.layers[i].count == 0 {
			continue
		}
		b := boxes[i]
		for y := b.y0; y <= b.y1; y++ {
			for x := b.x0; x <= b.x1; x++ {
				q.looked++
				if t := g.tileAt(x, y, uint32(i)); t != 0 {
					q.look(g, &g.tiles[t-1])
				}
			}
		}
	}
	return q.near, q.far, q.looked
}

// gridQuery is a query for what meets two spheres, and what it has found.
type gridQuery struct {
	center       Vec3
	inner, outer float64
	near, far    []uint32
	looked       int64 // tiles, cells and things, also those taken with their cell
	asked        int   // things that were looked at one by one
}

// look finds what meets the spheres in a tile.
func (q *gridQuery) look(g *Grid, t *gridTile) {
	l := &g.layers[t.layer]
	inner, outer := rangeOf(q.inner, l.largest), rangeOf(q.outer, l.largest)
	if t.taken == 0 || outer.touch < 0 {
		return
	}
	q.looked++
	var columns, rows [tileSide]gridSpan
	l.spans(&columns, t.x, q.center.X)
	l.spans(&rows, t.y, q.center.Y)
	height := (1 + gridMargin) * max(t.high-q.center.Z, q.center.Z-t.low)
	height *= height
	for taken := t.taken; taken != 0; taken &= taken - 1 {
		i := bits.TrailingZeros16(taken)
		column, row, c := &columns[i&(tileSide-1)], &rows[i>>tileShift], &t.cells[i]
		near, far := column.near+row.near, column.far+row.far+height
		if q.looked++; near > outer.touch {
			continue
		}
		q.looked += int64(c.count)
		numbers := g.numbers[c.first : c.first+c.count]
		switch {
		case far <= inner.whole:
			q.near = append(q.near, numbers...)
		case far <= outer.whole && near > inner.touch:
			q.far = append(q.far, numbers...)
		default:
			q.ask(g.spots[c.first:c.first+c.count], numbers)
		}
	}
}

// ask looks at things one by one.
func (q *gridQuery) ask(spots []gridSpot, numbers []uint32) {
	q.asked += len(spots)
	for i := range spots {
		s := &spots[i]
		d := s.at.Sub(q.center)
		square := d.Dot(d)
		if r := q.inner + s.radius; r >= 0 && square <= float64(r*r) {
			q.near = append(q.near, numbers[i])
		} else if r := q.outer + s.radius; r >= 0 && square <= float64(r*r) {
			q.far = append(q.far, numbers[i])
		}
	}
}

// gridRange is how far a sphere reaches, squared; below 0 is nowhere.
type gridRange struct {
	whole float64 // to here it meets whatever there is
	touch float64 // and beyond this nothing
}

// rangeOf is the range of a sphere among things of some radius at most.
func rangeOf(radius, largest float64) gridRange {
	r := gridRange{-1, -1}
	if radius >= 0 {
		r.whole = radius * radius
	}
	if radius += largest; radius >= 0 {
		r.touch = radius * radius
	}
	return r
}

// gridMargin is for rounding: what touches only just is looked at, and what is
// whole only just is looked at too.
const gridMargin = 1e-9

// gridSpan is how far from the centre of a query things of a column or row can
// be, squared. It is no number, and so in no range, where a column has no end.
type gridSpan struct{ near, far float64 }

// spans are those of the columns, or rows, of a tile.
func (l *gridLayer) spans(of *[tileSide]gridSpan, tile int32, center float64) {
	for i := range of {
		n := tile<<tileShift + int32(i)
		middle, half := (float64(n)+0.5)*l.width, 0.5*l.width
		away := math.Abs(center - middle)
		margin := gridMargin * (math.Abs(center) + math.Abs(middle) + half)
		near, far := away-half-margin, away+half+margin
		if !(near > 0) {
			near = 0
		}
		if n <= -gridLimit || n >= gridLimit {
			near, far = 0, math.NaN()
		}
		of[i] = gridSpan{near * near, far * far}
	}
}

// gridBox is a range of tiles, the ends included.
type gridBox struct{ x0, x1, y0, y1 int32 }

// tiles is the number of tiles in the box, at most about 2^50.
func (b gridBox) tiles() int64 { return int64(b.x1-b.x0+1) * int64(b.y1-b.y0+1) }

// box is the tiles in which things of the layer can be that meet the sphere.
func (l *gridLayer) box(center Vec3, radius float64) gridBox {
	r := max(radius, 0) + l.largest
	x := r + gridMargin*(r+math.Abs(center.X))
	y := r + gridMargin*(r+math.Abs(center.Y))
	return gridBox{
		l.index(center.X-x) >> tileShift, l.index(center.X+x) >> tileShift,
		l.index(center.Y-y) >> tileShift, l.index(center.Y+y) >> tileShift,
	}
}
