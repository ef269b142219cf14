package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// TestTwoHostsGhostToEachOther checks that two hosts show their objects to each other over one
// connection, and that neither receives its own objects.
func TestTwoHostsGhostToEachOther(t *testing.T) {
	link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: .1}
	mutual := func(c *engine.Config) { c.Mutual = true }
	r := enginetest.New(t, enginetest.Options{Seed: 3, Both: mutual, Up: link, Down: link})
	a, b := r.Server, r.Clients[0]
	r.Join()
	toA, toB := b.Host.Server(), r.Peer(0)
	toA.Ghosting.Activate()
	things := map[*enginetest.Player][]*enginetest.Thing{}
	for i := range 20 {
		for _, p := range []*enginetest.Player{a, b} {
			things[p] = append(things[p], newThing(t, p.Host, fmt.Sprint(p.Addr, " ", i)))
		}
	}
	stir := func(p *enginetest.Player, i int) {
		o := things[p][i%20]
		set(t, o, "energy", sim.Number(float64(i)))
		set(t, o, "friend", sim.Handle(things[p][i*7%20].ID()))
	}
	for i := range 60 {
		stir(a, i)
		stir(b, i+5)
		r.Run(40 * time.Millisecond)
		require.Equal(t, engine.PhaseGame, toA.Join.Phase(), "nobody leaves the game for it")
		require.Equal(t, engine.PhaseGame, toB.Join.Phase())
	}
	r.Run(3 * time.Second)
	for i := range 20 {
		equalGhost(t, toB, toA, things[a][i])
		equalGhost(t, toA, toB, things[b][i])
	}
	assert.Equal(t, 20, toA.PeerGhosts.Count())
	assert.Equal(t, 20, toB.PeerGhosts.Count())

	var heard []sim.Value
	a.Handler = func(_ *engine.Connection, args []sim.Value) { heard = append(heard[:0], args...) }
	mine, theirs := things[b][3], ghostOf(toB, toA, things[a][4])
	require.NoError(t, toA.Commands.Send(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(mine.ID()), sim.Handle(theirs.Ident().ID())}))
	r.Run(time.Second)
	require.Len(t, heard, 2)
	assert.Equal(t, sim.Handle(ghostOf(toA, toB, mine).Ident().ID()), heard[0])
	assert.Equal(t, sim.Handle(things[a][4].ID()), heard[1])
}

// TestMirror checks a server that is also the client of another server. It shows the ghosts it
// receives to its own clients.
func TestMirror(t *testing.T) {
	link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: .1}
	r := enginetest.New(t, enginetest.Options{Seed: 5, Clients: 1, Up: link, Down: link})
	origin := r.Server
	mirror := r.Player(7, 5, true, nil)
	viewer := r.Player(8, 5, false, nil)
	r.Net.Link(mirror.Addr, origin.Addr, link, link)
	r.Net.Link(viewer.Addr, mirror.Addr, link, link)
	declare(t, mirror.Host, 1, 0)
	_, _, err := mirror.World().Blocks.Declare("ToolData", "Lever", "", nil)
	require.NoError(t, err)
	_, _, err = origin.World().Blocks.Declare("ToolData", "Lever", "", nil)
	require.NoError(t, err)
	for _, p := range []*enginetest.Player{origin, mirror} { // both servers run the same mods
		_, err := p.World().Classes().Declare(flag("mod:1"))
		require.NoError(t, err)
	}
	r.Join()
	require.NoError(t, mirror.Dialer.Connect("host 1", engine.ConnectArgs{}))
	require.NoError(t, viewer.Dialer.Connect("host 7", engine.ConnectArgs{}))
	r.Until(10*time.Second, func() bool {
		s := viewer.Host.Server()
		return s != nil && s.Join.Phase() == engine.PhaseGame && len(origin.Connections()) == 2
	})

	flag, err := origin.World().New("Flag", nil)
	require.NoError(t, err)
	knob, err := origin.World().New("Knob", nil)
	require.NoError(t, err)
	tool, err := origin.World().New("Tool", func(o sim.Object) error {
		return o.Ident().Class().Lookup("dataBlock").Set(o, sim.String("Lever"))
	})
	require.NoError(t, err)
	thing := newThing(t, origin.Host, "of the origin")
	own := newThing(t, mirror.Host, "of the mirror")
	set(t, flag, "carrier", sim.Handle(thing.ID()))
	set(t, own, "friend", sim.Handle(own.ID()))
	for i := range 40 {
		set(t, thing, "at", sim.Vec(sim.Vec3{X: float64(i)}))
		set(t, flag, "heat", sim.Number(float64(i)/40))
		knob.(*enginetest.Knob).On, knob.(*enginetest.Knob).Angle = true, i
		knob.Ident().Mark(1 << 1)
		r.Run(50 * time.Millisecond)
	}
	r.Run(2 * time.Second)

	toMirror, up := origin.Connections()[1], mirror.Host.Server()
	down := mirror.Connections()[1]
	if down == up {
		down = mirror.Connections()[0]
	}
	at := viewer.Host.Server()
	for _, o := range []sim.Object{flag, thing, knob} {
		equalGhost(t, toMirror, up, o)
		equalGhost(t, down, at, ghostOf(toMirror, up, o))
	}
	equalGhost(t, down, at, own)
	assert.Equal(t, 39, ghostOf(down, at, ghostOf(toMirror, up, knob)).(*enginetest.Knob).Angle)
	seen := ghostOf(down, at, ghostOf(toMirror, up, tool))
	require.NotNil(t, seen)
	block := viewer.World().Blocks.At(seen.(*enginetest.Tool).Data)
	assert.Equal(t, "Lever", block.Ident().Name(), "whose index is another at the origin")
	assert.Equal(t, 5, at.PeerGhosts.Count())
	assert.Equal(t, 4, up.PeerGhosts.Count(), "the mirror's own things are not shown to the origin")
	assert.Zero(t, toMirror.PeerGhosts.Count())

	require.NoError(t, origin.World().Delete(thing))
	r.Run(2 * time.Second)
	assert.Equal(t, 4, at.PeerGhosts.Count())
	require.NoError(t, mirror.Dialer.Disconnect("on my own now"))
	r.Run(2 * time.Second)
	assert.Equal(t, 1, at.PeerGhosts.Count(), "only the mirror's own is left")
	assert.Equal(t, 1, engine.Watched(mirror.Host))
	assert.NotNil(t, mirror.World().Classes().Lookup("Flag"), "it has declared that itself")
}

