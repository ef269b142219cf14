package netcore_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// loopbackAddr returns the address of a program on this machine.
func loopbackAddr(n uint16) netcore.Addr {
	return netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), n))
}

// TestTunnelOnThisMachine: a tunnel on the server's machine has a loopback address and a line
// behind it. After five seconds the connection follows the line: its queue is short, and nothing
// gets lost.
func TestTunnelOnThisMachine(t *testing.T) {
	for _, rate := range testenv.Every(2, []float64{28.8e3, 64e3, 256e3, 300e3, 2e6}) {
		for _, queue := range []netcore.Time{100 * ms, time.Second} {
			l := newLine(1, rate, queue, 10*ms)
			l.at = loopbackAddr
			l.add(0)
			l.use(5 * time.Second)
			before := *l.down.Flow(l.from[0])
			u := l.use(20 * time.Second)
			after := *l.down.Flow(l.from[0])
			lost := float64(after.Dropped-before.Dropped) / float64(after.Delivered-before.Delivered)
			t.Logf("%.1f kbit/s, queue %v: used %.1f%%, lost %.2f%%, RTT %v", rate/1e3, queue, 100*u.used, 100*lost, u.rtt.Round(ms))
			assert.Greater(t, u.used, .9)
			assert.LessOrEqual(t, lost, .01)
			packet := netcore.Time(float64(l.servers[0].conn.PacketSize()+28) * 8 / rate * 1e9)
			assert.LessOrEqual(t, u.rtt, 20*ms+packet+70*ms)
		}
	}
}
