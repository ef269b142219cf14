package engine

import "math/bits"

// In a match of hundreds of players, each new shot comes into hundreds of visible sets. A visible
// set depends on the bodies, the rules and its own connection alone, and in the step nothing
// changes the first two. So several workers update the visible sets of different connections. Code
// of games runs before and after, on the owner's goroutine. Shared data waits until then, too: the
// number of connections that have an object in scope, the lookout and the log.

// scopeChunks is the number of pieces of the connections, each with memory of its own. It does not
// depend on the workers, and neither does any result.
const scopeChunks = 16

// leastScopeFork is the least number of connections to update in parallel. Below it, to wake a
// worker costs more than it saves.
const leastScopeFork = 64

// scopeMemory is the memory to update the visible sets of a chunk, one after the other.
type scopeMemory struct {
	near    []uint32 // of a query: objects in entry distance,
	far     []uint32 // objects beyond it but within leaving distance,
	seen    bitSet   // and those that it has found; review uses it for one object
	ranking ranking  // of an eviction

	crossed bitSet        // objects that have come into a peer's scope or left it in this step
	gained  []int32       // by number, of these: by how many peers more they are in scope
	looks   []scopeLook   // of the queries in this step
	full    []*VisibleSet // with a table that is full, or that is so no more
}

// scopeLook is where a query has searched.
type scopeLook struct {
	at       point
	distance float64
}

// cross records that an object comes into the scope of a peer, or leaves it with by = -1.
func (m *scopeMemory) cross(n uint32, by int32) {
	for int(n) >= len(m.gained) {
		m.gained = append(m.gained, 0)
	}
	m.crossed.add(n)
	m.gained[n] += by
}

// fork calls do for each connection, with the memory of its chunk, and in parallel if that is worth
// it.
func (s *scope) fork(do func(m *scopeMemory, c *Connection)) {
	s.do = do
	if n := len(s.host.conns); s.host.cfg.Parallel != nil && n >= leastScopeFork {
		s.host.cfg.Parallel(scopeChunks, s.doChunk)
	} else {
		for chunk := range scopeChunks {
			s.runChunk(0, chunk)
		}
	}
	s.do = nil
}

// runChunk is fork for one chunk.
func (s *scope) runChunk(_, chunk int) {
	conns := s.host.conns
	m := &s.memories[chunk]
	for _, c := range conns[chunk*len(conns)/scopeChunks : (chunk+1)*len(conns)/scopeChunks] {
		s.do(m, c)
	}
}

// stepAll updates the visible sets of all connections.
func (s *scope) stepAll() {
	for _, c := range s.host.conns {
		c.Visible.adopt()
		c.Visible.leapt = c.Visible.stage != stageOff && c.Visible.look()
	}
	s.fork(stepOne)
	s.join()
}

// stepOne updates the visible set of a connection.
func stepOne(m *scopeMemory, c *Connection) {
	if v := &c.Visible; v.stage != stageOff {
		v.memory = m
		v.step()
		v.memory = nil
	}
}

// forgetSwept removes the swept objects from the visible set of a connection.
func forgetSwept(_ *scopeMemory, c *Connection) {
	s := c.host.scope
	for _, n := range s.swept {
		c.Visible.forget(n, s.sources[n].object)
	}
}

// join does what the step has left to the owner.
func (s *scope) join() {
	for w := range len(s.bodies)/64 + 1 {
		crossed := uint64(0)
		for i := range s.memories {
			crossed |= s.memories[i].crossed.word(w)
		}
		for ; crossed != 0; crossed &= crossed - 1 {
			s.joinCrossings(uint32(w<<6 + bits.TrailingZeros64(crossed)))
		}
	}
	for i := range s.memories {
		m := &s.memories[i]
		clear(m.crossed)
		for _, l := range m.looks {
			s.lookout.look(l.at, l.distance, s.tick)
		}
		for _, v := range m.full {
			v.evictions.tell(v)
		}
		clear(m.full)
		m.looks, m.full = m.looks[:0], m.full[:0]
	}
}

// joinCrossings counts the connections that have an object in scope.
func (s *scope) joinCrossings(n uint32) {
	gained := 0
	for i := range s.memories {
		if m := &s.memories[i]; int(n) < len(m.gained) {
			gained += int(m.gained[n])
			m.gained[n] = 0
		}
	}
	s.host.snapshots.watch(n, gained)
}

// watch counts this connection among those with an object in scope, or with by = -1 no more. In a
// step it waits for the owner.
func (v *VisibleSet) watch(n uint32, by int) {
	if v.memory != nil {
		v.memory.cross(n, int32(by))
		return
	}
	v.scope.host.snapshots.watch(n, by)
}
