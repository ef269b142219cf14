package script_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/sockets"
)

// tapped is a network that records which IDs are closed.
type tapped struct {
	*sockets.Fake
	closed []sockets.ID
}

func (n *tapped) Close(id sockets.ID, now bool) {
	n.closed = append(n.closed, id)
	n.Fake.Close(id, now)
}

const onlineManifest = "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"net:api.example.org:443\", \"listen:28010\"]\n"

// online returns a server with a mod m that has permissions for the network, and its folder.
func online(t *testing.T, code string) (*half, *tapped, fstest.MapFS) {
	network := &tapped{Fake: sockets.NewFake()}
	folder := files(map[string]string{"m/mod.toml": onlineManifest, "m/server/init.lua": code}).(fstest.MapFS)
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) { s.Network = network }, folder)
	h.line("mod.grant m net:api.example.org:443")
	h.line("mod.grant m listen:28010")
	return h.load("m"), network, folder
}

const asks = `http.get("https://api.example.org/", function(r, err) echo("got", r, err) end) `

// TestPermissionsForTheNetwork checks that a mod reaches only what its manifest requests and the
// operator grants, and that the callback learns the reason.
func TestPermissionsForTheNetwork(t *testing.T) {
	h, _, _ := online(t, asks+`http.get("https://other.example.org/", function(r, err) echo("got", r, err) end)`)
	h.out = nil
	h.ticks(2)
	assert.ElementsMatch(t, []string{
		"got\tnil\tmod m has no permission net:other.example.org:443: its mod.toml does not request it",
		"got\tnil\tthe test has no httpReply for https://api.example.org/",
	}, h.out)
	h.steps(
		step{`mod.revoke m net:api.example.org:443`, ``},
		step{`mod.grant m net:other.example.org:443`, `~mod m requests net:api.example.org:443, listen:28010, not net:other.example.org:443`},
		step{`mod.grant n net:*:443`, `~is not a valid permission`},
	)
	h, _, _ = online(t, `export("ask", function() `+asks+` end)`)
	h.line("mod.revoke m net:api.example.org:443")
	h.line(`import("m").ask()`)
	h.out = nil
	h.ticks(2)
	assert.Equal(t, []string{"got\tnil\tmod m has no permission net:api.example.org:443: the operator can grant it with `mod.grant m net:api.example.org:443`"}, h.out)
	assert.Empty(t, h.log)
}

// TestRevokeEndsConnections checks that the operator can end what a mod has open.
func TestRevokeEndsConnections(t *testing.T) {
	h, network, _ := online(t, `tcpListen(28010, { onListening = function() echo "listening" end, onListenFailed = function(l, why) echo(why) end })`)
	h.out = nil
	h.ticks(2)
	assert.Equal(t, []string{"listening"}, h.out)
	h.line("mod.revoke m listen:28010")
	assert.Equal(t, []sockets.ID{1}, network.closed)
	h.ticks(1)
	assert.Contains(t, strings.Join(h.out, "\n"), "mod m has no permission listen:28010")
}

// TestReloadAndTheNetwork checks that a reload ends the connections of the old instance before the
// new one begins its own, and that a failed reload changes nothing.
func TestReloadAndTheNetwork(t *testing.T) {
	listens := `tcpListen(28010, { onListening = function() echo "listening" end, onListenFailed = function(l, why) echo(why) end }) `
	h, network, folder := online(t, listens+asks)
	h.ticks(2)
	require.Empty(t, network.closed)
	folder["m/server/init.lua"].Data = []byte(listens + asks + `error "broken"`)
	assert.Contains(t, h.reloaded("m"), "broken")
	h.out = nil
	h.ticks(2)
	assert.Empty(t, h.out, "nothing of the failed instance has gone out")
	assert.NotContains(t, network.closed, sockets.ID(1), "the listener of the running instance is there")
	folder["m/server/init.lua"].Data = []byte(listens + ` -- new`)
	assert.Empty(t, h.reloaded("m"))
	h.out = nil
	h.ticks(2)
	assert.Equal(t, []string{"listening"}, h.out)
	assert.Contains(t, network.closed, sockets.ID(1))
	h.line("mod.disable m")
	before := len(network.closed)
	h.ticks(2)
	assert.Len(t, network.closed, before+1)
}

// TestFailedModAndTheNetwork checks that a mod that does not load sends nothing.
func TestFailedModAndTheNetwork(t *testing.T) {
	network := &tapped{Fake: sockets.NewFake()}
	folder := files(map[string]string{"m/mod.toml": onlineManifest, "m/server/init.lua": asks + `error "broken"`})
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) { s.Network = network }, folder)
	h.line("mod.grant m net:api.example.org:443")
	require.NotEmpty(t, h.scripts.LoadMods("m"))
	h.out = nil
	h.ticks(3)
	assert.Empty(t, h.out)
	assert.Empty(t, h.line("mod.revoke m net:api.example.org:443"))
}
