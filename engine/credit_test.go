package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// cheat is a client whose clock runs faster than the server's.
type cheat struct {
	*enginetest.Player
	times int
}

func (c *cheat) Tick(now netcore.Time) {
	for range c.times {
		c.Player.Tick(now)
	}
}

// TestMoreMovesThanTime checks that a client that makes 2, 10 or 100 times the moves gets at most 2
// % farther than an honest one in a minute, on a clean link and on a bad one. The short form has
// 100 times only.
func TestMoreMovesThanTime(t *testing.T) {
	for _, o := range []enginetest.Options{{}, lag(100, .05)} {
		honest := 0.0
		for _, times := range testenv.Length([]int{1, 100}, []int{1, 2, 10, 100}) {
			r := newRace(t, o)
			r.Server.Settings.MaxRate = 125
			r.Net.Attach(r.Clients[0].Addr, &cheat{r.Clients[0], times})
			r.Run(2 * time.Second)
			r.runners[0].PutTo(sim.Vec3{Y: -1000})
			r.runners[0].Speed = sim.Vec3{}
			r.nextMove = ahead
			r.Run(time.Minute)
			way := r.runners[0].At.Y + 1000
			if times == 1 {
				honest = way
			}
			t.Logf("loss %v, %d times the moves: %.1f m, %+v", o.Up.Loss, times, way, r.peer(0).Control.Stats)
			assert.LessOrEqual(t, way, 1.02*honest, "%d times the moves", times)
			assert.Greater(t, way, 0.9*honest)
		}
	}
}

// TestStallAndBurst checks that a client that is silent and then sends all its moves gets credit
// for 8 extra moves. The server drops a lasting surplus.
func TestStallAndBurst(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	r.Clients[0].Settings.Moves = 0 // so that every move arrives in the end
	r.nextMove = ahead
	r.Run(5 * time.Second)
	c := r.peer(0)
	before, at := c.Control.Stats, r.Server.TickNumber()
	now := r.Net.Now()
	r.Net.Blackout(now, now+time.Second)
	r.Run(time.Second)
	stats := c.Control.Stats
	assert.InDelta(t, 31-3, stats.Null-before.Null, 2, "NULL moves, after three ticks")
	r.Run(time.Second)
	stats = c.Control.Stats
	assert.LessOrEqual(t, stats.Moves-before.Moves, int(r.Server.TickNumber()-at)+8)
	assert.Positive(t, stats.Dropped, "what the player did in the dark is not done a second late")
	dropped := stats.Dropped
	r.Run(5 * time.Second)
	assert.Equal(t, dropped, c.Control.Stats.Dropped)
	r.rests()
}

// TestSilentClient checks that an object moves on when the moves of its client stop, and that it
// comes to rest.
func TestSilentClient(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	c := r.peer(0)
	r.nextMove = ahead
	r.Run(2 * time.Second)
	require.Greater(t, r.runners[0].Speed.Y, 5.0)
	now := r.Net.Now()
	r.Net.Blackout(now, now+time.Hour)
	r.ticks(4)
	assert.Equal(t, r.runners[0].Speed.Y, 6.0, "it waits for three ticks")
	at := r.runners[0].At
	r.ticks(1)
	assert.NotEqual(t, at, r.runners[0].At)
	r.Run(time.Second)
	assert.Zero(t, r.runners[0].Speed.Y)
	assert.Zero(t, c.Control.Stats.Dropped)
	assert.LessOrEqual(t, r.stats(0).Made, 2*32+40, "the client halts with a full window")
	assert.Positive(t, r.stats(0).Halts)
}

// TestModemMoves checks that 10 packets/s with three moves each cause no NULL moves and no
// corrections.
func TestModemMoves(t *testing.T) {
	o := lag(150, 0)
	r := newRace(t, o)
	for _, p := range []*enginetest.Player{r.Server, r.Clients[0]} {
		p.Settings.Rate, p.Settings.Size = 10, 200
		p.Apply()
	}
	r.Run(3 * time.Second)
	r.nextMove = wander(5)
	before, null := *r.stats(0), r.peer(0).Control.Stats.Null
	r.Run(time.Minute)
	t.Logf("%+v; server %+v", *r.stats(0), r.peer(0).Control.Stats)
	assert.LessOrEqual(t, r.stats(0).Corrections-before.Corrections, 1)
	assert.Zero(t, r.peer(0).Control.Stats.Null-null)
	assert.Zero(t, r.stats(0).Halts)
	r.rests()
}

// TestBursts checks bursts of packet loss, with three moves per packet and with the whole window.
func TestBursts(t *testing.T) {
	for _, moves := range []int{3, 0} {
		o := lag(60, 0)
		o.Up.Burst, o.Up.BurstLength = .02, 3
		r := newRace(t, o)
		r.Clients[0].Settings.Moves = moves
		r.nextMove = wander(5)
		r.Run(time.Minute)
		t.Logf("net.moves %d: %+v", moves, *r.stats(0))
		r.rests()
	}
}
