package engine_test

import (
	"fmt"
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
)

// Fields of the redeclared classes.
var (
	heat    = sim.FieldSpec{Name: "heat", Kind: sim.KindNumber, Lo: 0, Hi: 1, Bits: 8}
	carrier = sim.FieldSpec{Name: "carrier", Kind: sim.KindObject, Class: "NetObject"}
	title   = sim.FieldSpec{Name: "title", Kind: sim.KindString, Max: 20}
	points  = sim.FieldSpec{Name: "points", Kind: sim.KindNumber, Whole: true, Lo: 0, Hi: 100}
	worded  = sim.FieldSpec{Name: "points", Kind: sim.KindString, Max: 9}
)

func joined(fields ...sim.FieldSpec) []sim.FieldSpec {
	for i := range fields {
		fields[i].Group = "state"
	}
	return fields
}

func classSpec(name, parent string, fields ...sim.FieldSpec) sim.ClassSpec {
	return sim.ClassSpec{Name: name, Parent: parent, Source: name + ".lua:1", Fields: fields}
}

// redeclare redeclares classes, as a reloaded mod does.
func redeclare(t testing.TB, h *engine.Host, specs ...sim.ClassSpec) {
	t.Helper()
	c := h.World().Begin()
	for _, s := range specs {
		_, err := h.World().Classes().Redeclare(s)
		require.NoError(t, err)
	}
	c.Commit()
}

// lives lists the successive declarations of the class Flag.
var lives = []struct {
	what  string
	specs []sim.ClassSpec
}{
	{"a field more", []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, points, title)}},
	{"a field less", []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, points)}},
	{"of another kind", []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, worded)}},
	{"and back", []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, points)}},
	{"reordered", []sim.ClassSpec{classSpec("Flag", "Thing", points, carrier, heat)}},
	{"in one group", []sim.ClassSpec{classSpec("Flag", "Thing", joined(points, carrier, heat)...)}},
	{"on another parent", []sim.ClassSpec{classSpec("Flag", "Knob", points, carrier, heat)}},
	{"on none", []sim.ClassSpec{classSpec("Flag", "", points, carrier, heat)}},
	{"on the first", []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, points)}},
	{"with its heir", []sim.ClassSpec{classSpec("Flag", "Thing", heat, title), classSpec("Banner", "Flag", points, carrier)}},
}

// reborn is a server whose classes change while clients join and play.
type reborn struct {
	*enginetest.Rig
	t     *testing.T
	rng   *rand.Rand
	flags []sim.ID
	seen  []map[uint32]int // by client: the number of the newest class of each ghost's object
}

func newReborn(t *testing.T, seed uint64, clients int) *reborn {
	link := netcore.LinkParams{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .1}
	b := &reborn{t: t, rng: rand.New(rand.NewPCG(seed, 9)), Rig: enginetest.New(t, enginetest.Options{
		Seed: seed, Clients: clients, Up: link, Down: link,
		Both: func(c *engine.Config) { c.JoinTimeout = time.Minute },
	})}
	b.Server.Quiet = true
	for _, c := range b.Clients {
		c.Quiet = true
		b.seen = append(b.seen, map[uint32]int{})
	}
	for _, s := range []sim.ClassSpec{classSpec("Flag", "Thing", heat, carrier, points), classSpec("Banner", "Flag", sim.FieldSpec{Name: "high", Kind: sim.KindBool})} {
		_, err := b.Server.World().Classes().Declare(s)
		require.NoError(t, err)
	}
	for i := range 24 {
		o, err := b.Server.World().New([]string{"Flag", "Banner"}[i%2], nil)
		require.NoError(t, err)
		b.flags = append(b.flags, o.Ident().ID())
	}
	return b
}

