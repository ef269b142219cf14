package hosts

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAllowed(t *testing.T) {
	loopback, own := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.7")
	for _, c := range []struct {
		listen, host string
		local        netip.Addr
		want         bool
	}{
		{"127.0.0.1", "127.0.0.1:80", loopback, true},
		{"127.0.0.1", "[::1]:80", loopback, true},
		{"127.0.0.1", "LocalHost", loopback, true},
		{"127.0.0.1", "192.0.2.7", loopback, false},
		{"127.0.0.1", "evil.example", loopback, false},
		{"0.0.0.0", "192.0.2.7:80", own, true},
		{"0.0.0.0", "203.0.113.9", own, true},
		{"0.0.0.0", "localhost", own, false},
		{"0.0.0.0", "evil.example:80", own, false},
		{"0.0.0.0", "", own, false},
		{"192.0.2.7", "192.0.2.7", own, true},
		{"192.0.2.7", "192.0.2.8", own, false},
		{"0.0.0.0", "Play.example.org", own, true},
		{"0.0.0.0", "play.example.org:8080", own, false},
		{"0.0.0.0", "other.example.org:443", own, true},
		{"0.0.0.0", "other.example.org", own, false},
	} {
		a := Allowed{netip.MustParseAddr(c.listen), []string{"play.example.org", "other.example.org:443"}}
		assert.Equal(t, c.want, a.Has(c.host, c.local), "%s at %s", c.host, c.listen)
	}
}
