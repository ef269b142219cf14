package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEveryUpdateIsCountedOnce checks that the ways of a game's updates add up, and that the counts
// of an interval are differences.
func TestEveryUpdateIsCountedOnce(t *testing.T) {
	f := newFighterWorld(20)
	all := []*testConn{f.watch(0, 0), f.watch(4, 9)}
	run := func(ticks int) {
		for range ticks {
			f.step()
			for _, v := range all {
				v.send()
			}
		}
	}
	run(30)
	before, updates := waysOf(all), all[0].from.Stats().Updates+all[1].from.Stats().Updates
	assert.Equal(t, updates, before.Updates())
	run(10)
	n := waysSince(all, before)
	assert.Equal(t, all[0].from.Stats().Updates+all[1].from.Stats().Updates-updates, n.Updates())
	assert.Positive(t, n.Copies())
	assert.Positive(t, n.Looped)
	assert.GreaterOrEqual(t, n.Lookups, n.Looped+n.Joined)
	n.Sub(n)
	assert.Equal(t, Ways{}, n)
	assert.Equal(t, "too long", CauseLong.String())
}
