package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// silent returns the ticks with a NULL move among the first 120 ticks of a silence.
func silent(k *credit, interval int, heard bool) (nulls []int) {
	for n := range 120 {
		k.tick()
		if k.needsNullMove(0, interval, heard) {
			nulls = append(nulls, n)
		}
	}
	return nulls
}

// TestNullMovesWaitThreeTicks checks that an object waits three ticks longer than the packet
// interval. After that it gets a NULL move in each tick.
func TestNullMovesWaitThreeTicks(t *testing.T) {
	for _, row := range []struct{ interval, first int }{{0, 2}, {1, 3}, {5, 7}, {16, 18}, {100, 18}} {
		k := credit{}
		nulls := silent(&k, row.interval, true)
		require.NotEmpty(t, nulls)
		assert.Equal(t, row.first, nulls[0], "packets %d ticks apart", row.interval)
		assert.Len(t, nulls, 120-row.first)
	}
	k := credit{}
	for range 4 { // a move resets the wait
		for range 2 {
			k.tick()
			require.False(t, k.needsNullMove(0, 0, true))
		}
		require.True(t, k.spend())
		require.False(t, k.needsNullMove(1, 0, true))
	}
}

// TestNullMovesWaitForControlAck checks that the server does not substitute moves until the client
// has acknowledged its control object, for at most two seconds.
func TestNullMovesWaitForControlAck(t *testing.T) {
	k := credit{}
	for range 2 {
		assert.Equal(t, unconfirmedMost+2, silent(&k, 0, false)[0])
		k.needsNullMove(1, 0, true)
	}
}

// TestNullMovesAreCharged checks that a NULL move costs as much credit as a move, so that a silence
// saves no credit.
func TestNullMovesAreCharged(t *testing.T) {
	k := credit{}
	silent(&k, 0, true)
	assert.Less(t, k.left, 5.0)
	before := k.left
	k.tick()
	require.True(t, k.needsNullMove(0, 0, true))
	assert.InDelta(t, before+creditPerTick-1, k.left, 1e-9)
	k.left = 0.5
	assert.False(t, k.needsNullMove(0, 0, true), "without credit there is none")
}

// TestCredit checks that credit grows by one tick's worth per tick, up to eight moves, and never
// becomes negative.
func TestCredit(t *testing.T) {
	k := credit{}
	assert.False(t, k.spend())
	k.left = 0.999
	assert.False(t, k.spend())
	assert.Equal(t, 0.999, k.left)
	for range 1000 {
		k.tick()
	}
	done := 0
	for k.spend() {
		done++
	}
	assert.Equal(t, 8, done)
	for range 100_000 {
		for k.tick(); k.spend(); {
			done++
		}
	}
	assert.InDelta(t, 101_000, done-8, 1, "1 % more than ticks")
}

// TestSurplus checks that a lasting surplus of moves is dropped once in 16 ticks. A shorter one, or
// one of at most three moves, is kept.
func TestSurplus(t *testing.T) {
	for _, row := range []struct {
		name    string
		waiting func(tick int) int
		drops   int // in each period of 16 ticks
	}{
		{"three wait", func(int) int { return 3 }, 0},
		{"four wait", func(int) int { return 4 }, 4},
		{"nine wait", func(int) int { return 9 }, 9},
		{"they come in bursts", func(tick int) int { return 8 * (tick % 2) }, 0},
		{"they get fewer", func(tick int) int { return 20 - tick%16 }, 5},
		{"they get more", func(tick int) int { return 5 + tick%16 }, 5},
		{"once there were few", func(tick int) int { return map[bool]int{true: 2, false: 25}[tick%16 == 7] }, 0},
	} {
		k := credit{}
		for tick := range 64 {
			want := 0
			if tick%16 == 15 {
				want = row.drops
			}
			assert.Equal(t, want, k.excess(row.waiting(tick)), "%s, tick %d", row.name, tick)
		}
	}
}

// TestMissingControlAckIsAwaitedOnce checks that a peer that never acknowledges control cannot
// delay its object repeatedly.
func TestMissingControlAckIsAwaitedOnce(t *testing.T) {
	var k credit
	null := 0
	for tick := range 1000 {
		k.tick()
		done := 0
		if tick%50 == 0 && k.spend() {
			done = 1
		}
		if k.needsNullMove(done, 1, false) {
			null++
		}
	}
	assert.Greater(t, null, 1000-unconfirmedMost-20*(nullMoveDelay+2))
}
