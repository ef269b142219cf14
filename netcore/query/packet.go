package query

import "github.com/torc-engine/torc/netcore/seal"

// packetType is the first byte of all packets of queries. The second one says which.
const packetType = 0xE4

// The packets of queries.
const (
	packetRequest = iota
	packetChallenge
	packetAnswer
)

const (
	// requestSize is the size of a request, and the most that an answer has. So no answer is
	// larger.
	requestSize   = 512
	headSize      = 2 + len(seal.Nonce{})
	challengeSize = headSize + len(seal.Cookie{})
	maxInfo       = requestSize - headSize
)

// Is reports whether a datagram belongs to a query, by its first byte.
func Is(b []byte) bool { return len(b) > 0 && b[0] == packetType }

func appendHead(b []byte, packet byte, nonce seal.Nonce) []byte {
	return append(append(b, packetType, packet), nonce[:]...)
}

// parseHead returns the rest of a packet after its nonce.
func parseHead(b []byte, packet byte) (nonce seal.Nonce, rest []byte, ok bool) {
	if len(b) < headSize || len(b) > requestSize || b[0] != packetType || b[1] != packet {
		return nonce, nil, false
	}
	copy(nonce[:], b[2:])
	return nonce, b[headSize:], true
}

// appendRequest appends a request. The zero cookie asks for a challenge.
func appendRequest(b []byte, nonce seal.Nonce, cookie seal.Cookie) []byte {
	first := len(b)
	b = append(appendHead(b, packetRequest, nonce), cookie[:]...)
	return append(b, make([]byte, requestSize-(len(b)-first))...)
}

// parseRequest accepts only requests of the full size: an answer is never larger.
func parseRequest(b []byte) (p seal.Puzzle, ok bool) {
	nonce, rest, ok := parseHead(b, packetRequest)
	if !ok || len(b) != requestSize {
		return p, false
	}
	p.Nonce = nonce
	copy(p.Cookie[:], rest)
	return p, true
}

// parseChallenge returns the cookie of a challenge with this nonce.
func parseChallenge(b []byte, nonce seal.Nonce) (c seal.Cookie, ok bool) {
	got, rest, ok := parseHead(b, packetChallenge)
	if !ok || got != nonce || len(b) != challengeSize {
		return c, false
	}
	copy(c[:], rest)
	return c, c != seal.Cookie{}
}

// IsAnswer reports whether a datagram goes to who asks: it is a challenge or an answer.
func IsAnswer(b []byte) bool { return Is(b) && len(b) > 1 && b[1] != packetRequest }
