package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// mule is a pawn that passes its moves on to the object it drives.
type mule struct {
	pawn
	drives sim.Controllable
}

func (o *mule) Drives() sim.Controllable { return o.drives }

// mules creates n mules. Each drives the next.
func mules(t *testing.T, n int) (w *sim.World, all []*mule) {
	classes := sim.NewClasses()
	require.NoError(t, classes.Register(sim.Class{Name: "Mule", Parent: "NetObject", New: func() sim.Object { return new(mule) }}))
	w = sim.NewWorld(classes)
	for range n {
		o, err := w.New("Mule", nil)
		require.NoError(t, err)
		all = append(all, o.(*mule))
		if len(all) > 1 {
			all[len(all)-2].drives = all[len(all)-1]
		}
	}
	return w, all
}

func controllers(all []*mule) (who []sim.ID) {
	for _, m := range all {
		who = append(who, m.Controller())
	}
	return who
}

// TestChains checks that control passes along a chain of drivers: at most four links, no object
// twice, and no deleted object.
func TestChains(t *testing.T) {
	w, all := mules(t, 6)
	var k chain
	assert.False(t, k.follow(all[0], 7, 3))
	assert.Equal(t, []sim.ID{7, 7, 7, 7, 0, 0}, controllers(all))
	assert.Equal(t, 3, all[3].Lag())

	all[1].drives = all[0]
	assert.True(t, k.follow(all[0], 7, 3), "it has lost two")
	assert.Equal(t, 2, k.n, "a circle is gone round once")
	assert.Equal(t, []sim.ID{7, 7, 0, 0, 0, 0}, controllers(all))
	assert.Zero(t, all[2].Lag())

	all[1].drives = all[2]
	require.NoError(t, w.Delete(all[2]))
	assert.False(t, k.follow(all[0], 7, 3))
	assert.Equal(t, 2, k.n, "it ends before what is dead")
	assert.True(t, k.follow(nil, 7, 0))
	assert.Zero(t, k.n)
	assert.Zero(t, all[0].Controller())
}

// TestChainsOfTwo checks that an object controlled by another chain keeps its controller, also when
// this chain ends.
func TestChainsOfTwo(t *testing.T) {
	_, all := mules(t, 2)
	var mine, his chain
	his.follow(all[1], 8, 5)
	mine.follow(all[0], 7, 3)
	assert.Equal(t, []sim.ID{7, 8}, controllers(all))
	assert.Equal(t, 5, all[1].Lag())
	mine.follow(nil, 7, 0)
	assert.Equal(t, []sim.ID{0, 8}, controllers(all))
	assert.Equal(t, 5, all[1].Lag())
}
