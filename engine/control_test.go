package engine_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// race is a game in which each client drives a runner.
type race struct {
	*enginetest.Rig
	t        testing.TB
	runners  []*enginetest.Runner
	nextMove func(client int) sim.Move // what a client wants in a tick
}

func newRace(t testing.TB, o enginetest.Options) *race {
	r := &race{Rig: enginetest.New(t, o), t: t}
	r.Server.Quiet = true
	r.Join()
	for i, c := range r.Clients {
		c.Quiet = true
		c.SetMoves(func(*engine.Connection) sim.Move {
			if r.nextMove == nil {
				return sim.Move{}
			}
			return r.nextMove(i)
		})
		r.runners = append(r.runners, r.runner())
		require.NoError(t, r.peer(i).Control.Set(r.runners[i]))
	}
	r.Until(20*time.Second, func() bool {
		for i := range r.Clients {
			if r.own(i) == nil {
				return false
			}
		}
		return true
	})
	return r
}

// lag returns options for a link with a round-trip time in ms and a packet loss in each direction.
func lag(ms int, loss float64) enginetest.Options {
	link := netcore.LinkParams{Delay: time.Duration(ms) * time.Millisecond / 2, Loss: loss}
	return enginetest.Options{Seed: 1, Up: link, Down: link}
}

func (r *race) runner() *enginetest.Runner {
	o, err := r.Server.World().New("Runner", nil)
	require.NoError(r.t, err)
	return o.(*enginetest.Runner)
}

func (r *race) cart(at sim.Vec3) *enginetest.Cart {
	o, err := r.Server.World().New("Cart", nil)
	require.NoError(r.t, err)
	o.(*enginetest.Cart).PutTo(at)
	return o.(*enginetest.Cart)
}

// peer returns the server's connection to a client. own returns the object that the client drives.
// stats returns the client's counters of its moves.
func (r *race) peer(i int) *engine.Connection { return peerOf(r.Rig, i) }
func (r *race) own(i int) *enginetest.Runner {
	s := r.Clients[i].Host.Server()
	if s == nil {
		return nil
	}
	o, _ := s.Control.Object().(*enginetest.Runner)
	return o
}
func (r *race) stats(i int) *engine.ControlStats { return &r.Clients[i].Host.Server().Control.Stats }

// ticks runs the game for n ticks.
func (r *race) ticks(n int) { r.Run(time.Duration(n) * engine.TickTime) }

// rests ends all wishes. It requires that both sides then agree on every position, bit for bit.
func (r *race) rests() {
	r.t.Helper()
	r.nextMove = nil
	r.Run(3 * time.Second)
	for i := range r.Clients {
		r.same(i)
	}
}

func (r *race) same(i int) {
	r.t.Helper()
	o, own := r.runners[i], r.own(i)
	require.NotNil(r.t, own, "client %d", i)
	assert.Equal(r.t, o.At, own.At, "client %d", i)
	assert.Equal(r.t, o.Speed, own.Speed, "client %d", i)
	assert.Equal(r.t, o.Yaw, own.Yaw, "client %d", i)
}

// wander returns random player input: run, turn, stop, and sometimes shoot.
func wander(seed uint64) func(client int) sim.Move {
	rng := rand.New(rand.NewPCG(seed, 4))
	moves := map[int]sim.Move{}
	return func(client int) sim.Move {
		m := moves[client]
		if rng.IntN(20) == 0 {
			m = sim.Move{X: int8(rng.IntN(33) - 16), Y: int8(rng.IntN(33) - 16)}
		}
		m.Yaw = int16(rng.IntN(2001) - 1000)
		m.SetTrigger(sim.FireTrigger, rng.IntN(10) == 0)
		moves[client] = m
		return m
	}
}

func ahead(int) sim.Move { return sim.Move{Y: sim.MoveFull} }

// TestOwnViewFollowsAtOnce checks that players see their own actions in the same tick, whatever the
// round-trip time.
func TestOwnViewFollowsAtOnce(t *testing.T) {
	r := newRace(t, lag(300, 0))
	r.ticks(20)
	was := r.own(0).Shown(0).Position
	r.ticks(1)
	require.Equal(t, was, r.own(0).Shown(0).Position)
	r.nextMove = ahead
	r.ticks(1)
	assert.Greater(t, r.own(0).Shown(0).Position.Y, was.Y)
	assert.Equal(t, was, r.runners[0].At, "the server has not heard of it")
	assert.Equal(t, r.own(0).At, r.own(0).Shown(0).Position)
	r.rests()
	assert.Zero(t, r.stats(0).Corrections)
	assert.Positive(t, r.runners[0].Lag())
}

