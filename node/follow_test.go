package node_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// TestFollow sends a player from one server to another one with a password. The player is in a game
// all the time, keeps the variables that it has set, and sees the HUD and the greeting of the other
// server when it plays there. The client's mods begin anew.
func TestFollow(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond})
	a, b := w.serve("hub", nil), w.serve("arena", func(c *node.Config) { c.Password = "other" })
	c := w.join(a, nil)
	w.run(time.Second)
	assert.Equal(t, "you are in hub", c.hud[1])
	c.line("net.timeout 7")
	c.line("room.loud 3")
	c.said = nil

	a.send(c, b, nil)
	w.until("the second side joins", func() bool { return node.Sides(c.Client) == 2 })
	c.line("net.rate 20")
	w.until("the client plays there", func() bool { return c.Host().Server().Key() == b.Key() })
	w.run(200 * time.Millisecond)
	assert.True(t, c.at(b), "both servers know")
	w.run(2 * time.Second)
	assert.Equal(t, []string{"true"}, a.dones)
	assert.Contains(t, a.said, "drop\tP1\ttransferred to arena")
	assert.Zero(t, c.out, "out of any game")
	assert.Equal(t, "you are in arena", c.hud[1])
	assert.Equal(t, []string{"dropped: transferred to arena", "connected to arena:28000", "accepted, loud 3", "entered 1", "welcome to arena"}, c.said)
	assert.Equal(t, 1, node.Sides(c.Client), "nothing is left of the first side")
	assert.Equal(t, "7 20 3", c.line("net.timeout")+" "+c.line("net.rate")+" "+c.line("room.loud"))
	assert.Equal(t, `"198.51.100.2:28000"`, c.line("server.address"))
}

