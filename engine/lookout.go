package engine

import "math"

const (
	lookSquare = 512  // side of a square of a lookout, in metres
	lookMargin = 256  // metres around a view that still count as looked at
	lookRecent = 16   // ticks for which a look counts: two intervals of queries
	lookSlots  = 4096 // power of two
	lookMost   = 1024 // squares of a view; a wider one looks at the whole world
)

// A lookout knows which parts of the world connections have looked at lately, in squares. Several
// squares share a slot, so it may report that an unwatched square is watched, but never the
// opposite.
type lookout struct {
	slots [lookSlots]uint32 // the tick of the newest look, plus 1
	whole uint32            // same, of views of the whole world
}

// look records that a connection sees a distance in metres around a point in a tick.
func (l *lookout) look(at point, distance float64, tick uint32) {
	distance += lookMargin
	x0, x1 := square(float64(at.x)-distance), square(float64(at.x)+distance)
	y0, y1 := square(float64(at.y)-distance), square(float64(at.y)+distance)
	if (x1-x0+1)*(y1-y0+1) > lookMost {
		l.whole = tick + 1
		return
	}
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			l.slots[lookSlot(x, y)] = tick + 1
		}
	}
}

// watches reports whether a connection has looked at a body of a radius there lately, or closely
// past it.
func (l *lookout) watches(at point, radius float32, tick uint32) bool {
	if radius > lookMargin/2 {
		return true
	}
	newest := max(l.whole, l.slots[lookSlot(square(float64(at.x)), square(float64(at.y)))])
	return newest != 0 && tick+1-newest < lookRecent
}

// square returns the column of a coordinate.
func square(x float64) int { return int(math.Floor(x / lookSquare)) }

func lookSlot(x, y int) int {
	h := uint64(x)*0x9e3779b97f4a7c15 ^ uint64(y)*0xc2b2ae3d27d4eb4f
	return int(h >> 32 & (lookSlots - 1))
}
