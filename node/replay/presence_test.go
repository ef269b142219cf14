package replay_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journal"
)

// newFleet returns two servers of a fleet without peers.
func newFleet(t *testing.T, change ...func(i int, c *node.Config)) *crossing {
	var x *crossing
	join := func(i int, c *node.Config) {
		c.Resolve, c.Password, c.Server.Peers = resolveLiterally, "", nil
		c.Server.Fleet = &node.Fleet{Name: peerNames[i], Advertise: serverAt[i].String(), Open: func(self bus.Server) (bus.Bus, error) { return x.world.Open(self) }}
	}
	x = newCrossing(t, append([]func(int, *node.Config){join}, change...)...)
	return x
}

// hearing lets the console of a server tell what it hears of the fleet.
const hearing = `function onFleetChange(s, joined) echo("change", s.name, s.state, joined, s.own and s.own.map) end`

// changes returns what a server has heard of the fleet since line from of its output.
func (x *crossing) changes(i, from int) []string { return x.toldSince(i, from, "change") }

// TestReplayOfPresence: servers of a fleet see each other: who comes, who drains, and who is gone 6
// s after its last word. Mods see what the same mod says there. Both journals replay.
func TestReplayOfPresence(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Millisecond)
	for i := range 2 {
		x.on(i, hearing)
	}
	x.on(1, `fleet.own.map = "valley"`)
	x.run(300 * time.Millisecond)
	assert.Equal(t, []string{"arena-2\tready\ttrue\tnil"}, x.changes(0, 0), "its own comes with its next word")
	x.run(2500 * time.Millisecond)
	assert.Equal(t, []string{"hub\tnil\thub\tready\t0\t128\t128", "arena-2\t10.0.0.2:28000\tarena-2\tready\t0\t128\t128"}, x.fleet(0))
	assert.Equal(t, []string{"arena-2\tnil\tarena-2\tready\t0\t128\t128", "hub\t10.0.0.1:28000\thub\tready\t0\t128\t128"}, x.fleet(1))
	x.on(0, `echo("is", fleet.name, fleet.servers()[2].own.map, fleet.servers()[1].own)`)
	x.on(1, `echo("is", fleet.name, fleet.servers()[2].own, fleet.servers()[1].own.map)`)
	assert.Contains(t, x.said[0], "is\thub\tvalley\tnil")
	assert.Contains(t, x.said[1], "is\tarena-2\tnil\tvalley")

	ann := x.client("Ann", identityOf(t, 1))
	x.join(ann, serverAt[1].String(), engine.ConnectArgs{})
	x.run(2100 * time.Millisecond)
	assert.Equal(t, "arena-2\t10.0.0.2:28000\tarena-2\tready\t1\t128\t127", x.fleet(0)[1])
	x.run(3 * time.Second)
	x.on(0, `echo("ping", fleet.servers()[2].ping)`)
	assert.Contains(t, x.said[0], "ping\t2", "queries measure it")

	for line, want := range map[string]string{
		"fleet": "NAME                 ADDRESS                  STATE       PLAYERS  PING  MISSION\n" +
			"hub                  10.0.0.1:28000           ready         0/128     0  no mission\n" +
			"arena-2              10.0.0.2:28000           ready         1/128     2  no mission",
		"fleet --json": `{"line":"up","sync":"always","servers":[{"name":"hub","address":"10.0.0.1:28000","state":"ready","players":0,"max":128,"free":128,"mission":"","title":"hub","key":"` + x.servers[0].Key().String() + `"},` +
			`{"name":"arena-2","address":"10.0.0.2:28000","state":"ready","players":1,"max":128,"free":127,"mission":"","title":"arena-2","ping":2,"key":"` + x.servers[1].Key().String() + `"}]}`,
		"fleet targets": "[]",
	} {
		out, err := x.servers[0].Console().Exec(line)
		require.NoError(t, err, line)
		assert.Equal(t, want, out)
	}
	out, err := x.servers[0].Console().Exec("metrics")
	require.NoError(t, err)
	assert.Contains(t, out, "\ntorc_fleet_connected{server=\"hub\"} 1\n")

	from := len(x.said[0])
	x.on(1, "function onDrain() return true end")
	x.on(1, "drain 1h")
	x.run(2100 * time.Millisecond)
	assert.Equal(t, []string{"arena-2\tdraining\tnil\tvalley"}, x.changes(0, from))
	from = len(x.said[0])
	x.world.Kill("arena-2")
	x.dead[1] = true
	x.run(3900 * time.Millisecond)
	assert.Empty(t, x.changes(0, from))
	x.run(2500 * time.Millisecond)
	assert.Equal(t, []string{"arena-2\tdraining\tfalse\tvalley"}, x.changes(0, from))
	assert.Len(t, x.fleet(0), 1)
	x.dead[1] = false
	for i, text := range x.end() {
		out, err := x.replays(text).Console().Exec("= fleet.name")
		require.NoError(t, err)
		assert.Equal(t, `"`+peerNames[i]+`"`, out)
	}
}

