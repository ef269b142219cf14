package script_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// A reloadChaos is a server with four mods and four clients with packet loss. Its operator edits,
// reloads, enables, disables and watches mods at random.
type reloadChaos struct {
	*modDrawer
	t       *testing.T
	seed    uint64
	net     *netsim.Network
	server  *half
	clients []*half
	here    []bool // whether the client should be connected
	files   fstest.MapFS
	theirs  fstest.MapFS   // the clients' mods
	bare    []string       // names in the console without mods
	tries   []func(error)  // tests that run
	loaded  map[string]int // successful reloads by mod
	failed  map[string]int // failed reloads by mod
	stamp   time.Time
}

var chaosMods = []string{"a", "b", "c", "d"}

func newReloadChaos(t *testing.T, seed uint64) *reloadChaos {
	c := &reloadChaos{
		t: t, seed: seed, modDrawer: &modDrawer{rand.New(rand.NewPCG(seed, 17))}, net: netsim.New(seed), files: fstest.MapFS{}, theirs: fstest.MapFS{},
		loaded: map[string]int{}, failed: map[string]int{}, stamp: time.Unix(1e9, 0),
	}
	for _, mod := range chaosMods {
		c.save(c.files, c.draw(mod))
		c.save(c.theirs, c.drawClient(mod))
	}
	c.server = newHalfOf(t, 1, true, nil, c.files)
	c.bare = c.server.console.Names()
	c.server.load(chaosMods...)
	c.server.line("mod.loadInstructions 300000")
	c.server.line("mod grant a console.mod.reload")
	c.net.Attach(netcore.SimAddr(1), c.server.host)
	bad := netcore.LinkParams{Loss: .1, Delay: 30 * time.Millisecond, Jitter: 20 * time.Millisecond}
	for i := range 4 {
		h := newHalfOf(t, uint16(2+i), false, nil, []fs.FS{c.theirs, fstest.MapFS{}}[i%2]).load()
		c.clients, c.here = append(c.clients, h), append(c.here, false)
		c.net.Attach(netcore.SimAddr(uint16(2+i)), h.host)
		c.net.Link(netcore.SimAddr(uint16(2+i)), netcore.SimAddr(1), bad, bad)
		c.comeOrGo(i)
	}
	return c
}

func (c *reloadChaos) save(folder fstest.MapFS, list map[string]string) {
	c.stamp = c.stamp.Add(time.Second)
	for name, text := range list {
		if folder[name] == nil || string(folder[name].Data) != text {
			folder[name] = &fstest.MapFile{Data: []byte(text), ModTime: c.stamp}
		}
	}
}

func (c *reloadChaos) run(ticks int) {
	c.net.Run(c.net.Now()+netcore.Time(ticks)*engine.TickTime, engine.TickTime)
}

func (c *reloadChaos) mod() string { return chaosMods[c.IntN(len(chaosMods))] }

// comeOrGo connects or disconnects a client.
func (c *reloadChaos) comeOrGo(i int) {
	h := c.clients[i].host
	if c.here[i] = !c.here[i]; c.here[i] {
		require.NoError(c.t, h.Dialer.Connect("x:1", engine.ConnectArgs{Timeout: time.Minute}))
		return
	}
	h.Dialer.Cancel()
	_ = h.Dialer.Disconnect("bye")
}

// line runs a line on a side. A line that fails must change nothing.
func (c *reloadChaos) line(h *half, line string) (out string, ok bool) {
	before := h.scripts.Dump()
	out = h.line(line)
	if ok = !strings.Contains(out, "error: "); !ok {
		require.Empty(c.t, difference(before, h.scripts.Dump()), "seed %d, %s: %s", c.seed, line, out)
	}
	return out, ok
}

// step performs a random action.
func (c *reloadChaos) step() {
	mod := c.mod()
	switch c.IntN(16) {
	case 0, 1, 2, 3:
		c.edit(mod)
		c.reload(mod)
	case 4:
		c.reload([]string{mod, "base"}[c.IntN(2)])
	case 5:
		c.line(c.server, "mod disable "+mod)
	case 6, 7:
		c.line(c.server, "mod enable "+mod)
	case 8:
		c.edit(mod)
		c.server.line("mod watch " + []string{"on", "off"}[c.IntN(2)])
	case 9:
		c.comeOrGo(c.IntN(len(c.clients)))
	case 10:
		h := c.clients[c.IntN(len(c.clients))]
		c.save(c.theirs, c.drawClient(mod))
		c.line(h, []string{"mod reload ", "mod reload ", "mod disable ", "mod enable "}[c.IntN(4)]+[]string{mod, "base"}[c.IntN(2)])
	case 11:
		c.server.line(fmt.Sprintf(`import("a").reload(%q)`, mod))
	case 12:
		c.server.line(fmt.Sprintf("%s.s %d", mod, c.IntN(20)))
	case 13:
		c.server.line("mission " + mod + "land")
	case 14:
		c.tests()
	default:
		c.server.line(fmt.Sprintf(`(function() for o in objects "%s_Rune" do if o.id %% 3 == %d and o.name == "" then o:delete() end end end)()`, strings.ToUpper(mod), c.IntN(3)))
	}
	for _, mod := range chaosMods {
		c.server.line(fmt.Sprintf(`import(%q).stir()`, mod))
	}
}

