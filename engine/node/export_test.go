package node

import (
	"io"

	"github.com/torc-engine/torc/engine/journal"
	"github.com/torc-engine/torc/engine/node/internal/tape"
)

// Record lets the server of a replay write a journal of its own, to measure what that costs. It has the calls, but none of the answers.
func (r *Replay) Record(to io.Writer) error {
	w, err := journal.NewWriter(to, journal.Header{})
	if err == nil {
		r.server.side.rec = tape.NewRecorder(w, r.player.Config, func(string) {}, func() {})
	}
	return err
}

// FillCapture gives the capture of a client more datagrams than can wait.
func FillCapture(c *Client) {
	for range queuedLines + 1 {
		c.loop.traffic.sent([]byte{0xc4})
	}
}
