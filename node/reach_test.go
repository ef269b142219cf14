package node

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestReachAsksOnceAMinute: a server at all addresses tells its fleet the first one of this
// machine, and does not ask the system each time. A new address counts within a minute.
func TestReachAsksOnceAMinute(t *testing.T) {
	var now netcore.Time
	var own []netip.Addr
	asked := 0
	r := newReach(func() netcore.Time { return now }, func() []netip.Addr { asked++; return own })
	all := netip.MustParseAddrPort("[::]:28000")
	assert.Equal(t, "192.0.2.7:28001", r.at(netip.MustParseAddrPort("192.0.2.7:28001")))
	assert.Zero(t, asked)
	for range 29 {
		assert.Equal(t, "127.0.0.1:28000", r.at(all))
		now += 2 * time.Second
	}
	assert.Equal(t, 1, asked)
	own = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}
	now += 2 * time.Second
	assert.Equal(t, "192.0.2.1:28000", r.at(all))
	assert.Equal(t, "192.0.2.1:9100", r.at(netip.MustParseAddrPort("0.0.0.0:9100")))
	assert.Equal(t, 2, asked)
}
