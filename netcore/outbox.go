package netcore

import "slices"

// outbox holds the datagrams that a connection has sealed and its owner has not
// passed on yet, one after another. Each is built in its place, so nothing is
// copied; the memory is used again, and is as large as the longest burst was.
type outbox struct {
	bytes []byte
	ends  []int
}

// room returns where the next datagram is built. It is valid until the next
// call of add.
func (o *outbox) room() []byte {
	o.bytes = slices.Grow(o.bytes, MaxDatagram)
	return o.bytes[len(o.bytes):][:MaxDatagram]
}

// add takes the first n bytes of the room in.
func (o *outbox) add(n int) {
	o.bytes = o.bytes[:len(o.bytes)+n]
	o.ends = append(o.ends, len(o.bytes))
}

// empty hands over what is in it, oldest first.
func (o *outbox) empty(to Addr, out func(to Addr, b []byte)) {
	from := 0
	for _, end := range o.ends {
		out(to, o.bytes[from:end])
		from = end
	}
	o.bytes, o.ends = o.bytes[:0], o.ends[:0]
}
