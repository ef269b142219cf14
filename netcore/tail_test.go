package netcore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// Packets of a tail arrive before the ping that asks for their verdicts, within the hold time after
// it, too late, or never.
const (
	beforePing = iota
	withinHold
	afterHold
	never
	arrivals
)

// tailWalk is one course of three last packets.
type tailWalk struct {
	hold      Time
	arrival   [3]int
	backwards bool // packets of one moment arrive in the other order
	ackLost   bool // only the answer to a later ping reaches the sender
}

// fates returns what the sender and the receiver must see of a tail.
func (w tailWalk) fates() (read, fates string) {
	var numbers, verdicts []string
	for i, at := range w.arrival {
		if at == beforePing || at == withinHold && w.hold > minHold {
			numbers = append(numbers, fmt.Sprint(i+1))
			verdicts = append(verdicts, fmt.Sprintf("+%d", i+1))
		} else {
			verdicts = append(verdicts, fmt.Sprintf("-%d", i+1))
		}
	}
	return strings.Join(numbers, " "), strings.Join(verdicts, " ")
}

// play plays the tail. Nothing is sent after it but pings, acks and answers.
func (w tailWalk) play(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.reorder.hold = w.hold
	tail := a.packets(t, 0, 3)
	take := func(now Time, arrival int) {
		for i := range tail {
			if w.backwards {
				i = len(tail) - 1 - i
			}
			if w.arrival[i] == arrival {
				b.take(now, tail[i])
			}
		}
	}
	next := 160 * ms
	ticks := func(until Time) {
		for ; next <= until; next += 8 * ms {
			b.Tick(next)
			if acks := b.send(next); !w.ackLost {
				a.take(next, acks...)
			}
		}
	}
	take(150*ms, beforePing)
	b.take(152*ms, a.send(150*ms)...)
	ticks(170 * ms)
	b.take(175*ms, a.send(450*ms)...) // another ping does not renew the wait
	take(180*ms, withinHold)
	ticks(200 * ms)
	read, fates := w.fates()
	assert.Equal(t, read, b.read(), "%+v", w)
	if w.ackLost {
		assert.Empty(t, a.read(), "%+v", w)
	} else {
		assert.Equal(t, fates, a.read(), "%+v", w)
	}
	take(230*ms, afterHold)
	w.ackLost = false
	b.take(231*ms, a.send(1050*ms)...)
	ticks(300 * ms)
	assert.Empty(t, b.read(), "late packets are not read: %+v", w)
	if last := a.read(); last != "" {
		assert.Equal(t, fates, last, "%+v", w)
	}
	assert.Zero(t, a.InFlight(), "%+v", w)
}

// TestReorderedTail checks each course of the last three packets on a line that reorders, and on
// one that does not: a packet that arrives within the hold time after the ping is read once and
// acknowledged at the next tick. Another one is lost for good, even if it arrives later.
func TestReorderedTail(t *testing.T) {
	for n := 0; n < 2*2*2*arrivals*arrivals*arrivals; n += testenv.Length(3, 1) {
		w := tailWalk{hold: minHold, backwards: n&1 > 0, ackLost: n&2 > 0}
		if n&4 > 0 {
			w.hold = 40 * ms
		}
		for i, k := 0, n>>3; i < len(w.arrival); i, k = i+1, k/arrivals {
			w.arrival[i] = k % arrivals
		}
		if w.play(t); t.Failed() {
			return
		}
	}
}

// TestLatenessOnTheLine checks that lateness is measured on the line: a busy owner, who takes
// packets long after their arrival, neither adds to it nor hides it.
func TestLatenessOnTheLine(t *testing.T) {
	for _, row := range []struct {
		name string
		late Time
		lost bool // it has its verdict before it is taken
		hold Time
	}{
		{"held, in time", minHold, false, minHold},
		{"held, late", minHold + ms, false, minHold + raiseHold},
		{"lost, in time", minHold, true, minHold},
		{"lost, late", minHold + ms, true, minHold + raiseHold},
	} {
		a, b := newTestConns(ConnConfig{})
		p := a.packets(t, 0, 3)
		if row.lost {
			b.take(0, p[1], p[2])
		}
		b.Tick(100 * ms)
		if !row.lost {
			b.take(0, p[1])
		}
		b.take(row.late, p[0])
		assert.Equal(t, row.hold, b.Hold(), row.name)
	}
}

// TestVeryLatePackets checks that a packet counts as late when so many others have passed it that
// nobody knows when the first did.
func TestVeryLatePackets(t *testing.T) {
	for passed, hold := range map[int]Time{passedSize - 1: minHold, passedSize: minHold + raiseHold, 2 * passedSize: minHold + raiseHold} {
		a, b := newTestConns(ConnConfig{})
		p := a.packets(t, 0, 1+passed)
		b.take(0, p[1:]...)
		b.take(0, p[0])
		assert.Equal(t, hold, b.Hold(), "%d packets have passed it", passed)
	}
}

// TestLatePacketsCountInEachRound checks that a number counts as late although an earlier one with
// the same place in the window did.
func TestLatePacketsCountInEachRound(t *testing.T) {
	var w recvWindow
	w.close(false)
	require.True(t, w.missed(1))
	w.countMissed(1)
	require.False(t, w.missed(1))
	for range 2*Window - 1 {
		w.close(true)
	}
	w.close(false)
	assert.True(t, w.missed(1+2*Window))
}

// TestOldPacketsAreNotMissed checks that the verdict of a number too old to be late is not taken
// from the number that now has its place in the window.
func TestOldPacketsAreNotMissed(t *testing.T) {
	var w recvWindow
	w.close(true)
	w.closeTo(2*Window + 1)
	assert.False(t, w.missed(1))
	assert.True(t, w.missed(w.closedTo-Window+1))
	assert.False(t, w.missed(w.closedTo-Window))
}
