package tui

import (
	"cmp"
	"math"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
)

// signs are the cells of things that are smaller than a character, by the kind of their largest
// part.
var signs = [...]rune{
	look.Box: '■', look.Sphere: '●', look.Capsule: '●', look.Cylinder: '◉', look.Cone: '▲', look.Torus: '◎', look.Plane: '▬', look.Cloth: '⚑',
}

// Signs of things whose look has no part.
const (
	structureSign = '&'
	pickupSign    = 'o'
)

// parts draws the parts of a thing that are larger than a character, the highest last. It reports
// whether it has drawn any.
func (c *Frame) parts(p projection, t *Marker) (drawn bool) {
	if t.Look == nil || t.Kind == scene.Burst || t.Kind == scene.Shot {
		return false
	}
	c.elements = c.elements[:0]
	for i := range t.Look.Elements {
		e := &t.Look.Elements[i]
		if e.Kind.Solid() && max(e.Size.X, e.Size.Y) >= p.dx && e.Shown(t.States, t.State) {
			c.elements = append(c.elements, e)
		}
	}
	slices.SortStableFunc(c.elements, func(a, b *look.Element) int { return cmp.Compare(top(a), top(b)) })
	sin, cos := math.Sincos(t.Yaw * math.Pi / 180)
	for _, e := range c.elements {
		if c.part(p, t, e, sin, cos) {
			drawn = true
		}
	}
	return drawn
}

// labels writes the labels of a thing, one row higher than their places.
func (c *Frame) labels(p projection, t *Marker) {
	if t.Look == nil {
		return
	}
	sin, cos := math.Sincos(t.Yaw * math.Pi / 180)
	for i := range t.Look.Elements {
		e := &t.Look.Elements[i]
		if e.Kind == look.Label && e.Shown(t.States, t.State) {
			x, y := p.cell(t.At.Add(turned(e.At, sin, cos)))
			text := cut(Plain(e.Text), longest)
			c.text(x-columns(text)/2, y-1, c.Width, text, Style{Fg: nearestColor(e.Color.Of(t.Team))})
		}
	}
}

func top(e *look.Element) float64 { return e.At.Z + e.Size.Z/2 }

// turned returns a place of a look turned around Z.
func turned(v sim.Vec3, sin, cos float64) sim.Vec3 {
	return sim.Vec3{X: v.X*cos - v.Y*sin, Y: v.X*sin + v.Y*cos, Z: v.Z}
}

// part fills the characters whose middle a part covers, seen from above. It reports whether it has
// filled any.
func (c *Frame) part(p projection, t *Marker, e *look.Element, sin, cos float64) (filled bool) {
	at := t.At.Add(turned(e.At, sin, cos))
	ownSin, ownCos := math.Sincos((t.Yaw + e.Rotation.Yaw) * math.Pi / 180)
	reach := math.Hypot(e.Size.X, e.Size.Y) / 2
	x0, y0 := p.cell(sim.Vec3{X: at.X - reach, Y: at.Y + reach})
	x1, y1 := p.cell(sim.Vec3{X: at.X + reach, Y: at.Y - reach})
	style := Style{Fg: nearestColor(e.Color.Of(t.Team))}
	for y := max(y0, 0); y <= min(y1, c.rows-1); y++ {
		for x := max(x0, 0); x <= min(x1, c.Width-1); x++ {
			wx, wy := p.point(x, y)
			in := turned(sim.Vec3{X: wx - at.X, Y: wy - at.Y}, -ownSin, ownCos)
			if covers(e, in.X/e.Size.X, in.Y/e.Size.Y) {
				c.put(x, y, '▓', style)
				filled = true
			}
		}
	}
	return filled
}

// covers reports whether a part covers a point of its rectangle, which is -0.5…0.5 in both
// directions.
func covers(e *look.Element, x, y float64) bool {
	if e.Kind == look.Box || e.Kind == look.Plane || e.Kind == look.Cloth {
		return math.Abs(x) <= 0.5 && math.Abs(y) <= 0.5
	}
	return x*x+y*y <= 0.25
}

// sign draws a thing that is smaller than a character, by its largest part, in the colour of its
// team if it shows that.
func (c *Frame) sign(x, y int, t *Marker) {
	r, style := structureSign, Style{Fg: team(t.Team), Bold: true}
	if t.Kind == scene.Pickup {
		r, style = pickupSign, Style{Fg: 229}
	}
	if t.Look == nil {
		c.put(x, y, r, style)
		return
	}
	area, teamed := 0.0, false
	for i := range t.Look.Elements {
		e := &t.Look.Elements[i]
		if !e.Kind.Solid() || !e.Shown(t.States, t.State) {
			continue
		}
		teamed = teamed || e.Color == look.Team && t.Team != 0
		if a := e.Size.X * e.Size.Y; a > area {
			area, r, style.Fg = a, signs[e.Kind], nearestColor(e.Color.Of(t.Team))
		}
	}
	if teamed {
		style.Fg = team(t.Team)
	}
	c.put(x, y, r, style)
}

// shotColor returns the colour of a projectile: that of its first part with its own light.
func shotColor(t *Marker) Color {
	if t.Look != nil {
		for i := range t.Look.Elements {
			if e := &t.Look.Elements[i]; e.Kind.Solid() && e.Glow > 0 && e.Shown(t.States, t.State) {
				return nearestColor(e.Color.Of(t.Team))
			}
		}
	}
	return 226
}

// nearestColor returns the colour of the 6 × 6 × 6 cube of terminals that is nearest to a colour.
func nearestColor(c look.Color) Color {
	level := func(n int) int {
		if n < 48 {
			return 0
		}
		return min((n-35)/40, 5)
	}
	return Color(16 + 36*level(c.Red()) + 6*level(c.Green()) + level(c.Blue()))
}
