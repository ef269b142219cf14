package netcore

// BufferPool is a set of free packet buffers. Connections that share a Pool need only as many
// buffers as are in use at once. A Pool belongs to the goroutine that calls Receive.
type BufferPool struct{ free [][]byte }

// take returns an empty buffer with room for any packet.
func (p *BufferPool) take() []byte {
	if len(p.free) == 0 {
		return make([]byte, 0, MaxDatagram)
	}
	b := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return b
}

func (p *BufferPool) put(b []byte) { p.free = append(p.free, b[:0]) }

// heldPacket is a decrypted packet that waits for packets with lower numbers.
type heldPacket struct {
	seq   Seq
	at    Time // when it arrived
	plain []byte
}

// heldPackets are the packets that arrived before their predecessors, by number.
type heldPackets []heldPacket

// find returns the index of packet n, or the index at which to insert it.
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

// pop removes the first packet.
func (h *heldPackets) pop() heldPacket {
	p := (*h)[0]
	*h = (*h)[:copy(*h, (*h)[1:])]
	return p
}
