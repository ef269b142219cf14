package sim

import "math"

// Near appends to dst the number of each thing whose sphere meets the sphere around center. The
// order is unspecified.
func (g *Grid) Near(center Vec3, radius float64, dst []uint32) []uint32 {
	dst, _, _ = g.around(center, radius, radius, dst, nil)
	return dst
}

// Around is Near for two radii in one pass. It appends to near each thing that meets the inner
// sphere, and to far each thing that meets only the outer one.
func (g *Grid) Around(center Vec3, inner, outer float64, near, far []uint32) (_, _ []uint32) {
	near, far, _ = g.around(center, inner, outer, near, far)
	return near, far
}

// around is Around. looked is the number of tiles, cells and things examined.
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
	if tiles > int64(len(g.tiles)) { // visiting all tiles is cheaper
		for i := range g.tiles {
			q.visitTile(g, &g.tiles[i])
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
					q.visitTile(g, &g.tiles[t-1])
				}
			}
		}
	}
	return q.near, q.far, q.looked
}

// gridQuery is a query with two spheres, and its result so far.
type gridQuery struct {
	center       Vec3
	inner, outer float64
	near, far    []uint32
	looked       int64 // tiles, cells and things, also things taken with their cell
	asked        int   // things tested one by one
}

// gridOverlap is the common result for all things of a tile or cell.
type gridOverlap uint8

const (
	meetsNone gridOverlap = iota // they meet neither sphere
	meetsNear                    // they meet the inner sphere
	meetsFar                     // they meet only the outer sphere
	meetsSome                    // each must be tested
)

// visitTile finds the things of a tile that meet the spheres.
func (q *gridQuery) visitTile(g *Grid, t *gridTile) {
	if t.count() == 0 {
		return
	}
	l := &g.layers[t.layer]
	inner, outer := rangeOf(q.inner, l.largest), rangeOf(q.outer, l.largest)
	height := (1 + gridMargin) * max(t.high-q.center.Z, q.center.Z-t.low)
	height *= height
	x, y := t.x<<tileShift, t.y<<tileShift
	all := l.span(x, tileSide, q.center.X).plus(l.span(y, tileSide, q.center.Y)).meets(height, &inner, &outer)
	q.looked++
	if all != meetsSome {
		q.addAll(g, t, all, 0, t.count())
		return
	}
	var columns [tileSide]gridSpan
	for i := range columns {
		columns[i] = l.span(x+int32(i), 1, q.center.X)
	}
	from, at := uint32(0), uint32(0)
	for i := range int32(tileSide) {
		row := l.span(y+i, 1, q.center.Y)
		for j := range columns {
			q.looked++
			meets := columns[j].plus(row).meets(height, &inner, &outer)
			if meets != all {
				q.addAll(g, t, all, from, at)
				all, from = meets, at
			}
			at = t.ends[int(i)<<tileShift|j]
		}
	}
	q.addAll(g, t, all, from, at)
}

// addAll adds things of a tile with a common result.
func (q *gridQuery) addAll(g *Grid, t *gridTile, meets gridOverlap, from, to uint32) {
	if meets == meetsNone || from == to {
		return
	}
	from, to = t.first+from, t.first+to
	q.looked += int64(to - from)
	switch numbers := g.numbers[from:to]; meets {
	case meetsNear:
		q.near = append(q.near, numbers...)
	case meetsFar:
		q.far = append(q.far, numbers...)
	default:
		q.testEach(g.spots[from:to], numbers)
	}
}

// testEach tests things one by one.
func (q *gridQuery) testEach(spots []gridSpot, numbers []uint32) {
	q.asked += len(spots)
	for i := range spots {
		s := &spots[i]
		d := s.at.Sub(q.center)
		square := d.Dot(d)
		if r := q.outer + s.radius; !(r >= 0 && square <= float64(r*r)) {
			continue
		}
		if r := q.inner + s.radius; r >= 0 && square <= float64(r*r) {
			q.near = append(q.near, numbers[i])
		} else {
			q.far = append(q.far, numbers[i])
		}
	}
}

// gridRange holds squared distances for one sphere. Negative values mean nowhere.
type gridRange struct {
	whole float64 // up to this distance everything meets the sphere
	touch float64 // beyond this distance nothing does
}

// rangeOf returns the range of a sphere among things with a radius of at most largest.
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

// gridMargin allows for rounding: things close to either limit are tested one by one.
const gridMargin = 1e-9

// gridSpan is the least and the greatest squared distance of things from the centre of a query. The
// greatest is NaN, and so in no range, if it is unlimited.
type gridSpan struct{ near, far float64 }

// span returns the span of a number of columns, or rows, from first on.
func (l *gridLayer) span(first, columns int32, center float64) gridSpan {
	half := 0.5 * float64(columns) * l.width
	middle := float64(first)*l.width + half
	away := math.Abs(center - middle)
	margin := gridMargin * (math.Abs(center) + math.Abs(middle) + half)
	near, far := away-half-margin, away+half+margin
	if !(near > 0) {
		near = 0
	}
	if first <= -gridLimit || first+columns > gridLimit {
		near, far = 0, math.NaN()
	}
	return gridSpan{near * near, far * far}
}

// plus returns the span of the cells in a column and in a row.
func (s gridSpan) plus(t gridSpan) gridSpan { return gridSpan{s.near + t.near, s.far + t.far} }

// meets returns the common result for all things in the span. height is their greatest squared
// vertical distance.
func (s gridSpan) meets(height float64, inner, outer *gridRange) gridOverlap {
	switch far := s.far + height; {
	case s.near > outer.touch:
		return meetsNone
	case far <= inner.whole:
		return meetsNear
	case far <= outer.whole && s.near > inner.touch:
		return meetsFar
	}
	return meetsSome
}

// gridBox is a range of tiles, both ends included.
type gridBox struct{ x0, x1, y0, y1 int32 }

// tiles returns the number of tiles in the box, at most about 2^50.
func (b gridBox) tiles() int64 { return int64(b.x1-b.x0+1) * int64(b.y1-b.y0+1) }

// box returns the tiles that can hold things of the layer that meet the sphere.
func (l *gridLayer) box(center Vec3, radius float64) gridBox {
	r := max(radius, 0) + l.largest
	x := r + gridMargin*(r+math.Abs(center.X))
	y := r + gridMargin*(r+math.Abs(center.Y))
	return gridBox{
		l.index(center.X-x) >> tileShift, l.index(center.X+x) >> tileShift,
		l.index(center.Y-y) >> tileShift, l.index(center.Y+y) >> tileShift,
	}
}
