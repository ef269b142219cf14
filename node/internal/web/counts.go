package web

import "github.com/torc-engine/torc/netcore"

// counts counts something by address. An IPv6 /64 counts as one address, and a /48 can have four
// times as much.
type counts map[netcore.Addr]int

// full reports whether an address has as much as it can have.
func (c counts) full(of netcore.Addr, most int) bool {
	for _, at := range of.Ranges() {
		if c[at] >= most {
			return true
		}
		most *= 4
	}
	return false
}

// share returns the part that an address with these ranges has of what it can have, in a unit
// without a meaning. It is comparable between the addresses of one counts. Its callers look at all
// that is open for each new one, so they keep the ranges.
func (c counts) share(ranges []netcore.Addr) (most int) {
	weight := 16
	for _, at := range ranges {
		most = max(most, c[at]*weight)
		weight /= 4
	}
	return most
}

func (c counts) add(of netcore.Addr, n int) {
	for _, at := range of.Ranges() {
		if c[at] += n; c[at] == 0 {
			delete(c, at)
		}
	}
}
