package netpage

import (
	"cmp"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/order"
)

// unseenFactor is how far the map shows objects that are not in scope, in view distances of the
// client.
const unseenFactor = 1.25

// farthest is how far it shows them from a client without a place, in metres: everywhere.
const farthest = 1 << 24

// takeMap fills the map with what a client sees, and with the objects near it that it does not see.
func (t *Taker) takeMap(c *engine.Connection, s *Snapshot) {
	if c == nil {
		return
	}
	t.classes = map[*sim.Class]int{}
	m := &s.Map
	m.Client = uint32(c.ID())
	eye, look, view, on := c.Visible.Eye()
	m.Looks, m.Distance, m.FOV = on, view.Distance, view.FOV
	within := float64(farthest)
	if on {
		m.Eye, m.Look = [3]float64{eye.X, eye.Y, eye.Z}, [2]float64{look.X, look.Y}
		within = unseenFactor * view.Distance
	}
	t.Host.Inspector.EachGhostView(c, func(v *engine.GhostView) {
		m.Ghosts++
		if v.Placed {
			s.Rows = append(s.Rows, t.row(v, m))
		} else {
			m.Unplaced++
		}
	})
	s.keepNearest(eye)
	t.Host.Inspector.EachUnseen(c, eye, within, func(v *engine.GhostView) bool {
		if len(s.Rows) < maxRows {
			s.Rows = append(s.Rows, t.row(v, m))
		} else {
			m.Omitted++
		}
		return true
	})
}

// row returns the row of a view, and adds its class to the map.
func (t *Taker) row(v *engine.GhostView, m *Map) Row {
	class := v.Object.Ident().Class()
	i, known := t.classes[class]
	if !known {
		i = len(m.Classes)
		t.classes[class] = i
		m.Classes = append(m.Classes, class.Name)
	}
	return newRow(v, i)
}

// keepNearest omits the ghosts that are too many, the farthest ones.
func (s *Snapshot) keepNearest(eye sim.Vec3) {
	extra := len(s.Rows) - maxRows
	if extra <= 0 {
		return
	}
	x, y := cm(eye.X), cm(eye.Y)
	distance := func(r *Row) float64 {
		dx, dy := float64(r.Truth[0])-float64(x), float64(r.Truth[1])-float64(y)
		return float64(dx*dx) + float64(dy*dy)
	}
	order.By(s.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(distance(&a), distance(&b)), cmp.Compare(a.Object, b.Object))
	})
	s.Map.Omitted += extra
	s.Rows = s.Rows[:maxRows]
}
