package replay_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// silentAt is the address of a peer that does not answer.
const silentAt = "10.0.0.9:28000"

// resolveLiterally finds the addresses of literal ones.
func resolveLiterally(at string, done func([]netcore.Addr, error)) {
	a, err := netip.ParseAddrPort(at)
	done([]netcore.Addr{netcore.UDPAddr(a)}, err)
}

// listFleet echoes what mods of a server see of its fleet.
const listFleet = `for _, s in ipairs(fleet.servers()) do
  echo("fleet", s.name, s.address, s.title, s.state, s.players, s.max, s.free)
end`

// fleet returns what mods of a server see of its fleet.
func (x *crossing) fleet(i int) []string {
	x.t.Helper()
	from := len(x.said[i])
	x.on(i, listFleet)
	return x.toldSince(i, from, "fleet")
}

// told returns the lines of a server that begin with a word.
func (x *crossing) told(i int, word string) []string { return x.toldSince(i, 0, word) }

// toldSince returns those since line from of its output.
func (x *crossing) toldSince(i, from int, word string) (list []string) {
	for _, line := range x.said[i][from:] {
		if rest, ok := strings.CutPrefix(line, word+"\t"); ok {
			list = append(list, rest)
		}
	}
	return list
}

// on runs a console line of a server.
func (x *crossing) on(i int, line string) {
	x.t.Helper()
	_, err := x.servers[i].Console().Exec(line)
	require.NoError(x.t, err, line)
}

// TestReplayOfFleet: mods see this server, then the peers that answer, then the silent ones. The
// first server asks each 5 s; its journal has the answers, and replays.
func TestReplayOfFleet(t *testing.T) {
	t.Parallel()
	x := newCrossing(t, func(i int, c *node.Config) {
		c.Resolve, c.Password = resolveLiterally, ""
		if i == 0 {
			c.Server.Peers = append(c.Server.Peers, node.Peer{Name: "a-silent", Address: silentAt, Key: identityOf(t, 99).Public})
		} else {
			c.Server.Peers = nil
		}
	})
	const own, silent = "nil\tnil\thub\tready\t0\t128\t128", "a-silent\t10.0.0.9:28000\t\tunknown\t0\t0\t0"
	x.run(time.Millisecond)
	assert.Equal(t, []string{own, silent, "arena-2\t10.0.0.2:28000\t\tunknown\t0\t0\t0"}, x.fleet(0))
	x.run(4500 * time.Millisecond) // the silent one keeps the round open
	assert.Equal(t, []string{own, "arena-2\t10.0.0.2:28000\tarena-2\tready\t0\t128\t128", silent}, x.fleet(0))

	ann := x.client("Ann", identityOf(t, 1))
	x.join(ann, serverAt[1].String(), engine.ConnectArgs{})
	require.True(t, ann.plays(), ann.ended)
	x.on(1, "function onDrain() return true end")
	x.on(1, "drain 1h")
	x.run(5 * time.Second)
	assert.Equal(t, []string{own, "arena-2\t10.0.0.2:28000\tarena-2\tdraining\t1\t128\t127", silent}, x.fleet(0))
	x.cut[1] = true
	x.run(5 * time.Second)
	assert.Equal(t, "unknown", strings.Split(x.fleet(0)[2], "\t")[3])
	x.cut[1] = false
	assert.NotZero(t, x.sent[0])
	x.replayAll()
}

// TestServerWithoutPeersAsksNobody: no packet leaves it, and it lists itself.
func TestServerWithoutPeersAsksNobody(t *testing.T) {
	t.Parallel()
	x := newCrossing(t, func(_ int, c *node.Config) { c.Server.Peers = nil })
	x.run(1100 * time.Millisecond)
	assert.Zero(t, x.sent)
	assert.Len(t, x.fleet(0), 1)
	x.on(0, `addBot("Robot")`)
	x.run(100 * time.Millisecond)
	out, err := x.servers[0].Console().Exec("fleet --json")
	require.NoError(t, err)
	assert.Contains(t, out, `"players":0,"max":128,"free":127,"mission":"","title":"hub"`)
	assert.Contains(t, out, `"key":"`+x.servers[0].Key().String())
}