// TestFollowMatrix sends a player to servers that do not take it. The player plays on at the first
// one without noticing, and that one gets a sentence. A transfer afterwards works.
func TestFollowMatrix(t *testing.T) {
	t.Parallel()
	type rig struct {
		w    *town
		a, b *townServer
		c    *townClient
	}
	ms := func(d time.Duration) func(*rig) { return func(r *rig) { r.w.run(d * time.Millisecond) } }
	inGame := func(r *rig) {
		r.w.until("the second side is in the game", func() bool {
			return node.Sides(r.c.Client) == 2 && node.SideHost(r.c.Client, 1).Server() != nil && node.SideHost(r.c.Client, 1).Server().Join.Phase() == engine.PhaseGame
		})
	}
	inJoin := func(r *rig) {
		r.w.until("the second server has let the client in", func() bool { return r.b.of(r.c) != nil })
	}
	for _, x := range []struct {
		name   string
		server func(*node.Config)
		before func(*rig)                  // the order
		order  func(*engine.TransferOrder) // changes it
		after  func(*rig)
		why    string
		within time.Duration // of the order
	}{
		{name: "full", server: func(c *node.Config) { c.Server.MaxClients = 1 }, before: func(r *rig) { r.w.join(r.b, nil) }, why: "b: server is full (1)", within: time.Second},
		{name: "banned", before: func(r *rig) { r.b.exec("ban " + r.c.Host().Identity().Public.String()) }, why: "b: banned: forever", within: time.Second},
		{name: "wrong key", order: func(o *engine.TransferOrder) { o.Key[5] ^= 1 }, why: "this is another server, or somebody between you and it", within: time.Second},
		{name: "known with another key", before: func(r *rig) {
			r.c.accept("b:28000", r.a.Key())
		}, why: "the key of b:28000 has CHANGED", within: time.Second},
		{name: "no answer", before: func(r *rig) { r.b.down = true }, why: "b does not answer at b:28000", within: 11 * time.Second},
		{name: "no torc", before: func(r *rig) { r.w.net.Attach(r.b.addr, &echo{}) }, why: "b does not answer at b:28000", within: 11 * time.Second},
		{name: "unknown name", order: func(o *engine.TransferOrder) { o.Address = "nowhere:1" }, why: "there is no host nowhere:1", within: time.Second},
		{name: "dies after the challenge", after: func(r *rig) {
			r.w.wake()
			r.w.net.RunWhile(r.w.net.Now()+5*time.Second, townStep, func() bool { return node.Sides(r.c.Client) == 1 })
			r.w.run(28 * time.Millisecond)
			r.b.down = true
		}, why: "b: no answer: the server is busy, or the line loses many packets", within: 16 * time.Second},
		{name: "dies after the verdict", after: func(r *rig) { inJoin(r); r.b.down = true }, why: "the player was not in the game of b within 15 s", within: 16 * time.Second},
		{name: "dies in the game", before: func(r *rig) { r.b.exec("room.bodies false") }, after: func(r *rig) { inGame(r); r.b.down = true }, why: "b has stopped answering", within: 17 * time.Second},
		{name: "is paused", after: func(r *rig) { inGame(r); r.b.exec("pause") }, why: "the player got no place in the game of b within 15 s", within: 17 * time.Second},
		{name: "ends after the verdict", after: func(r *rig) { inJoin(r); r.b.exec("kick P1 go away") }, why: "b: kicked: go away", within: 5 * time.Second},
		{name: "accepts nobody", before: func(r *rig) { r.b.exec("sv.accepting false") }, why: "b: the server accepts no new players", within: time.Second},
		{name: "another server at the address", before: func(r *rig) { r.w.names["b:28000"] = r.w.names["c:28000"] }, why: "this is another server", within: time.Second},
		{name: "private address", before: func(r *rig) {
			r.w.names["b:28000"] = append(r.w.names["b:28000"], netcore.UDPAddr(netip.MustParseAddrPort("192.168.1.1:28000")))
		}, why: "a server at a public address cannot send players to 192.168.1.1:28000, which is private", within: time.Second},
		{name: "a way over a third machine", order: func(o *engine.TransferOrder) { o.Address = "via:b:28000" }, why: "the address of the other server is no HOST:PORT", within: time.Second},
		{name: "its own address", before: func(r *rig) { r.w.names["b:28000"] = []netcore.Addr{r.a.addr} }, why: "198.51.100.1:28000 is the address of this server", within: time.Second},
		{name: "never", before: func(r *rig) { r.c.line("net.follow never") }, why: "the player follows no transfers (net.follow is never)", within: time.Second},
		{name: "no time to answer", before: func(r *rig) { r.c.line("net.follow ask") }, why: "the player has not answered in time", within: 9 * time.Second},
		{name: "stays", before: func(r *rig) { r.c.line("net.follow ask") }, after: func(r *rig) { ms(500)(r); r.c.line("stay") }, why: "the player stays", within: time.Second},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
			r := &rig{w: w, a: w.serve("a", nil), b: w.serve("b", x.server)}
			w.serve("c", nil)
			r.c = w.join(r.a, nil)
			if x.before != nil {
				x.before(r)
			}
			said := len(r.c.said)
			began := w.net.Now()
			r.a.send(r.c, r.b, x.order)
			if x.after != nil {
				x.after(r)
			}
			w.until("there is a result", func() bool { return len(r.a.dones) == 1 })
			assert.Contains(t, r.a.dones[0], x.why)
			assert.LessOrEqual(t, w.net.Now()-began, x.within)
			w.run(time.Second)
			assert.Zero(t, r.c.out, "out of any game")
			assert.Equal(t, "you are in a", r.c.hud[1])
			assert.Equal(t, 1, node.Sides(r.c.Client))
			assert.NotNil(t, r.a.of(r.c))
			for _, line := range r.c.said[said:] {
				assert.Contains(t, line, "this server sends you to", "the player hears of nothing but a question")
			}
			r.c.line("net.follow always")
			r.a.send(r.c, w.servers[2], nil)
			w.until("another transfer works", func() bool { return r.c.at(w.servers[2]) })
			assert.Zero(t, r.c.out, "out of any game")
		})
	}
}

