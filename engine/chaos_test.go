package engine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netsim"
)

// faultyScripts is a set of faulty script functions: each callback may change anything.
type faultyScripts struct {
	*enginetest.Story
	c    *chaos
	at   *enginetest.Player
	deep bool // a nested disturbance is not allowed
}

// chaos is a game in which the server and all clients run a faultyScripts.
type chaos struct {
	t      *testing.T
	r      *enginetest.Rig
	seed   uint64
	rng    *rand.Rand
	on     bool
	seq    uint32
	specs  int
	things []sim.Object
	named  int // commands whose object was found on arrival
	nobody int // commands whose object was not found
	again  [4]time.Duration
	asks   []func()        // questions to ask in each callback
	lost   map[string]bool // labels of objects whose class has no label any more
}

func (g *faultyScripts) changeAnything() {
	for _, ask := range g.c.asks {
		ask()
	}
	if g.deep || !g.c.on || g.c.rng.IntN(4) > 0 {
		return
	}
	g.deep = true
	g.c.disturb()
	g.deep = false
}

func (g *faultyScripts) Connected(c *engine.Connection, args []string) {
	g.Story.Connected(c, args)
	g.changeAnything()
}
func (g *faultyScripts) Dropped(c *engine.Connection, reason string) {
	g.Story.Dropped(c, reason)
	g.changeAnything()
}
func (g *faultyScripts) DataBlocksDone(c *engine.Connection, seq uint32) {
	g.Story.DataBlocksDone(c, seq)
	g.changeAnything()
}
func (g *faultyScripts) GhostAlwaysDone(c *engine.Connection) {
	g.Story.GhostAlwaysDone(c)
	g.changeAnything()
}
func (g *faultyScripts) GhostAcked(*engine.Connection, sim.Object) { g.changeAnything() }
func (g *faultyScripts) Removed(sim.Object)                        { g.changeAnything() }
func (g *faultyScripts) Tick(uint64)                               { g.changeAnything() }
func (g *faultyScripts) InScope(o sim.Object, c *engine.Connection, _ bool) (visible, asked bool) {
	g.changeAnything()
	if !g.c.on || o.Ident().Class().Name == "Knob" {
		return true, false
	}
	return g.c.rng.IntN(10) > 0, true
}

// Command checks that the named object is the object the sender meant.
func (g *faultyScripts) Command(c *engine.Connection, name string, args []sim.Value) bool {
	if name != "Name" {
		return g.Story.Command(c, name, args)
	}
	o := g.at.World().Find(args[0].Object())
	if o == nil {
		g.c.nobody++
	} else {
		is := ""
		if f := o.Ident().Class().Lookup("label"); f != nil {
			is = f.Get(o).Text()
		}
		if is == "" && g.c.lost[args[1].Text()] { // the command was on its way meanwhile
			return true
		}
		require.Equal(g.c.t, args[1].Text(), is, "seed %d, at %v, padding %d", g.c.seed, g.at.Addr, len(args[2].Text()))
		g.c.named++
	}
	g.changeAnything()
	return true
}

// Busy returns true at random, so that work queues up.
func (g *faultyScripts) Busy() bool { return g.c.on && g.c.rng.IntN(40) == 0 }

func (c *chaos) thing() *enginetest.Thing {
	if len(c.things) == 0 {
		return nil
	}
	o := c.things[c.rng.IntN(len(c.things))]
	t, _ := o.(*enginetest.Thing)
	return t
}

func (c *chaos) peer() *engine.Connection {
	conns := c.r.Server.Connections()
	if len(conns) == 0 {
		return nil
	}
	return conns[c.rng.IntN(len(conns))]
}

