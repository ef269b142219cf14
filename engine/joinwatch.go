package engine

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// waitingAfter is how long a server can leave a join without an answer before its client waits. On
// a line that loses half of the packets, a step of the handshake takes about a second.
const (
	waitingAfter = 2 * time.Second
	toldAfter    = time.Second / 2 // if the server has said that it is busy
)

// A JoinWatch measures how long a client's join waits for its server.
type JoinWatch struct {
	conn     *Connection
	received uint64       // data packets of the server
	at       netcore.Time // when the last of them arrived
}

// Waiting returns for how long the join of a host has waited for its server, which is there but
// busy. It returns 0 while the join makes progress, and without a join. Call it in each tick.
func (w *JoinWatch) Waiting(h *Host) time.Duration {
	waits, limit := w.phases(h), waitingAfter
	if d := h.Dialer.dialing; d != nil && d.pending != nil {
		waits = d.pending.Waiting(h.now)
		if _, told := d.pending.Ahead(); told {
			limit = toldAfter
		}
		if d.pending.Checking() != "" {
			limit = 1
		}
	}
	if waits < limit {
		return 0
	}
	return waits
}

// Checking returns what a server says that decides later about the request of a host, in its own
// words, or "".
func (w *JoinWatch) Checking(h *Host) string {
	if d := h.Dialer.dialing; d != nil && d.pending != nil {
		return d.pending.Checking()
	}
	return ""
}

// Ahead returns how many clients are before that of a host in the queue of a busy server, or 0 if
// the server has not said it.
func (w *JoinWatch) Ahead(h *Host) (n int) {
	if d := h.Dialer.dialing; d != nil && d.pending != nil {
		n, _ = d.pending.Ahead()
	}
	return n
}

// phases returns for how long the server has sent no data during the phases of the join.
func (w *JoinWatch) phases(h *Host) time.Duration {
	c := h.Server()
	if c == nil || c.ended || c.Join.phase == PhaseGame || c.Line.Interrupted() > 0 {
		*w = JoinWatch{}
		return 0
	}
	if n := c.net.Stats().Received; c != w.conn || n != w.received {
		*w = JoinWatch{c, n, h.now}
	}
	return h.now - w.at
}
