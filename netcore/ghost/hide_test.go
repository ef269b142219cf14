package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHiddenGroupsShare checks that updates of ghosts with a hidden group are copies too, that they
// do not carry the group, and that it arrives when it is shown.
func TestHiddenGroupsShare(t *testing.T) {
	f := newFighterWorld(40)
	var all []*testConn
	for i := range 6 {
		all = append(all, f.watch(4*i, 0))
	}
	hidden := func(id uint16) bool { return int(id)%2 == 0 } // as watch hides it for even numbers
	carries := func(v *testConn, most uint32) (with, without int) {
		for _, it := range v.from.packet.lists[kindUpdate].items {
			require.True(t, it.mask&^most == 0 || !hidden(it.id), "ghost %d carries %b", it.id, it.mask)
			if it.mask>>hurtGroup&1 != 0 {
				with++
			} else {
				without++
			}
			sameAsLong(t, v.from, &it, "ghost %d", it.id)
		}
		return with, without
	}
	before := Ways{}
	for tick := range 80 {
		f.step()
		if tick == 20 {
			before = waysOf(all)
		}
		for _, v := range all {
			v.send()
			carries(v, ^uint32(1<<hurtGroup))
		}
	}
	n := waysSince(all, before)
	assert.Greater(t, n.Copies(), n.Updates()*2/3)

	f.tick++
	f.images.Begin(f.tick)
	for k := range f.bodies {
		all[0].from.Hide(f.bodies[k].obj, 0)
	}
	all[0].send()
	with, without := carries(all[0], ^uint32(0))
	assert.GreaterOrEqual(t, with, 12, "nearly all have been hit by now")
	assert.Zero(t, without, "nothing else is new")
}

// TestRepeatedCreateOwesWhatItBlanks checks that a group that the peer had, and that a repeated
// create has blanked, is sent when it is hidden no longer, although it has not changed.
func TestRepeatedCreateOwesWhatItBlanks(t *testing.T) {
	l := NewLayout(1, "Card", []CellGroup{{}, {Cells: []Cell{{Bits: 8}}}, {Cells: []Cell{{Bits: 8}}}})
	r := newGhostRig(t, Config{}, l)
	card := r.object(l, nil, []uint64{1}, []uint64{62})
	require.True(t, r.from.Scope(card))
	require.Equal(t, []string{"create 0 111"}, bodiesOf(r.pack()))
	r.from.Hide(card, 1<<2)
	r.begin()
	r.set(card, 1, 2)
	require.Equal(t, []string{"create 0 11"}, bodiesOf(r.pack()), "the first one is not acknowledged")
	for _, s := range r.inFlight {
		r.from.Notify(s.seq, true)
	}
	r.from.Hide(card, 0)
	r.begin()
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(r.pack()))
}
