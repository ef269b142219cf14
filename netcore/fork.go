package netcore

// forkLeast is how many connections must have something to do for a fork to be
// worth its while: waking a worker costs about as much as packing a packet.
const forkLeast = 3

// fork has every connection that may have something to send pack and seal it
// into its own memory, all at once if the configuration has the means. It is
// the one place where more than the owner's goroutine is at work. Nothing may
// change meanwhile but the connections themselves, each by whoever packs it: so
// the order in which they are packed makes no difference to any byte.
func (e *Endpoint) fork(now Time) {
	e.forked, e.forkedAt = e.forked[:0], now
	for _, s := range e.ordered {
		if s.conn.wakes(now) {
			e.forked = append(e.forked, s.conn)
		}
	}
	if e.cfg.Parallel != nil && len(e.forked) >= forkLeast {
		e.cfg.Parallel(len(e.forked), e.packOne)
		return
	}
	for i := range e.forked {
		e.pack(i)
	}
}

// pack is what the fork does for the i-th connection that wakes.
func (e *Endpoint) pack(i int) { e.forked[i].pack(e.forkedAt) }

// join passes on what a connection has packed, on the owner again.
func (s *session) join(now Time, out func(to Addr, b []byte)) {
	if s.replyDue {
		s.replyDue = false
		out(s.conn.Addr(), s.reply)
	}
	s.conn.pass(now, out)
}
