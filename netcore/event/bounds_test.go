package event

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestSenderStaysInTheWindow checks the limits of a sender without acks: the numbers it gives out
// and the bytes in flight are at most what its peer must accept.
func TestSenderStaysInTheWindow(t *testing.T) {
	for name, pad := range map[string]int{"numbers": 0, "bytes": 700} {
		t.Run(name, func(t *testing.T) {
			r := newServerEventRig(t, 1)
			for i := range 8000 {
				r.post(r.a, &note{pad: make([]byte, pad)}, Post{Lane: uint16(i % 20)})
			}
			buffer := make([]byte, netcore.MaxDatagram)
			for seq := netcore.Seq(1); seq < 400; seq++ {
				w := bitstream.NewWriter(buffer)
				r.a.Pack(w, netcore.Outgoing{Seq: seq})
				if seq == 1 {
					continue // lost, so that all the others wait for it
				}
				require.NoError(t, r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: seq}))
			}
			c := &r.a.channel[0]
			if pad == 0 {
				assert.Equal(t, orderWindow, int(c.next-c.base))
			}
			assert.Less(t, r.a.inFlight, maxInFlightBytes+pad+20)
		})
	}
}
