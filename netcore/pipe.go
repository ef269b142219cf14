package netcore

// Pipe connects two Endpoints of one process without a socket: a server and the client of the
// player at the same machine. Only the transport differs from a network. Handshake, keys and
// streams are the same.
//
// The queue in each direction is limited; datagrams above the limit are lost. The order in one
// wake-up: the client sends; the server receives, ticks and sends; the client receives and ticks. A
// Pipe belongs to the owner of both endpoints.
type Pipe struct {
	a, b Addr
	toA  pipeQueue
	toB  pipeQueue
}

// NewPipe returns a pipe whose ends have the local addresses a and b. a and b must differ.
func NewPipe(a, b uint16) *Pipe { return &Pipe{a: LocalAddr(a), b: LocalAddr(b)} }

// PipeEnd is one end of a Pipe. The endpoint uses it in place of a socket.
type PipeEnd struct {
	self    Addr
	in, out *pipeQueue
	peer    Addr
}

// A returns the first end.
func (p *Pipe) A() PipeEnd { return PipeEnd{self: p.a, peer: p.b, in: &p.toA, out: &p.toB} }

// B returns the second end.
func (p *Pipe) B() PipeEnd { return PipeEnd{self: p.b, peer: p.a, in: &p.toB, out: &p.toA} }

// Addr returns this end's address. The other end connects to it.
func (e PipeEnd) Addr() Addr { return e.self }

// Peer returns the address of the other end.
func (e PipeEnd) Peer() Addr { return e.peer }

// Write queues a datagram for the other end. It drops a datagram to any other address. It does not
// keep b.
func (e PipeEnd) Write(to Addr, b []byte) {
	if to == e.peer {
		e.out.push(b)
	}
}

// Waiting returns the number of datagrams queued at this end.
func (e PipeEnd) Waiting() int { return e.in.n }

// Drain passes the queued datagrams to receive, oldest first. Datagrams that arrive meanwhile wait
// for the next Drain, so two endpoints cannot loop for ever.
func (e PipeEnd) Drain(receive func(from Addr, b []byte)) {
	for range e.in.n {
		receive(e.peer, e.in.front())
		e.in.pop()
	}
}

// maxPipeQueue is the maximum of queued datagrams per direction.
const maxPipeQueue = 1024

// pipeQueue is a queue of datagrams that reuses its buffers.
type pipeQueue struct {
	slots    [][]byte
	first, n int
}

func (q *pipeQueue) push(b []byte) {
	if q.n == maxPipeQueue {
		return
	}
	if q.n == len(q.slots) {
		q.grow()
	}
	at := (q.first + q.n) % len(q.slots)
	q.slots[at] = append(q.slots[at][:0], b...)
	q.n++
}

// grow doubles the ring and moves the oldest datagram to its start.
func (q *pipeQueue) grow() {
	slots := make([][]byte, max(2*len(q.slots), 16))
	for i := range q.n {
		slots[i] = q.slots[(q.first+i)%len(q.slots)]
	}
	q.slots, q.first = slots, 0
}

func (q *pipeQueue) front() []byte { return q.slots[q.first] }

func (q *pipeQueue) pop() {
	q.first = (q.first + 1) % len(q.slots)
	q.n--
}
