package engine_test

import (
	"fmt"
	"math/rand/v2"
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

// newThing adds a thing to a host's world.
func newThing(t testing.TB, h *engine.Host, label string) *enginetest.Thing {
	t.Helper()
	o, err := h.World().New("Thing", func(o sim.Object) error {
		o.(*enginetest.Thing).Label = label
		return nil
	})
	require.NoError(t, err)
	return o.(*enginetest.Thing)
}

// set sets a field as a script does.
func set(t testing.TB, o sim.Object, field string, v sim.Value) {
	t.Helper()
	f, err := o.Ident().Class().Field(field)
	require.NoError(t, err)
	require.NoError(t, f.Set(o, v))
}

// ghostOf is the ghost of an object that from's host sends to to, or nil.
func ghostOf(from, to *engine.Connection, o sim.Object) (ghost sim.Object) {
	wire := from.Ghosts().ToWire(o.Ident().Number())
	if o.Ident().Number() == 0 || wire == 0 {
		return nil
	}
	to.EachGhost(func(g sim.Object) bool {
		if id, _ := to.GhostID(g); uint32(id)+1 == wire {
			ghost = g
		}
		return ghost == nil
	})
	return ghost
}

// equalGhost requires that an object and its ghost have the same values, as
// exactly as they travel.
func equalGhost(t testing.TB, from, to *engine.Connection, o sim.Object) {
	t.Helper()
	g := ghostOf(from, to, o)
	require.NotNil(t, g, "%s has no ghost", o.Ident())
	class := o.Ident().Class()
	require.Equal(t, class.Name, g.Ident().Class().Name)
	var a, b sim.Values
	for group := range class.Groups() {
		class.Quantise(o, group, &a)
		g.Ident().Class().Quantise(g, group, &b)
		require.Equal(t, append([]string{}, a.Texts...), append([]string{}, b.Texts...), "group %d of %s", group, o.Ident())
		for i, cell := range class.Cells(group) {
			if cell.Kind != sim.CellRef {
				require.Equal(t, a.Cells[i], b.Cells[i], "%s of %s", cell.Field.Name, o.Ident())
				continue
			}
			target := from.Ident().World().Find(sim.ID(a.Cells[i]))
			if target != nil && ghostOf(from, to, target) != nil {
				require.Equal(t, uint64(ghostOf(from, to, target).Ident().ID()), b.Cells[i], "%s of %s", cell.Field.Name, o.Ident())
			} else {
				require.Zero(t, b.Cells[i], "%s of %s", cell.Field.Name, o.Ident())
			}
		}
	}
}

// ghostLines are the lines of a story that are about ghosts.
func ghostLines(s *enginetest.Story) (lines []string) {
	for _, line := range s.Lines {
		if strings.HasPrefix(line, "ghost ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestGhostTellsItsStory(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		client := r.Clients[0]
		before := client.World().Len()
		thing := newThing(t, r.Server.Host, "first")
		thing.Team = 5
		r.Run(time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), thing)
		ghost := ghostOf(r.Peer(0), client.Host.Server(), thing).(*enginetest.Thing)
		assert.Equal(t, 5, ghost.Team)
		assert.True(t, ghost.IsGhost())
		assert.Equal(t, client.Host.Server().Ident(), ghost.Ident().Group().Ident(), "it belongs to the connection")

		set(t, thing, "energy", sim.Number(50))
		set(t, thing, "at", sim.Vec(sim.Vec3{X: 1, Y: 2, Z: 3}))
		r.Run(time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), thing)
		assert.Equal(t, sim.Vec3{X: 1, Y: 2, Z: 3}, ghost.At, "the same object, moved")

		require.NoError(t, r.Server.World().Delete(thing))
		r.Run(time.Second)
		assert.True(t, ghost.Dead())
		assert.Equal(t, before, client.World().Len())
		assert.Equal(t, []string{"ghost acked: Thing first"}, ghostLines(r.Server.Story))
		assert.Equal(t, []string{"ghost added: Thing first", "ghost removed: Thing first"}, ghostLines(client.Story))
	})
}

func TestGhostsEqualTheirObjects(t *testing.T) {
	for seed := range uint64(4) {
		link := netcore.LinkParams{Delay: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{Seed: seed, Clients: 2, Up: link, Down: link})
		r.Server.Quiet, r.Clients[0].Quiet, r.Clients[1].Quiet = true, true, true
		rng := rand.New(rand.NewPCG(seed, 1))
		var things []*enginetest.Thing
		stir := func() {
			if len(things) < 30 || rng.IntN(20) == 0 {
				things = append(things, newThing(t, r.Server.Host, fmt.Sprint("thing ", len(things))))
			}
			for range 5 {
				o := things[rng.IntN(len(things))]
				set(t, o, "energy", sim.Number(100*rng.Float64()))
				set(t, o, "at", sim.Vec(o.At.Add(sim.Vec3{X: rng.Float64(), Y: -1})))
				set(t, o, "friend", sim.Handle(things[rng.IntN(len(things))].ID()))
			}
			if i := rng.IntN(len(things)); rng.IntN(20) == 0 {
				require.NoError(t, r.Server.World().Delete(things[i]))
				things = slices.Delete(things, i, i+1)
			}
		}
		r.Join()
		for range 100 {
			stir()
			r.Run(50 * time.Millisecond)
		}
		r.Run(5 * time.Second)
		for i, c := range r.Clients {
			require.Equal(t, len(things), c.Host.Server().GhostCount(), "seed %d", seed)
			for _, o := range things {
				equalGhost(t, r.Peer(i), c.Host.Server(), o)
			}
		}
	}
}

