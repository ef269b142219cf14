package netcore

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWithPort(t *testing.T) {
	for address, want := range map[string]string{
		"":                    "",
		"example.org":         "example.org:28000",
		"example.org:5":       "example.org:5",
		"192.0.2.1":           "192.0.2.1:28000",
		"192.0.2.1:5":         "192.0.2.1:5",
		"2001:db8::1":         "[2001:db8::1]:28000",
		"[2001:db8::1]":       "[2001:db8::1]:28000",
		"[2001:db8::1]:5":     "[2001:db8::1]:5",
		"::1":                 "[::1]:28000",
		"example.org:":        "example.org:",
		"[fe80::1%eth0]:5000": "[fe80::1%eth0]:5000",
	} {
		assert.Equal(t, want, WithPort(address), address)
	}
}

// TestLinkLocalZones: an IPv6 link-local address keeps the number of its zone. Two zones are two
// peers, also for the limits by address.
func TestLinkLocalZones(t *testing.T) {
	a, b := UDPAddr(netip.MustParseAddrPort("[fe80::1%3]:28000")), UDPAddr(netip.MustParseAddrPort("[fe80::1%4]:28000"))
	assert.Equal(t, "[fe80::1%3]:28000", a.String())
	assert.Equal(t, "[fe80::1%4]:28000", b.String())
	assert.NotEqual(t, a.Host(), b.Host())
	for _, same := range []string{"[fe80::1]:28000", "[2001:db8::1]:28000", "192.0.2.1:28000"} {
		assert.Equal(t, same, UDPAddr(netip.MustParseAddrPort(same)).String())
	}
	assert.Equal(t, "[2001:db8::1]:28000", UDPAddr(netip.MustParseAddrPort("[2001:db8::1%3]:28000")).String())
}

// TestAdmit: an IPv6 /64 counts as one address, and a /48 has four times as much.
func TestAdmit(t *testing.T) {
	var l AddressLimiter
	got := 0
	for i := range 100 {
		if l.Admit(0, UDPAddr(netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 1, 7: byte(i % 10), 15: byte(i)}), 1)), 3) {
			got++
		}
	}
	assert.Equal(t, 12, got)
	assert.True(t, l.Admit(time.Second/3+1, UDPAddr(netip.MustParseAddrPort("[2001::1]:1")), 3))
}
