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
	"github.com/torc-engine/torc/netcore/move"
)

// TestHandoverOfADriver checks that a client that takes over a driver also takes over the driven
// object and its view at once. In no tick does either object have two controllers or none.
func TestHandoverOfADriver(t *testing.T) {
	r := newRace(t, enginetest.Options{Clients: 2})
	cart := r.cart(sim.Vec3{})
	driver := r.runners[1]
	driver.Cart = cart.ID()
	r.ticks(5)
	require.Equal(t, r.peer(1).ID(), cart.Controller())
	require.NoError(t, r.peer(0).Control.Set(driver))
	assert.Equal(t, r.peer(0).ID(), cart.Controller())
	assert.Equal(t, sim.Object(driver), engine.LooksFrom(r.peer(0)))
	assert.Nil(t, engine.LooksFrom(r.peer(1)))
}

// TestDeathOfADriver checks that the object of a dead driver has no controller in the next tick.
func TestDeathOfADriver(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	cart := r.cart(sim.Vec3{})
	r.runners[0].Cart = cart.ID()
	r.ticks(5)
	require.Equal(t, r.peer(0).ID(), cart.Controller())
	require.NoError(t, r.Server.World().Delete(r.runners[0]))
	r.ticks(1)
	assert.Zero(t, cart.Controller())
}

// TestLossOfControlReachesClient checks that the server repeats the loss of control until the
// client acknowledges it, although moves still arrive.
func TestLossOfControlReachesClient(t *testing.T) {
	r := newRace(t, lag(100, 0))
	r.nextMove = ahead
	r.Run(time.Second)
	addr, server := r.Clients[0].Addr, r.Server.Addr
	link := netcore.LinkParams{Delay: 50 * time.Millisecond}
	r.Net.Link(addr, server, link, netcore.LinkParams{Loss: 1})
	require.NoError(t, r.peer(0).Control.Set(nil))
	r.Run(400 * time.Millisecond)
	require.NotNil(t, r.own(0))
	r.Net.Link(addr, server, link, link)
	r.until(0, nil)
}

// TestMovesOutOfRange checks that the client executes an out-of-range move in its wire form, as the
// server does.
func TestMovesOutOfRange(t *testing.T) {
	r := newRace(t, lag(60, 0))
	r.nextMove = func(int) sim.Move { return sim.Move{X: 100, Y: -128, Z: 17, Triggers: 0xfe} }
	r.Run(3 * time.Second)
	assert.Zero(t, r.stats(0).Corrections)
	r.rests()
}

// TestDeletedObjectsAcceptNoMoves checks that an object deleted on the client takes no moves, also
// if its pilot deletes it.
func TestDeletedObjectsAcceptNoMoves(t *testing.T) {
	for name, kill := range map[string]func(r *race, own *enginetest.Runner){
		"between two ticks": func(r *race, own *enginetest.Runner) {
			require.NoError(t, r.Clients[0].World().Delete(own))
		},
		"by who makes its moves": func(r *race, own *enginetest.Runner) {
			r.nextMove = func(int) sim.Move {
				require.NoError(t, r.Clients[0].World().Delete(own))
				return sim.Move{}
			}
		},
	} {
		r := newRace(t, enginetest.Options{})
		own := r.own(0)
		own.Done = func(sim.Move) { t.Error(name) }
		made := r.stats(0).Made
		kill(r, own)
		r.ticks(2)
		assert.Equal(t, made, r.stats(0).Made, name)
	}
}

// rides makes a runner mount a cart by one trigger of its moves, and dismount by another.
func rides(r *enginetest.Runner, cart sim.Object) {
	r.Done = func(m sim.Move) {
		if m.Trigger(sim.UseTrigger) {
			r.Cart = cart.Ident().ID()
		}
		if m.Trigger(sim.CrouchTrigger) {
			r.Cart = 0
		}
	}
}

