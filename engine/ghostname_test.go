package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// naming is a game with one client. A command names an object while its ghost is deleted and
// another object gets the ghost id.
type naming struct {
	*enginetest.Rig
	t         *testing.T
	old, heir *enginetest.Thing
	ghost     sim.Object // the ghost of old
	heard     []sim.Value
	to, at    *engine.Connection
	atClient  *enginetest.Player
}

func newNaming(t *testing.T, delay time.Duration) *naming {
	link := netcore.LinkParams{Delay: delay}
	r := &naming{Rig: enginetest.New(t, enginetest.Options{Up: link, Down: link}), t: t}
	for _, p := range []*enginetest.Player{r.Server, r.Clients[0]} {
		p.Quiet, p.Settings.Size = true, 400
		p.Apply()
	}
	r.Join()
	r.atClient = r.Clients[0]
	r.to, r.at = r.Peer(0), r.atClient.Host.Server()
	r.old = newThing(t, r.Server.Host, "old")
	r.Run(time.Second)
	r.ghost = ghostOf(r.to, r.at, r.old)
	require.NotNil(t, r.ghost)
	hear := func(_ *engine.Connection, args []sim.Value) { r.heard = slices.Clone(args) }
	r.Server.Handler, r.atClient.Handler = hear, hear
	return r
}

// name sends a command with an object and a given number of extra bytes.
func (r *naming) name(c *engine.Connection, o sim.Object, bytes int) {
	require.NoError(r.t, c.Commands.Send(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{
		sim.Handle(o.Ident().ID()), sim.String(strings.Repeat("\xfe", bytes))}))
}

// succeed gives the ghost id of the old object to another object.
func (r *naming) succeed() {
	require.NoError(r.t, r.Server.World().Delete(r.old))
	r.Until(time.Second, func() bool { return r.to.Ghosts().Len() == 0 })
	r.heir = newThing(r.t, r.Server.Host, "heir")
	r.Until(time.Second, func() bool { return ghostID(r.to, r.heir) == 1 })
}

func ghostID(c *engine.Connection, o sim.Object) uint32 {
	return c.Ghosts().ToWire(o.Ident().Number())
}

// TestLateReferencesDoNotNameOtherGhosts checks commands that a client sends before its scripts
// know that a ghost id has a new owner.
func TestLateReferencesDoNotNameOtherGhosts(t *testing.T) {
	r := newNaming(t, 10*time.Millisecond)
	r.atClient.PerTick = -1
	r.succeed()
	require.True(t, r.ghost.Ident().Alive(), "its scripts do not know yet")
	r.name(r.at, r.ghost, 0)
	r.Run(time.Second)
	require.Len(t, r.heard, 2)
	assert.True(t, r.heard[0].IsNil())

	r.atClient.PerTick = 0
	r.Run(time.Second)
	r.name(r.at, ghostOf(r.to, r.at, r.heir), 0)
	r.Run(time.Second)
	assert.Equal(t, sim.Handle(r.heir.ID()), r.heard[0])
}

// TestReferencesAcrossReset checks that a command that crosses a reset does not refer to the new
// owners of the ghost ids.
func TestReferencesAcrossReset(t *testing.T) {
	r := newNaming(t, 100*time.Millisecond)
	r.name(r.at, r.ghost, 0)
	r.Run(engine.TickTime)
	require.NoError(t, r.Server.World().Delete(r.old))
	r.heir = newThing(t, r.Server.Host, "heir")
	r.Server.Rules.SetAlways(r.heir)
	r.to.Ghosting.Activate()
	r.Run(time.Second)
	require.Equal(t, uint32(1), ghostID(r.to, r.heir))
	require.Len(t, r.heard, 2)
	assert.True(t, r.heard[0].IsNil())
}

// TestFragmentsDoNotNameOtherGhosts checks a fragmented command that is written long before it is
// read. Its ghost can be deleted in between.
func TestFragmentsDoNotNameOtherGhosts(t *testing.T) {
	for what, c := range map[string]struct{ up, goes bool }{
		"a ghost that stays": {true, false}, "one that goes": {true, true}, "an object": {false, false},
	} {
		r := newNaming(t, 10*time.Millisecond)
		to, o, means := r.to, sim.Object(r.old), r.ghost
		if c.up {
			to, o, means = r.at, r.ghost, sim.Object(r.old)
		}
		r.name(to, o, 32_000)
		r.Run(4 * engine.TickTime)
		if c.goes {
			r.succeed()
		}
		require.Zero(t, len(r.heard), "it is on its way")
		r.Run(5 * time.Second)
		require.Len(t, r.heard, 2)
		if c.goes {
			assert.True(t, r.heard[0].IsNil(), what)
		} else {
			assert.Equal(t, sim.Handle(means.Ident().ID()), r.heard[0], what)
		}
	}
}
