package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestSpectatorsSurviveFloods: 1, 32 and 250 addresses want more places for spectators than they
// can have. A spectator who was in before keeps the place, and a player who was here before gets
// one. A stranger gets one from an address with several.
func TestSpectatorsSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		for _, six := range []bool{false, true} {
			regular := seal.Key{9}
			h := &Host{Settings: Settings{MaxWatchers: 16}, Admission: Admission{Accepting: true},
				cfg: Config{Server: true, Known: func(k seal.Key) bool { return k == regular }}}
			h.attach()
			join := func(from string, key seal.Key) bool {
				r := &netcore.ConnectRequest{From: udpFrom(from), Key: key}
				same := 0
				for _, c := range h.conns {
					if c.Line.from.Host() == r.From.Host() {
						same++
					}
				}
				old, refuse := h.Demos.checkWatcher(r)
				if same >= 8 || refuse != "" { // netcore refuses the ninth
					return false
				}
				if old != nil {
					h.conns.remove(old)
				}
				h.conns = slices.DeleteFunc(h.conns, func(c *Connection) bool { return c.key == key }) // replaced
				c := new(Connection)
				c.inbound, c.spectator = true, true
				c.key, c.Line.from = key, r.From
				h.conns = append(h.conns, c)
				require.LessOrEqual(t, len(h.conns), 16)
				return true
			}
			here := func(key seal.Key) bool {
				return slices.ContainsFunc(h.conns, func(c *Connection) bool { return c.key == key })
			}
			flood := func() {
				for i := range 16 * n {
					from := fmt.Sprintf("10.0.%d.%d", i%n/250, i%n%250)
					if six {
						from = fmt.Sprintf("2001:db8:%x::1", i%n)
					}
					join(from, seal.Key{1, byte(i), byte(i >> 8)})
				}
			}
			require.True(t, join("192.0.2.1", seal.Key{7}))
			flood()
			assert.True(t, here(seal.Key{7}), "%d addresses: who was in before stays", n)
			assert.True(t, join("192.0.2.2", regular), "%d addresses: who was here before gets in", n)
			flood()
			assert.True(t, here(regular))
			assert.Equal(t, n < 16, join("192.0.2.3", seal.Key{8}), "%d addresses: a stranger", n)
		}
	}
}
