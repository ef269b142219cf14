package node

import (
	"net/netip"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// A reach knows at which address other machines reach this one. The system is asked once a minute,
// because a server tells its address to a fleet each 2 s.
type reach struct {
	now   func() netcore.Time
	ask   func() []netip.Addr // the addresses of this machine
	first netip.Addr
	until netcore.Time
}

// reachTime is how long an answer of the system counts.
const reachTime = time.Minute

func newReach(now func() netcore.Time, ask func() []netip.Addr) *reach {
	return &reach{now: now, ask: ask}
}

// at returns HOST:PORT of a socket for other machines. A socket at all addresses is reached at the
// first one of this machine, or by this machine only.
func (r *reach) at(socket netip.AddrPort) string {
	if ip := socket.Addr(); !ip.IsUnspecified() && ip.IsValid() {
		return socket.String()
	}
	if now := r.now(); !r.first.IsValid() || now >= r.until {
		r.first, r.until = append(r.ask(), netip.AddrFrom4([4]byte{127, 0, 0, 1}))[0], now+reachTime
	}
	return netip.AddrPortFrom(r.first, socket.Port()).String()
}