// TestFleetAway: while the fleet does not answer, the last list counts, tickets count, and queries
// say who is silent. When it comes back, with an empty list, nobody has been away.
func TestFleetAway(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Millisecond)
	x.on(0, hearing)
	x.run(3 * time.Second)
	from := len(x.said[0])
	x.world.Die()
	x.run(7 * time.Second)
	assert.Equal(t, "ready", strings.Split(x.fleet(0)[1], "\t")[3], "it answers queries")
	out, err := x.servers[0].Console().Exec("fleet")
	require.NoError(t, err)
	assert.Contains(t, out, "the line to the fleet is down: this list is old")
	assert.Equal(t, 1, strings.Count(x.logs[0].String(), "the fleet does not answer"), "the log says so once")
	_, err = x.servers[0].Console().Exec("fleet all")
	require.EqualError(t, err, "usage: fleet [--json|targets]")
	_, err = x.servers[0].Console().Exec("transfer Nobody arena-9")
	require.ErrorContains(t, err, "Nobody")
	key := identityOf(t, 1)
	first := x.client("Ann", key)
	x.join(first, serverAt[0].String(), engine.ConnectArgs{})
	first.do(t, "Go", sim.String("arena-2"))
	x.run(100 * time.Millisecond)
	require.Len(t, first.orders, 1)
	o := first.orders[0]
	second := x.client("Ann", key)
	x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
	require.True(t, second.plays(), second.ended)
	assert.Contains(t, x.said[1], "asked\thub\t7")

	x.world.Revive()
	x.run(10 * time.Second)
	assert.Empty(t, x.changes(0, from))
	assert.Len(t, x.fleet(0), 2)

	x.world.Die()
	x.cut[1] = true
	x.run(10 * time.Second)
	assert.Equal(t, "unknown", strings.Split(x.fleet(0)[1], "\t")[3])
	x.cut[1] = false
	x.replayAll()
}

// TestTicketOfServerThatEnds: the tickets of a server that has just gone still count.
func TestTicketOfServerThatEnds(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{time.Second, 31 * time.Second} {
		x := newFleet(t)
		x.run(time.Second)
		key := identityOf(t, 1)
		first := x.client("Ann", key)
		x.join(first, serverAt[0].String(), engine.ConnectArgs{})
		first.do(t, "Go", sim.String("arena-2"))
		x.run(100 * time.Millisecond)
		require.Len(t, first.orders, 1)
		o := first.orders[0]
		require.NoError(t, x.servers[0].Close())
		x.dead[0] = true
		x.run(late)
		require.Len(t, x.fleet(1), 1, "it is gone")
		second := x.client("Ann", key)
		x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
		if late < 30*time.Second {
			assert.True(t, second.plays(), second.ended)
		} else {
			assert.Contains(t, second.ended, "the ticket is from a server that this one does not know")
		}
	}
}

// TestPeerInFleet: a peer that is in the fleet, too, is there once, under the name and the address
// of the operator.
func TestPeerInFleet(t *testing.T) {
	t.Parallel()
	var keys [2]seal.Key
	x := newFleet(t, func(i int, c *node.Config) {
		keys[i] = c.Identity.Public
		if i == 0 {
			c.Server.Peers = []node.Peer{{Name: "valley", Address: "game.example.org:28002", Key: identityOf(t, 201).Public}}
		}
	})
	x.run(time.Second)
	assert.Equal(t, identityOf(t, 201).Public, keys[1])
	assert.Equal(t, "valley\tgame.example.org:28002\tarena-2\tready\t0\t128\t128", x.fleet(0)[1])
	assert.Len(t, x.fleet(0), 2)
}

// TestServerNameLivesAlready refuses the start.
func TestServerNameLivesAlready(t *testing.T) {
	t.Parallel()
	x := newFleet(t, func(i int, c *node.Config) { c.Server.Fleet.Name = "arena-1" })
	require.NoError(t, x.servers[0].Step())
	err := x.servers[1].Step()
	assert.EqualError(t, err, "the fleet has a server arena-1 already: it must have another name, or end first")
}