// edit writes another version of a mod, half of the time a broken one.
func (c *reloadChaos) edit(mod string) {
	list := c.draw(mod)
	if c.IntN(2) == 0 {
		c.spoil(mod, list)
	}
	c.save(c.files, list)
}

// reload reloads a mod and checks the result.
func (c *reloadChaos) reload(mod string) {
	out, ok := c.line(c.server, "mod reload "+mod)
	if !ok {
		c.failed[mod]++
		return
	}
	if strings.Contains(out, "reloaded") && !strings.Contains(out, "tested first") {
		c.loaded[mod]++
		require.NotContains(c.t, c.text(mod), "-- spoiled", "seed %d: %s", c.seed, mod)
	}
}

// text returns the source of a mod's server half, "" for base.
func (c *reloadChaos) text(mod string) string {
	if f := c.files[mod+"/server/init.lua"]; f != nil {
		return string(f.Data)
	}
	return ""
}

// tests makes later reloads run tests or none, or ends the tests that run.
func (c *reloadChaos) tests() {
	switch c.IntN(4) {
	case 0:
		c.server.scripts.SetTrial(func(_ string, _ []fs.FS, done func(error)) { c.tries = append(c.tries, done) })
	case 1:
		c.server.scripts.SetTrial(nil)
	default:
		tries := c.tries
		c.tries = nil
		for _, done := range tries {
			done([]error{nil, errors.New("a test has failed")}[c.IntN(2)])
		}
	}
}

// holds checks the invariants.
func (c *reloadChaos) holds() {
	c.t.Helper()
	for i, h := range append([]*half{c.server}, c.clients...) {
		for _, name := range append([]string{"base", "console"}, chaosMods...) {
			if name == "a" && i == 0 { // planned errors happen in a, whoever calls it
				continue
			}
			require.Empty(c.t, h.scripts.Runtime.FaultsOf(name), "seed %d, side %d", c.seed, i)
		}
		for _, f := range h.scripts.Runtime.FaultsOf("a") {
			require.Contains(c.t, f.Text, "planned", "seed %d, side %d", c.seed, i)
		}
	}
	owned := c.server.scripts.Registered()
	for _, name := range c.server.console.Names() {
		if !slices.Contains(c.bare, name) {
			require.Contains(c.t, owned, name, "seed %d: nobody's", c.seed)
			delete(owned, name)
		}
	}
	require.Empty(c.t, owned, "seed %d: of the console, and not in it", c.seed)
}

// rests waits until the network is idle and requires that every client has the state of the
// server.
func (c *reloadChaos) rests() {
	c.server.line("mod watch off")
	c.server.scripts.SetTrial(nil)
	for _, done := range c.tries {
		done(errors.New("it is late"))
	}
	c.tries = nil
	c.net.RunWhile(c.net.Now()+20*time.Second, engine.TickTime, func() bool {
		return slices.ContainsFunc(c.clients, func(h *half) bool {
			s := h.host.Server()
			return c.here[slices.Index(c.clients, h)] && (s == nil || s.Join.Phase() != engine.PhaseGame)
		})
	})
	c.run(60)
	c.holds()
	for i, h := range c.clients {
		if c.here[i] {
			require.NotNil(c.t, h.host.Server(), "seed %d, client %d: %v %v", c.seed, i, h.log, h.out)
			c.same(c.peer(i), h.host.Server())
		}
	}
}

// peer returns the server's connection to a client.
func (c *reloadChaos) peer(i int) *engine.Connection {
	for _, p := range c.server.host.Connections() {
		if p.Address() == netcore.SimAddr(uint16(2+i)).String() {
			return p
		}
	}
	require.Fail(c.t, "a client is not there", "seed %d, client %d", c.seed, i)
	return nil
}

