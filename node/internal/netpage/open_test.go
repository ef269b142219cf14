package netpage

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestNetPagesSurviveFloods: 1, 32 and 250 addresses send wrong keys, and then right ones, as if
// the link were known to all. The page of an operator stays open, and a second operator gets one
// while an address has several.
func TestNetPagesSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		a, key := new(Access), NewKey()
		a.SetKey(key)
		flood := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i % n >> 8), byte(i % n)}) }
		for i := range 2 * maxWrong * n {
			assert.Error(t, a.check(flood(i), NewKey(), 0))
		}
		var pages openPages
		open := func(from netip.Addr) (context.Context, bool) {
			assert.NoError(t, a.check(from, key, wrongTime))
			ctx, leave, ok := pages.enter(context.Background(), network(from))
			t.Cleanup(leave)
			return ctx, ok
		}
		first, ok := open(netip.MustParseAddr("192.0.2.1"))
		assert.True(t, ok)
		for range 4 * maxPages {
			open(flood(0))
		}
		second, ok := open(netip.MustParseAddr("192.0.2.2"))
		assert.True(t, ok, "one address has all others")
		for i := range 4 * n {
			open(flood(i))
		}
		assert.NoError(t, first.Err(), "%d addresses", n)
		assert.NoError(t, second.Err(), "%d addresses", n)
		assert.Equal(t, maxPages, pages.count())
	}
}