// TestDrivingByAMove checks that a move that mounts a cart takes effect on both sides, without a
// message from the server. If the server takes the cart away, the client shows the server's
// position, however far it had driven.
func TestDrivingByAMove(t *testing.T) {
	r := newRace(t, lag(100, 0))
	cart := r.cart(sim.Vec3{})
	r.Run(time.Second)
	ghost := ghostOf(r.peer(0), r.Clients[0].Host.Server(), cart).(*enginetest.Cart)
	rides(r.runners[0], cart)
	rides(r.own(0), ghost)
	onto := sim.Move{Triggers: 1 << sim.UseTrigger}
	r.nextMove = func(int) sim.Move { return onto }
	r.ticks(1)
	require.Equal(t, r.Clients[0].Host.Server().ID(), ghost.Controller(), "at once")
	require.Zero(t, cart.Controller(), "the server has yet to hear of it")
	r.Run(time.Second)
	require.Equal(t, r.peer(0).ID(), cart.Controller())
	assert.Zero(t, r.stats(0).Corrections)

	addr, server := r.Clients[0].Addr, r.Server.Addr
	link := netcore.LinkParams{Delay: 50 * time.Millisecond}
	r.Net.Link(addr, server, netcore.LinkParams{Loss: 1}, link)
	onto.Y = sim.MoveFull
	r.Run(500 * time.Millisecond)
	require.Greater(t, ghost.At.Y, 1.0)
	require.Zero(t, cart.At)
	require.NoError(t, r.peer(0).Control.Set(nil))
	r.until(0, nil)
	r.Net.Link(addr, server, link, link)
	r.Run(3 * time.Second)
	assert.Equal(t, cart.At, ghost.At)
	assert.Zero(t, ghost.Controller())
}

// TestPushOfACart checks that a push of a driven object is shown as a smooth motion.
func TestPushOfACart(t *testing.T) {
	r := newRace(t, lag(150, 0))
	cart := r.cart(sim.Vec3{})
	r.runners[0].Cart = cart.ID()
	r.Run(3 * time.Second)
	ghost := ghostOf(r.peer(0), r.Clients[0].Host.Server(), cart).(*enginetest.Cart)
	cart.Push(sim.Vec3{X: 15})
	last, leap := ghost.Shown(0).Position, 0.0
	for range 40 {
		r.ticks(1)
		now := ghost.Shown(0).Position
		leap = max(leap, now.Sub(last).Len())
		last = now
	}
	warp := r.stats(0).LargestWarp
	require.Greater(t, warp, 1.0)
	assert.Less(t, leap, 0.7*warp+0.4)
}

// hoarder is a runner with a control state of a given number of bits.
type hoarder struct {
	enginetest.Runner
	bits int
}

func (h *hoarder) CodeControl(c sim.Coder) {
	for n := 0; n < h.bits; n++ {
		on := true
		c.Flag(&on)
	}
}

// TestLargeControlStates checks that a control state too large to send ends only the connection
// that needs it, not the server.
func TestLargeControlStates(t *testing.T) {
	for bits, is := range map[int]bool{move.MaxControlState: true, move.MaxControlState + 1: false, 9 * move.MaxControlState: false} {
		r := newRace(t, enginetest.Options{Classes: func(cs *sim.Classes) {
			require.NoError(t, cs.Register(sim.Class{Name: "Hoarder", Parent: "Body", New: func() sim.Object { return &hoarder{bits: bits} }}))
		}})
		o, err := r.Server.World().New("Hoarder", nil)
		require.NoError(t, err)
		require.NoError(t, r.peer(0).Control.Set(o))
		r.Run(time.Second)
		require.Equal(t, is, r.peer(0) != nil, "%d bits", bits)
		if is {
			assert.Positive(t, r.stats(0).States)
		}
	}
}

// phantom is driven by moves and has no ghosts.
type phantom struct{ sim.SimObject }

func (*phantom) Place() (p sim.Place)        { return p }
func (*phantom) Shown(float64) (p sim.Place) { return p }
func (*phantom) Received(sim.Place)          {}
func (*phantom) Interpolate(uint64)          {}
func (*phantom) Control(sim.Move)            {}
func (*phantom) CodeControl(sim.Coder)       {}
func (*phantom) Driven()                     {}

// TestControlNeedsGhosts checks that an object without ghosts cannot be controlled.
func TestControlNeedsGhosts(t *testing.T) {
	r := newRace(t, enginetest.Options{Classes: func(cs *sim.Classes) {
		require.NoError(t, cs.Register(sim.Class{Name: "Phantom", Parent: "SimObject", New: func() sim.Object { return new(phantom) }}))
	}})
	o, err := r.Server.World().New("Phantom", nil)
	require.NoError(t, err)
	require.ErrorContains(t, r.peer(0).Control.Set(o), "it has no ghosts")
	assert.Equal(t, sim.Object(r.runners[0]), r.peer(0).Control.Object())
}
