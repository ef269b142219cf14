package netcore

import "slices"

// outbox holds encrypted datagrams until the owner passes them on. Each datagram is built in place,
// so nothing is copied. The memory is reused and grows to the size of the longest burst.
type outbox struct {
	bytes []byte
	ends  []int
}

// room returns the buffer in which to build the next datagram. It is valid until the next call of
// add.
func (o *outbox) room() []byte {
	o.bytes = slices.Grow(o.bytes, MaxDatagram)
	return o.bytes[len(o.bytes):][:MaxDatagram]
}

// add appends the first n bytes of the room as a datagram.
func (o *outbox) add(n int) {
	o.bytes = o.bytes[:len(o.bytes)+n]
	o.ends = append(o.ends, len(o.bytes))
}

// flush passes on all datagrams, oldest first.
func (o *outbox) flush(to Addr, out func(to Addr, b []byte)) {
	from := 0
	for _, end := range o.ends {
		out(to, o.bytes[from:end])
		from = end
	}
	o.bytes, o.ends = o.bytes[:0], o.ends[:0]
}