// same requires that a client has the server's datablocks. For each object of a declared class it
// must have a ghost with the same values.
func (c *reloadChaos) same(from, to *engine.Connection) {
	world, there := c.server.host.World(), to.Ident().World()
	require.Equal(c.t, world.Blocks.Len(), there.Blocks.Len(), "seed %d", c.seed)
	for _, b := range world.Blocks.Newer(0) {
		g := there.Blocks.ByName(b.Ident().Name())
		require.NotNil(c.t, g, "seed %d: %s", c.seed, b.Ident())
		for _, f := range b.Ident().Class().AllFields() {
			require.Equal(c.t, f.Get(b).Literal(), g.Ident().Class().Lookup(f.Name).Get(g).Literal(), "seed %d: %s of %s", c.seed, f.Name, b.Ident())
		}
	}
	ghosts := map[uint32]sim.Object{}
	to.PeerGhosts.Each(func(g sim.Object) bool {
		id, _ := to.PeerGhosts.IDOf(g)
		ghosts[uint32(id)+1] = g
		return true
	})
	ghostOf := func(o sim.Object) sim.Object {
		if o == nil || o.Ident().Number() == 0 {
			return nil
		}
		return ghosts[from.Ghosts().ToWire(o.Ident().Number())]
	}
	count := 0
	world.Each(world.Classes().Lookup("NetObject"), func(o sim.Object) bool {
		class := o.Ident().Class()
		if class.Spec() == nil {
			return true
		}
		count++
		g := ghostOf(o)
		require.NotNil(c.t, g, "seed %d: %s has no ghost", c.seed, o.Ident())
		require.Equal(c.t, there.Classes().WireID(g.Ident().Class()), world.Classes().WireID(class), "seed %d: %s", c.seed, o.Ident())
		c.sameFields(o, g, ghostOf)
		return true
	})
	shown := 0
	for _, g := range ghosts {
		if g.Ident().Class().Spec() != nil {
			shown++
		}
	}
	require.Equal(c.t, count, shown, "seed %d", c.seed)
}

// sameFields compares the declared fields at the precision of the network.
func (c *reloadChaos) sameFields(o, g sim.Object, ghostOf func(sim.Object) sim.Object) {
	class := o.Ident().Class()
	declared := class
	for declared.Spec() != nil {
		declared = declared.ParentClass()
	}
	var a, b sim.Values
	for group := declared.Groups(); group < class.Groups(); group++ {
		class.Quantise(o, group, &a)
		g.Ident().Class().Quantise(g, group, &b)
		require.Equal(c.t, fmt.Sprint(a.Texts), fmt.Sprint(b.Texts), "seed %d: %s", c.seed, o.Ident())
		for i, cell := range class.Cells(group) {
			want := a.Cells[i]
			if cell.Kind == sim.CellRef {
				want = 0
				if target := ghostOf(o.Ident().World().Find(sim.ID(a.Cells[i]))); target != nil {
					want = uint64(target.Ident().ID())
				}
			}
			require.Equal(c.t, want, b.Cells[i], "seed %d: %s of %s", c.seed, cell.Field.Name, o.Ident())
		}
	}
}

// keepsNothing reloads everything unchanged a few times and checks that the kept resources do not
// grow.
func (c *reloadChaos) keepsNothing() {
	for _, mod := range chaosMods {
		c.save(c.files, c.draw(mod))
		c.server.line("mod enable " + mod)
	}
	held := func() map[string]int {
		held := c.server.scripts.Held()
		for _, cache := range []string{"asked", "chains", "parts"} { // caches that start empty after a reload
			delete(held, cache)
		}
		return held
	}
	c.forgetSilent()
	var before map[string]int
	for n := range 4 {
		for _, mod := range append([]string{"base"}, chaosMods...) {
			c.reload(mod)
			c.run(2)
		}
		if c.run(4); n == 1 {
			before = held()
		}
	}
	require.Equal(c.t, before, held(), "seed %d", c.seed)
}

// forgetSilent runs until the server has ended the connections of clients that have vanished.
func (c *reloadChaos) forgetSilent() {
	silent := func(o *engine.Connection) bool { return o.Line.Interrupted() > 0 }
	c.run(120) // a server calls a client silent after 3 s
	for range 2000 {
		if !slices.ContainsFunc(c.server.host.Connections(), silent) {
			return
		}
		c.run(1)
	}
	require.Fail(c.t, "a silent client keeps its connection", "seed %d", c.seed)
}

// TestReloadChaos checks that an operator can do anything to mods, in any state, without an effect
// on other mods and clients.
func TestReloadChaos(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 3) {
		c := newReloadChaos(t, seed)
		for n := range testenv.Length(50, 200) {
			c.step()
			c.run(1 + c.IntN(4))
			c.holds()
			if n%50 == 49 {
				c.rests()
			}
		}
		c.keepsNothing()
		c.rests()
		for _, mod := range chaosMods {
			require.NotZero(t, c.loaded[mod], "seed %d: %s was never reloaded", seed, mod)
			require.NotZero(t, c.failed[mod], "seed %d: %s never failed", seed, mod)
		}
	}
}