// stir changes the fields that the flags currently have.
func (b *reborn) stir() {
	for range 6 {
		o := b.Server.World().Find(b.flags[b.rng.IntN(len(b.flags))])
		for name, v := range map[string]sim.Value{
			"heat": sim.Number(b.rng.Float64()), "carrier": sim.Handle(b.flags[b.rng.IntN(len(b.flags))]),
			"energy": sim.Number(float64(b.rng.IntN(100))), "title": sim.String(fmt.Sprint(b.rng.IntN(1000))),
		} {
			if f := o.Ident().Class().Lookup(name); f != nil {
				require.NoError(b.t, f.Set(o, v))
			}
		}
		if f := o.Ident().Class().Lookup("points"); f != nil && f.Kind == sim.KindNumber {
			require.NoError(b.t, f.Set(o, sim.Number(float64(b.rng.IntN(100)))))
		}
	}
}

// watch runs one tick. It requires that no client returns to a class declared before the newest
// class it has had of the ghost.
func (b *reborn) watch() {
	b.Run(engine.TickTime)
	for i, c := range b.Clients {
		s := c.Host.Server()
		if s == nil {
			continue
		}
		s.PeerGhosts.Each(func(g sim.Object) bool {
			wire, was := c.World().Classes().WireID(g.Ident().Class()), b.seen[i][uint32(g.Ident().ID())]
			require.GreaterOrEqual(b.t, wire, was)
			b.seen[i][uint32(g.Ident().ID())] = wire
			return true
		})
	}
}

// same requires that every client has the server's values of every flag.
func (b *reborn) same() {
	b.Until(2*time.Minute, func() bool {
		for _, c := range b.Clients {
			if s := c.Host.Server(); s == nil || s.Join.Phase() != engine.PhaseGame {
				return false
			}
		}
		return true
	})
	b.Run(6 * time.Second)
	for i, c := range b.Clients {
		s := c.Host.Server()
		require.NotNil(b.t, s, "client %d: %v", i, c.Lines)
		for _, id := range b.flags {
			o := b.Server.World().Find(id)
			equalGhost(b.t, peerOf(b.Rig, i), s, o)
			g := ghostOf(peerOf(b.Rig, i), s, o)
			require.Equal(b.t, b.Server.World().Classes().WireID(o.Ident().Class()), c.World().Classes().WireID(g.Ident().Class()))
		}
		require.Equal(b.t, len(b.flags), s.PeerGhosts.Count(), "client %d", i)
	}
}

// live goes through all declarations of the class while clients join.
func (b *reborn) live() {
	first := len(b.Clients) / 2
	for i, c := range b.Clients[:first] {
		require.NoError(b.t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}), i)
	}
	for n := range 60 {
		b.stir()
		b.watch()
		if n%3 == 0 && first < len(b.Clients) {
			require.NoError(b.t, b.Clients[first].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
			first++
		}
		if n%6 == 5 {
			redeclare(b.t, b.Server.Host, lives[n/6].specs...)
		}
	}
	b.same()
}

// TestRedeclaredClassesReachAllClients checks random redeclarations and joins on a bad link. In
// the end, all clients have the server's classes.
func TestRedeclaredClassesReachAllClients(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 2) {
		b := newReborn(t, seed, 6)
		b.live()
		if seed%2 == 0 {
			again := newReborn(t, seed, 6)
			again.live()
			require.Equal(t, b.Net.Hash(), again.Net.Hash())
		}
	}
}

// TestManyClientsReceiveClasses checks the same redeclarations with 32 clients.
func TestManyClientsReceiveClasses(t *testing.T) { newReborn(t, 7, 32).live() }

