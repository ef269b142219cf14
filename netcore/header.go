package netcore

import (
	"errors"
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// PROTOCOL.md specifies this file in "Data packets" and "Control packets".

var errGaps = errors.New("the gaps in the acks exceed the window")

// ackBlock is the verdict on the newest Window packets up to ack: the marked ones are lost, the
// others received.
type ackBlock struct {
	ack   Seq
	gaps  [Window / 64]uint64 // bit i: packet ack-i is lost
	count int                 // of marks
}

func (a *ackBlock) mark(n Seq) {
	i := a.ack - n
	a.gaps[i/64] |= 1 << (i % 64)
	a.count++
}

// lost returns whether packet n <= ack was lost. Packets older than the list were received.
func (a *ackBlock) lost(n Seq) bool {
	i := a.ack - n
	return i < Window && a.gaps[i/64]>>(i%64)&1 != 0
}

// run returns how many packets from index i downward have the same verdict.
func (a *ackBlock) run(i int, lost bool) (n int) {
	for i+n < Window {
		word := a.gaps[(i+n)/64]
		if lost {
			word = ^word
		}
		word >>= (i + n) % 64
		if word != 0 {
			return min(n+bits.TrailingZeros64(word), Window-i)
		}
		n += 64 - (i+n)%64
	}
	return n
}

// serializeGaps is the wire form of the list of gaps. It must not be truncated. If only control
// packets carry the acks of a flow, a truncated list would never reach the newest packets.
func (a *ackBlock) serializeGaps(s *bitstream.Codec) {
	more := a.count > 0
	s.Flag(&more)
	for at, told := 0, 0; more && s.Err() == nil; s.Flag(&more) {
		var received, lost int
		if !s.Reading() {
			received = a.run(at, false)
			lost = a.run(at+received, true)
		}
		r, l := uint64(received)+1, uint64(lost)
		s.Gamma(&r)
		s.Gamma(&l)
		if s.Err() != nil {
			return
		}
		if r-1+l > uint64(Window-at) || r > Window || l > Window {
			s.Fail(errGaps)
			return
		}
		at += int(r - 1)
		if s.Reading() {
			for i := range Seq(l) {
				a.mark(a.ack - Seq(at) - i)
			}
		}
		at += int(l)
		told += int(l)
		more = told < a.count
	}
}

// dataHeader is the encrypted header of a data packet.
type dataHeader struct {
	acks  ackBlock
	delay uint64 // ms between receiving packet ack and sending this packet; at most delayUnknown
}

// delayUnknown means a delay too long for the field.
const delayUnknown = 1<<delayBits - 1

// serialize is the wire form of a data header. The ack is encoded relative to base. The reader's
// base is the ack of the newest data packet that it processed. The writer's base is the ack of its
// newest packet known to be delivered; that one cannot be newer.
func (h *dataHeader) serialize(s *bitstream.Codec, base Seq) {
	h.serializeAck(s, base)
	h.acks.serializeGaps(s)
	s.Bits(&h.delay, delayBits)
}

func (h *dataHeader) serializeAck(s *bitstream.Codec, base Seq) {
	ahead := h.acks.ack - base // meaningless and unused when reading
	wide, widest := ahead >= 1<<5, ahead >= 1<<10
	n := 5
	if s.Flag(&wide) {
		n = 10
		if s.Flag(&widest) {
			n = ackBits
		}
	}
	code := uint64(h.acks.ack) & (1<<n - 1)
	s.Bits(&code, n)
	if s.Reading() {
		h.acks.ack = nextWithLowBits(base, code, n)
	}
}

// controlHeader is the encrypted text of a control packet.
type controlHeader struct {
	kind   uint64
	acks   ackBlock
	delay  uint64 // as in a dataHeader
	newest uint64 // ping: the newest data number
	echo   uint64 // pong: low bits of the ping's number
	waited uint64 // pong: ms between receiving the ping and sending this packet; at most delayUnknown

	challenge uint64 // path and its answer
	size      uint64 // size and its answer: bytes of the datagram
}

func (h *controlHeader) serialize(s *bitstream.Codec) {
	s.Bits(&h.kind, typeBits)
	ack := uint64(h.acks.ack)
	s.Bits(&ack, ackBits)
	h.acks.ack = Seq(ack)
	h.acks.serializeGaps(s)
	s.Bits(&h.delay, delayBits)
	switch h.kind {
	case controlPing:
		s.Bits(&h.newest, ackBits)
	case controlPong:
		s.Bits(&h.echo, clearBits)
		s.Bits(&h.waited, delayBits)
	case controlPath, controlPathAnswer:
		s.Bits(&h.challenge, challengeBits)
	case controlSize, controlSizeAnswer:
		s.Bits(&h.size, probeSizeBits)
	}
}
