package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// terrainParams is the set of parameters of a relief. Equal lands give equal reliefs on every
// machine, because the heights are integer noise.
type terrainParams struct {
	seed, size int     // squares per side, a power of two
	square     float64 // side of a square, in metres
	height     float64 // metres between the lowest and the highest possible point
	roughness  float64 // 0…1
	at         sim.Vec3
}

// heightField is a height field over squares. It repeats infinitely in all directions. Each square
// consists of two triangles, split by the diagonal from its lower left to its upper right corner.
type heightField struct {
	terrainParams
	perMetre  float64
	corner    sim.Vec3
	low, high float64 // of the actual heights
	heights   []float32
	version   uint32 // counts the calls of generate
}

// heightStep is the grid of heights, in metres.
const heightStep = 1.0 / 64

// groundTolerance is the depth below the ground that rounding can cause, in metres.
const groundTolerance = sim.FineStep / 4

// generate generates the heights of a land. It reuses the memory of the previous heights.
func (r *heightField) generate(l terrainParams) {
	r.terrainParams, r.perMetre = l, 1/l.square
	r.version++
	half := float64(float64(l.size)*l.square) / 2
	r.corner = sim.Vec3{X: l.at.X - half, Y: l.at.Y - half, Z: l.at.Z}
	if cap(r.heights) < l.size*l.size {
		r.heights = make([]float32, l.size*l.size)
	}
	r.heights = r.heights[:l.size*l.size]
	n := newNoise(l)
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for at, v := range n.grid() {
		part := float64(v) / 0xffff
		z := float32(math.Floor(float64(float64(part*l.height)/heightStep)+0.5) * heightStep)
		r.heights[at] = z
		low, high = min(low, z), max(high, z)
	}
	r.low, r.high = r.corner.Z+float64(low), r.corner.Z+float64(high)
}

// plane is the plane of a triangle. Its height is z at corner i, j and rises by du and dv per
// square.
type plane struct {
	i, j, z, dzdu, dv float64
}

// planeAt returns the triangle under a point. u and v are in squares from the corner.
func (r *heightField) planeAt(u, v float64) plane {
	p := plane{i: math.Floor(u), j: math.Floor(v)}
	mask := r.size - 1
	i, j := int(p.i)&mask, int(p.j)&mask
	right, up := (i+1)&mask, (j+1)&mask
	z00, z11 := float64(r.heights[j*r.size+i]), float64(r.heights[up*r.size+right])
	p.z = z00
	if u-p.i >= v-p.j {
		z10 := float64(r.heights[j*r.size+right])
		p.dzdu, p.dv = z10-z00, z11-z10
	} else {
		z01 := float64(r.heights[up*r.size+i])
		p.dzdu, p.dv = z11-z01, z01-z00
	}
	return p
}

// height returns the height of the plane at a point.
func (p *plane) height(u, v float64) float64 {
	return p.z + float64(p.dzdu*(u-p.i)) + float64(p.dv*(v-p.j))
}

// normal returns the normal of a plane.
func (r *heightField) normal(p plane) sim.Vec3 {
	if p.dzdu == 0 && p.dv == 0 {
		return sim.Vec3{Z: 1}
	}
	return sim.Vec3{X: -p.dzdu, Y: -p.dv, Z: r.square}.Normalized()
}

// ground returns the height and the normal of the ground at a place.
func (r *heightField) ground(x, y float64) (z float64, normal sim.Vec3) {
	u, v := float64((x-r.corner.X)*r.perMetre), float64((y-r.corner.Y)*r.perMetre)
	p := r.planeAt(u, v)
	return r.corner.Z + p.height(u, v), r.normal(p)
}

// rayPath is a line over the field. Its start is in squares (u, v) and metres (z). du, dv and dz
// are the change from t = 0 to t = 1.
type rayPath struct {
	u, v, z, du, dv, dz float64
}

// cast returns the first t on the line from a point by d at which the line goes below the ground.
func (r *heightField) cast(from, d sim.Vec3) (t float64, normal sim.Vec3, ok bool) {
	t, end := 0.0, 1.0
	if from.Z > r.high {
		if from.Z+d.Z >= r.high {
			return 0, normal, false
		}
		t = (r.high - from.Z) / d.Z
	} else if d.Z > 0 && from.Z+d.Z > r.high {
		end = (r.high - from.Z) / d.Z
	}
	c := rayPath{
		float64((from.X - r.corner.X) * r.perMetre), float64((from.Y - r.corner.Y) * r.perMetre), from.Z - r.corner.Z,
		float64(d.X * r.perMetre), float64(d.Y * r.perMetre), d.Z,
	}
	lines := [3]gridLines{newLines(c.u, c.du, t), newLines(c.v, c.dv, t), newLines(c.u-c.v, c.du-c.dv, t)}
	for t < end {
		next := end
		for i := range lines {
			next = min(next, lines[i].next)
		}
		if hit, p, ok := c.enterGround(r, t, next); ok {
			return min(max(hit, 0), 1), r.normal(p), true
		}
		for i := range lines {
			lines[i].advance(next)
		}
		t = next
	}
	return 0, normal, false
}

// enterGround returns the t between t and next, over one triangle, at which the line goes below the
// ground.
func (c *rayPath) enterGround(r *heightField, t, next float64) (hit float64, p plane, ok bool) {
	middle := float64(0.5 * (t + next))
	p = r.planeAt(c.u+float64(c.du*middle), c.v+float64(c.dv*middle))
	after := c.heightAbove(&p, next)
	if after >= -groundTolerance {
		return 0, p, false
	}
	before := c.heightAbove(&p, t)
	switch {
	case before <= after:
		return 0, p, before < -groundTolerance && t == 0
	case before <= 0:
		return t, p, true
	}
	return t + float64((next-t)*(before/(before-after))), p, true
}

// heightAbove returns the height of the line above a plane at t.
func (c *rayPath) heightAbove(p *plane, t float64) float64 {
	u, v := c.u+float64(c.du*t), c.v+float64(c.dv*t)
	return c.z + float64(c.dz*t) - p.height(u, v)
}

// gridLines are parallel grid lines, one per integer, that a path crosses.
type gridLines struct {
	from, d float64
	line    float64 // the next one
	step    float64 // from one to the next: 1 or -1
	next    float64 // t of the next one
}

// beyondPath is a t beyond the end of every path.
const beyondPath = 2

func newLines(from, d, t float64) gridLines {
	l := gridLines{from: from, d: d, next: beyondPath}
	at := from + float64(d*t)
	switch {
	case d > 0:
		l.line, l.step = math.Floor(at), 1
	case d < 0:
		l.line, l.step = -math.Floor(-at), -1
	default:
		return l
	}
	l.next = t
	l.advance(t)
	return l
}

// advance skips the lines up to t.
func (l *gridLines) advance(t float64) {
	for l.next <= t {
		l.line += l.step
		l.next = (l.line - l.from) / l.d
	}
}