// TestFollowOutlivesTheFirstServer: a first server that dies after its order does not keep the
// player. If the second one does not take the player either, the client comes back to the first
// one.
func TestFollowOutlivesTheFirstServer(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
	a, b := w.serve("a", nil), w.serve("b", nil)
	kicked := w.join(a, nil)
	a.send(kicked, b, nil)
	w.until("the second side joins", func() bool { return node.Sides(kicked.Client) == 2 })
	a.exec("kick P1 out")
	w.until("the player is at the second server", func() bool { return kicked.at(b) && kicked.body() })
	require.NoError(t, kicked.err)
	assert.NotContains(t, strings.Join(kicked.said, "\n"), "disconnected")
	kicked.line("quit")

	c := w.join(a, func(cfg *node.Config) { cfg.Client.Reconnect = true })
	a.send(c, b, nil)
	w.until("the second side joins", func() bool { return node.Sides(c.Client) == 2 })
	a.down = true
	w.until("the player is at the second server", func() bool { return b.of(c) != nil && !b.of(c).Arriving() && c.body() })
	w.run(2 * time.Second)
	assert.Zero(t, c.out)
	assert.Equal(t, 1, node.Sides(c.Client))

	a.down, w.names["a:28000"] = false, nil
	c.said = nil
	b.send(c, a, func(o *engine.TransferOrder) { o.Address = "a:28000" })
	w.names["a:28000"] = []netcore.Addr{publicAddr(200)} // nobody is there
	w.until("the second side joins", func() bool { return node.Sides(c.Client) == 2 })
	b.exec("kick P2 out")
	w.until("the client has ended", func() bool { return c.err != nil })
	assert.ErrorContains(t, c.err, "out", "the end of the first connection counts when the transfer has failed")
	assert.Contains(t, c.said, "disconnected: kicked: out")
}

// TestFollowTellsTheFirstServer: the first server hears of the swap on a line that loses half of
// all packets, long before its timeout.
func TestFollowTellsTheFirstServer(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	const players = 8
	for range players {
		c := w.join(a, nil)
		a.send(c, b, nil)
		w.until("the second server has let the client in", func() bool { return b.of(c) != nil })
		w.net.Link(c.addr, a.addr, netcore.LinkParams{Loss: .5}, netcore.LinkParams{Loss: .5})
		w.until("the client plays there", func() bool { return c.Host().Server().Key() == b.Key() })
		w.run(2 * time.Second)
		assert.Nil(t, a.of(c))
	}
	assert.Equal(t, slices.Repeat([]string{"true"}, players), a.dones)
}

// TestFollowComesBack: after a transfer, the other server is that of reconnect, of the known
// servers and of a client that has lost its line. It gets neither the password nor the arguments of
// the first one, and no ticket again.
func TestFollowComesBack(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
	a, b := w.serve("a", nil), w.serve("b", nil)
	var got []string
	b.Host().SetScripts(&asked{Scripts: b.Scripts().Hooks(), got: &got})
	c := w.join(a, func(cfg *node.Config) { cfg.Client.Reconnect = true })
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Equal(t, []string{"arrived from other, arguments []"}, got)
	assert.ErrorContains(t, node.Differs(c.Client, "b:28000", a.Key()), "has CHANGED", "the key is known")
	require.NoError(t, node.Differs(c.Client, "b:28000", b.Key()))

	c.line("reconnect")
	w.until("the client has another connection", func() bool { return len(got) == 2 && c.at(b) && c.body() })
	assert.Equal(t, "no arrival, arguments []", got[1])
	c.said = nil
	c.line("net.timeout 2")
	w.net.Blackout(w.net.Now(), w.net.Now()+5*time.Second)
	w.until("the client comes back", func() bool { return len(got) == 3 && c.at(b) && c.body() })
	assert.Contains(t, c.said, "connected to b:28000")
}

