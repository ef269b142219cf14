package sockets

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpecialAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"8.8.8.8": "", "2606:4700::1111": "", "1.1.1.1": "", "172.32.0.1": "", "100.128.0.1": "", "192.0.1.1": "",
		"127.0.0.1": "a loopback address", "127.255.255.254": "a loopback address", "::1": "a loopback address",
		"0.0.0.0": "an unspecified address", "0.1.2.3": "an unspecified address", "::": "an unspecified address",
		"10.1.2.3": "a private address", "172.16.0.1": "a private address", "172.31.255.255": "a private address", "192.168.1.1": "a private address",
		"fd00::1": "a private address", "fc00::1": "a private address", "fec0::1": "a private address", "100.64.0.1": "a shared address",
		"169.254.169.254": "a link-local address", "fe80::1": "a link-local address", "fe80::1%eth0": "a link-local address",
		"224.0.0.1": "a multicast address", "ff02::1": "a multicast address", "255.255.255.255": "a reserved address",
		"240.0.0.1": "a reserved address", "198.18.0.1": "a reserved address", "192.0.0.1": "a reserved address", "2001:db8::1": "a reserved address",
		// IPv4-mapped, NAT64, 6to4, ISATAP, Teredo, IPv4-compatible and the local prefix of NAT64
		"::ffff:127.0.0.1": "a loopback address", "::ffff:10.0.0.1": "a private address", "::ffff:8.8.8.8": "",
		"64:ff9b::127.0.0.1": "a loopback address", "64:ff9b::a9fe:a9fe": "a link-local address", "64:ff9b::8.8.8.8": "", "64:ff9b:1::1": "a reserved address",
		"2002:7f00:1::": "a loopback address", "2002:a00:1::1": "a private address", "2002:808:808::1": "",
		"2606:4700::5efe:7f00:1": "a loopback address", "2606:4700::200:5efe:a00:1": "a private address",
		"2001:0:7f00:1::": "a reserved address", "::127.0.0.1": "a reserved address", "::8.8.8.8": "a reserved address", "4000::1": "a reserved address",
	} {
		a := netip.MustParseAddr(text)
		assert.Equal(t, want, Special(a), text)
		assert.Equal(t, want == "", Target{}.Check(a) == nil, text)
	}
	assert.Error(t, Target{}.Check(netip.Addr{}))
}

func TestListedAddresses(t *testing.T) {
	target := Target{Host: "intra", Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
	for text, want := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "::1": true, "8.8.8.8": true,
		"127.0.0.1": false, "192.168.1.1": false, "64:ff9b::10.1.2.3": false, "2002:a01:203::": false, "fe80::1": false,
	} {
		assert.Equal(t, want, target.Check(netip.MustParseAddr(text)) == nil, text)
	}
	assert.EqualError(t, target.Check(netip.MustParseAddr("::ffff:127.0.0.1")), "intra is 127.0.0.1, a loopback address: the operator can allow it with mod.networks")
}

// FuzzSpecial checks that no form of a special IPv4 address is public.
func FuzzSpecial(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add([]byte{169, 254, 169, 254})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		v4 := netip.AddrFrom4([4]byte(b))
		if Special(v4) == "" {
			return
		}
		forms := [][16]byte{v4.As16(), {0, 0x64, 0xff, 0x9b}, {0x20, 0x02, b[0], b[1], b[2], b[3], 1, 2, 3, 4, 5}, {}}
		copy(forms[1][12:], b[:4])
		copy(forms[3][12:], b[:4])
		for _, form := range forms {
			assert.NotEmpty(t, Special(netip.AddrFrom16(form)))
		}
	})
}
