package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/seal"
)

// gateRig is a server's gate to a peer with room for a few ghosts.
type gateRig struct {
	*ghostGate
	t    testing.TB
	host *Host
	tick uint64
}

func newGateRig(t testing.TB, room int) *gateRig {
	classes := sim.NewClasses()
	require.NoError(t, Register(classes))
	require.NoError(t, classes.Register(sim.Class{Name: "Thing", Parent: "NetObject", New: func() sim.Object { return new(thing) }}))
	entropy := rand.NewChaCha8([32]byte{1})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	h := NewHost(Config{Server: true, Classes: classes, Identity: id, Entropy: entropy})
	c := h.newConnection(true)
	c.ghosts = ghost.New(ghost.Config{Snapshots: h.snapshots.Snapshots, Max: room})
	h.conns = append(h.conns, c)
	_, err = h.world.Classes().Declare(sim.ClassSpec{Name: "Flag", Parent: "Thing"})
	require.NoError(t, err)
	r := &gateRig{ghostGate: &c.Ghosting.gate, t: t, host: h}
	r.pass()
	return r
}

func (r *gateRig) pass() {
	r.tick++
	r.host.snapshots.takeAll(r.tick)
}

func (r *gateRig) object(class string) (number uint32) {
	o, err := r.host.world.New(class, nil)
	require.NoError(r.t, err)
	return o.Ident().Number()
}

// TestRefusedGhostIsNotWatched checks that the gate does not watch an object that finds no room in
// the table.
func TestRefusedGhostIsNotWatched(t *testing.T) {
	r := newGateRig(t, 1)
	in, out := r.object("Thing"), r.object("Thing")
	require.True(t, r.admit(in))
	require.False(t, r.admit(out))
	assert.Equal(t, 1, Watched(r.host))
	assert.False(t, r.passed.has(out))
	r.expel(in)
	require.True(t, r.admit(out))
	assert.Equal(t, 1, Watched(r.host))
}

// TestGateRetriesWhenTableHasRoom checks an object that waits for its class and then finds the
// table full. It passes when there is room again.
func TestGateRetriesWhenTableHasRoom(t *testing.T) {
	r := newGateRig(t, 1)
	first, second := r.object("Thing"), r.object("Flag")
	require.True(t, r.admit(second), "it may wait")
	require.True(t, r.admit(first))
	r.learntClass(1)
	for range 3 {
		r.step()
		assert.False(t, r.passed.has(second))
		assert.Equal(t, []uint32{second}, r.waiting)
	}
	r.expel(first)
	r.step()
	assert.True(t, r.passed.has(second))
	assert.Empty(t, r.waiting)
	assert.Equal(t, 1, Watched(r.host))
}

// TestSweptObjectsLeaveTheGate checks the deletion of objects that have passed and of one that
// waits. Their ghosts that were not sent yet make room at once.
func TestSweptObjectsLeaveTheGate(t *testing.T) {
	r := newGateRig(t, 2)
	waits, all := r.object("Flag"), []uint32{r.object("Thing"), r.object("Thing")}
	v := &r.conn.Visible
	for _, n := range append(all, waits) {
		require.True(t, r.admit(n))
		v.in.add(n)
		require.NoError(t, r.host.world.Delete(r.host.ObjectOf(n)))
	}
	r.host.sweep()
	assert.Empty(t, r.waiting)
	assert.Zero(t, r.passed.len()+v.in.len()+r.conn.ghosts.Len())
	assert.Empty(t, r.host.snapshots.swept)
	r.learntClass(1)
	r.step()
	r.pass()
	r.pass()
	for range all {
		require.True(t, r.admit(r.object("Thing")), "also for objects with the same numbers")
	}
	assert.Equal(t, 2, Watched(r.host))
}

// TestNoSnapshotOutsideScope checks that an object outside every scope is only recorded as
// changed.
func TestNoSnapshotOutsideScope(t *testing.T) {
	r := newGateRig(t, 1)
	n := r.object("Thing")
	m := &r.host.snapshots.objects[n]
	r.pass()
	assert.NotZero(t, m.stale)
	require.True(t, r.admit(n))
	assert.Zero(t, m.stale)
	r.expel(n)
	m.object.Ident().Mark(1)
	r.pass()
	m.object.Ident().Mark(1)
	assert.Empty(t, r.host.world.Marked(), "the world keeps the marks, and lists the object no more")
	assert.Equal(t, uint32(1), m.object.Ident().Dirty())
	require.True(t, r.admit(n))
	assert.Zero(t, m.object.Ident().Dirty())
	m.object.Ident().Mark(1)
	r.pass()
	assert.Zero(t, m.stale)
}

// TestUnseenObjectsAreFollowedLater checks the bodies of moving objects. That of an object in a
// scope is where the object is. That of an object that nobody sees follows within scopeDelay ticks,
// also when the object has come to rest, and more rarely while no connection looks near it. At
// rest, nothing of it is left in any list.
func TestUnseenObjectsAreFollowedLater(t *testing.T) {
	for name, delay := range map[string]int{"near a view": scopeDelay, "far from all views": scopeDelay * scopeFarRounds} {
		t.Run(name, func(t *testing.T) {
			r := newGateRig(t, 2)
			seen, unseen := r.object("Thing"), r.object("Thing")
			require.True(t, r.admit(seen))
			s := r.host.scope
			step := func(speed float64) {
				for _, n := range []uint32{seen, unseen} {
					if o := r.host.snapshots.objects[n].object.(*thing); speed != 0 {
						o.place.Position.X += speed
						o.Mark(1)
					}
				}
				r.pass()
				s.tick = uint32(r.tick)
				if delay == scopeDelay {
					s.lookout.look(point{}, 100, s.tick)
				}
				s.updateDelayed()
			}
			for range 2 * scopeDelay {
				step(1) // the first update tells whether a connection looks near
			}
			moves := 0
			for range 4 * scopeDelay * scopeFarRounds {
				before := s.bodies[unseen].at.x
				step(1)
				at := float32(r.host.snapshots.objects[seen].object.(*thing).place.Position.X)
				assert.Equal(t, at, s.bodies[seen].at.x)
				assert.GreaterOrEqual(t, s.bodies[unseen].at.x, at-float32(delay))
				if s.bodies[unseen].at.x != before {
					moves++
				}
			}
			assert.Equal(t, 4*scopeDelay*scopeFarRounds/delay, moves)
			for range 2 * delay {
				step(0)
			}
			assert.Equal(t, s.bodies[seen].at, s.bodies[unseen].at)
			assert.False(t, s.delayed.has(unseen) || s.remote.has(unseen))
			assert.Zero(t, r.host.snapshots.objects[unseen].object.Ident().Dirty(), "the next mark lists it again")
			assert.NotZero(t, r.host.snapshots.objects[unseen].stale)
			step(500)
			assert.Equal(t, s.bodies[seen].at, s.bodies[unseen].at, "an object at rest that leaps is found at once")
			assert.True(t, s.delayed.has(unseen))
			step(1)
			o := r.host.snapshots.objects[unseen].object.(*thing)
			o.place.Position.X += 700
			o.MarkLeap(1)
			step(1)
			assert.EqualValues(t, o.place.Position.X, s.bodies[unseen].at.x, "a moving object that leaps is found at once")
			step(1)
			assert.EqualValues(t, o.place.Position.X-1, s.bodies[unseen].at.x, "and is delayed again")
			r.host.world.Delete(r.host.snapshots.objects[unseen].object)
			r.host.snapshots.remove(r.host.snapshots.objects[unseen].object)
			assert.False(t, s.delayed.has(unseen))
		})
	}
}