func TestHandWrittenGroupCrosses(t *testing.T) {
	for _, check := range []bool{false, true} {
		r := enginetest.New(t, enginetest.Options{Both: func(c *engine.Config) {}})
		r.Server.Settings.Check = check
		r.Server.Apply()
		r.Join()
		o, err := r.Server.World().New("Knob", nil)
		require.NoError(t, err)
		knob := o.(*enginetest.Knob)
		r.Run(time.Second)
		knob.On, knob.Angle = true, 270
		knob.Mark(1 << 1)
		r.Run(time.Second)
		ghost := ghostOf(r.Peer(0), r.Clients[0].Host.Server(), knob).(*enginetest.Knob)
		assert.True(t, ghost.On)
		assert.Equal(t, 270, ghost.Angle)
	}
}

func TestReferencesFollowTheirTargets(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	client := r.Clients[0]
	a, b := newThing(t, r.Server.Host, "a"), newThing(t, r.Server.Host, "b")
	hidden := map[sim.Object]bool{b: true}
	r.Server.Hide = func(o sim.Object, _ *engine.Connection) bool { return hidden[o] }
	set(t, a, "friend", sim.Handle(b.ID()))
	r.Run(time.Second)
	ghost := ghostOf(r.Peer(0), client.Host.Server(), a).(*enginetest.Thing)
	assert.Zero(t, ghost.Friend, "a friend that is out of scope is nobody")

	delete(hidden, b)
	r.Run(3 * time.Second)
	friend := ghostOf(r.Peer(0), client.Host.Server(), b)
	require.NotNil(t, friend)
	assert.Equal(t, friend.Ident().ID(), ghost.Friend, "the reference follows when its target is there")

	require.NoError(t, r.Server.World().Delete(b))
	r.Run(time.Second)
	field, _ := ghost.Class().Field("friend")
	assert.True(t, field.Get(ghost).IsNil())

	c := newThing(t, r.Server.Host, "c")
	r.Run(time.Second)
	assert.True(t, field.Get(ghost).IsNil(), "who comes after it is somebody else")
	set(t, a, "friend", sim.Handle(c.ID()))
	r.Run(time.Second)
	equalGhost(t, r.Peer(0), client.Host.Server(), a)
}

func TestCommandsNameGhosts(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		client := r.Clients[0]
		thing := newThing(t, r.Server.Host, "thing")
		early := newThing(t, r.Server.Host, "early")
		var server, mine []sim.Value
		r.Server.Handler = func(_ *engine.Connection, args []sim.Value) { server = slices.Clone(args) }
		client.Handler = func(_ *engine.Connection, args []sim.Value) { mine = slices.Clone(args) }

		call := func(c *engine.Connection, o sim.Object) {
			require.NoError(t, c.Command(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(o.Ident().ID()), sim.Number(1)}))
		}
		call(r.Peer(0), early)
		r.Run(time.Second)
		require.Len(t, mine, 2)
		assert.True(t, mine[0].IsNil(), "the client had no ghost of it yet")

		call(r.Peer(0), thing)
		r.Run(time.Second)
		ghost := ghostOf(r.Peer(0), client.Host.Server(), thing)
		assert.Equal(t, sim.Handle(ghost.Ident().ID()), mine[0], "an object arrives as its ghost")

		call(client.Host.Server(), ghost)
		r.Run(time.Second)
		require.Len(t, server, 2)
		assert.Equal(t, sim.Handle(thing.ID()), server[0], "a ghost arrives as its object")

		local, err := client.World().New("Thing", nil)
		require.NoError(t, err)
		call(client.Host.Server(), local)
		r.Run(time.Second)
		assert.True(t, server[0].IsNil(), "the server has nothing of a client's own")

		call(client.Host.Server(), ghost)
		require.NoError(t, r.Server.World().Delete(thing))
		r.Run(time.Second)
		assert.True(t, server[0].IsNil(), "it went before the command came")
	})
}

func TestCommandMeansTheGhostOfItsTime(t *testing.T) {
	link := netcore.LinkParams{Delay: 50 * time.Millisecond, Loss: .3}
	for seed := range uint64(10) {
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		r.Server.Quiet, r.Clients[0].Quiet = true, true
		r.Join()
		client := r.Clients[0]
		heard := 0
		hear := func(h *engine.Host) func(*engine.Connection, []sim.Value) {
			return func(_ *engine.Connection, args []sim.Value) {
				if o, ok := h.World().Find(args[0].Object()).(*enginetest.Thing); ok {
					heard++
					require.Equal(t, args[1].Text(), o.Label, "seed %d", seed)
				}
			}
		}
		r.Server.Handler, client.Handler = hear(r.Server.Host), hear(client.Host)
		for i := range 150 { // ids are reused all the time
			thing := newThing(t, r.Server.Host, fmt.Sprint("thing ", i))
			r.Run(time.Duration(20+30*(i%9)) * time.Millisecond)
			_ = r.Peer(0).Command(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(thing.ID()), sim.String(thing.Label)})
			client.Host.Server().EachGhost(func(g sim.Object) bool {
				_ = client.Host.Server().Command(engine.CommandOptions{}, sim.Tag("Look"),
					[]sim.Value{sim.Handle(g.Ident().ID()), sim.String(g.(*enginetest.Thing).Label)})
				return true
			})
			if i%3 > 0 {
				require.NoError(t, r.Server.World().Delete(thing))
			}
		}
		r.Run(2 * time.Second)
		assert.Greater(t, heard, 100)
	}
}