// TestCorrectionsAreRare checks that a usual link needs no corrections, because both sides simulate
// alike.
func TestCorrectionsAreRare(t *testing.T) {
	for _, row := range testenv.Every(2, []struct {
		control string
		moves   int
	}{{"mismatch", 1}, {"mismatch", 0}, {"mismatch", 3}, {"always", 0}, {"always", 3}, {"always", 1}}) {
		o := lag(100, .02)
		o.Up.Jitter, o.Down.Jitter = 10*time.Millisecond, 10*time.Millisecond
		r := newRace(t, o)
		r.Server.Settings.Control = row.control
		r.Clients[0].Settings.Moves = row.moves
		r.nextMove = wander(7)
		minutes := testenv.Length(2, 10)
		r.Run(time.Duration(minutes) * time.Minute)
		s := r.stats(0)
		t.Logf("net.control %s, net.moves %d: %+v; server %+v", row.control, row.moves, *s, r.peer(0).Control.Stats)
		if row.moves != 1 {
			assert.Less(t, s.Visible, minutes, "one a minute")
		}
		assert.Greater(t, s.Made, 1870*minutes)
		if row.control == "always" {
			assert.Greater(t, s.States, 1700*minutes)
		} else {
			assert.Less(t, s.States, 200*minutes)
		}
		r.rests()
	}
}

// TestPush checks that a push of the runner causes 1 to 3 corrections. The client shows them as a
// smooth motion. Afterwards both sides agree bit for bit.
func TestPush(t *testing.T) {
	r := newRace(t, lag(150, .1))
	r.nextMove = wander(3)
	r.Run(5 * time.Second)
	before := *r.stats(0)
	r.runners[0].Push(sim.Vec3{X: 12, Y: -7})
	last, leap := r.own(0).Shown(0).Position, 0.0
	for range 60 {
		r.ticks(1)
		now := r.own(0).Shown(0).Position
		leap = max(leap, now.Sub(last).Len())
		last = now
	}
	s := r.stats(0)
	assert.Positive(t, s.Corrections-before.Corrections)
	assert.LessOrEqual(t, s.Corrections-before.Corrections, 3)
	assert.Greater(t, s.LargestWarp, 0.3)
	assert.Less(t, leap, s.LargestWarp*0.7+0.4, "what is shown goes there in several ticks")
	r.rests()
}

// TestReplayRepeatsNoSideEffects checks that replayed moves do not repeat their shots.
func TestReplayRepeatsNoSideEffects(t *testing.T) {
	r := newRace(t, lag(200, 0))
	r.nextMove = func(int) sim.Move { return sim.Move{Y: 16, Triggers: 1} }
	made := r.stats(0).Made
	shots := r.own(0).Shots
	for range 20 {
		r.ticks(10)
		r.runners[0].Push(sim.Vec3{X: 3})
	}
	assert.Greater(t, r.stats(0).Corrections, 15)
	assert.Equal(t, r.stats(0).Made-made, r.own(0).Shots-shots)
	fired := 0
	for _, line := range r.Server.Lines {
		if strings.HasPrefix(line, "event onFire") {
			fired++
		}
	}
	assert.Equal(t, r.runners[0].Shots, fired, "the server's scripts hear of each")
	assert.NotContains(t, strings.Join(r.Clients[0].Lines, "\n"), "onFire", "nothing happens to ghosts")
	r.rests()
}

// TestMapChangeWithAControlObject checks that the client reports its initial control object once in
// a join, and once after each map change. A control object survives a map change.
func TestMapChangeWithAControlObject(t *testing.T) {
	r := newRace(t, lag(100, .1))
	count := func() (n int) {
		for _, line := range r.Clients[0].Lines {
			if line == "control set" {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, count())
	r.nextMove = wander(1)
	r.Run(time.Second)
	require.Equal(t, 1, count())
	for seq := range uint32(5) {
		r.peer(0).Ghosting.Reset()
		r.Server.Lead(r.peer(0), seq+2)
		r.Run(time.Duration(seq) * 60 * time.Millisecond)
		r.Until(10*time.Second, func() bool { return r.peer(0).Join.Phase() == engine.PhaseGame && r.own(0) != nil })
		r.Run(2 * time.Second)
		require.Equal(t, 2+int(seq), count())
	}
	r.rests()
}
