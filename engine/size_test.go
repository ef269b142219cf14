package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConnectionSize keeps a connection within 2,304 bytes, a size of the allocator, with its
// header. A server has a thousand of them.
func TestConnectionSize(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Connection{}), uintptr(2304-8))
}

// TestVisibleEntriesAreFreed checks that objects in scope need no entries once they have been there
// for a while, that new ones need none, and that those who come later get entries again.
func TestVisibleEntriesAreFreed(t *testing.T) {
	r := newScopeRig(t, newTestSink(2000))
	r.viewer(1000)
	for i := range 1000 {
		r.thing(float64(i)/2, 0)
	}
	r.run(1)
	v := &r.conn().Visible
	require.Len(t, v.entries, 1001)
	r.run(scopeStay + 2*scopeInterval*scopeTrim)
	assert.Zero(t, cap(v.entries))
	assert.Empty(t, v.index.low)
	assert.Equal(t, 1001, v.in.len())
	born, late := r.thing(0, 0), r.thing(5000, 0)
	r.run(1)
	assert.True(t, r.sees(born) && !r.sees(late))
	assert.Empty(t, v.entries)
	r.move(late, 0, 0)
	r.run(1)
	assert.True(t, r.sees(late))
	assert.Len(t, v.entries, 1)
	r.sane()
}

// TestScanWindowMembers checks that a window visits each member of a set in turn, and not too many
// at once.
func TestScanWindowMembers(t *testing.T) {
	var s bitSet
	want := map[uint32]int{}
	for n := uint32(1); n < 20000; n += 1 + n%7 {
		s.add(n)
		want[n] = 2
	}
	var w scanWindow
	all := func(uint32) bool { return true }
	for turns := 0; turns < 2; {
		members := w.members(s, all, nil)
		require.LessOrEqual(t, len(members), crowdWindow)
		for _, n := range members {
			want[n]--
		}
		if w.next == len(s) {
			turns++
		}
	}
	for n, left := range want {
		assert.Zero(t, left, n)
	}
	assert.Empty(t, new(scanWindow).members(nil, all, nil))
}
