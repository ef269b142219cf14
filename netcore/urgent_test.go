package netcore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// shotStream sends single items of 64 bits, and notes when they arrive.
type shotStream struct {
	owed bool
	at   netcore.Time // of the last arrival at the peer
	peer *shotStream
}

func (s *shotStream) Due(now netcore.Time) netcore.Time {
	if s.owed {
		return now
	}
	return netcore.Never
}

func (s *shotStream) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	if !w.WriteFlag(s.owed) {
		return false
	}
	w.WriteBits(1, 64)
	s.owed = false
	return true
}

func (s *shotStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if r.ReadFlag() {
		r.ReadBits(64)
		s.peer.at = p.Now
	}
	return nil
}

func (s *shotStream) Notify(netcore.Seq, bool) {}

// TestUrgentItems: an item of the first stream does not wait for a tick. If the line has room, it
// leaves at once. On a full line it is in the next packet, before everything else.
func TestUrgentItems(t *testing.T) {
	for _, tt := range []struct {
		rate       float64      // bits/s
		room, full netcore.Time // median from sending to arrival, less the way: at most
	}{{64e3, 12 * ms, 90 * ms}, {256e3, 4 * ms, 60 * ms}, {1e6, 2 * ms, 26 * ms}, {10e6, 2 * ms, 6 * ms}} {
		for _, greedy := range []bool{false, true} {
			l := newLine(1, tt.rate, 100*ms, 25*ms)
			shots := new(shotStream)
			l.first = append(l.first, shots, &shotStream{peer: shots})
			l.add(0).stream.greedy = greedy
			l.use(3 * time.Second)
			var waits []netcore.Time
			for range 40 {
				start := l.net.Now()
				shots.owed, shots.at = true, 0
				l.net.RunWhile(start+time.Second, ms, func() bool { return shots.at == 0 })
				waits = append(waits, shots.at-start-l.delay)
				l.net.Run(l.net.Now()+netcore.Time(57+l.random.IntN(100))*ms, ms)
			}
			slices.Sort(waits)
			t.Logf("%.0f kbit/s, greedy %v: median %v, 90 %% %v", tt.rate/1e3, greedy, waits[20], waits[36])
			most := tt.room
			if greedy {
				most = tt.full
			}
			assert.LessOrEqual(t, waits[20], most)
		}
	}
}
