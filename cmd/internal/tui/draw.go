package tui

import (
	"math"
	"strconv"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// Draw draws s.
func (c *Frame) Draw(s *Scene) {
	c.reset(s.Width, s.Height)
	c.rows = s.mapRows()
	p := project(s)
	c.ground(s, p)
	for kind := scene.Unseen + 1; kind < scene.Kinds; kind++ {
		for i := range s.Things {
			if t := &s.Things[i]; t.Kind == kind && !t.Own {
				c.thing(s, p, t)
			}
		}
	}
	for i := range s.Things {
		if t := &s.Things[i]; t.Own {
			c.thing(s, p, t)
		}
	}
	c.rows = c.Height
	c.overlay(s)
}

// A projection maps world coordinates to screen cells.
type projection struct {
	left, top float64 // west and north edge of the screen, in metres
	dx, dy    float64 // metres per column and per row
}

// project moves the view by whole characters. A still object therefore stays in its screen cell
// while the centre stays in its cell.
func project(s *Scene) projection {
	p := projection{dx: s.Scale, dy: 2 * s.Scale}
	if !(p.dx > 0) {
		p.dx, p.dy = 1, 2
	}
	p.left = (math.Floor(s.Centre.X/p.dx) - float64(s.Width/2)) * p.dx
	p.top = (math.Floor(s.Centre.Y/p.dy) + 1 + float64(s.mapRows()/2)) * p.dy
	return p
}

// cell returns the screen cell of a point of the world.
func (p projection) cell(at sim.Vec3) (x, y int) {
	return place((at.X - p.left) / p.dx), place((p.top - at.Y) / p.dy)
}

// place converts to a number of characters. Values that are too large or NaN give -1e6.
func place(n float64) int {
	if !(math.Abs(n) < 1e6) {
		return -1e6
	}
	return int(math.Floor(n))
}

// point returns the world coordinates of the middle of a cell.
func (p projection) point(x, y int) (wx, wy float64) {
	return p.left + (float64(x)+0.5)*p.dx, p.top - (float64(y)+0.5)*p.dy
}

// shades are the cells of the ground, from low to high.
var shades = [...]Glyph{
	{' ', Style{Fg: 22}}, {'.', Style{Fg: 22}}, {'.', Style{Fg: 28}}, {',', Style{Fg: 28}}, {':', Style{Fg: 64}},
	{'-', Style{Fg: 64}}, {'~', Style{Fg: 100}}, {'=', Style{Fg: 101}}, {'+', Style{Fg: 144}}, {'^', Style{Fg: 250}},
}

var dot = Style{Fg: 250}

// dotEvery is the number of columns between the dots on flat ground.
const dotEvery = 8

func (c *Frame) ground(s *Scene, p projection) {
	defer c.dots(p)
	if s.Ground == nil {
		return
	}
	step := float64(len(shades)) / max(s.High-s.Low, 1)
	for y := range c.rows {
		for x := range c.Width {
			n := (s.Ground(p.point(x, y)) - s.Low) * step
			if !(n > 0) {
				n = 0
			}
			c.cells[y*c.Width+x] = shades[int(min(n, float64(len(shades)-1)))]
		}
	}
}

// dots draws a grid of dots, to make movement visible over flat or missing ground.
func (c *Frame) dots(p projection) {
	across, down := int64(math.Floor(p.left/p.dx+0.5)), int64(math.Floor(p.top/p.dy+0.5))
	for y := range c.rows {
		for x := range c.Width {
			if (across+int64(x))%dotEvery == 0 && (down-int64(y))%(dotEvery/2) == 0 {
				c.put(x, y, '·', dot)
			}
		}
	}
}

// teams are the colours of the teams.
var teams = [16]Color{252, 203, 75, 82, 227, 213, 87, 215, 141, 156, 181, 110, 180, 114, 174, 146}

func team(n int) Color { return teams[n&15] }

// The arrows start at north and go clockwise.
var (
	arrows = [8]rune{'↑', '↗', '→', '↘', '↓', '↙', '←', '↖'}
	wide   = [8]rune{'⇑', '⇗', '⇒', '⇘', '⇓', '⇙', '⇐', '⇖'}
)

// arrow returns the one of eight arrows nearest to a yaw angle.
func arrow(of *[8]rune, yaw float64) rune {
	yaw = math.Mod(-yaw/45, 8)
	if math.IsNaN(yaw) {
		yaw = 0
	}
	return of[(int(math.Floor(yaw+0.5))+16)%8]
}

// mark writes the signs of a thing on a terminal without colours: brackets for the Body, + for
// things of its team, - for those of others.
func (c *Frame) mark(s *Scene, x, y int, t *Marker) {
	if s.Plain && t.Own {
		c.put(x-1, y, '(', quiet)
		c.put(x+1, y, ')', quiet)
		return
	}
	c.text(x+1, y, c.Width, s.side(t), quiet)
}

// side returns the sign of a thing's team on a terminal without colours, "" if it needs none.
func (s *Scene) side(t *Marker) string {
	switch {
	case !s.Plain || t.Team == 0 || s.Body.Team == 0:
		return ""
	case t.Team == s.Body.Team:
		return "+"
	}
	return "-"
}

// longest is the most columns of a name above a player.
const longest = 16

// above is the height difference in metres from which an arrow marks a player as higher or lower.
const above = 8

func (c *Frame) thing(s *Scene, p projection, t *Marker) {
	x, y := p.cell(t.At)
	style := Style{Fg: team(t.Team), Bold: true}
	drawn := c.parts(p, t)
	switch t.Kind {
	case scene.Building:
		c.building(p, t)
	case scene.Structure, scene.Pickup:
		if !drawn {
			c.sign(x, y, t)
		}
	case scene.Gun:
		c.put(x, y, 'T', style)
	case scene.Ride:
		c.put(x, y, arrow(&wide, t.Yaw), style)
	case scene.Person:
		c.person(s, t, x, y, style)
	case scene.Shot:
		c.put(x, y, '*', Style{Fg: shotColor(t), Bold: true})
	case scene.Burst:
		c.burst(p, t)
	case scene.Banner:
		c.banner(s, p, t)
	case scene.Waypoint:
		c.waypoint(s, p, t)
	}
	c.labels(p, t)
	if t.Kind != scene.Banner && t.Kind != scene.Waypoint {
		c.mark(s, x, y, t)
	}
	if t.Down && (t.Kind == scene.Gun || t.Kind == scene.Structure || t.Kind == scene.Ride) {
		c.put(x, y, 'x', Style{Fg: 244})
	}
}

func (c *Frame) person(s *Scene, t *Marker, x, y int, style Style) {
	switch {
	case t.Down:
		c.put(x, y, 'x', style)
	case t.Own:
		style.Reverse = true
		c.put(x, y, arrow(&arrows, t.Yaw), style)
		return
	default:
		c.put(x, y, arrow(&arrows, t.Yaw), style)
	}
	name := cut(t.Name, longest)
	if name == "" || !c.has(x, y) {
		return
	}
	at := max(min(x-columns(name)/2, c.Width-columns(name)-1), 0)
	style.Bold = false
	at = c.text(at, y-1, c.Width, name, style)
	switch {
	case !s.Body.Known:
	case t.At.Z > s.Body.At.Z+above:
		c.put(at, y-1, '↑', style)
	case t.At.Z < s.Body.At.Z-above:
		c.put(at, y-1, '↓', style)
	}
}

var wall = Style{Fg: 246, Bg: 240}

func (c *Frame) building(p projection, t *Marker) {
	half := t.Size.Mul(0.5)
	x0, y0 := p.cell(sim.Vec3{X: t.At.X - half.X, Y: t.At.Y + half.Y})
	x1, y1 := p.cell(sim.Vec3{X: t.At.X + half.X, Y: t.At.Y - half.Y})
	c.fill(x0, y0, max(x1-x0, 1), max(y1-y0, 1), '#', wall)
}

// burst draws a ring with the radius of the explosion.
func (c *Frame) burst(p projection, t *Marker) {
	const points = 16
	style := Style{Fg: 208, Bold: true}
	x, y := p.cell(t.At)
	c.put(x, y, '%', style)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / points)
		x, y := p.cell(t.At.Add(sim.Vec3{X: sin * t.Size.X, Y: cos * t.Size.X}))
		c.put(x, y, '%', style)
	}
}

