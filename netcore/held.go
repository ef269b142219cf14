package netcore

// Pool is a stock of packet buffers, so that a thousand connections need no
// more than are in use. It belongs to the goroutine that calls Receive.
type Pool struct{ free [][]byte }

// take returns an empty buffer with room for any packet.
func (p *Pool) take() []byte {
	if len(p.free) == 0 {
		return make([]byte, 0, MaxDatagram)
	}
	b := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return b
}

func (p *Pool) put(b []byte) { p.free = append(p.free, b[:0]) }

// heldPacket is an opened packet that waits for its turn.
type heldPacket struct {
	seq   Seq
	at    Time // when it came
	plain []byte
}

// heldPackets are those that came before their predecessors, in number order.
type heldPackets []heldPacket

// find returns where n is or belongs.
func (h heldPackets) find(n Seq) (i int, found bool) {
	for i < len(h) && h[i].seq < n {
		i++
	}
	return i, i < len(h) && h[i].seq == n
}

func (h *heldPackets) insert(p heldPacket) {
	i, _ := h.find(p.seq)
	*h = append(*h, heldPacket{})
	copy((*h)[i+1:], (*h)[i:])
	(*h)[i] = p
}

// pop removes the first.
func (h *heldPackets) pop() heldPacket {
	p := (*h)[0]
	*h = (*h)[:copy(*h, (*h)[1:])]
	return p
}