// TestRedeclareKeepsValuesOnClient checks that a redeclaration changes only the class of a ghost.
func TestRedeclareKeepsValuesOnClient(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	w := r.Server.World()
	_, err := w.Classes().Declare(classSpec("Flag", "Thing", heat, points))
	require.NoError(t, err)
	o, err := w.New("Flag", nil)
	require.NoError(t, err)
	set(t, o, "points", sim.Number(42))
	set(t, o, "label", sim.String("red"))
	friend := newThing(t, r.Server.Host, "refers to it")
	set(t, friend, "friend", sim.Handle(o.Ident().ID()))
	r.Server.Rules.SetGroups(o, 2)
	r.Server.Rules.SetAlways(o)
	r.Peer(0).Visible.ToClient(o)
	r.Run(time.Second)
	first := ghostOf(r.Peer(0), r.Clients[0].Host.Server(), o)
	require.NotNil(t, first)
	n := o.Ident().Number()
	redeclare(t, r.Server.Host, classSpec("Flag", "Thing", points, title))
	assert.NotEqual(t, n, o.Ident().Number(), "its images are others")
	r.Run(time.Second)
	g := ghostOf(r.Peer(0), r.Clients[0].Host.Server(), o)
	require.NotNil(t, g, "it is under the same rules of scope")
	assert.True(t, first.Ident().Dead())
	equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), friend)
	assert.Equal(t, sim.Number(42), g.Ident().Class().Lookup("points").Get(g))
	assert.Equal(t, "red", g.(*enginetest.Thing).Label)
	assert.Equal(t, "Flag", g.Ident().Class().Name)
	assert.Equal(t, []string{"ghost added: Thing refers to it", "ghost added: Flag red", "ghost removed: Flag red", "ghost added: Flag red"}, ghostLines(r.Clients[0].Story))

	redeclare(t, r.Server.Host, classSpec("Flag", "Knob", points))
	is := w.Find(o.Ident().ID())
	r.Run(time.Second)
	g = ghostOf(r.Peer(0), r.Clients[0].Host.Server(), is)
	require.IsType(t, new(enginetest.Knob), g)
	assert.Equal(t, sim.Number(42), g.Ident().Class().Lookup("points").Get(g))
	r.Peer(0).Visible.ClearToClient(is)
	r.Run(2 * time.Second)
	assert.Equal(t, 1, r.Clients[0].Host.Server().PeerGhosts.Count(), "it is of a scope group that the peer is not in")
	r.Peer(0).Visible.SetGroups(2)
	r.Run(2 * time.Second)
	assert.Equal(t, 2, r.Clients[0].Host.Server().PeerGhosts.Count())
}

// TestRedeclareObjectsOfLoadingClients checks a redeclaration while objects are bound to
// connections that see nothing of the world: a bot, and a client that still loads. A rollback keeps
// the bindings too.
func TestRedeclareObjectsOfLoadingClients(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Server.Stall = true
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
	r.Until(time.Minute, func() bool { return peerOf(r, 0) != nil })
	w := r.Server.World()
	_, err = w.Classes().Declare(classSpec("Flag", "Thing", heat, points))
	require.NoError(t, err)
	o, err := w.New("Flag", nil)
	require.NoError(t, err)
	r.Server.Rules.SetGroups(o, 2)
	r.Run(time.Second)
	bot.Visible.ToClient(o)
	peerOf(r, 0).Visible.ToClient(o)
	for _, specs := range [][]sim.FieldSpec{{points, title}, {points}} {
		redeclare(t, r.Server.Host, classSpec("Flag", "Thing", specs...))
		r.Run(time.Second)
	}
	change := w.Begin()
	_, err = w.Classes().Redeclare(classSpec("Flag", "Thing", heat))
	require.NoError(t, err)
	change.Rollback()
	r.Run(time.Second)

	r.Server.Lead(peerOf(r, 0), 1)
	s := r.Clients[0].Host.Server()
	r.Until(time.Minute, func() bool { return s.Join.Phase() == engine.PhaseGame })
	r.Run(time.Second)
	require.Equal(t, 1, s.PeerGhosts.Count(), "the object is still bound to the client, which is not in its scope group")
	equalGhost(t, peerOf(r, 0), s, o)
	bot.Visible.ClearToClient(o)
	peerOf(r, 0).Visible.ClearToClient(o)
	r.Run(2 * time.Second)
	assert.Zero(t, s.PeerGhosts.Count())
}