// disturb makes one random change to the server's world.
func (c *chaos) disturb() {
	w, h := c.r.Server.World(), c.r.Server.Host
	o, p := c.thing(), c.peer()
	switch n := c.rng.IntN(100); {
	case n < 25:
		c.make(w)
	case n < 40 && len(c.things) > 10:
		i := c.rng.IntN(len(c.things))
		require.NoError(c.t, w.Delete(c.things[i]))
		c.things = append(c.things[:i], c.things[i+1:]...)
	case o == nil || p == nil:
	case n < 65:
		set(c.t, o, "at", sim.Vec(sim.Vec3{X: c.rng.Float64() * 1000, Y: c.rng.Float64() * 1000}))
		set(c.t, o, "energy", sim.Number(c.rng.Float64()*100))
		if f := c.thing(); f != nil && f.Alive() {
			set(c.t, o, "friend", sim.Handle(f.ID()))
		}
	case n < 68:
		h.Rules.SetAlways(o)
	case n < 70:
		h.Rules.ClearAlways(o)
	case n < 73:
		h.Rules.SetGroups(o, uint64(c.rng.IntN(4)))
	case n < 75:
		p.Visible.SetGroups(uint64(c.rng.IntN(4)))
	case n < 78:
		p.Visible.ToClient(o)
	case n < 80:
		p.Visible.ClearToClient(o)
	case n < 82:
		_ = p.Visible.SetObject(o)
	case n < 83:
		_ = p.Visible.SetObject(nil)
	case n < 84:
		p.Visible.SetView(engine.ScopeView{Distance: 100 + 1000*c.rng.Float64(), ViewOnly: c.rng.IntN(2) == 0})
	case n < 85 && c.specs < 30:
		c.specs++
		_, err := w.Classes().Declare(sim.ClassSpec{Name: fmt.Sprint("Extra", c.specs), Parent: "Thing", Source: "x", Fields: []sim.FieldSpec{
			{Name: "heat", Kind: sim.KindNumber, Lo: 0, Hi: 1, Bits: 8}, {Name: "to", Kind: sim.KindObject, Class: "Thing"}}})
		require.NoError(c.t, err)
	case n < 87:
		c.seq++
		_, _, err := w.Blocks.Declare("ToolData", fmt.Sprint("Tool", c.rng.IntN(10)), "", func(o sim.Object) error {
			o.(*enginetest.ToolData).Mass = float64(c.seq)
			return nil
		})
		require.NoError(c.t, err)
		c.r.Server.Lead(p, c.seq)
	case n < 90:
		c.seq++
		p.Ghosting.Reset()
		c.r.Server.Lead(p, c.seq)
	case n < 91:
		p.Ghosting.Activate()
	case n < 92:
		if c.rng.IntN(8) == 0 {
			p.Disconnect("changeAnything")
		}
	case n < 96:
		c.name(p, o, o.Label)
	default:
		c.retool(w)
	}
}

// name sends a command of random size that names an object to the peer.
func (c *chaos) name(p *engine.Connection, o sim.Object, label string) {
	pad := strings.Repeat("\x80", c.rng.IntN(2)*c.rng.IntN(4000))
	_ = p.Commands.Send(engine.CommandOptions{Guarantee: event.Guarantee(c.rng.IntN(2))}, sim.String("Name"), []sim.Value{
		sim.Handle(o.Ident().ID()), sim.String(label), sim.String(pad)})
}

// answer has a client name one of the ghosts it sees.
func (c *chaos) answer(p *enginetest.Player) {
	s := p.Host.Server()
	if s == nil {
		return
	}
	var all []*enginetest.Thing
	s.PeerGhosts.Each(func(o sim.Object) bool {
		if t, ok := o.(*enginetest.Thing); ok && t.Alive() {
			all = append(all, t)
		}
		return true
	})
	if len(all) > 0 {
		o := all[c.rng.IntN(len(all))]
		c.name(s, o, o.Label)
	}
}