// TestMirrorOfOtherClasses checks that two servers with different declared classes cannot mirror
// each other, and report it.
func TestMirrorOfOtherClasses(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	mirror := r.Player(7, 5, true, nil)
	r.Net.Link(mirror.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	mine, theirs := flag("mod:1"), flag("mod:2")
	theirs.Fields = theirs.Fields[:1]
	_, err := r.Server.World().Classes().Declare(mine)
	require.NoError(t, err)
	_, err = mirror.World().Classes().Declare(theirs)
	require.NoError(t, err)
	require.NoError(t, mirror.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(2 * time.Second)
	assert.Nil(t, mirror.Host.Server())
	assert.Contains(t, mirror.Lines[len(mirror.Lines)-1], "description")
}

// TestGhostsAreNotSentBack checks that two servers that ghost to each other do not send received
// ghosts back.
func TestGhostsAreNotSentBack(t *testing.T) {
	mutual := func(c *engine.Config) { c.Mutual = true }
	r := enginetest.New(t, enginetest.Options{Clients: 2, Both: mutual})
	r.Join()
	for _, c := range r.Clients {
		c.Host.Server().Ghosting.Activate()
	}
	newThing(t, r.Clients[0].Host, "of the first client")
	r.Run(2 * time.Second)
	assert.Equal(t, 0, r.Clients[0].Host.Server().PeerGhosts.Count())
	assert.Equal(t, 1, r.Peer(0).PeerGhosts.Count())
	assert.Equal(t, 1, r.Clients[1].Host.Server().PeerGhosts.Count(), "the other one sees it through the server")
	assert.Equal(t, 0, r.Peer(1).PeerGhosts.Count())
}

// moody is a net object whose hand-written coder reads differently when the object is in a world.
type moody struct {
	sim.NetObject
	a int
}

func moodyClass(c *sim.Classes) {
	err := c.Register(sim.Class{
		Name: "Moody", Parent: "NetObject", New: func() sim.Object { return new(moody) },
		Fields: []sim.Field{sim.IntField("a", 1, 0, 255, func(m *moody) *int { return &m.a })},
		Coders: map[uint8]func(*sim.GroupCoder, sim.Object){1: func(c *sim.GroupCoder, o sim.Object) {
			c.Int(&o.(*moody).a, 0, 255)
			c.End("a")
			if c.Reading() && o.Ident().Alive() {
				c.Fail(errors.New("not in the mood"))
			}
		}},
	})
	if err != nil {
		panic(err)
	}
}

func TestCoderThatFailsEndsTheConnection(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: moodyClass})
	r.Join()
	o, err := r.Server.World().New("Moody", nil)
	require.NoError(t, err)
	r.Run(time.Second)
	require.Equal(t, 1, r.Clients[0].Host.Server().PeerGhosts.Count())
	o.(*moody).a = 3
	o.Ident().Mark(1 << 1)
	r.Run(time.Second)
	assert.Nil(t, r.Clients[0].Host.Server())
	assert.Contains(t, r.Clients[0].Lines[len(r.Clients[0].Lines)-1], "ghost 0 (Moody): not in the mood")
}

// lopsided is a net object whose hand-written coder reads less than it writes.
type lopsided struct {
	sim.NetObject
	a, b int
}

func lopsidedClass(c *sim.Classes) {
	err := c.Register(sim.Class{
		Name: "Lopsided", Parent: "NetObject",
		New: func() sim.Object { return new(lopsided) },
		Fields: []sim.Field{
			sim.IntField("first", 1, 0, 255, func(l *lopsided) *int { return &l.a }),
			sim.IntField("second", 1, 0, 255, func(l *lopsided) *int { return &l.b }),
		},
		Coders: map[uint8]func(*sim.GroupCoder, sim.Object){1: func(c *sim.GroupCoder, o sim.Object) {
			l := o.(*lopsided)
			c.Int(&l.a, 0, 255)
			c.End("first")
			if c.Reading() {
				c.Int(&l.b, 0, 31)
			} else {
				c.Int(&l.b, 0, 255)
			}
			c.End("second")
		}},
	})
	if err != nil {
		panic(err)
	}
}

func TestCheckNamesTheFieldThatDiffers(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2, Classes: lopsidedClass})
	r.Clients[0].Settings.Check = true
	r.Clients[0].Apply()
	r.Join()
	first := r.Peer(0)
	r.Server.Hide = func(o sim.Object, c *engine.Connection) bool { return c != first }
	_, err := r.Server.World().New("Lopsided", nil)
	require.NoError(t, err)
	r.Run(time.Second)
	lines := r.Clients[0].Lines
	assert.Contains(t, lines[len(lines)-1], "ghost 0 (Lopsided), field second: the sender is at bit 48, the receiver at bit 45")
	assert.Nil(t, r.Clients[0].Host.Server())
	assert.NotNil(t, r.Clients[1].Host.Server(), "who was not shown it goes on")
}
