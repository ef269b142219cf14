package web

import (
	"cmp"
	"net/netip"
	"slices"
)

// Site returns the address that browsers open: the first origin that the operator gave, with the
// place of this server, or else the listener's own.
func (l *Listener) Site() string {
	if own := l.Origins(); len(own) > 0 {
		return own[0] + l.places[own[0]]
	}
	at := l.Addr()
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(ownAddress(), at.Port())
	}
	return l.Scheme() + "://" + at.String()
}

// ownAddress returns the address of this machine that others most likely reach: of the local
// network, or a public one. Nobody is asked for it.
func ownAddress() netip.Addr {
	own := OwnAddresses()
	slices.SortStableFunc(own, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) }) // IPv4 first
	if len(own) == 0 {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return own[0]
}