// TestRollbackSendsNothing checks that a rollback between two ticks leaves the packets unchanged.
func TestRollbackSendsNothing(t *testing.T) {
	play := func(back bool) uint64 {
		b := newReborn(t, 3, 2)
		for _, c := range b.Clients {
			require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
		}
		declare(t, b.Server.Host, 2, 0)
		w := b.Server.World()
		for n := range 40 {
			b.stir()
			if back {
				c := w.Begin()
				_, err := w.Classes().Redeclare(lives[n%len(lives)].specs[0])
				require.NoError(t, err)
				_, _, err = w.Blocks.Declare("ToolData", fmt.Sprint("Tool", n%4), "", nil)
				require.NoError(t, err)
				o, err := w.New("Banner", nil)
				require.NoError(t, err)
				require.NotZero(t, o.Ident().Number())
				c.Rollback()
				require.Zero(t, o.Ident().Number())
			}
			b.Run(engine.TickTime)
		}
		o, err := w.New("Banner", nil)
		require.NoError(t, err)
		b.flags = append(b.flags, o.Ident().ID())
		b.same()
		return b.Net.Hash()
	}
	assert.Equal(t, play(false), play(true))
}

// TestControlledObjectIsReclassed checks that a client keeps its control object when the class
// changes.
func TestControlledObjectIsReclassed(t *testing.T) {
	r := newRace(t, lag(80, .05))
	w := r.Server.World()
	_, err := w.Classes().Declare(classSpec("Racer", "Runner", points))
	require.NoError(t, err)
	o, err := w.New("Racer", nil)
	require.NoError(t, err)
	require.NoError(t, r.peer(0).Control.Set(o))
	r.nextMove = wander(5)
	controls := func() sim.Object {
		r.Run(3 * time.Second)
		now := w.Find(o.Ident().ID())
		require.Equal(t, now, r.peer(0).Control.Object())
		own := r.Clients[0].Host.Server().Control.Object()
		require.NotNil(t, own)
		require.Equal(t, ghostOf(r.peer(0), r.Clients[0].Host.Server(), now), own)
		require.Equal(t, r.peer(0).ID(), now.Ident().Controller())
		return own
	}
	controls()
	redeclare(t, r.Server.Host, classSpec("Racer", "Runner", points, title))
	own := controls().(*enginetest.Runner)
	moves := r.peer(0).Control.Stats.Moves
	r.Run(time.Second)
	assert.Greater(t, r.peer(0).Control.Stats.Moves, moves+20)
	assert.NotZero(t, own.At)

	redeclare(t, r.Server.Host, classSpec("Racer", "Cart", points))
	require.IsType(t, new(enginetest.Cart), controls())
	r.nextMove = nil
	r.Run(3 * time.Second)
	far := newThing(t, r.Server.Host, "far away")
	far.At = sim.Vec3{X: -1000, Y: 1000}
	far.Mark(1 << 1)
	sees := func() bool {
		r.Run(2 * time.Second)
		return ghostOf(r.peer(0), r.Clients[0].Host.Server(), far) != nil
	}
	r.peer(0).Visible.SetView(engine.ScopeView{Distance: 50})
	require.False(t, sees())
	redeclare(t, r.Server.Host, classSpec("Racer", "Runner", points, title), classSpec("Racer", "Cart", points))
	require.False(t, sees(), "it looks from there still")
	assert.Equal(t, w.Find(o.Ident().ID()).(*enginetest.Cart).At, r.Clients[0].Host.Server().Control.Object().(*enginetest.Cart).At)

	redeclare(t, r.Server.Host, classSpec("Racer", "Thing", points))
	r.Run(2 * time.Second)
	assert.Nil(t, r.peer(0).Control.Object(), "moves do not drive a Thing")
	assert.True(t, sees(), "it looks from nowhere")
	assert.Nil(t, r.Clients[0].Host.Server().Control.Object())
	assert.Zero(t, w.Find(o.Ident().ID()).Ident().Controller())
	require.NoError(t, r.peer(0).Visible.SetObject(w.Find(o.Ident().ID())))
	redeclare(t, r.Server.Host, classSpec("Racer", "Runner", points))
	assert.Equal(t, w.Find(o.Ident().ID()), r.peer(0).Visible.Object())
	redeclare(t, r.Server.Host, classSpec("Racer", "Knob", points))
	assert.Nil(t, r.peer(0).Visible.Object(), "a Knob is nowhere")
}

