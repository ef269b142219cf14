package netcore

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAcksMarkTheLostPackets compares the marks of an ack block with the verdicts of its packets,
// with blocks of all lengths.
func TestAcksMarkTheLostPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var w recvWindow
	for range 3 * Window {
		w.close(r.IntN(3) > 0)
		seen := w.closedTo - min(w.closedTo, Seq(r.IntN(Window+2)))
		var a ackBlock
		w.acks(seen, &a)
		require.Equal(t, w.closedTo, a.ack)
		lost := 0
		for n := w.closedTo; n > 0 && w.closedTo-n < Window; n-- {
			want := n > seen && !w.received(n)
			if want != a.lost(n) {
				require.Equal(t, want, a.lost(n), "packet %d of %d, seen %d", n, w.closedTo, seen)
			}
			if want {
				lost++
			}
		}
		require.EqualValues(t, lost, a.count)
	}
}
