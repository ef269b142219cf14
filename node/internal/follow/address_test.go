package follow

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

func addr(text string) netcore.Addr { return netcore.UDPAddr(netip.MustParseAddrPort(text)) }

// TestTargets: a server at a public address can name public ones only. One at a private address can
// name all. Neither can name itself, or what is no address of a server.
func TestTargets(t *testing.T) {
	public, private := addr("198.51.100.1:28000"), addr("192.168.0.9:28000")
	mapped := netip.MustParseAddrPort("[::ffff:10.1.2.3]:1")
	closed := []netcore.Addr{
		addr("127.0.0.1:1"), addr("127.255.0.1:1"), addr("10.0.0.1:1"), addr("172.16.0.1:1"), addr("172.31.255.255:1"),
		addr("192.168.1.1:1"), addr("169.254.169.254:80"), addr("100.64.0.1:1"), addr("100.127.255.255:1"), addr("0.1.2.3:1"),
		addr("192.0.0.1:1"), addr("198.18.0.1:1"), addr("240.0.0.1:1"), addr("[::1]:1"), addr("[fe80::1]:1"), addr("[fe80::1%2]:1"),
		addr("[fc00::1]:1"), addr("[fdff::1]:1"), addr("[fec0::1]:1"), netcore.UDPAddr(mapped), addr("[64:ff9b::10.0.0.1]:1"), addr("[64:ff9b:1::1]:1"),
		addr("[2002:c0a8:101::1]:1"), addr("[2002:7f00:1::]:1"), addr("[::10.0.0.1]:1"),
	}
	for _, to := range closed {
		err := checkTargets(public, []netcore.Addr{addr("203.0.113.7:28000"), to})
		assert.ErrorContains(t, err, "a server at a public address cannot send players to", "%v", to)
		assert.NoError(t, checkTargets(private, []netcore.Addr{to}), "%v", to)
		assert.NoError(t, checkTargets(to, []netcore.Addr{private}), "%v is no public server", to)
	}
	for _, text := range []string{"203.0.113.7:28000", "100.63.0.1:1", "100.128.0.1:1", "172.32.0.1:1", "192.169.0.1:1", "[2001:db8::1]:1", "[2a00::1]:1", "[64:ff9b::203.0.113.7]:1", "[2002:cb00:7107::]:1"} {
		assert.NoError(t, checkTargets(public, []netcore.Addr{addr(text)}), text)
		assert.NoError(t, checkTargets(private, []netcore.Addr{addr(text)}), text)
	}
	for _, text := range []string{"224.0.0.1:1", "239.255.116.99:28998", "255.255.255.255:1", "0.0.0.0:1", "[::]:1", "[ff02::1]:1", "[64:ff9b::224.0.0.1]:1"} {
		for _, from := range []netcore.Addr{public, private} {
			assert.ErrorContains(t, checkTargets(from, []netcore.Addr{addr(text)}), "is no address of a server", text)
		}
	}
	for _, from := range []netcore.Addr{public, private, netcore.LocalAddr(1)} {
		assert.ErrorContains(t, checkTargets(from, []netcore.Addr{from}), "is the address of this server")
	}
	assert.NoError(t, checkTargets(netcore.LocalAddr(1), []netcore.Addr{netcore.LocalAddr(2)}), "lines of a page")
}

// TestAddressesOfOrders: an order names HOST:PORT, and no other way to a server.
func TestAddressesOfOrders(t *testing.T) {
	for _, text := range []string{"arena.example:28000", "203.0.113.7:28000", "[2001:db8::1]:28000"} {
		assert.NoError(t, checkAddress(text), text)
	}
	for _, text := range []string{
		"", "arena", "via:example.org:28003#key", "https://example.org/#key", "arena:1#key", "a b:1", "user@host:1", "a:1\n", "a\x1b[2J:1", `\\host:1`,
		strings.Repeat("a", 254) + ":1", "a\u202e:1",
	} {
		assert.Error(t, checkAddress(text), "%q", text)
	}
}
