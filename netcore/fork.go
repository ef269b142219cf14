package netcore

// minParallel is the least number of connections to pack in parallel. Below it parallel packing is
// slower: waking a worker costs about as much as packing a packet.
const minParallel = 3

// forkSize is the number of connections that pack before their packets are passed on. Each needs an
// outbox meanwhile. The number is the same with and without Config.Parallel.
const forkSize = 64

// fork packs every connection that can have something to send. With Config.Parallel the connections
// pack in parallel. Only here does code outside the owner's goroutine run. Each connection packs
// and encrypts into its own memory, and nothing else changes meanwhile. So the order of packing
// does not affect a single byte.
func (e *Endpoint) fork(now Time, entries []*connEntry) {
	e.packing, e.packTime = e.packing[:0], now
	for _, s := range entries {
		if s.conn.canSend(now) {
			s.conn.outbox = e.takeOutbox(len(e.packing))
			e.packing = append(e.packing, s.conn)
		}
	}
	if e.cfg.Parallel != nil && len(e.packing) >= minParallel {
		e.cfg.Parallel(len(e.packing), e.packOne)
		return
	}
	for i := range e.packing {
		e.pack(0, i)
	}
}

// takeOutbox returns the i-th outbox.
func (e *Endpoint) takeOutbox(i int) *outbox {
	if i == len(e.outboxes) {
		e.outboxes = append(e.outboxes, new(outbox))
	}
	return e.outboxes[i]
}

// pack packs the i-th connection of the fork.
func (e *Endpoint) pack(worker, i int) { e.packing[i].pack(e.packTime, worker) }

// join passes on the packets of a connection, on the owner's goroutine again.
func (s *connEntry) join(now Time, out func(to Addr, b []byte)) {
	if s.replyDue {
		s.replyDue = false
		out(s.conn.Addr(), s.reply)
	}
	s.conn.deliver(now, out)
}
