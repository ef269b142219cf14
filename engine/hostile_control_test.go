package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
)

// TestForgedControlStates checks a server that sends forged control states. The client accepts
// valid states and otherwise disconnects.
func TestForgedControlStates(t *testing.T) {
	for _, a := range []struct {
		name, class, ends string
		bits              []byte
		n                 int
	}{
		{"none", "Runner", "control state of a Runner", nil, 0},
		{"too short", "Runner", "control state of a Runner", []byte{0, 1, 2}, 24},
		{"too long", "Runner", "it has 1600 bits", make([]byte, 200), 1600},
		{"out of range", "Runner", "control state of a Runner", []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 137},
		{"of what no moves drive", "Thing", "which accepts no moves", []byte{0}, 1},
		{"on a cart that is none", "Runner", "", []byte{1, 0, 0}, 20},
	} {
		t.Run(a.name, func(t *testing.T) {
			m := server(t)
			m.t = t
			ghosts, _ := m.show(t, a.class)
			m.raw.moves = move.New(move.Config{ReceivesMoves: true, NameOf: ghosts.NameOf})
			m.raw.moves.SetState(1, a.bits, a.n, true)
			m.rig.Run(500 * time.Millisecond)
			m.raw.moves.ClearState()
			m.lives(a.ends)
			if c := m.target(); c != nil {
				require.NotNil(t, c.Control.Object(), "it is steered, as well as it can be")
			}
		})
	}
}

// show has the attacker show an object of a class. It waits until the victim has the ghost.
func (m *attacker) show(t *testing.T, class string) (*ghost.Stream, *ghost.Snapshots) {
	layout := engine.LayoutOf(m.victim.Host, class)
	images := ghost.NewSnapshots()
	images.Begin(1)
	n := images.Add(layout)
	for g := range layout.Groups {
		images.Set(n, g, &ghost.Values{Cells: make([]uint64, len(layout.Groups[g].Cells)), Texts: []string{"text"}})
	}
	ghosts := ghost.New(ghost.Config{Snapshots: images})
	ghosts.Activate(true)
	require.True(t, ghosts.Scope(n))
	m.raw.ghosts = ghosts
	m.rig.Until(5*time.Second, func() bool { return ghosts.Live(n) })
	return ghosts, images
}

// TestMovesWithoutControlObject checks that moves without a control object, or for another object,
// have no effect and no cost.
func TestMovesWithoutControlObject(t *testing.T) {
	m := client(t)
	m.raw.moves = move.New(move.Config{SendsMoves: true})
	for range 100 {
		if !m.raw.moves.Full() {
			m.raw.moves.Push(move.Move{X: 16, Triggers: 0xff}, 77)
		}
		m.rig.Run(engine.TickTime)
	}
	assert.Zero(t, m.target().Control.Stats.Moves)
	assert.Positive(t, m.target().Control.Stats.Dropped)
	m.lives("")
}

// TestForgedChecksums checks that invented checksums are answered with states and have no other
// effect.
func TestForgedChecksums(t *testing.T) {
	m := client(t)
	o, err := m.victim.World().New("Runner", nil)
	require.NoError(t, err)
	require.NoError(t, m.target().Control.Set(o))
	moves := move.New(move.Config{SendsMoves: true})
	m.raw.moves = moves
	for n := range 120 {
		if !moves.Full() {
			moves.Push(move.Move{X: int8(n % 17)}, uint16(n*7919))
		}
		m.rig.Run(engine.TickTime)
		a, _ := moves.Answer()
		moves.Forget(a.Ack)
	}
	assert.Equal(t, sim.Object(o), m.target().Control.Object())
	assert.LessOrEqual(t, m.target().Control.Stats.Moves, 130)
	assert.Greater(t, m.target().Control.Stats.Moves, 100)
	m.lives("")
}
