package attack

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// A packet of a client begins with a byte and the connection id. The kind is the lowest two bits of
// the byte after them.
const (
	idBytes       = 9
	firstByte     = 0xC0 // of every packet of a connection; handshakes begin with others
	kindHandshake = 0
	kindData      = 1
	kindControl   = 2
	kindDrop      = 3
)

// kindOf returns the kind of a client's packet, 0 for a packet of the handshake.
func kindOf(b []byte) byte {
	if b[0] != firstByte {
		return kindHandshake
	}
	return b[idBytes] & 3
}

// A tampering sends a datagram of a client, and forged ones from the same address and port. It counts
// the forged ones in sent.
type tampering func(b []byte, send func([]byte), sent *atomic.Int64)

// tamperWith returns the function of a client that tampers with its packets after the handshake.
func tamperWith(t tampering, sent *atomic.Int64) func(*client, []byte, func([]byte)) {
	return func(c *client, b []byte, send func([]byte)) {
		if kindOf(b) == kindHandshake || !c.playing() {
			send(b)
			return
		}
		t(b, send, sent)
	}
}

// forge sends packets with the true header and a random body before each true one.
func forge(each int) tampering {
	return func(b []byte, send func([]byte), sent *atomic.Int64) {
		forged := bytes.Clone(b)
		for range each {
			for i := idBytes + 2; i < len(forged); i++ {
				forged[i] = byte(rand.Uint32())
			}
			send(forged)
		}
		sent.Add(int64(each))
		send(b)
	}
}

// forgeDrops sends packets that look like the end of the connection before each true one.
func forgeDrops(each int) tampering {
	return func(b []byte, send func([]byte), sent *atomic.Int64) {
		for i := range each {
			forged := append(bytes.Clone(b[:idBytes]), make([]byte, 18+rand.IntN(64))...)
			for k := idBytes; k < len(forged); k++ {
				forged[k] = byte(rand.Uint32())
			}
			forged[idBytes] = byte(i+1)<<2 | kindDrop
			forged[idBytes+1] = 0
			send(forged)
		}
		sent.Add(int64(each))
		send(b)
	}
}

// flip sends a packet with each of some bits flipped before the true one.
func flip(each int) tampering {
	return func(b []byte, send func([]byte), sent *atomic.Int64) {
		damaged := bytes.Clone(b)
		for range each {
			bit := rand.IntN(8 * len(damaged))
			damaged[bit/8] ^= 1 << (bit % 8)
			send(damaged)
			damaged[bit/8] ^= 1 << (bit % 8)
		}
		sent.Add(int64(each))
		send(b)
	}
}

// cut sends prefixes and extensions of a packet before the true one.
func cut(each int) tampering {
	return func(b []byte, send func([]byte), sent *atomic.Int64) {
		for i := range each {
			n := rand.IntN(len(b)) // 0 is an empty datagram
			if i%2 == 1 {
				n = len(b) + 1 + rand.IntN([]int{8, 1200, 65_507 - len(b)}[rand.IntN(3)])
			}
			send(append(bytes.Clone(b), make([]byte, max(n-len(b), 0))...)[:n])
		}
		sent.Add(int64(each))
		send(b)
	}
}

// replay sends each packet three times, and some packets again later.
func replay(each int) tampering {
	var old [][]byte
	return func(b []byte, send func([]byte), sent *atomic.Int64) {
		for range 3 {
			send(b)
		}
		for range min(each, len(old)) {
			send(old[rand.IntN(len(old))])
		}
		sent.Add(int64(2 + min(each, len(old))))
		if len(old) < 4096 {
			old = append(old, bytes.Clone(b))
		}
	}
}

// evil replaces the section of a stream by one that its function writes, once it is on. With appends it
// adds to the section instead.
type evil struct {
	netcore.Stream
	write   func(w *bitstream.Writer)
	on      *atomic.Bool
	appends bool
	spent   bool // the section was replaced, and the stream is of no use any more
}

// Pack implements netcore.Stream.
func (e *evil) Pack(w *bitstream.Writer, p netcore.Outgoing) (wrote bool) {
	if !e.on.Load() {
		return e.Stream.Pack(w, p)
	}
	if e.appends {
		wrote = e.Stream.Pack(w, p)
	}
	e.spent = !e.appends
	e.write(w)
	return wrote || e.spent
}

// Notify implements netcore.Stream.
func (e *evil) Notify(seq netcore.Seq, delivered bool) {
	if !e.spent {
		e.Stream.Notify(seq, delivered)
	}
}

// Due implements the optional method of netcore.Stream.
func (e *evil) Due(now netcore.Time) netcore.Time {
	if d, ok := e.Stream.(interface {
		Due(now netcore.Time) netcore.Time
	}); ok && !e.on.Load() {
		return d.Due(now)
	}
	return now
}

// Sent implements the optional method of netcore.Stream.
func (e *evil) Sent() {
	if s, ok := e.Stream.(interface{ Sent() }); ok && !e.spent {
		s.Sent()
	}
}

// Closed implements the optional method of netcore.Stream.
func (e *evil) Closed(why netcore.Reason) {
	if s, ok := e.Stream.(interface{ Closed(netcore.Reason) }); ok {
		s.Closed(why)
	}
}
