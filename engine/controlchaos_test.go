package engine_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/netsim"
)

// disturbedRace is a race with random disturbances.
type disturbedRace struct {
	*race
	seed   uint64
	rng    *rand.Rand
	carts  []*enginetest.Cart
	serial []int16       // serial of each client's last move, sent as the move's roll
	done   map[int][]int // by client: the serials of the executed moves, in order
	moves  func(int) sim.Move
	seq    uint32
}

func newDisturbedRace(t *testing.T, seed uint64) *disturbedRace {
	rng := rand.New(rand.NewPCG(seed, 99))
	r := &disturbedRace{seed: seed, rng: rng, serial: make([]int16, 3), done: map[int][]int{}, moves: wander(seed), seq: 1}
	up, down := netsim.RandomLink(rng, .3), netsim.RandomLink(rng, .3)
	r.race = newRace(t, enginetest.Options{Seed: seed, Clients: 3, Both: func(c *engine.Config) {
		c.Parallel, c.JoinTimeout = parallel, time.Minute
	}})
	for i, c := range r.Clients {
		r.Net.Link(c.Addr, r.Server.Addr, up, down)
		r.watch(r.runners[i])
	}
	for i := range 3 {
		r.carts = append(r.carts, r.cart(sim.Vec3{X: float64(i)}))
	}
	r.nextMove = func(i int) sim.Move {
		m := r.moves(i)
		r.serial[i]++
		m.Roll = r.serial[i]
		return m
	}
	return r
}

// watch records the moves that drive a runner of the server, and their client.
func (r *disturbedRace) watch(o *enginetest.Runner) {
	o.Done = func(m sim.Move) {
		for i := range r.Clients {
			if c := r.peer(i); m.Roll != 0 && c != nil && c.Control.Object() == sim.Object(o) {
				r.done[i] = append(r.done[i], int(m.Roll))
			}
		}
	}
}

// disturb makes one random change.
func (r *disturbedRace) disturb() {
	i, j := r.rng.IntN(3), r.rng.IntN(3)
	o, c, cart := r.runners[i], r.peer(j), r.carts[r.rng.IntN(3)]
	dead := !o.Alive()
	switch n := r.rng.IntN(20); {
	case n < 3 && !dead:
		o.Push(sim.Vec3{X: r.rng.Float64()*20 - 10, Y: r.rng.Float64()*20 - 10})
	case n < 5 && !dead:
		o.PutTo(sim.Vec3{X: r.rng.Float64() * 500})
	case n < 7:
		cart.Push(sim.Vec3{Y: r.rng.Float64() * 9})
	case n < 10 && !dead:
		o.Cart = [...]sim.ID{0, cart.ID()}[r.rng.IntN(2)]
		o.Mark(1 << 3)
	case n < 12 && !dead:
		require.NoError(r.t, c.Control.Set(o))
	case n < 13:
		require.NoError(r.t, c.Control.Set(nil))
	case n < 14:
		require.NoError(r.t, r.Server.World().Delete(o))
	case n < 15:
		r.seq++
		c.Ghosting.Reset()
		r.Server.Lead(c, r.seq)
	case n < 16:
		now := r.Net.Now()
		r.Net.Blackout(now, now+time.Duration(r.rng.IntN(1500))*time.Millisecond)
	case n < 17:
		r.Server.Settings.Control = [...]string{"mismatch", "always"}[r.rng.IntN(2)]
	case n < 18:
		r.Clients[j].Settings.Moves = r.rng.IntN(move.Max + 1)
	case dead:
		r.runners[i] = r.runner()
		r.watch(r.runners[i])
	}
}

// TestControlUnderRandomFaults checks control on random links with random changes of the control
// objects. Each move is executed at most once, in order, and within the time of its client. In the
// end, both sides agree bit for bit.
func TestControlUnderRandomFaults(t *testing.T) {
	corrections := 0
	for seed := range testenv.Seeds(t, 2, 12) {
		r := newDisturbedRace(t, seed)
		began := r.Server.TickNumber()
		for range 120 {
			r.disturb()
			r.ticks(r.rng.IntN(12))
			for i := range r.Clients {
				require.NotNil(t, r.peer(i), "seed %d, client %d: %s", seed, i, last(r.Server.Lines))
				require.NotNil(t, r.Clients[i].Host.Server(), "seed %d, client %d: %s", seed, i, last(r.Clients[i].Lines))
			}
		}
		for i := range r.Clients {
			before := 0
			for _, n := range r.done[i] {
				require.Greater(t, n, before, "seed %d, client %d", seed, i)
				before = n
			}
			require.LessOrEqual(t, float64(len(r.done[i])), 1.01*float64(r.Server.TickNumber()-began)+8, "seed %d", seed)
			corrections += r.stats(i).Corrections
		}
		r.calm()
	}
	assert.Positive(t, corrections)
}

// calm ends the disturbedRace. Every client gets a runner and comes to rest.
func (r *disturbedRace) calm() {
	for i, c := range r.Clients {
		r.Net.Link(c.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
		if !r.runners[i].Alive() {
			r.runners[i] = r.runner()
		}
		require.NoError(r.t, r.peer(i).Control.Set(r.runners[i]))
	}
	r.Run(5 * time.Second)
	r.rests()
	for i, c := range r.Clients {
		require.False(r.t, r.t.Failed(), "seed %d, client %d", r.seed, i)
		for _, o := range objects(r.Server.World()) {
			equalGhost(r.t, r.peer(i), c.Host.Server(), o)
		}
	}
}

func last(lines []string) string { return lines[len(lines)-1] }
