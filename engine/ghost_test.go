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
	"github.com/torc-engine/torc/internal/testenv"
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

// set sets a field the way a script does.
func set(t testing.TB, o sim.Object, field string, v sim.Value) {
	f, err := o.Ident().Class().Field(field)
	if err == nil {
		err = f.Set(o, v)
	}
	if err != nil { // the functions of require look for their callers first
		require.NoError(t, err)
	}
}

// ghostOf returns the ghost of an object that the host of from sends to to, or nil.
func ghostOf(from, to *engine.Connection, o sim.Object) (ghost sim.Object) {
	wire := from.Ghosts().ToWire(o.Ident().Number())
	if o.Ident().Number() == 0 || wire == 0 {
		return nil
	}
	to.PeerGhosts.Each(func(g sim.Object) bool {
		if id, _ := to.PeerGhosts.IDOf(g); uint32(id)+1 == wire {
			ghost = g
		}
		return ghost == nil
	})
	return ghost
}

// equalGhost requires that an object and its ghost have the same values, at wire precision.
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

// ghostLines returns the lines of a story that are about ghosts.
func ghostLines(s *enginetest.Story) (lines []string) {
	for _, line := range s.Lines {
		if strings.HasPrefix(line, "ghost ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestGhostEvents(t *testing.T) {
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

// unawareScripts do not watch acks.
type unawareScripts struct{ *enginetest.Story }

func (unawareScripts) WatchesAcks() bool { return false }

// TestAcksThatNobodyWatches checks that a client joins and follows objects although the scripts of
// the server want to hear of no acks, and that they hear of none.
func TestAcksThatNobodyWatches(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 1})
	r.Server.SetScripts(unawareScripts{r.Server.Story})
	r.Join()
	thing := newThing(t, r.Server.Host, "first")
	r.Run(time.Second)
	set(t, thing, "energy", sim.Number(50))
	r.Run(time.Second)
	equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), thing)
	assert.Empty(t, ghostLines(r.Server.Story))
}

// lateScripts watch acks from a moment on that a test chooses. They make an object in each tick.
type lateScripts struct {
	*enginetest.Story
	watch bool
	tick  func()
}

func (s *lateScripts) WatchesAcks() bool { return s.watch }
func (s *lateScripts) Tick(n uint64)     { s.Story.Tick(n); s.tick() }

// TestAcksBetweenTwoTicks checks that scripts hear of an ack that came back before the next tick,
// and that a packet between them has applied, if they watch acks since the tick before.
func TestAcksBetweenTwoTicks(t *testing.T) {
	for name, paused := range map[string]bool{"since the middle of a tick": false, "since a pause": true} {
		t.Run(name, func(t *testing.T) {
			r := enginetest.New(t, enginetest.Options{Clients: 1})
			s := &lateScripts{r.Server.Story, false, func() {}}
			r.Server.SetScripts(s)
			r.Join()
			r.Run(time.Second)
			s.tick = func() {
				newThing(t, r.Server.Host, "first")
				s.watch, s.tick = !paused, func() {}
			}
			server, client := r.Server, r.Clients[0]
			at := r.Net.Now() + engine.TickTime
			server.Tick(at)
			if paused {
				server.Pace.Pause(true)
				s.watch = true
				server.Tick(at)
			}
			for range 31 {
				at += time.Millisecond
				server.Send(at, func(_ netcore.Addr, d []byte) { client.Receive(at, server.Addr, d) })
				client.Tick(at)
				client.Send(at, func(_ netcore.Addr, d []byte) { server.Receive(at, client.Addr, d) })
			}
			server.Pace.Pause(false)
			server.Tick(at + time.Millisecond)
			assert.Equal(t, []string{"ghost acked: Thing first"}, ghostLines(server.Story))
		})
	}
}

// peerOf returns the server's connection to its i-th client, whatever the order of joins.
func peerOf(r *enginetest.Rig, i int) *engine.Connection {
	for _, c := range r.Server.Connections() {
		if c.Address() == r.Clients[i].Addr.String() {
			return c
		}
	}
	return nil
}

func TestGhostsEqualTheirObjects(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 4) {
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
			require.Equal(t, len(things), c.Host.Server().PeerGhosts.Count(), "seed %d", seed)
			for _, o := range things {
				equalGhost(t, peerOf(r, i), c.Host.Server(), o)
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
			require.NoError(t, c.Commands.Send(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(o.Ident().ID()), sim.Number(1)}))
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

		call(client.Host.Server(), ghostOf(r.Peer(0), client.Host.Server(), early))
		r.Server.PerTick = -1
		r.Run(time.Second)
		require.NoError(t, r.Server.World().Delete(early))
		server = nil
		r.Server.PerTick = 0
		r.Run(time.Second)
		require.Len(t, server, 2)
		assert.True(t, server[0].IsNil(), "it went while the command waited for its turn")
	})
}

// TestGhostAcksAreReportedInTick checks that ghost acknowledgements are reported to scripts from
// Tick.
func TestGhostAcksAreReportedInTick(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Server.PerTick = -1
	newThing(t, r.Server.Host, "thing")
	r.Run(time.Second)
	require.Equal(t, 1, r.Clients[0].Host.Server().PeerGhosts.Count())
	assert.Empty(t, ghostLines(r.Server.Story))
	r.Server.PerTick = 0
	r.Run(engine.TickTime)
	assert.Equal(t, []string{"ghost acked: Thing thing"}, ghostLines(r.Server.Story))
}