// TestTicketBypassesNothing sends a player with a valid ticket to a server that refuses it for a
// reason of its own. The player stays, and the next ticket counts.
func TestTicketBypassesNothing(t *testing.T) {
	t.Parallel()
	x := newCrossing(t, func(i int, c *node.Config) {
		if i == 1 {
			c.Password = ""
		}
	})
	key := identityOf(t, 1)
	first, bob := x.client("Ann", key), x.client("Bob", identityOf(t, 2))
	x.join(first, serverAt[0].String(), engine.ConnectArgs{})
	x.join(bob, serverAt[1].String(), engine.ConnectArgs{})
	require.True(t, first.plays() && bob.plays())
	x.on(1, "sv.password secret")
	for _, c := range []struct{ name, before, why, after string }{
		{"ban", "ban " + key.Public.String(), "banned", "unban " + key.Public.String()},
		{"allowed list", "sv.allowedOnly true", "has allowed", "sv.allowedOnly false"},
		{"full", "sv.maxClients 1", "full", "sv.maxClients 128"},
		{"limit of the address", "sv.addressLimit 1", "address", "sv.addressLimit 8"},
		{"accepting", "sv.accepting false", "no new players", "sv.accepting true"},
		{"mod", `function GameConnection.onConnectRequest() return "mods say no" end`, "mods say no", "GameConnection.onConnectRequest = nil"},
		{"transfers", "sv.transfers false", "takes no players from other servers", "sv.transfers true"},
		{"draining", "drain 1h", "drain", "drain off"},
		{"none", "status", "", "status"},
	} {
		first.do(t, "Go", sim.String("arena-2"))
		x.run(100 * time.Millisecond)
		o := first.orders[len(first.orders)-1]
		x.on(1, c.before)
		second := x.client("Ann", key)
		second.at = netcore.UDPAddr(netip.AddrPortFrom(bob.at.AddrPort().Addr(), 4000+uint16(len(x.clients))))
		x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
		assert.Equal(t, c.why == "", second.plays(), c.name)
		assert.Contains(t, second.ended, c.why, c.name)
		x.on(1, c.after)
		first.Server().AnswerTransfer("no")
		x.run(100 * time.Millisecond)
		assert.True(t, first.plays(), c.name)
	}
	assert.Len(t, first.orders, 9)
}

// TestTransferOfMods checks what a mod may order: with its permission, and with little data.
func TestTransferOfMods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, where string
		ungranted   bool
		more        []sim.Value
		why         string
	}{
		{name: "not granted", where: "arena-2", ungranted: true, why: "permission transfer"},
		{name: "another address", where: "192.0.2.1:28000#" + identityOf(t, 50).Public.String(), why: "permission transfer:192.0.2.1:28000"},
		{name: "unknown server", where: "arena-3", why: "must be HOST:PORT#KEY"},
		{name: "much data", where: "arena-2", more: []sim.Value{sim.Number(2048)}, why: "the data of a transfer can have at most 2048 bytes, not 20"},
	} {
		x := newCrossing(t, func(_ int, cfg *node.Config) {
			if c.ungranted {
				cfg.Scripts = nil
			}
		})
		ann := x.client("Ann", identityOf(t, 1))
		x.join(ann, serverAt[0].String(), engine.ConnectArgs{})
		require.True(t, ann.plays(), c.name)
		ann.do(t, "Go", append([]sim.Value{sim.String(c.where)}, c.more...)...)
		x.run(200 * time.Millisecond)
		assert.Empty(t, ann.orders, c.name)
		assert.Regexp(t, `mods/hub/server/init.lua:9: .*`+c.why, x.logs[0].String(), c.name)
		assert.True(t, ann.plays(), c.name)
	}
}

