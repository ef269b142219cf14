package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLookout checks what counts as looked at after a look of 1,000 m around the origin in tick 9.
func TestLookout(t *testing.T) {
	l := new(lookout)
	assert.False(t, l.watches(point{}, 1, 9), "nobody has looked yet")
	l.look(point{}, 1000, 9)
	for name, c := range map[string]struct {
		at      point
		radius  float32
		tick    uint32
		watched bool
	}{
		"at the viewer":             {point{}, 1, 9, true},
		"at the edge, with margin":  {point{-1000 - lookMargin, 1000 + lookMargin, 5000}, 1, 9, true},
		"far":                       {point{5000, 0, 0}, 1, 9, false},
		"far, but large":            {point{5000, 0, 0}, lookMargin, 9, true},
		"until the next two looks":  {point{}, 1, 9 + lookRecent - 1, true},
		"after two missing looks":   {point{}, 1, 9 + lookRecent, false},
		"beyond the farthest place": {point{farthest, -farthest, 0}, 1, 9, false},
	} {
		assert.Equal(t, c.watched, l.watches(c.at, c.radius, c.tick), name)
	}
	l.look(point{}, farthestView, 9)
	assert.True(t, l.watches(point{5000, 0, 0}, 1, 9), "a very wide view looks at the whole world")
}

// TestQueriesLookAround checks that the bodies of unseen moving objects follow within scopeDelay
// ticks near a connection's view, and within scopeFarRounds times as many elsewhere.
func TestQueriesLookAround(t *testing.T) {
	r := newScopeRig(t, newTestSink(10))
	r.viewer(100)
	near, far := r.thing(300, 0), r.thing(5000, 0)
	moves := map[*thing]int{}
	r.host.snapshots = &snapshots{host: r.host, objects: make([]snapshotObject, 10)}
	for _, o := range []*thing{near, far} {
		r.host.snapshots.objects[o.Number()].object = o
	}
	for range 8 * scopeDelay * scopeFarRounds {
		for _, o := range []*thing{near, far} {
			o.place.Position.Y++
			r.scope.delay(o.Number())
		}
		before := [2]point{r.scope.bodies[near.Number()].at, r.scope.bodies[far.Number()].at}
		r.run(1)
		for i, o := range []*thing{near, far} {
			if r.scope.bodies[o.Number()].at != before[i] {
				moves[o]++
			}
		}
	}
	assert.InDelta(t, 8*scopeFarRounds, moves[near], 1)
	assert.InDelta(t, 8, moves[far], 1)
}
