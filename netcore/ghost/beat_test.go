package ghost

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var beatClass = sized(1, 30)

// beatRig is a rig with objects of one weight each, all of which the peer has. It packs a packet
// per tick, and every packet arrives.
type beatRig struct {
	*ghostRig
	objs    []uint32
	weights map[uint32]uint8
}

func newBeatRig(t *testing.T, weights ...uint8) *beatRig {
	b := &beatRig{weights: map[uint32]uint8{}}
	b.ghostRig = newGhostRig(t, Config{Weigh: func(objs []uint32, to []uint8) {
		for i, o := range objs {
			to[i] = b.weights[o]
		}
	}}, beatClass)
	for _, weight := range weights {
		o := b.object(beatClass)
		b.objs, b.weights[o] = append(b.objs, o), weight
		require.True(t, b.from.Scope(o))
	}
	b.runUntilIdle(4 * longestBeat)
	return b
}

// play changes some objects in each of some ticks, and returns the ticks in which each was sent.
func (b *beatRig) play(ticks int, objs ...uint32) map[uint32][]uint32 {
	sent := map[uint32][]uint32{}
	for range ticks {
		b.begin()
		b.changeCell(1, objs...)
		s := b.pack()
		if s == nil {
			continue
		}
		for i := range s.bodies {
			o := b.from.table.obj[s.bodies[i].id]
			sent[o] = append(sent[o], b.tick)
		}
		b.ack(false)
	}
	return sent
}

// TestBeats checks the share of ticks in which a ghost is sent that always changes, by its weight,
// and that objects with neighbouring numbers share the ticks evenly.
func TestBeats(t *testing.T) {
	for _, tt := range []struct {
		weight uint8
		every  int
	}{{255, 1}, {64, 1}, {63, 2}, {32, 2}, {31, 4}, {16, 4}, {15, 8}, {1, 8}} {
		t.Run(fmt.Sprint(tt.weight), func(t *testing.T) {
			weights := make([]uint8, longestBeat)
			for i := range weights {
				weights[i] = tt.weight
			}
			b := newBeatRig(t, weights...)
			b.play(longestBeat, b.objs...)
			sent, inTick := b.play(5*longestBeat, b.objs...), map[uint32]int{}
			for _, o := range b.objs {
				require.Len(t, sent[o], 5*longestBeat/tt.every, "object %d", o)
				for k := 1; k < len(sent[o]); k++ {
					assert.Equal(t, uint32(tt.every), sent[o][k]-sent[o][k-1])
				}
				for _, tick := range sent[o] {
					inTick[tick]++
				}
			}
			for tick, n := range inTick {
				assert.Equal(t, longestBeat/tt.every, n, "tick %d", tick)
			}
		})
	}
}

// TestConnectionsShareBeats checks that an object that a connection sends seldom is sent in the
// same ticks by all connections that send it more often, although its ghosts have other ids there.
func TestConnectionsShareBeats(t *testing.T) {
	w := newFighterWorld(longestBeat)
	var all []*testConn
	for k, weight := range []uint8{8, 20, 40} {
		v := newTestConn(w.movingWorld, Config{Weigh: func(_ []uint32, weights []uint8) {
			for i := range weights {
				weights[i] = weight
			}
		}}, false)
		v.from.Reset()
		for i := range w.bodies {
			v.from.Scope(w.bodies[(i+k)%len(w.bodies)].obj)
		}
		all = append(all, v)
	}
	sentAt := func(v *testConn, obj uint32) uint32 { return v.from.table.sent[v.from.table.find(obj)] }
	for tick := range 60 {
		w.step()
		for k, v := range all {
			v.send()
			for i := range w.bodies {
				if obj := w.bodies[i].obj; tick >= 20 && k > 0 && sentAt(all[k-1], obj) == w.tick {
					assert.Equal(t, w.tick, sentAt(v, obj), "object %d", obj)
				}
			}
		}
	}
}

