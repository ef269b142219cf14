package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestReservedPlacesAreNotForStrangers counts who is here: a bot and the strangers among the
// players. Another stranger gets in while they leave the reserved places free. Spectators, players
// who were here before, and the player's own older connection do not count.
func TestReservedPlacesAreNotForStrangers(t *testing.T) {
	regular, stranger := seal.Key{9}, seal.Key{1}
	h := &Host{Admission: Admission{Accepting: true, MaxClients: 4, Reserved: 2},
		cfg: Config{Server: true, Known: func(k seal.Key) bool { return k == regular }}}
	h.attach()
	add := func(key seal.Key) *Connection {
		c := new(Connection)
		c.inbound, c.key = true, key
		c.Line.from = udpFrom("192.0.2.1")
		h.conns = append(h.conns, c)
		return c
	}
	refused := func(key seal.Key) string {
		return h.requests.checkReserved(&netcore.ConnectRequest{From: udpFrom("192.0.2.2"), Key: key})
	}
	add(seal.Key{}).bot = true
	add(regular)
	add(seal.Key{3}).spectator = true
	assert.Empty(t, refused(stranger), "only the bot has a place of strangers")
	add(stranger)
	assert.Empty(t, refused(stranger), "the player comes back")
	const full = "server is full (4) for new players: 2 places are kept for those who were here before"
	assert.Equal(t, full, refused(seal.Key{2}))
	h.scripts = NopScripts{}
	assert.Equal(t, full, h.requests.decide(&netcore.ConnectRequest{From: udpFrom("192.0.2.2"), Key: seal.Key{2}}))
	assert.Empty(t, refused(regular))
	local := &netcore.ConnectRequest{From: netcore.Addr{Kind: netcore.AddrLocal}, Key: seal.Key{2}}
	assert.Empty(t, h.requests.checkReserved(local), "the client of this machine")
	h.Admission.Reserved = 0
	assert.Empty(t, refused(seal.Key{2}))
}
