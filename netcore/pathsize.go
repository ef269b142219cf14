package netcore

import "time"

// A path can drop large datagrams without a word: a tunnel, or a router without ICMP. The size of
// packets follows what arrives, by the rules of DPLPMTUD (RFC 8899):
//
//	large packets are lost in a row  ──▶ packets of BaseDatagram bytes, then of leastPath, and a search
//	the rate fills more than the size ──▶ a search
//	search                           ──▶ padded control packets of each size, the largest first
//	one is answered                  ──▶ packets of that size
//	a minute later                   ──▶ a search for larger ones
//
// The first packets have up to BaseDatagram bytes, because nearly every path carries them. Larger
// ones are worth a search only when one of BaseDatagram bytes per tick is too little. So a slow
// line never carries a padded packet.

const (
	leastPath      = 512 // bytes; every path carries datagrams of this size
	firstLargeLost = 3   // large packets lost in a row, before one has arrived
	largeLost      = 8   // the same afterwards, over lostTime at least: full queues lose packets of all sizes
	lostTime       = time.Second
	searchTries    = 3 // for each size
	searchWait     = 150 * time.Millisecond
	searchAgain    = time.Minute
	probeSizeBits  = 11
)

// searchSizes are the sizes that a search tries after its goal, in bytes.
var searchSizes = [...]int{BaseDatagram, 1000, 800, 640}

// pathSize finds the largest datagrams that the path to the peer carries. The zero value is the
// state at the start.
type pathSize struct {
	most    int  // the largest size in use; 0 means BaseDatagram
	arrived bool // a large packet has arrived
	lost    int  // large packets lost in a row
	least   int  // size of the smallest of them
	since   Time // when the first of them was sent

	named  int  // in the next control packet about sizes
	answer bool // an answer is owed
	echo   int  // the size to answer
	pause  Time // until then there is no other answer

	trying int  // the size that is tried; 0 before a search
	tries  int  // of that size still to send
	next   Time // when the next probe can be sent
}

// limit returns the largest size in use.
func (p *pathSize) limit() int {
	if p.most == 0 {
		return BaseDatagram
	}
	return p.most
}

// fate takes the fate of a data packet, sent at the time sent. Only a packet at least as large as
// the smallest lost one shows that the path carries such packets.
func (p *pathSize) fate(now, sent Time, size int, delivered bool) {
	switch {
	case size <= leastPath:
	case delivered:
		if p.arrived = true; size >= p.least {
			p.lost = 0
		}
	default:
		if p.lost == 0 {
			p.least, p.since = size, sent
		}
		p.least = min(p.least, size)
		p.lost++
		if p.lost >= largeLost && sent-p.since >= lostTime || !p.arrived && p.lost >= firstLargeLost {
			p.shrink(now)
		}
	}
}

// shrink gives up the size in use.
func (p *pathSize) shrink(now Time) {
	to, next := leastPath, now
	if p.limit() > BaseDatagram {
		to, next = BaseDatagram, now+searchAgain
	}
	*p = pathSize{most: to, next: next, answer: p.answer, echo: p.echo, pause: p.pause}
}

// answerDue returns when to send an answer, Never if none is owed.
func (p *pathSize) answerDue() Time {
	if !p.answer {
		return Never
	}
	return p.pause
}

// due returns when the next probe is due, Never if the goal is in use.
func (p *pathSize) due(goal int) Time {
	if p.limit() >= goal {
		return Never
	}
	return p.next
}

// probe returns the size of the next probe, which is due, or 0 if the search has ended without
// success.
func (p *pathSize) probe(now Time, goal int) int {
	if p.tries == 0 {
		p.trying, p.tries = sizeAfter(p.trying, goal), searchTries
	}
	if p.trying <= p.limit() {
		p.endSearch(now)
		return 0
	}
	p.tries--
	return p.trying
}

// probed notes when a probe was sent. cost is the time that it takes of the rate: half of the rate
// stays for data.
func (p *pathSize) probed(now, rtt, cost Time) { p.next = now + max(searchWait, 2*rtt, 2*cost) }

func (p *pathSize) endSearch(now Time) { p.trying, p.tries, p.next = 0, 0, now+searchAgain }

// sizeAfter returns the size to try after another: the goal, then smaller and smaller ones, then 0.
func sizeAfter(size, goal int) int {
	if size == 0 {
		return goal
	}
	for _, s := range searchSizes {
		if s < size {
			return s
		}
	}
	return 0
}

// answered takes the answer to a probe.
func (p *pathSize) answered(now Time, size, goal int) {
	if size > p.limit() && size <= goal {
		p.most, p.lost = size, 0
		p.endSearch(now)
	}
}

// sizeGoal returns the size that a search looks for. Above BaseDatagram it is the highest that the
// peer, this side and the kind of address allow, as soon as the rate has a use for it.
func (c *Conn) sizeGoal() int {
	if c.rate.size() <= BaseDatagram {
		return BaseDatagram
	}
	return min(c.rate.current.Size, c.cfg.Addr.Kind.largest())
}