// make adds an object of a random class.
func (c *chaos) make(w *sim.World) {
	class := []string{"Thing", "Thing", "Knob", "Tool", fmt.Sprint("Extra", 1+c.rng.IntN(30))}[c.rng.IntN(5)]
	if w.Classes().Lookup(class) == nil || len(c.things) > 200 {
		return
	}
	c.seq++
	o, err := w.New(class, func(o sim.Object) error {
		switch o := o.(type) {
		case *enginetest.Thing:
			o.Label = strconv.Itoa(int(c.seq))
			o.At = sim.Vec3{X: 1000 * c.rng.Float64()}
		case *enginetest.Tool:
			if w.Blocks.Len() > 0 {
				return o.Class().Lookup("dataBlock").Set(o, sim.Handle(w.Blocks.Newer(0)[0].Ident().ID()))
			}
		}
		return nil
	})
	if err == nil {
		c.things = append(c.things, o)
	}
}

// retool gives random tools other datablocks.
func (c *chaos) retool(w *sim.World) {
	for _, o := range c.things {
		if t, ok := o.(*enginetest.Tool); ok && c.rng.IntN(3) == 0 {
			all := w.Blocks.Newer(0)
			set(c.t, t, "dataBlock", sim.Handle(all[c.rng.IntN(len(all))].Ident().ID()))
		}
	}
}

// parallel runs the pieces of a fork concurrently.
func parallel(n int, f func(worker, i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i, i) })
	}
	wg.Wait()
}

func newChaos(t *testing.T, seed uint64, parallel func(int, func(worker, i int))) *chaos {
	c := &chaos{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 77)), on: true, lost: map[string]bool{}}
	up, down := netsim.RandomLink(c.rng, .3), netsim.RandomLink(c.rng, .3)
	c.r = enginetest.New(t, enginetest.Options{Seed: seed, Clients: 4, Up: up, Down: down, Both: func(cfg *engine.Config) {
		cfg.Parallel = parallel
		cfg.JoinTimeout = time.Minute
	}})
	for _, p := range append([]*enginetest.Player{c.r.Server}, c.r.Clients...) {
		p.Quiet = true
		p.SetScripts(&faultyScripts{Story: p.Story, c: c, at: p})
	}
	for i, p := range c.r.Clients {
		if i%2 == 1 {
			p.Settings.Rate, p.Settings.Size = 5+20*c.rng.Float64(), 100+c.rng.IntN(400)
			p.Apply()
		}
	}
	declare(t, c.r.Server.Host, 3, 0)
	for range 50 {
		c.make(c.r.Server.World())
	}
	return c
}

// TestRandomFaults calls the script functions in random order. No reference names a wrong object,
// and in the end every client sees the objects in its scope.
func TestRandomFaults(t *testing.T) {
	named := 0
	for seed := range testenv.Seeds(t, 1, 20) {
		c := newChaos(t, seed, parallel)
		c.reign()
		c.calm()
		c.same(seed)
		named += c.named
		if seed%10 == 0 {
			again := newChaos(t, seed, nil)
			again.reign()
			again.calm()
			require.Equal(t, c.r.Net.Hash(), again.r.Net.Hash(), "seed %d, packed at once and in turn", seed)
		}
	}
	require.NotZero(t, named)
}

// reign runs the game with gremlins for 150 rounds.
func (c *chaos) reign() {
	for range 150 {
		c.round()
	}
}

// round runs a part of a second with gremlins.
func (c *chaos) round() {
	for i, p := range c.r.Clients {
		c.connect(i)
		c.answer(p)
	}
	if c.rng.IntN(12) == 0 {
		c.r.Net.Blackout(c.r.Net.Now(), c.r.Net.Now()+time.Duration(c.rng.IntN(2000))*time.Millisecond)
	}
	c.disturb()
	c.change()
	c.r.Run(time.Duration(c.rng.IntN(300)) * time.Millisecond)
}