// asked notes what the connect requests of a server bring.
type asked struct {
	engine.Scripts
	got *[]string
}

func (s *asked) ConnectRequest(c *engine.Connection, args []string) string {
	from := "no arrival"
	if a := c.Arrival(); a != nil {
		from = "arrived from " + a.From
	}
	*s.got = append(*s.got, fmt.Sprintf("%s, arguments %v", from, args))
	return s.Scripts.ConnectRequest(c, args)
}

// TestFollowAsksThePlayer: with net.follow ask, the player decides. A program has a question of its
// own.
func TestFollowAsksThePlayer(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	c := w.join(a, nil)
	d := w.join(a, func(cfg *node.Config) {
		cfg.Vars = append(cfg.Vars, node.Var{Name: "net.follow", Value: "ask"})
		cfg.Client.Asked = func(o *node.TransferOrder) { w.clients[1].asked = append(w.clients[1].asked, o) }
	})
	c.line("net.follow ask")
	_, err := c.Console().Exec("follow")
	assert.ErrorContains(t, err, "no server waits for an answer")
	a.send(c, b, nil)
	a.send(d, b, nil)
	w.run(3 * time.Second)
	assert.Equal(t, "this server sends you to b at b:28000: follow goes there, stay does not", c.said[len(c.said)-1])
	assert.True(t, c.at(a))
	require.Len(t, d.asked, 1)
	assert.Equal(t, "b", d.asked[0].Name)
	c.line("follow")
	require.NoError(t, d.Follow(false))
	w.until("one has gone", func() bool { return c.at(b) })
	assert.True(t, d.at(a))
	assert.Equal(t, []*node.TransferOrder{d.asked[0], nil}, d.asked)
	assert.Equal(t, `"ask"`, c.line("net.follow"), "it holds for the next server too")
}

// TestFollowTellsTheProgram: a program hears that the client is elsewhere before it shows anything
// of that server. An effect that lasts is shown then, and one of a moment is not.
func TestFollowTellsTheProgram(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	var told []string
	c := w.join(a, func(cfg *node.Config) {
		cfg.Client.Arrives = func(at netcore.Addr) { told = append(told, "at "+at.String()) }
		cfg.Client.Hud = func(_ int, text string) { told = append(told, text) }
		cfg.Client.Effect = func(kind string) { told = append(told, kind) }
	})
	w.run(time.Second)
	assert.Equal(t, []string{"voices V line 1", "hit", "you are in a"}, told)
	told = nil
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Equal(t, []string{"voices ", "", "at 198.51.100.2:28000", "you are in b", "voices V line 1"}, told, "the first server shows its end")
}

// TestFollowGoesBackAtOnce: a client comes back to a server that it has left a moment ago. That
// server's answer to the end of the first connection has got lost, so the side that has left still
// waits for it.
func TestFollowGoesBackAtOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	c := w.join(a, nil)
	a.send(c, b, nil)
	w.until("the second server has let the client in", func() bool { return b.of(c) != nil })
	w.until("the client plays there", func() bool { return c.Host().Server().Key() == b.Key() })
	w.net.Link(c.addr, a.addr, netcore.LinkParams{}, netcore.LinkParams{Loss: 1})
	w.until("the first server knows", func() bool { return a.of(c) == nil })
	w.net.Link(c.addr, a.addr, netcore.LinkParams{}, netcore.LinkParams{})
	require.Equal(t, 2, node.Sides(c.Client), "the side that has left waits")
	began := w.net.Now()
	b.send(c, a, nil)
	w.until("the client has come back", func() bool { return c.at(a) })
	assert.Less(t, w.net.Now()-began, 500*time.Millisecond)
	w.run(2 * time.Second)
	assert.True(t, c.at(a))
	assert.Zero(t, c.out, "out of any game")
	assert.Equal(t, 1, node.Sides(c.Client))
}

