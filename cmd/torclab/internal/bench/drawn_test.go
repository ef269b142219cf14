package bench

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// TestDrawnPositions compares what a player draws with the truth of some ticks, and finds the error
// that was put in.
func TestDrawnPositions(t *testing.T) {
	m, err := newMatch()
	require.NoError(t, err)
	for n := range uint16(2) {
		_, err := m.join(10+n, lagLink{}.line(), lagModes[0])
		require.NoError(t, err)
	}
	require.NoError(t, m.until("both play", func() bool { return m.plays(m.players[0]) && m.plays(m.players[1]) }))
	v := newViews()
	for range truthTicks {
		m.tick()
		v.record(m.host)
	}
	v.look(m.host)
	assert.Equal(t, 2, v.looks)
	c := m.host.Connections()[0]
	d := &drawnPlayers{Client: c.PlayerName}
	own, other := c.Control.Object(), m.host.Connections()[1].Control.Object()
	c.Ghosts().Each(func(id int, obj uint32, s ghost.Status) {
		if o := m.host.ObjectOf(obj); o == other && s == ghost.Live {
			d.IDs = append(d.IDs, uint16(id))
		}
	})
	require.Len(t, d.IDs, 1)
	at, eye := other.(sim.Placer).Place().Position, own.(sim.Placer).Place().Position
	at = at.Add(sim.Vec3{X: 5}) // three ticks ago: the client is behind
	v.truth[(m.host.TickNumber()-3)%truthTicks][other.Ident().Number()] = at
	band := bandOf(at.Sub(eye).Len())
	d.At = []sim.Vec3{at.Add(sim.Vec3{Z: 0.5})}
	v.compare(m.host, d)
	require.Len(t, v.errors[band], 1)
	want := 0.5
	if band != near {
		want = 0.5 / at.Sub(eye).Len() * 57.3
	}
	assert.InDelta(t, want, v.errors[band][0], 0.01)
	d.Client = "nobody"
	v.compare(m.host, d)
	assert.Len(t, v.errors[band], 1)
	assert.Equal(t, []int{near, near, middle, middle, far}, []int{bandOf(0), bandOf(60), bandOf(61), bandOf(200), bandOf(201)})
}

// TestLateReportIsDropped checks that a report from the row before is not compared with the next
// row.
func TestLateReportIsDropped(t *testing.T) {
	c := &clientsCommand{reports: make(chan crowdReport, 1)}
	c.reports <- crowdReport{Drawn: &drawnPlayers{Client: "P1"}}
	require.NoError(t, swarm{all: []*clientsCommand{c}}.compare(new(scenario)))
	assert.Empty(t, c.reports)
}
