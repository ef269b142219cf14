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

// fleet returns what mods of the first server see of its fleet.
func (x *crossing) fleet() (list []string) {
	x.t.Helper()
	from := len(x.said[0])
	x.on(0, listFleet)
	for _, line := range x.said[0][from:] {
		if rest, ok := strings.CutPrefix(line, "fleet\t"); ok {
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

// TestReplayOfFleet: mods see this server, then the peers that answer, then the silent ones. The first server
// asks each 5 s; its journal has the answers, and replays.
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
	assert.Equal(t, []string{own, silent, "arena-2\t10.0.0.2:28000\t\tunknown\t0\t0\t0"}, x.fleet())
	x.run(4500 * time.Millisecond) // the silent one keeps the round open
	assert.Equal(t, []string{own, "arena-2\t10.0.0.2:28000\tarena-2\tready\t0\t128\t128", silent}, x.fleet())

	ann := x.client("Ann", identityOf(t, 1))
	x.join(ann, serverAt[1].String(), engine.ConnectArgs{})
	require.True(t, ann.plays(), ann.ended)
	x.on(1, "function onDrain() return true end")
	x.on(1, "drain 1h")
	x.run(5 * time.Second)
	assert.Equal(t, []string{own, "arena-2\t10.0.0.2:28000\tarena-2\tdraining\t1\t128\t127", silent}, x.fleet())
	x.cut[1] = true
	x.run(5 * time.Second)
	assert.Equal(t, "unknown", strings.Split(x.fleet()[2], "\t")[3])
	x.cut[1] = false
	assert.NotZero(t, x.sent[0])
	for _, text := range x.end() {
		x.replays(text, []byte("no secret is here"))
	}
}

// TestServerWithoutPeersAsksNobody: no packet leaves it.
func TestServerWithoutPeersAsksNobody(t *testing.T) {
	t.Parallel()
	x := newCrossing(t, func(_ int, c *node.Config) { c.Server.Peers = nil })
	x.run(1100 * time.Millisecond)
	assert.Zero(t, x.sent)
	assert.Len(t, x.fleet(), 1)
}

// TestTicketBypassesNothing sends a player with a valid ticket to a server that refuses it for a reason of its
// own. The player stays, and the next ticket counts.
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