// TestFollowLimit: a client follows four transfers a minute, counted in ticks, and those that fail
// count. Then it follows again.
func TestFollowLimit(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	c := w.join(a, nil)
	for i := range 4 {
		from, to := w.servers[i%2], w.servers[(i+1)%2]
		from.send(c, to, nil)
		w.until("the client has gone over", func() bool { return c.at(to) })
	}
	a.send(c, b, nil)
	w.run(time.Second)
	assert.Equal(t, "the client follows at most 4 transfers a minute", a.dones[len(a.dones)-1])
	w.run(time.Minute)
	assert.True(t, c.at(a))
	assert.Zero(t, c.out)
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
}

// tenSeconds is a mod that takes as long to decide about a player as it can.
const tenSeconds = `
	function GameConnection.onConnectRequest(client)
		local ok = client:defer "looking for you in the list"
		schedule(9900, function() ok() end)
	end`

// TestFollowWaitsForADecision: a mod of the second server can take ten seconds to decide about a
// player. That is less than the client waits for a verdict, and more than it waits for a server
// that answers nothing.
func TestFollowWaitsForADecision(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
	a, b := w.serve("a", nil), w.serve("b", withMod("doorman", tenSeconds))
	c := w.join(a, nil)
	began := w.net.Now()
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Greater(t, w.net.Now()-began, 9900*time.Millisecond)
	assert.Equal(t, []string{"true"}, a.dones)
	assert.Zero(t, c.out, "out of any game")
}

// TestFollowTakesTheTimeOfThePlayer: the seconds in which the player thinks are none of those that
// the second server has to decide.
func TestFollowTakesTheTimeOfThePlayer(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
	a, b := w.serve("a", nil), w.serve("b", withMod("doorman", tenSeconds))
	c := w.join(a, nil)
	c.line("net.follow ask")
	a.send(c, b, nil)
	w.run(7500 * time.Millisecond)
	c.line("follow")
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Equal(t, []string{"true"}, a.dones)
	assert.Zero(t, c.out, "out of any game")
}

// TestFollowWithoutABody: a client swaps a second after it is in a game that gives it no control
// object.
func TestFollowWithoutABody(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", func(c *node.Config) { c.Vars = append(c.Vars, node.Var{Name: "room.bodies", Value: "false"}) })
	c := w.join(a, nil)
	a.send(c, b, nil)
	w.until("it is in the game", func() bool { return b.of(c) != nil && b.of(c).Join.Phase() == engine.PhaseGame })
	began := w.net.Now()
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.InDelta(t, 1040, float64((w.net.Now() - began).Milliseconds()), 64)
}

// TestFollowWaitsForABody: a client does not swap before it has its control object on a line with a
// long round-trip time, and while its machine or that of the server stands still.
func TestFollowWaitsForABody(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ delay, client, server, pause time.Duration }{
		"RTT 1.2 s":               {delay: 600 * time.Millisecond},
		"the client stands still": {delay: 10 * time.Millisecond, client: 2 * time.Second},
		"the server stands still": {delay: 10 * time.Millisecond, server: 5 * time.Second},
		"the server is paused":    {delay: 10 * time.Millisecond, pause: 5 * time.Second},
	} {
		w := newTown(t, netcore.LinkParams{Delay: x.delay})
		a, b := w.serve("a", nil), w.serve("b", nil)
		c := w.join(a, nil)
		a.send(c, b, nil)
		second := func() *engine.Connection { return node.SideHost(c.Client, 1).Server() }
		w.until("the second side is in the game", func() bool {
			return node.Sides(c.Client) == 2 && second() != nil && second().Join.Phase() == engine.PhaseGame
		})
		w.until("nothing waits for an answer of the server", func() bool { return x.client == 0 || second().Net().Unanswered(w.net.Now()) == 0 })
		assert.Nil(t, second().Control.Object(), name)
		c.still = true
		w.run(x.client)
		c.still, b.still = false, true
		w.run(x.server)
		b.still = false
		if x.pause > 0 {
			b.exec("pause")
			w.run(x.pause)
			b.exec("pause off")
		}
		w.until("the client has gone over", func() bool { return c.at(b) })
		assert.Zero(t, c.out, "%s: out of any game", name)
	}
}

