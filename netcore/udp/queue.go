package udp

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const maxQueued = 4096 // packets between a reader and the owner: 40 ms of a flood of 100,000 a second

// Packet is one received datagram.
type Packet struct {
	From netcore.Addr
	At   time.Time // when it arrived, by the kernel if it tells, else when the reader got it
	n    int
	buf  [netcore.MaxDatagram + 1]byte // one more byte, to detect longer datagrams
}

// Bytes returns the datagram. It is valid until Free.
func (p *Packet) Bytes() []byte { return p.buf[:p.n] }

// Free returns the packet to the pool. The caller must not use it afterwards.
func (p *Packet) Free() { pool.Put(p) }

var pool = sync.Pool{New: func() any { return new(Packet) }}

// NewPacket returns a packet with a copy of a datagram, which must not be longer than
// netcore.MaxDatagram.
func NewPacket(from netcore.Addr, at time.Time, b []byte) *Packet {
	p := pool.Get().(*Packet)
	p.From, p.At, p.n = from, at, copy(p.buf[:netcore.MaxDatagram], b)
	return p
}

// FillPacket returns a packet of the bytes that read puts into a buffer, as the Read of a
// connection of messages does. A datagram that is empty or longer than netcore.MaxDatagram is an
// error.
func FillPacket(read func(b []byte) (int, error)) (*Packet, error) {
	p := pool.Get().(*Packet)
	n, err := read(p.buf[:])
	switch p.n = n; {
	case err != nil:
	case n == 0:
		err = errEmpty
	case n > netcore.MaxDatagram:
		err = errLong
	default:
		return p, nil
	}
	p.Free()
	return nil, err
}

var (
	errEmpty = errors.New("an empty datagram")
	errLong  = errors.New("longer than a datagram")
)

// ReadPacket reads a datagram from r, up to its end. A datagram that is empty or longer than
// netcore.MaxDatagram is an error.
func ReadPacket(r io.Reader) (*Packet, error) {
	p := pool.Get().(*Packet)
	var err error
	for p.n = 0; p.n < len(p.buf) && err == nil; {
		var n int
		n, err = r.Read(p.buf[p.n:])
		p.n += n
	}
	switch {
	case err == nil:
		err = errLong
	case err == io.EOF && p.n == 0:
		err = errEmpty
	case err == io.EOF && p.n <= netcore.MaxDatagram:
		return p, nil
	case err == io.EOF:
		err = errLong
	}
	p.Free()
	return nil, err
}

// Queue passes packets from readers to the owner. It is bounded: when the owner is too slow, it
// drops packets and counts them.
type Queue struct {
	packets chan *Packet
	dropped *atomic.Uint64
}

// NewQueue returns an empty queue.
func NewQueue() Queue { return Queue{make(chan *Packet, maxQueued), new(atomic.Uint64)} }

// Packets returns the channel of received packets. That of a Socket is closed with it.
func (q Queue) Packets() <-chan *Packet { return q.packets }

// Dropped returns the number of packets dropped because the queue was full.
func (q Queue) Dropped() uint64 { return q.dropped.Load() }

// Add passes a packet on, or drops it.
func (q Queue) Add(p *Packet) {
	select {
	case q.packets <- p:
	default:
		q.dropped.Add(1)
		p.Free()
	}
}
