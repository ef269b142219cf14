package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
)

// moveTraffic is what the moves of a player cost, and how many do not arrive.
type moveTraffic struct {
	null, lost float64 // a minute: substituted by the server; never arrived
	bits       float64 // of the moves, in a packet
}

// moving lets a player move for some minutes over a line.
func moving(t *testing.T, loss float64, copies, minutes int) (m moveTraffic) {
	r := newRace(t, lag(100, loss))
	r.nextMove = wander(7)
	r.Clients[0].Settings.Moves = copies
	r.Run(10 * time.Second) // the line is measured
	here, there := r.Clients[0].Host.Server(), r.peer(0)
	before, packets, lost, null := here.MoveStats().Bits, here.Net().Stats().Sent, there.MoveStats().Lost, there.Control.Stats.Null
	r.Run(time.Duration(minutes) * time.Minute)
	each := func(n uint64) float64 { return float64(n) / float64(minutes) }
	return moveTraffic{
		null: each(uint64(there.Control.Stats.Null - null)), lost: each(there.MoveStats().Lost - lost),
		bits: float64(here.MoveStats().Bits-before) / float64(here.Net().Stats().Sent-packets),
	}
}

// TestCopiesFollowTheLoss checks that moves are sent as often as the loss of the line needs: less
// than three times on a good line, and so often on a bad one that few are lost. The server
// substitutes a move if none has arrived for three ticks, so at 50 % loss most substitutes cannot
// be avoided.
func TestCopiesFollowTheLoss(t *testing.T) {
	for loss, most := range map[float64]moveTraffic{
		0:    {0, 0, 95},
		0.05: {0.5, 1, 145},
		0.2:  {8, 1, 165},
		0.5:  {45, 3, 205},
	} {
		t.Run(fmt.Sprint(loss), func(t *testing.T) {
			t.Parallel()
			auto := moving(t, loss, engine.AutoMoves, testenv.Length(2, 4))
			t.Logf("%+v", auto)
			assert.LessOrEqual(t, auto.null, most.null)
			assert.LessOrEqual(t, auto.lost, most.lost)
			assert.LessOrEqual(t, auto.bits, most.bits)
		})
	}
}