// TestFollowLosesNoBody: each player has a body at once on lines that lose a fifth of all packets.
func TestFollowLosesNoBody(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond, Loss: .2})
	a, b := w.serve("a", nil), w.serve("b", nil)
	for range testenv.Length(8, 24) {
		c := w.join(a, nil)
		a.send(c, b, nil)
		w.until("the client has gone over", func() bool { return c.at(b) })
		assert.Zero(t, c.out, "out of any game")
	}
}

// TestFollowRests: the second server gets null moves until the swap, and then those of the program.
func TestFollowRests(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 40 * time.Millisecond})
	a, b := w.serve("a", nil), w.serve("b", nil)
	c := w.join(a, nil)
	c.Host().SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: 16, Triggers: 1} })
	a.send(c, b, nil)
	w.until("the second server has let the client in", func() bool { return b.of(c) != nil })
	assert.Equal(t, sim.Move{Y: 16, Triggers: 1}, c.Host().Moves()(nil))
	assert.Equal(t, sim.Move{}, node.SideHost(c.Client, 1).Moves()(nil))
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Equal(t, sim.Move{Y: 16, Triggers: 1}, c.Host().Moves()(nil))
}

// TestFollowEndsWithThePlayer: a player who leaves the first server, connects elsewhere or quits
// ends a transfer too.
func TestFollowEndsWithThePlayer(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"disconnect", "connect c:28000", "quit"} {
		w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
		a, b, third := w.serve("a", nil), w.serve("b", nil), w.serve("c", nil)
		c := w.join(a, nil)
		a.send(c, b, nil)
		w.until("the second server has let the client in", func() bool { return b.of(c) != nil })
		c.line(line)
		w.until("both have lost it", func() bool { return a.of(c) == nil && b.of(c) == nil })
		w.run(3 * time.Second)
		assert.Nil(t, a.of(c), line)
		assert.Nil(t, b.of(c), line)
		assert.Equal(t, line == "connect c:28000", third.of(c) != nil, line)
	}
}

// TestFollowEndsTheRecording: a recording of a client ends at the swap, and says so. The next one
// is of the other server.
func TestFollowEndsTheRecording(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", nil)
	kept := map[string]int{}
	c := w.join(a, func(cfg *node.Config) {
		cfg.Client.Demo = func(name string, parts [][]byte) { kept[name] = len(parts) }
	})
	c.line("record one")
	w.run(time.Second)
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Contains(t, strings.Join(c.said, "\n"), "the recording has ended: the client goes to another server. recorded one.torc: ")
	assert.Greater(t, kept["one.torc"], 1)
	c.line("record two")
	w.run(time.Second)
	c.line("record stop")
	assert.Greater(t, kept["two.torc"], 1)
	assert.Contains(t, c.said[len(c.said)-1], "recorded two.torc: ")
}

// TestFollowOfMany moves 8 players at once, 100 in the long form. All are there in ten seconds, and
// nobody was in no game.
func TestFollowOfMany(t *testing.T) {
	t.Parallel()
	n := testenv.Length(8, 100)
	w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond, Loss: .02})
	a, b := w.serve("a", nil), w.serve("b", nil)
	for range n {
		w.client(a, nil)
	}
	w.until("all are in the game", func() bool {
		return !slices.ContainsFunc(w.clients, func(c *townClient) bool { return !c.body() })
	})
	for _, c := range w.clients {
		c.joined = true
		a.send(c, b, nil)
	}
	began := w.net.Now()
	w.until("all have gone over", func() bool {
		return !slices.ContainsFunc(w.clients, func(c *townClient) bool { return !c.at(b) })
	})
	assert.LessOrEqual(t, w.net.Now()-began, 10*time.Second)
	t.Logf("%d players in %v", n, w.net.Now()-began)
	for _, c := range w.clients {
		assert.Zero(t, c.out, "out of any game")
	}
}

