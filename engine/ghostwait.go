package engine

// A ghostWait is a client's wait for the always-ghosts of a join. The server names them before they
// have arrived: those with the ids 0 to n-1 of an epoch. So the answer waits for no further message
// of the server. If an object among them is deleted first, the server says later that the others
// have arrived.
type ghostWait struct {
	seq      uint32 // of the step
	n        uint32 // number of ghosts; 0: they have arrived
	next     uint32 // the ghosts before this id have arrived
	epoch    uint8
	waits    bool
	answered bool
}

// namedGhosts returns the count of stepGhostsDone that names the first n ghosts of an epoch. It is
// 0 without ghosts: then they have arrived.
func namedGhosts(n int, epoch uint8) uint64 {
	if n == 0 {
		return 0
	}
	return uint64(n)<<8 | uint64(epoch)
}

// begin begins to wait, and answers at once if the ghosts are there. A step that was answered
// before says it again.
func (w *ghostWait) begin(c *Connection, seq uint32, count uint64) {
	if w.answered && w.seq == seq {
		return
	}
	*w = ghostWait{seq: seq, n: uint32(min(count>>8, 1<<16)), epoch: uint8(count), waits: true}
	w.answer(c)
}

// answer answers the server and tells scripts, when the ghosts are there.
func (w *ghostWait) answer(c *Connection) {
	if !w.waits || w.n > 0 && w.epoch != c.PeerGhosts.epoch {
		return
	}
	for ; w.next < w.n; w.next++ {
		if !c.PeerGhosts.has(uint16(w.next)) {
			return
		}
	}
	w.waits, w.answered = false, true
	c.post(&phaseAnswer{answerGhosts, w.seq}, commands)
	c.host.scripts.ConnectionEvent(c, "onGhostAlwaysArrived")
}