// TestMissedBeatCounts checks that a connection that sends no packet on the beat of a ghost sends
// it in the next one, and that the beat after that is where it was.
func TestMissedBeatCounts(t *testing.T) {
	for silent := range uint32(2*longestBeat + 1) {
		b := newBeatRig(t, 1)
		beat := b.play(longestBeat, b.objs...)[b.objs[0]]
		require.Len(t, beat, 1)
		require.Empty(t, b.play(int(beat[0]+longestBeat-1-b.tick), b.objs...))
		for range silent {
			b.begin()
			b.changeCell(1, b.objs...)
		}
		require.Len(t, b.play(1, b.objs...), 1, "%d ticks after the beat", silent)
		missed := silent / longestBeat * longestBeat
		assert.Equal(t, []uint32{beat[0] + 2*longestBeat + missed}, b.play(longestBeat, b.objs...)[b.objs[0]])
	}
}

// TestRestedGhostIsSentAtOnce checks that a change after a rest does not wait for a beat, and that
// the next one does.
func TestRestedGhostIsSentAtOnce(t *testing.T) {
	for after := range longestBeat {
		b := newBeatRig(t, 1)
		b.play(longestBeat + after)
		require.Len(t, b.play(1, b.objs...), 1)
		assert.Len(t, b.play(longestBeat, b.objs...)[b.objs[0]], 1)
	}
}

// TestRestDelaysNoCreateAndNoKill checks that only updates wait for a beat.
func TestRestDelaysNoCreateAndNoKill(t *testing.T) {
	for after := range longestBeat {
		b := newBeatRig(t, 1, 1)
		b.play(longestBeat+after, b.objs...)
		b.from.Unscope(b.objs[0])
		kill := b.pack()
		require.NotNil(t, kill, "after %d ticks", after)
		assert.Contains(t, bodiesOf(kill), "kill 0 0")
		b.ack(false)
		b.begin()
		require.True(t, b.from.Scope(b.objs[0]))
		create := b.pack()
		require.NotNil(t, create)
		b.ack(true)
		b.begin()
		again := b.pack()
		require.NotNil(t, again, "a lost create is sent again at once")
		assert.Contains(t, bodiesOf(again), bodiesOf(create)[0])
	}
}

// TestRestIsNotDue checks that a ghost that waits for its beat asks for no packet, and that its
// beat does.
func TestRestIsNotDue(t *testing.T) {
	b := newBeatRig(t, 1)
	b.play(longestBeat, b.objs...)
	due := 0
	for range 4 * longestBeat {
		b.begin()
		b.changeCell(1, b.objs...)
		was := b.from.Due(b.now) <= b.now
		s := b.pack()
		require.Equal(t, was, s != nil)
		if s != nil {
			b.ack(false)
			due++
		}
	}
	assert.Equal(t, 4, due)
}

// TestRestEndsWhenTicksStandStill checks that no change waits for a beat that does not come.
func TestRestEndsWhenTicksStandStill(t *testing.T) {
	b := newBeatRig(t, 1)
	sent := b.play(longestBeat, b.objs...)[b.objs[0]]
	require.Len(t, sent, 1)
	if sent[0] == b.tick {
		b.play(1, b.objs...)
	}
	b.begin()
	b.changeCell(1, b.objs...)
	require.Nil(t, b.pack())
	b.from.StandStill()
	assert.Zero(t, b.from.Due(0))
	assert.NotNil(t, b.pack())
}

// TestLossIsDueWhileTicksStandStill checks that a stream asks for a packet to repeat what was lost
// in the tick in which the ticks stopped.
func TestLossIsDueWhileTicksStandStill(t *testing.T) {
	b := newBeatRig(t, 255)
	b.begin()
	b.changeCell(1, b.objs...)
	require.NotNil(t, b.pack())
	b.from.Notify(b.seq, false)
	b.from.ApplyFates()
	assert.NotZero(t, b.from.Due(0), "the next tick may change it anyway")
	b.from.StandStill()
	assert.Zero(t, b.from.Due(0))
	assert.NotNil(t, b.pack())
}
