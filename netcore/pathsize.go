package netcore

import "time"

// A path can drop large datagrams without a word: a tunnel, or a router without ICMP. The size of
// packets follows what arrives, by the rules of DPLPMTUD (RFC 8899):
//
//	large packets are lost in a row ──▶ packets of basePath bytes, and a search
//	search                          ──▶ padded control packets of each size, the largest first
//	one is answered                 ──▶ packets of that size
//	a minute later                  ──▶ a search for larger ones
//
// The first packets have the full size, because nearly every path carries it.

const (
	basePath       = 512 // bytes; every path carries datagrams of this size
	firstLargeLost = 3   // large packets lost in a row, before one has arrived
	largeLost      = 8   // the same afterwards, over lostTime at least: full queues lose packets of all sizes
	lostTime       = time.Second
	searchTries    = 3 // for each size
	searchWait     = 150 * time.Millisecond
	searchAgain    = time.Minute
	probeSizeBits  = 11
)

// searchSizes are the sizes that a search tries, in bytes.
var searchSizes = [...]int{MaxDatagram, 1000, 800, 640}

// pathSize finds the largest datagrams that the path to the peer carries.
type pathSize struct {
	most    int  // the largest size in use; 0 means MaxDatagram
	arrived bool // a large packet has arrived
	lost    int  // large packets lost in a row
	least   int  // size of the smallest of them
	since   Time // when the first of them was sent

	named  int  // in the next control packet about sizes
	answer bool // an answer is owed
	echo   int  // the size to answer

	trying int // index in searchSizes
	tries  int // of that size still to send; 0 while nothing is searched
	next   Time
}

// limit returns the largest size in use.
func (p *pathSize) limit() int {
	if p.most == 0 {
		return MaxDatagram
	}
	return p.most
}

// fate takes the fate of a data packet, sent at the time sent. Only a packet at least as large as the smallest lost one shows
// that the path carries such packets.
func (p *pathSize) fate(now, sent Time, size int, delivered bool) {
	switch {
	case size <= basePath:
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
			p.most, p.lost, p.arrived = basePath, 0, false
			p.search(now)
		}
	}
}

// search begins a search.
func (p *pathSize) search(now Time) { p.trying, p.tries, p.next = 0, searchTries, now }

// due returns when the next probe is due, Never if the full size is in use.
func (p *pathSize) due() Time {
	if p.limit() == MaxDatagram {
		return Never
	}
	return p.next
}

// probe returns the size of the next probe, which is due, or 0 if the search has ended meanwhile.
func (p *pathSize) probe(now, rtt Time) int {
	if p.tries == 0 {
		if p.trying++; p.trying >= len(searchSizes) || searchSizes[p.trying] <= p.most {
			p.trying = -1
			p.next = now + searchAgain
			p.tries = 0
			return 0
		}
		p.tries = searchTries
	}
	p.tries--
	p.next = now + max(searchWait, 2*rtt)
	return searchSizes[p.trying]
}

// answered takes the answer to a probe.
func (p *pathSize) answered(now Time, size int) {
	if size > p.limit() && size <= MaxDatagram && p.most != 0 {
		p.most, p.lost, p.tries, p.trying, p.next = size, 0, 0, -1, now+searchAgain
	}
}
