package netpage

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var somebody = netip.MustParseAddr("203.0.113.9")

func TestKeys(t *testing.T) {
	a := new(Access)
	a.SetKey(NewKey())
	assert.NotEqual(t, NewKey(), NewKey())
	assert.True(t, ValidKey(a.Key()))
	for _, bad := range []string{"", "x", a.Key() + "A", a.Key()[1:], a.Key() + "\n"} {
		assert.False(t, ValidKey(bad), "%q", bad)
	}
	require.NoError(t, a.check(somebody, a.Key(), 0))
	assert.Equal(t, errNoKey, a.check(somebody, "", 0))
	assert.Equal(t, errWrongKey, a.check(somebody, a.Key()+"A", 0))
	old := a.Key()
	a.SetKey(NewKey())
	assert.Equal(t, errWrongKey, a.check(somebody, old, 0))
}

// TestWrongKeysPauseAnAddress checks that an address has five tries per minute, and that the others
// of its IPv6 /64 share them.
func TestWrongKeysPauseAnAddress(t *testing.T) {
	for _, row := range []struct{ from, same, other string }{
		{"203.0.113.9", "::ffff:203.0.113.9", "203.0.113.10"},
		{"2001:db8::1", "2001:db8::2:1", "2001:db8:0:1::1"},
	} {
		a := new(Access)
		a.SetKey(NewKey())
		at, same, other := netip.MustParseAddr(row.from), netip.MustParseAddr(row.same), netip.MustParseAddr(row.other)
		now := time.Hour
		for range maxWrong {
			assert.Equal(t, errWrongKey, a.check(at, "wrong", now))
			now += time.Second
		}
		for _, from := range []netip.Addr{at, same} {
			assert.Equal(t, errTooMany, a.check(from, "wrong", now))
			assert.Equal(t, errTooMany, a.check(from, a.Key(), now), "the right key waits too")
		}
		require.NoError(t, a.check(other, a.Key(), now))
		now += wrongTime
		require.NoError(t, a.check(at, a.Key(), now))
		assert.Empty(t, a.wrong)
	}
}

func TestAddressesWithWrongKeysAreBounded(t *testing.T) {
	a := new(Access)
	a.SetKey(NewKey())
	for i := range 2 * maxAddresses {
		at := netip.MustParseAddr(fmt.Sprintf("10.0.%d.%d", i>>8, i&255))
		assert.Equal(t, errWrongKey, a.check(at, "wrong", time.Duration(i)))
	}
	assert.Len(t, a.wrong, maxAddresses)
	assert.NotContains(t, a.wrong, network(netip.MustParseAddr("10.0.0.0")), "the oldest are forgotten")
	assert.Contains(t, a.wrong, network(netip.MustParseAddr("10.0.7.255")))
}