// TestStrangersInFleet: whatever another server says about itself, it costs it its place at most.
// Other servers keep theirs, and a peer is who the operator says.
func TestStrangersInFleet(t *testing.T) {
	t.Parallel()
	x := newFleet(t, func(i int, c *node.Config) {
		if i == 0 {
			c.Server.Peers = []node.Peer{{Name: "friend", Address: silentAt, Key: identityOf(t, 50).Public}}
		}
	})
	x.run(time.Second)
	key := byte(0)
	server := func(name, address string) bus.Server {
		key++
		return bus.Server{Name: name, Address: address, Key: seal.Key{key, 1}}
	}
	good := server("good", "192.0.2.1:28000")
	good.Title, good.Mission, good.Players = "\x1b[31mred\xff", strings.Repeat("ä", 1000), -5
	good.Own = map[string][]byte{"console": []byte("\x01damaged"), "hub": make([]byte, bus.MaxOwn+1), "no mod": nil, "": nil}
	good.Mods = slices.Repeat([]string{"base", "\x00"}, 1000)
	list := []bus.Server{
		good, server("good", "192.0.2.2:28000"), server("", "192.0.2.3:28000"), server("Big", "192.0.2.3:28000"), server(strings.Repeat("a", 33), "192.0.2.3:28000"),
		server("hub", "192.0.2.4:28000"), server("friend", "192.0.2.4:28000"), server("nowhere", ""), server("port", "192.0.2.5:0"), server("line", "192.0.2.5\n:1"),
		{Name: "nokey", Address: "192.0.2.6:28000"}, {Name: "mirror", Address: "192.0.2.6:28000", Key: x.servers[0].Key()}, {Name: "twin", Address: "192.0.2.7:28000", Key: good.Key},
	}
	x.world.Tell("hub", bus.News{Servers: &bus.Servers{List: list}})
	x.run(time.Second)
	assert.Equal(t, []string{"good", "friend"}, namesOf(x.fleet(0)))
	x.on(0, `local s = fleet.servers()[2] echo("good", s.title, #s.mission, s.players, s.own)`)
	assert.Contains(t, x.said[0], `good	\x1b[31mred\xff	254	0	nil`)
	assert.Contains(t, x.logs[0].String(), "a peer has the name, and another key")
	x.on(0, "fleet")

	many := []bus.Server{}
	for i := range 3000 {
		many = append(many, bus.Server{Name: fmt.Sprint("s", i), Address: "192.0.2.1:1", Key: seal.Key{byte(i), byte(i >> 8), 2}})
	}
	for i := range 100 { // it comes and goes in each tick
		x.world.Tell("hub", bus.News{Servers: &bus.Servers{List: many[:i%2]}})
		x.run(engine.TickTime)
	}
	x.world.Tell("hub", bus.News{Servers: &bus.Servers{List: many}})
	x.run(time.Second)
	assert.Len(t, x.fleet(0), 1002)
	texts := x.end()
	for _, text := range texts {
		x.replays(text)
	}
	assert.Less(t, newsIn(t, texts[0]), 40, "it cannot fill a journal")
}

// newsIn counts the news in a journal.
func newsIn(t *testing.T, text []byte) (n int) {
	entries, err := journal.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	for {
		e, err := entries.Next()
		if err != nil {
			return n
		}
		if e.Kind == journal.News {
			n++
		}
	}
}

// namesOf returns the names of the other servers in a list.
func namesOf(fleet []string) (names []string) {
	for _, line := range fleet[1:] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}

// TestOwnOfMods: what a mod cannot tell is a warning with its name, once.
func TestOwnOfMods(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Millisecond)
	for _, c := range []struct{ own, why string }{
		{`("x"):rep(2)`, "it must be a table, not a string"},
		{`{ text = ("x"):rep(1024) }`, "it can have at most 1024 bytes"},
		{`{ f = print }`, "function"},
		{`nil`, ""},
		{`{ text = ("x"):rep(1000) }`, ""},
	} {
		x.on(0, "fleet.own = "+c.own)
		from := x.logs[0].Len()
		x.run(5 * time.Second)
		log := x.logs[0].String()[from:]
		assert.Contains(t, log, c.why)
		assert.Equal(t, c.why != "", strings.Count(log, "fleet.own is not told to the fleet") == 1, log)
	}
	x.on(1, `echo("got", #fleet.servers()[2].own.text)`)
	assert.Contains(t, x.said[1], "got\t1000")
}

// TestDrainIntoFleet: a server that drains sends its player to the least full server of its fleet
// with the same mission.
func TestDrainIntoFleet(t *testing.T) {
	t.Parallel()
	x := newFleet(t, func(i int, c *node.Config) {
		if i == 1 {
			c.Server.Load, c.Scripts = nil, nil // its mod would want data
		}
	})
	ann := identityOf(t, 1)
	first := x.client("Ann", ann)
	x.join(first, serverAt[0].String(), engine.ConnectArgs{})
	decoy := func(name, mission string, players int) bus.Server {
		return bus.Server{Name: name, Address: "192.0.2.1:28000", Key: identityOf(t, byte(len(name))).Public, Mission: mission, Players: players, Max: 128}
	}
	for _, s := range []bus.Server{decoy("a", "", 3), decoy("aa", "elsewhere", 0)} {
		_, err := x.world.Join(s)
		require.NoError(t, err)
	}
	x.run(300 * time.Millisecond)
	require.Len(t, x.fleet(0), 4)
	x.on(0, "drain 1h")
	x.run(300 * time.Millisecond)
	require.Len(t, first.orders, 1)
	assert.Equal(t, "arena-2", first.orders[0].Name)
	second := x.client("Ann", ann)
	x.join(second, first.orders[0].Address+"#"+first.orders[0].Key.String(), engine.ConnectArgs{Ticket: first.orders[0].Ticket})
	assert.True(t, second.plays(), second.ended)
}

// TestEndOfFleet: a server that ends is gone at once.
func TestEndOfFleet(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Second)
	require.NoError(t, x.servers[1].Close())
	x.dead[1] = true
	x.run(300 * time.Millisecond)
	assert.Len(t, x.fleet(0), 1)
}
