package node

import (
	"io"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/tape"
)

// Record lets the server of a replay write a journal of its own, to measure what that costs. It has the calls, but none of the answers.
func (r *Replay) Record(to io.Writer) error {
	w, err := journal.NewWriter(to, journal.Header{})
	if err == nil {
		r.server.core.Side.Rec = tape.NewRecorder(w, r.player.Config, func(string) {}, func() {})
	}
	return err
}

// QueuedLines is how many lines of a capture can wait.
const QueuedLines = queuedLines

// FillCapture gives the capture of a client n datagrams.
func FillCapture(c *Client, n int) {
	for range n {
		c.traffic.Sent([]byte{0xc4})
	}
}
