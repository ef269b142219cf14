package netcore

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// sentPacket is the record of a data packet without a fate.
type sentPacket struct {
	carried Seq   // the ack in the packet
	sent    Time  // when it was sent
	size    int32 // bytes of the datagram
	skipped bool  // never sent: a peer that acknowledges it lies
}

// sendWindow tracks the data packets sent.
//
//	        settled        ackedTo+1 ... newest       unsent
//	────────────────────────|════════════════════|──────────────
//	                            ≤ Window numbers
type sendWindow struct {
	newest    Seq    // last number used
	ackedTo   Seq    // every number up to here has its fate
	ackAck    Seq    // newest ack in a delivered packet: the peer has seen at least this ack
	control   uint64 // newest control packet sent
	ring      []sentPacket
	rng       *rand.Rand
	untilSkip int
}

func (w *sendWindow) start(rng *rand.Rand) {
	w.rng = rng
	w.untilSkip = minSkip + rng.IntN(maxSkip-minSkip+1)
}

func (w *sendWindow) inFlight() int { return int(w.newest - w.ackedTo) }

// oldest returns when the oldest packet without a fate was sent. There is one.
func (w *sendWindow) oldest() Time {
	f := w.at(w.ackedTo + 1)
	if f.skipped {
		f = w.at(w.ackedTo + 2)
	}
	return f.sent
}

// room reports whether another packet can be sent. It reserves one number to skip.
func (w *sendWindow) room() bool { return w.inFlight() < Window-1 }

func (w *sendWindow) at(n Seq) *sentPacket { return &w.ring[int(n)&(len(w.ring)-1)] }

// next returns the number of the next packet. Now and then a number is skipped. A peer that
// acknowledges a skipped number is cheating: it acknowledges packets that it has not received.
func (w *sendWindow) next() Seq {
	if w.untilSkip == 0 {
		return w.newest + 2
	}
	return w.newest + 1
}

// sent records that the packet with the number from next was sent.
func (w *sendWindow) sent(now Time, carried Seq, size int) {
	if w.untilSkip == 0 {
		w.untilSkip = minSkip + w.rng.IntN(maxSkip-minSkip+1)
		w.add(sentPacket{skipped: true})
	}
	w.untilSkip--
	w.add(sentPacket{carried: carried, sent: now, size: int32(size)})
}

func (w *sendWindow) add(f sentPacket) {
	if w.inFlight() == len(w.ring) {
		w.grow()
	}
	w.newest++
	*w.at(w.newest) = f
}

func (w *sendWindow) grow() {
	old := *w
	w.ring = make([]sentPacket, max(8, 2*len(old.ring)))
	for n := old.ackedTo + 1; n <= old.newest; n++ {
		*w.at(n) = *old.at(n)
	}
}

// ack gives every open packet up to the ack its fate, in order. It returns an error for an ack
// of a packet that was never sent.
func (w *sendWindow) ack(a *ackBlock, fate func(n Seq, delivered bool, p sentPacket)) error {
	if a.ack > w.newest {
		return fmt.Errorf("ack of packet %d: the newest sent packet is %d", a.ack, w.newest)
	}
	for w.ackedTo < a.ack {
		n := w.ackedTo + 1
		f, delivered := *w.at(n), !a.lost(n)
		if f.skipped && delivered {
			return fmt.Errorf("ack of packet %d, which was never sent", n)
		}
		w.ackedTo = n
		if delivered {
			w.ackAck = f.carried
		}
		if !f.skipped {
			fate(n, delivered, f)
		}
	}
	return nil
}

// abandon reports every open packet as dropped, in order, and forgets it.
func (w *sendWindow) abandon(dropped func(n Seq)) {
	for w.ackedTo < w.newest {
		w.ackedTo++
		if !w.at(w.ackedTo).skipped {
			dropped(w.ackedTo)
		}
	}
}

// recvWindow holds the verdicts on the peer's data packets. A verdict is final, because acks report
// it.
type recvWindow struct {
	closedTo     Seq  // every number up to here has its verdict
	ackBase      Seq  // the ack in the newest data packet processed
	lastAt       Time // when the last packet processed arrived
	receivedBits [2 * Window / 64]uint64
	missedBits   [2 * Window / 64]uint64 // packets that arrived after their verdict
	control      uint64                  // newest control packet
	drop         uint64                  // newest drop packet
}

// outside reports whether n is too high for an honest peer. Such a peer knows verdicts at most up
// to closedTo, and has at most Window packets open.
func (w *recvWindow) outside(n Seq) bool { return n > w.closedTo+Window }

// close gives the next number its verdict.
func (w *recvWindow) close(received bool) {
	w.closedTo++
	word, bit := &w.receivedBits[w.closedTo/64%(2*Window/64)], uint64(1)<<(w.closedTo%64)
	*word &^= bit
	w.missedBits[w.closedTo/64%(2*Window/64)] &^= bit
	if received {
		*word |= bit
	}
}

// closeTo declares all open numbers up to n lost.
func (w *recvWindow) closeTo(n Seq) {
	for w.closedTo < n {
		w.close(false)
	}
}

func (w *recvWindow) received(n Seq) bool {
	return w.receivedBits[n/64%(2*Window/64)]>>(n%64)&1 != 0
}

// missed reports whether n has the verdict lost and has not arrived since.
func (w *recvWindow) missed(n Seq) bool {
	return n > 0 && n <= w.closedTo && w.closedTo-n < Window && !w.received(n) && w.missedBits[n/64%(2*Window/64)]>>(n%64)&1 == 0
}

// countMissed notes that n has arrived after its verdict.
func (w *recvWindow) countMissed(n Seq) { w.missedBits[n/64%(2*Window/64)] |= 1 << (n % 64) }

// acks returns the ack block with every verdict that the peer can lack. These are the verdicts
// above seen, the newest that the peer is known to have. At most Window of them can be open.
func (w *recvWindow) acks(seen Seq, a *ackBlock) {
	*a = ackBlock{ack: w.closedTo}
	low := seen
	if w.closedTo > Window {
		low = max(low, w.closedTo-Window)
	}
	for n := low + 1; n <= w.closedTo; {
		some := min(64-n%64, w.closedTo+1-n) // those whose verdicts are in the same word
		lost := ^w.receivedBits[n/64%(2*Window/64)] >> (n % 64) & (1<<some - 1)
		for ; lost != 0; lost &= lost - 1 {
			a.mark(n + Seq(bits.TrailingZeros64(lost)))
		}
		n += some
	}
}
