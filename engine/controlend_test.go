package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// steers returns the server's object whose ghost client i controls, or nil.
func (r *race) steers(i int) sim.Object {
	own := r.Clients[i].Host.Server().Control.Object()
	for _, o := range objects(r.Server.World()) {
		if own != nil && ghostOf(r.peer(i), r.Clients[i].Host.Server(), o) == own {
			return o
		}
	}
	return nil
}

func objects(w *sim.World) (all []sim.Object) {
	w.Each(nil, func(o sim.Object) bool {
		if o.Ident().Number() != 0 {
			all = append(all, o)
		}
		return true
	})
	return all
}

// until runs the game until client i controls an object. A nil object means no control.
func (r *race) until(i int, o sim.Object) {
	r.t.Helper()
	r.Until(10*time.Second, func() bool { return r.steers(i) == o })
}

// TestControlChanges checks that control is given, handed over, taken away and lost with its
// object, on a link with a packet loss of one third.
func TestControlChanges(t *testing.T) {
	o := lag(100, .3)
	o.Clients = 2
	r := newRace(t, o)
	r.nextMove = wander(9)
	first, second, other := r.runners[0], r.runners[1], r.runner()
	a, b := r.peer(0), r.peer(1)

	require.NoError(t, a.Control.Set(other))
	assert.Equal(t, sim.Object(other), a.Control.Object())
	r.until(0, other)
	assert.Zero(t, first.Controller(), "nobody steers it now")
	assert.Zero(t, first.Lag())
	assert.Equal(t, a.ID(), other.Controller())

	require.NoError(t, a.Control.Set(second))
	assert.Nil(t, b.Control.Object(), "it is taken from whoever had it")
	assert.Equal(t, a.ID(), second.Controller())
	r.until(0, second)
	r.until(1, nil)

	require.NoError(t, b.Control.Set(other))
	require.NoError(t, a.Control.Set(nil))
	r.until(0, nil)
	r.until(1, other)
	assert.Zero(t, second.Controller())

	require.NoError(t, a.Control.Set(first))
	r.until(0, first)
	require.NoError(t, r.Server.World().Delete(first))
	assert.Nil(t, a.Control.Object())
	r.until(0, nil)
	require.NoError(t, a.Control.Set(second))
	r.until(0, second)

	r.runners = []*enginetest.Runner{second, other}
	r.rests()
	require.NoError(t, a.Control.Set(nil))
	r.Run(3 * time.Second)
	other.Push(sim.Vec3{X: 2})
	second.Push(sim.Vec3{X: 1})
	r.Run(3 * time.Second)
	equalGhost(t, a, r.Clients[0].Host.Server(), second)
	equalGhost(t, a, r.Clients[0].Host.Server(), other)
	equalGhost(t, b, r.Clients[1].Host.Server(), second)
}

// TestTwoClientsFightForOneObject checks two clients that claim one object in every tick. The last
// claim wins.
func TestTwoClientsFightForOneObject(t *testing.T) {
	o := lag(80, .1)
	o.Clients = 2
	r := newRace(t, o)
	r.nextMove = wander(2)
	for n := range 200 {
		require.NoError(t, r.peer(n%2).Control.Set(r.runners[0]))
		require.NotEqual(t, sim.Object(r.runners[0]), r.peer(1-n%2).Control.Object())
		r.ticks(1 + n%3)
	}
	require.NoError(t, r.peer(0).Control.Set(r.runners[0]))
	require.NoError(t, r.peer(1).Control.Set(r.runners[1]))
	r.Run(2 * time.Second)
	r.rests()
}

// TestControlErrors checks the errors for objects that cannot be controlled.
func TestControlErrors(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	thing, err := r.Server.World().New("Thing", nil)
	require.NoError(t, err)
	c := r.peer(0)
	assert.ErrorContains(t, c.Control.Set(thing), "a Thing accepts no moves")
	require.NoError(t, c.Visible.SetObject(thing), "but it can be looked from")
	gone := r.runner()
	require.NoError(t, r.Server.World().Delete(gone))
	assert.ErrorContains(t, c.Control.Set(gone), "not in this world")
	assert.ErrorContains(t, c.Control.Set(r.own(0)), "not in this world")
	assert.Equal(t, sim.Object(r.runners[0]), c.Control.Object(), "nothing has changed")
	client := r.Clients[0].Host.Server()
	assert.ErrorContains(t, client.Control.Set(r.own(0)), "it is a ghost")
	c.Disconnect("")
	r.ticks(3)
	assert.Zero(t, r.runners[0].Controller())
	assert.ErrorContains(t, c.Control.Set(r.runners[0]), "has ended")
	assert.Zero(t, r.runners[0].Controller())
}