// TestTransferCommand: the console has a sentence for each mistake, and tells how a transfer has
// ended.
func TestTransferCommand(t *testing.T) {
	t.Parallel()
	x := newCrossing(t)
	ann := x.client("Ann", identityOf(t, 1))
	x.join(ann, serverAt[0].String(), engine.ConnectArgs{})
	x.on(0, `addBot("Robot")`)
	x.run(100 * time.Millisecond)
	for line, why := range map[string]string{
		"transfer":                "usage: transfer ID|NAME SERVER (the peers are arena-2)",
		"transfer Nobody arena-2": `no player has the id or name "Nobody" (players lists them)`,
		"transfer Ann arena-3":    `"arena-3" must be HOST:PORT#KEY: the server prints its key at the start (the peers are arena-2)`,
		"transfer Robot arena-2":  "a bot cannot be transferred: it has no client",
		"transfer Ann 10.0.0.1:28000#" + x.servers[0].Key().String(): "the player is at that server already",
	} {
		_, err := x.servers[0].Console().Exec(line)
		assert.EqualError(t, err, why, line)
	}
	for _, refusal := range []string{"the door is shut", ""} {
		from := len(x.said[0])
		x.on(0, "transfer Ann arena-2")
		x.run(200 * time.Millisecond)
		require.NotEmpty(t, ann.orders)
		ann.Server().AnswerTransfer(refusal)
		x.run(200 * time.Millisecond)
		said := strings.Join(x.said[0][from:], "\n")
		if refusal != "" {
			assert.Contains(t, said, "error: Ann was not transferred: the door is shut")
		} else {
			assert.Contains(t, said, "Ann was transferred to arena-2")
		}
	}
}

// TestClocksOfTickets: a clock that differs by more than 5 s costs a ticket its place, and the log
// of the target has both clocks, once in 10 s.
func TestClocksOfTickets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		late time.Duration
		why  string
	}{
		{-6 * time.Second, "the ticket is from the future"},
		{36 * time.Second, "the ticket has expired"},
		{4 * time.Second, ""},
	} {
		x := newCrossing(t)
		x.run(time.Millisecond)
		x.late = c.late
		key := identityOf(t, 1)
		ann := x.client("Ann", key)
		x.join(ann, serverAt[0].String(), engine.ConnectArgs{})
		ann.do(t, "Go", sim.String("arena-2"))
		x.run(100 * time.Millisecond)
		require.Len(t, ann.orders, 1)
		o := ann.orders[0]
		for range 2 {
			second := x.client("Ann", key)
			x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
			if c.why == "" {
				assert.True(t, second.plays(), second.ended)
				break
			}
			assert.Contains(t, second.ended, c.why)
		}
		log := x.logs[1].String()
		warnings := 0
		if c.why != "" {
			warnings = 1
		}
		assert.Equal(t, warnings, strings.Count(log, "a ticket does not count: "+c.why), c.why)
		assert.Equal(t, warnings, strings.Count(log, `"issued by the clock of hub"=2001-09-09T01:46:4`), log)
		assert.Equal(t, warnings, strings.Count(log, `"clock of this server"=2001-09-09T01:4`), log)
	}
}

// TestPeerWithAnotherKey: the key of a peer counts, not its address. Nobody comes from a server
// without an entry, and its answers are not those of the peer.
func TestPeerWithAnotherKey(t *testing.T) {
	t.Parallel()
	x := newCrossing(t, func(i int, c *node.Config) {
		if i == 1 {
			c.Server.Peers[0].Key = identityOf(t, 50).Public
		}
	})
	key := identityOf(t, 1)
	ann, second := x.client("Ann", key), x.client("Ann", key)
	x.join(ann, serverAt[0].String(), engine.ConnectArgs{})
	ann.do(t, "Go", sim.String("arena-2"))
	x.run(100 * time.Millisecond)
	require.Len(t, ann.orders, 1)
	o := ann.orders[0]
	x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
	assert.Contains(t, second.ended, "the ticket is from a server that this one does not know")
	assert.Contains(t, x.logs[1].String(), x.servers[0].Key().String())
	x.run(4500 * time.Millisecond)
	assert.Contains(t, x.fleet(1)[1], "unknown")
}