// TestSnapshotIsMadeOnScopeEntry checks that a changed object outside every scope gets a snapshot
// when it enters a scope.
func TestSnapshotIsMadeOnScopeEntry(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	hidden := true
	r.Server.Hide = func(sim.Object, *engine.Connection) bool { return hidden }
	thing := newThing(t, r.Server.Host, "thing")
	for i, energy := range []float64{10, 50, 90} {
		hidden = true
		r.Run(2 * time.Second)
		require.Zero(t, engine.Watched(r.Server.Host))
		require.Zero(t, r.Clients[0].Host.Server().PeerGhosts.Count())
		set(t, thing, "energy", sim.Number(energy))
		set(t, thing, "label", sim.String(fmt.Sprint("round ", i)))
		r.Run(time.Second)
		hidden = false
		r.Run(2 * time.Second)
		require.Equal(t, 1, engine.Watched(r.Server.Host))
		equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), thing)
	}
}

// mover counts the updates its ghosts receive.
type mover struct {
	sim.NetObject
	at       sim.Vec3
	received []sim.Vec3
	ticks    int
}

func (m *mover) Place() sim.Place          { return sim.Place{Position: m.at} }
func (m *mover) Received(before sim.Place) { m.received = append(m.received, before.Position) }
func (m *mover) Interpolate(uint64)        { m.ticks++ }
func (m *mover) Shown(float64) sim.Place   { return m.Place() }

func moverClass(c *sim.Classes) {
	err := c.Register(sim.Class{
		Name: "Mover", Parent: "NetObject", New: func() sim.Object { return new(mover) },
		GroupWeight: [32]uint8{1: 77},
		Fields:      []sim.Field{sim.VecField("at", 1, 1000, func(m *mover) *sim.Vec3 { return &m.at })},
	})
	if err != nil {
		panic(err)
	}
}

func TestUpdatesReportPreviousPosition(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: moverClass})
	r.Join()
	o, err := r.Server.World().New("Mover", nil)
	require.NoError(t, err)
	places := []sim.Vec3{{X: 1}, {X: 1, Y: 5}, {X: 3}}
	for _, at := range append([]sim.Vec3{{}}, places...) {
		set(t, o, "at", sim.Vec(at))
		r.Run(time.Second)
	}
	ghost := ghostOf(r.Peer(0), r.Clients[0].Host.Server(), o).(*mover)
	assert.Equal(t, places[2], ghost.at)
	assert.Equal(t, []sim.Vec3{{}, places[0], places[1]}, ghost.received, "the place before each update")
	assert.Greater(t, ghost.ticks, 60)
	assert.Empty(t, r.Clients[0].World().Marked(), "a client has nobody to show changes to")
	assert.Equal(t, uint8(77), engine.LayoutOf(r.Server.Host, "Mover").Groups[1].Weight)
}

func TestCommandRefersToGhostAtSendTime(t *testing.T) {
	link := netcore.LinkParams{Delay: 50 * time.Millisecond, Loss: .4}
	for seed := range uint64(6) {
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		r.Server.Quiet, r.Clients[0].Quiet = true, true
		r.Join()
		client := r.Clients[0]
		heard, missed := 0, 0
		hear := func(h *engine.Host) func(*engine.Connection, []sim.Value) {
			return func(_ *engine.Connection, args []sim.Value) {
				o, ok := h.World().Find(args[0].Object()).(*enginetest.Thing)
				if !ok {
					missed++
					return
				}
				heard++
				require.Equal(t, args[1].Text(), o.Label, "seed %d", seed)
			}
		}
		r.Server.Handler, client.Handler = hear(r.Server.Host), hear(client.Host)
		name := func(c *engine.Connection, o *enginetest.Thing) {
			_ = c.Commands.Send(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(o.ID()), sim.String(o.Label)})
		}
		var things []*enginetest.Thing
		for i := range 200 { // ids are reused continually
			things = append(things, newThing(t, r.Server.Host, fmt.Sprint("thing ", i)))
			r.Run(2 * engine.TickTime)
			for _, o := range things {
				name(r.Peer(0), o)
			}
			client.Host.Server().PeerGhosts.Each(func(g sim.Object) bool { name(client.Host.Server(), g.(*enginetest.Thing)); return true })
			if len(things) > 5 {
				require.NoError(t, r.Server.World().Delete(things[0]))
				things = things[1:]
			}
		}
		r.Run(2 * time.Second)
		assert.Greater(t, heard, 500)
		assert.NotZero(t, missed)
	}
}

// TestScopeFollowsWhatMoves checks that a position set by a field decides who sees the object.
func TestScopeFollowsWhatMoves(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	viewer, thing := newThing(t, r.Server.Host, "viewer"), newThing(t, r.Server.Host, "thing")
	require.NoError(t, r.Peer(0).Visible.SetObject(viewer))
	r.Peer(0).Visible.SetView(engine.ScopeView{Distance: 100})
	for _, o := range []sim.Object{thing, viewer} {
		for _, x := range []float64{500, 0, 130, 0} {
			set(t, o, "at", sim.Vec(sim.Vec3{X: x}))
			r.Run(2 * time.Second)
			assert.Equal(t, x == 0, ghostOf(r.Peer(0), r.Clients[0].Host.Server(), thing) != nil, "%s at %v", o.Ident(), x)
		}
	}
}