// TestDrivenObjectIsReclassed checks that the cart of a runner can change its class.
func TestDrivenObjectIsReclassed(t *testing.T) {
	r := newRace(t, lag(60, 0))
	w := r.Server.World()
	_, err := w.Classes().Declare(classSpec("Wagon", "Cart", points))
	require.NoError(t, err)
	wagon, err := w.New("Wagon", nil)
	require.NoError(t, err)
	set(t, r.runners[0], "cart", sim.Handle(wagon.Ident().ID()))
	r.nextMove = wander(6)
	r.Run(2 * time.Second)
	redeclare(t, r.Server.Host, classSpec("Wagon", "Cart", title))
	r.Run(2 * time.Second)
	assert.Equal(t, r.peer(0).ID(), wagon.Ident().Controller())
	r.rests()
}

// TestMirrorOfRedeclaredClass checks that a mirror passes on a redeclared class, with the same
// mods or without mods.
func TestMirrorOfRedeclaredClass(t *testing.T) {
	for _, mods := range []bool{false, true} {
		link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{Seed: 5, Up: link, Down: link})
		mirror, viewer := r.Player(7, 5, true, nil), r.Player(8, 5, false, nil)
		r.Net.Link(mirror.Addr, r.Server.Addr, link, link)
		r.Net.Link(viewer.Addr, mirror.Addr, link, link)
		all := []*enginetest.Player{mirror, r.Server}
		for _, p := range all {
			if mods || p == r.Server {
				_, err := p.World().Classes().Declare(classSpec("Flag", "Thing", heat, points))
				require.NoError(t, err)
			}
		}
		require.NoError(t, mirror.Dialer.Connect("host 1", engine.ConnectArgs{}))
		require.NoError(t, viewer.Dialer.Connect("host 7", engine.ConnectArgs{}))
		r.Run(3 * time.Second)
		o, err := r.Server.World().New("Flag", nil)
		require.NoError(t, err)
		set(t, o, "points", sim.Number(7))
		for _, spec := range []sim.ClassSpec{classSpec("Flag", "Thing", points), classSpec("Flag", "Knob", title, points)} {
			for _, p := range all {
				if mods || p == r.Server {
					redeclare(t, p.Host, spec)
				}
				r.Run(time.Second)
			}
			r.Run(3 * time.Second)
			o := r.Server.World().Find(o.Ident().ID())
			require.NotNil(t, mirror.Host.Server(), "%v", mirror.Lines)
			down := mirror.Connections()[0]
			if down == mirror.Host.Server() {
				down = mirror.Connections()[1]
			}
			up := r.Server.Connections()[0]
			equalGhost(t, up, mirror.Host.Server(), o)
			g := ghostOf(up, mirror.Host.Server(), o)
			equalGhost(t, down, viewer.Host.Server(), g)
			last := ghostOf(down, viewer.Host.Server(), g)
			assert.Equal(t, sim.Number(7), last.Ident().Class().Lookup("points").Get(last))
			assert.Equal(t, viewer.World().Classes().Lookup("Flag"), last.Ident().Class())
			assert.Equal(t, 1, viewer.Host.Server().PeerGhosts.Count())
		}
	}
}