// TestControlObjectLeavesScope checks a control object that leaves the client's scope and returns.
// The client controls nothing in between.
func TestControlObjectLeavesScope(t *testing.T) {
	r := newRace(t, lag(100, .1))
	r.nextMove = wander(4)
	r.Run(time.Second)
	for range 5 {
		r.peer(0).Ghosting.Reset() // without a new join
		r.until(0, nil)
		r.Run(500 * time.Millisecond)
		assert.Equal(t, sim.Object(r.runners[0]), r.peer(0).Control.Object())
		r.peer(0).Ghosting.Activate()
		r.Until(5*time.Second, func() bool { return r.own(0) != nil })
	}
	r.rests()
}

// TestDriving checks that a client predicts both a runner and its cart. After the runner dismounts,
// the cart is updated as a ghost again, at once and bit for bit.
func TestDriving(t *testing.T) {
	o := lag(120, .2)
	o.Clients = 2
	r := newRace(t, o)
	r.nextMove = wander(8)
	cart := r.cart(sim.Vec3{X: 5})
	r.Run(2 * time.Second)
	for n := range 6 {
		r.runners[0].Cart = cart.ID()
		r.runners[0].Mark(1 << 3)
		r.Run(2 * time.Second)
		own := ghostOf(r.peer(0), r.Clients[0].Host.Server(), cart)
		require.Equal(t, own, r.own(0).Drives())
		require.Equal(t, r.peer(0).ID(), cart.Controller())
		require.NotZero(t, own.Ident().Controller())
		before := r.stats(0).Corrections
		r.Run(3 * time.Second)
		assert.LessOrEqual(t, r.stats(0).Corrections, before+5, "it is predicted too: the corrections of 3 s are those of lost moves")
		r.runners[0].Cart = 0
		r.runners[0].Mark(1 << 3)
		cart.Push(sim.Vec3{X: float64(n)})
		r.ticks(3)
		require.Zero(t, cart.Controller())
		for range 40 { // the cart comes to rest
			r.ticks(5)
		}
		for i := range r.Clients {
			equalGhost(t, r.peer(i), r.Clients[i].Host.Server(), cart)
		}
		assert.Zero(t, own.Ident().Controller())
	}
	r.rests()
}

// TestControlBothWays checks two hosts that serve each other and control each other's objects.
func TestControlBothWays(t *testing.T) {
	link := netcore.LinkParams{Delay: 40 * time.Millisecond, Loss: .1}
	r := &race{Rig: enginetest.New(t, enginetest.Options{Up: link, Down: link, Both: func(c *engine.Config) {
		c.Server, c.Mutual = true, true
	}}), t: t}
	r.Server.Quiet, r.Clients[0].Quiet = true, true
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Until(10*time.Second, func() bool { s := r.Clients[0].Host.Server(); return s != nil && s.Join.Phase() == engine.PhaseGame })
	sides := []*enginetest.Player{r.Server, r.Clients[0]}
	conns := []*engine.Connection{r.peer(0), r.Clients[0].Host.Server()}
	conns[1].Ghosting.Activate()
	wish := wander(6)
	var runners []*enginetest.Runner
	for i, p := range sides {
		o, err := p.World().New("Runner", nil)
		require.NoError(t, err)
		runners = append(runners, o.(*enginetest.Runner))
		require.NoError(t, conns[i].Control.Set(o))
		p.SetMoves(func(*engine.Connection) sim.Move { return wish(i) })
	}
	r.Run(10 * time.Second)
	for i, p := range sides {
		p.SetMoves(nil)
		assert.Greater(t, conns[i].Control.Stats.Moves, 250)
		assert.Greater(t, conns[i].Control.Stats.Made, 250)
		assert.Equal(t, conns[i].ID(), runners[i].Controller())
	}
	r.Run(3 * time.Second)
	for i := range sides {
		ghost := ghostOf(conns[i], conns[1-i], runners[i]).(*enginetest.Runner)
		assert.Equal(t, runners[i].At, ghost.At)
		assert.NotZero(t, ghost.Controller())
	}
}