// banner draws a flag. A flag off the screen is drawn at the nearest edge, with its direction and
// its distance from the middle of the view in metres.
func (c *Frame) banner(s *Scene, p projection, t *Marker) {
	style := Style{Fg: team(t.Team), Bold: true, Reverse: true}
	x, y := p.cell(t.At)
	if !c.has(x, y) {
		c.goal(s, x, y, t, "F")
		return
	}
	if r := c.At(x, y).Rune; r != ' ' && r != '·' && c.has(x+1, y) {
		x++ // beside its carrier
	}
	c.put(x, y, 'F', style)
	c.mark(s, x, y, t)
}

// waypoint draws a place with its text. Off the screen it is at the edge, like a flag.
func (c *Frame) waypoint(s *Scene, p projection, t *Marker) {
	x, y := p.cell(t.At)
	name := cut(t.Name, longest)
	if !c.has(x, y) {
		c.goal(s, x, y, t, name+" ")
		return
	}
	c.put(x, y, '◇', Style{Fg: team(t.Team), Bold: true})
	c.mark(s, x, y, t)
	c.text(max(min(x-columns(name)/2, c.Width-columns(name)), 0), y-1, c.Width, name, Style{Fg: team(t.Team)})
}

// goal draws what is at t, whose cell is off the screen, at the edge: its sign, its direction and
// its distance.
func (c *Frame) goal(s *Scene, x, y int, t *Marker, sign string) {
	way := t.At.Sub(s.Centre)
	way.Z = 0
	text := sign + s.side(t) + string(arrow(&arrows, math.Atan2(-way.X, way.Y)*180/math.Pi)) + strconv.Itoa(place(way.Len()))
	x, y = min(max(x, 0), max(c.Width-columns(text), 0)), min(max(y, 0), c.rows-1)
	c.text(x, y, c.Width, text, Style{Fg: team(t.Team)})
}
