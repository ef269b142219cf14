package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

// processedNote is a note that records when it was processed.
type processedNote struct {
	n         uint64
	pad       []byte
	processed func()
}

func (v *processedNote) KindID() KindID { return noteID }

func (v *processedNote) Serialize(s *Codec) { (&note{n: v.n, pad: v.pad}).Serialize(s) }

func (v *processedNote) Process(*netcore.Conn) error { return nil }

func (v *processedNote) Processed() { v.processed() }

// TestProcessedIsExact checks that Processed is called once, and only after the peer has processed
// the event. An event that arrived but waits for an earlier one does not count.
func TestProcessedIsExact(t *testing.T) {
	for seed := range uint64(20) {
		r := newServerEventRig(t, seed)
		r.loss = .3
		told := map[uint64]int{}
		for i := range uint64(100) {
			v := &processedNote{n: i}
			if i%3 == 0 {
				v.pad = make([]byte, 200) // in pieces, if it is bulk
			}
			v.processed = func() {
				told[i]++
				require.Contains(t, numbers(r.got[0]), i, "seed %d", seed)
			}
			r.post(r.a, v, Post{Channel: uint8(i % 2)})
			r.step(20 * time.Millisecond)
		}
		r.runUntilIdle(time.Minute)
		for i := range uint64(100) {
			assert.Equal(t, 1, told[i], "event %d of seed %d", i, seed)
		}
	}
}
