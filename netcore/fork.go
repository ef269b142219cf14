package netcore

// minParallel is the least number of connections to pack in parallel. Below it parallel packing is
// slower: waking a worker costs about as much as packing a packet.
const minParallel = 3

// fork packs every connection that can have something to send. With Config.Parallel the connections
// pack in parallel. Only here does code outside the owner's goroutine run. Each connection packs
// and encrypts into its own memory, and nothing else changes meanwhile. So the order of packing
// does not affect a single byte.
func (e *Endpoint) fork(now Time) {
	e.packing, e.packTime = e.packing[:0], now
	for _, s := range e.ordered {
		if s.conn.canSend(now) {
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