// TestFollowTakes measures transfers: how long a player is out of any game, and when it is there
// after the order. The long form has 200 a row.
func TestFollowTakes(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		line  netcore.LinkParams
		there time.Duration // p99
	}{
		{"RTT 0", netcore.LinkParams{}, 600 * time.Millisecond},
		{"RTT 50 ms", netcore.LinkParams{Delay: 25 * time.Millisecond}, 600 * time.Millisecond},
		{"RTT 50 ms, 5 % loss", netcore.LinkParams{Delay: 25 * time.Millisecond, Loss: .05}, 900 * time.Millisecond},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, x.line)
			w.serve("a", nil)
			w.serve("b", nil)
			c := w.join(w.servers[0], nil)
			var there []time.Duration
			for i := range testenv.Length(2, 200) {
				from, to := w.servers[i%2], w.servers[(i+1)%2]
				w.run(16 * time.Second) // four a minute
				began := w.net.Now()
				from.send(c, to, nil)
				w.until("the client has gone over", func() bool { return c.at(to) })
				there = append(there, w.net.Now()-began)
			}
			slices.Sort(there)
			p99 := there[len(there)*99/100]
			t.Logf("%s: %d transfers: there p50 %v, p99 %v, max %v; longest time out of any game %v", x.name, len(there), there[len(there)/2], p99, there[len(there)-1], c.out)
			assert.LessOrEqual(t, p99, x.there)
			assert.LessOrEqual(t, c.out, 50*time.Millisecond)
		})
	}
}

// TestFollowIsSpared: a mod of the second server that sets damageLevel or damages the body harms it
// as little as an enemy does, until the player plays there. Then it harms it.
func TestFollowIsSpared(t *testing.T) {
	t.Parallel()
	const harm = `
		function GameConnection.onClientEnterGame(client)
			local body = client.controlObject
			body:damage(nil, vec(0, 0, 0), 30, "lava")
			body.damageLevel = 100
			echo("hurt", body.damageLevel, body.destroyed)
		end
		function GameConnection.onArrived(client)
			client.controlObject.damageLevel = 70
			echo("now", client.controlObject.damageLevel)
		end`
	w := newTown(t, netcore.LinkParams{})
	a, b := w.serve("a", nil), w.serve("b", withMod("trap", harm))
	c := w.join(a, nil)
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	assert.Equal(t, []string{"hurt\t0\tfalse", "now\t70"}, b.said)
}

// TestFollowTakesNoVoiceAlong: what the player has said before the swap does not reach the players
// of the other server.
func TestFollowTakesNoVoiceAlong(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 5 * time.Millisecond})
	voiced := func(c *node.Config) { c.Vars = append(c.Vars, node.Var{Name: "sv.voice", Value: "all"}) }
	a, b := w.serve("hub", voiced), w.serve("arena", voiced)
	heard := ""
	w.join(b, func(c *node.Config) { c.Client.VoiceIn = func(f engine.VoiceFrame) { heard += string(f.Data[1:2]) } })
	var waits []engine.Speech
	say := func(mark byte) {
		waits = append(waits, engine.Speech{Channel: voice.All, Data: append([]byte{9 << 3, mark}, make([]byte, 59)...)})
	}
	c := w.join(a, func(c *node.Config) {
		c.Client.VoiceOut = func() []engine.Speech {
			said := waits
			waits = nil
			return said
		}
		c.Client.Arrives = func(netcore.Addr) { say('1') }
	})
	a.send(c, b, nil)
	w.until("the client has gone over", func() bool { return c.at(b) })
	w.run(time.Second)
	say('2')
	w.run(time.Second)
	assert.Equal(t, "2", heard)
}