// change redeclares some of the classes. Sometimes it rolls the change back.
func (c *chaos) change() {
	w := c.r.Server.World()
	if c.rng.IntN(5) > 0 || len(w.Classes().Declared()) > 300 {
		return
	}
	c.on = false // gremlins must do nothing while a change is open
	defer func() { c.on = true }()
	change := w.Begin()
	for range 4 {
		name := fmt.Sprint("Extra", 1+c.rng.IntN(30))
		if w.Classes().Lookup(name) == nil {
			continue
		}
		_, err := w.Classes().Redeclare(sim.ClassSpec{Name: name, Parent: []string{"Thing", "Thing", "Knob"}[c.rng.IntN(3)], Source: "y", Fields: []sim.FieldSpec{
			{Name: "heat", Kind: sim.KindNumber, Lo: 0, Hi: 1, Bits: 4 + c.rng.IntN(9)}, {Name: "to", Kind: sim.KindObject, Class: "NetObject"}}})
		require.NoError(c.t, err)
		_, err = w.New(name, nil)
		require.NoError(c.t, err)
	}
	if c.rng.IntN(3) == 0 {
		change.Rollback()
		return
	}
	for _, id := range change.Made() {
		c.things = append(c.things, w.Find(id))
	}
	change.Commit()
	for i, o := range c.things {
		c.things[i] = cmp.Or(w.Find(o.Ident().ID()), o)
		if was, ok := o.(*enginetest.Thing); ok && c.things[i].Ident().Class().Lookup("label") == nil {
			c.lost[was.Label] = true
		}
	}
}

// connect connects client i if it has no server and has not tried in the last 10 s.
func (c *chaos) connect(i int) {
	if now := c.r.Net.Now(); c.r.Clients[i].Host.Server() == nil && now >= c.again[i] {
		c.again[i] = now + 10*time.Second
		require.NoError(c.t, c.r.Clients[i].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: 10 * time.Second}))
	}
}

// calm stops the gremlins and leads every client into the game.
func (c *chaos) calm() {
	c.on = false
	for _, p := range c.r.Clients {
		c.r.Net.Link(p.Addr, c.r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	}
	c.r.Run(50 * time.Second) // half-open connections time out
	c.r.Until(3*time.Minute, func() bool {
		here := 0
		for i, p := range c.r.Clients {
			if c.connect(i); p.Host.Server() != nil && peerOf(c.r, i) != nil {
				here++
			}
		}
		return here == len(c.r.Clients)
	})
	for _, p := range c.r.Server.Connections() {
		c.seq++
		p.Visible.SetGroups(0)
		_ = p.Visible.SetObject(nil)
		p.Ghosting.Reset()
		c.r.Server.Lead(p, c.seq)
	}
	for _, o := range c.things {
		c.r.Server.Rules.SetGroups(o, 0)
	}
	c.r.Run(5 * time.Second)
	c.r.Until(5*time.Minute, c.settled) // a client can have asked for 600 bytes a second
	c.r.Run(5 * time.Second)
}

// settled reports whether every client is in the game, and the server has nothing more to send.
func (c *chaos) settled() bool {
	for i, p := range c.r.Clients {
		s, peer := p.Host.Server(), peerOf(c.r, i)
		if s != nil && peer != nil && (s.Join.Phase() != engine.PhaseGame || s.PeerGhosts.Count() != len(c.things) || peer.Ghosts().Pending() > 0) {
			return false
		}
	}
	return true
}

// same requires that every client has every object with its current values.
func (c *chaos) same(seed uint64) {
	for i, p := range c.r.Clients {
		s, peer := p.Host.Server(), peerOf(c.r, i)
		require.NotNil(c.t, s, "seed %d", seed)
		require.NotNil(c.t, peer, "seed %d", seed)
		require.Equal(c.t, engine.PhaseGame, s.Join.Phase(), "seed %d", seed)
		require.Equal(c.t, len(c.things), s.PeerGhosts.Count(), "seed %d, client %d", seed, i)
		for _, o := range c.things {
			equalGhost(c.t, peer, s, o)
		}
	}
	require.Equal(c.t, len(c.r.Clients)*len(c.things), engine.Watched(c.r.Server.Host), "seed %d", seed)
}
