package netcore

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/torc-engine/torc/netcore/seal"
)

// The handshake (PROTOCOL.md, Handshake). The first byte of a connectionless packet is its type:
// C0h and more, in steps of four. So its low bits are kind 0, and one port can also carry STUN and
// DTLS, whose packets begin with 0 to 191 (RFC 7983).
//
//	client                                                                    server
//	ChallengeRequest   type | nonce 16 | "torc" | zeros to 80                   ──▶  keeps nothing
//	              ◀──  type | nonce 16 | cookie 16 | key 32 | difficulty | CRC 4    ChallengeResponse
//	(trusts the key? solves the puzzle, if there is one)
//	ConnectRequest     type | nonce 16 | cookie 16 | difficulty | solution 8 | Noise 1  ──▶  cookie, solution, then keys
//	              ◀──  type | nonce 16 | Noise 2                                    ConnectReply
//	Introduction       type | nonce 16 | piece | sealed: name, password ...     ──▶  then Answer
//	              ◀──  type | nonce 16 | sealed: accepted, or why not               Verdict
//
// SessionUnknown answers an introduction of a session that the server does not have, or no longer.
// Busy answers a ConnectRequest or an Introduction that must wait. It says how many clients are
// before this one. Deferred answers an Introduction whose owner decides later, and has a text for
// the player:
//
//	Busy               type | nonce 16 | ahead 2
//	Deferred           type | nonce 16 | number 2 | sealed: text
//
// The client compares the nonce of an answer with its own. So it drops packets from attackers who
// cannot read its packets, before it does any key exchange. The CRC detects accidental damage only:
// a damaged response must not look like a server with a different key.
const (
	packetRouted = LeastToServer + iota<<2 // a client's packet of a connection, with the whole id; see Route
	packetChallengeRequest
	packetChallengeResponse
	packetConnectRequest
	packetConnectReply
	packetIntroduction
	packetVerdict
	packetSessionUnknown
	packetReset
	_ // a query
	_ // of a rendezvous
	packetBusy
	packetShort // a client's packet of a connection, with the lowest bits of the id; see Route
	packetDeferred
)

const (
	handshakeMagic = "torc"

	// The request is padded, so that no answer to an unproven address is larger than the request.
	challengeRequestSize  = 80
	challengeResponseSize = 1 + 16 + 16 + 32 + 1 + 4
	connectRequestHead    = 1 + 16 + 16 + 1 + 8
	connectReplyHead      = 1 + 16
	introductionHead      = 1 + 16 + 1
	verdictHead           = 1 + 16
	sessionUnknownSize    = 1 + 16
	busySize              = 1 + 16 + 2
	deferredHead          = 1 + 16 + 2

	maxConnectRequest = 512 // bytes
	maxFirstPayload   = maxConnectRequest - connectRequestHead - seal.FirstOverhead
	maxSecondPayload  = BaseDatagram - connectReplyHead - seal.SecondOverhead
	maxPiece          = leastPath - introductionHead - tagBytes // bytes of an introduction in one packet
	maxPieces         = 10
	maxVerdictPayload = BaseDatagram - verdictHead - tagBytes
)

// ProtocolVersion is the version of the wire format. Endpoints refuse peers with another version
// and send them the reason as text.
const ProtocolVersion uint32 = 10

func appendChallengeRequest(b []byte, nonce seal.Nonce) []byte {
	b = append(b, packetChallengeRequest)
	b = append(b, nonce[:]...)
	b = append(b, handshakeMagic...)
	for len(b) < challengeRequestSize {
		b = append(b, 0)
	}
	return b
}

// parseChallengeRequest accepts only the exact form: fixed size, magic, zeros.
func parseChallengeRequest(b []byte) (nonce seal.Nonce, ok bool) {
	if len(b) != challengeRequestSize || b[0] != packetChallengeRequest {
		return nonce, false
	}
	copy(nonce[:], b[1:])
	for _, padding := range b[17+len(handshakeMagic):] {
		if padding != 0 {
			return nonce, false
		}
	}
	return nonce, string(b[17:17+len(handshakeMagic)]) == handshakeMagic
}

func appendChallengeResponse(b []byte, p seal.Puzzle, key seal.Key) []byte {
	b = append(b, packetChallengeResponse)
	b = append(b, p.Nonce[:]...)
	b = append(b, p.Cookie[:]...)
	b = append(b, key[:]...)
	b = append(b, p.Difficulty)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func parseChallengeResponse(b []byte) (p seal.Puzzle, key seal.Key, ok bool) {
	if len(b) != challengeResponseSize || b[0] != packetChallengeResponse {
		return p, key, false
	}
	copy(p.Nonce[:], b[1:])
	copy(p.Cookie[:], b[17:])
	copy(key[:], b[33:])
	p.Difficulty = b[65]
	said := binary.LittleEndian.Uint32(b[66:])
	return p, key, said == crc32.ChecksumIEEE(b[:66])
}

func appendConnectRequestHead(b []byte, p seal.Puzzle, solution uint64) []byte {
	b = append(b, packetConnectRequest)
	b = append(b, p.Nonce[:]...)
	b = append(b, p.Cookie[:]...)
	b = append(b, p.Difficulty)
	return binary.LittleEndian.AppendUint64(b, solution)
}

func parseConnectRequest(b []byte) (p seal.Puzzle, solution uint64, first []byte, ok bool) {
	if len(b) < connectRequestHead+seal.FirstOverhead || len(b) > maxConnectRequest || b[0] != packetConnectRequest {
		return p, 0, nil, false
	}
	copy(p.Nonce[:], b[1:])
	copy(p.Cookie[:], b[17:])
	p.Difficulty = b[33]
	return p, binary.LittleEndian.Uint64(b[34:]), b[connectRequestHead:], true
}

// appendNonceHead begins a packet whose head is its type and the nonce.
func appendNonceHead(b []byte, kind byte, nonce seal.Nonce) []byte {
	b = append(b, kind)
	return append(b, nonce[:]...)
}

// appendBusy makes the answer to a client that must wait behind a number of others. 0 means that
// the number is not known.
func appendBusy(b []byte, nonce seal.Nonce, ahead int) []byte {
	return binary.LittleEndian.AppendUint16(appendNonceHead(b, packetBusy, nonce), uint16(min(ahead, math.MaxUint16)))
}

// parseNonceHead splits a packet of a type after its nonce. rest has at least least bytes.
func parseNonceHead(b []byte, kind byte, least int) (nonce seal.Nonce, rest []byte, ok bool) {
	if len(b) < connectReplyHead+least || b[0] != kind {
		return nonce, nil, false
	}
	copy(nonce[:], b[1:])
	return nonce, b[connectReplyHead:], true
}

// prologue binds both Noise messages to the proven address: the messages of one cookie are invalid
// with another cookie.
func prologue(p seal.Puzzle) []byte {
	b := []byte("torc handshake")
	b = append(b, p.Nonce[:]...)
	return append(b, p.Cookie[:]...)
}

// sealPieces encrypts an introduction into the packets that carry it. The number of a piece in the
// seal is its index + 1. Its head is authenticated: the packet's type, the nonce, and a byte with
// the index of the piece in its low and the index of the last piece in its high four bits.
func sealPieces(s *seal.Session, nonce seal.Nonce, introduction []byte) (packets [][]byte) {
	last := (max(len(introduction), 1) - 1) / maxPiece
	for i := 0; i <= last; i++ {
		piece := introduction[i*maxPiece : min((i+1)*maxPiece, len(introduction))]
		head := append(appendNonceHead(make([]byte, 0, BaseDatagram), packetIntroduction, nonce), byte(i|last<<4))
		packets = append(packets, s.Seal(head, head, piece, kindConnectionless, uint64(i+1)))
	}
	return packets
}

// openPiece decrypts one packet of an introduction.
func openPiece(s *seal.Session, b []byte) (index, last int, piece []byte, ok bool) {
	index, last = int(b[introductionHead-1]&15), int(b[introductionHead-1]>>4)
	if last >= maxPieces || index > last {
		return 0, 0, nil, false
	}
	piece, err := s.Open(nil, b[:introductionHead], b[introductionHead:], kindConnectionless, uint64(index+1))
	return index, last, piece, err == nil
}

// sealVerdict encrypts the server's verdict on an introduction into a packet. A session has one.
func sealVerdict(s *seal.Session, nonce seal.Nonce, v *verdict) []byte {
	text := packVerdict(v)
	head := appendNonceHead(make([]byte, 0, verdictHead+len(text)+tagBytes), packetVerdict, nonce)
	return s.Seal(head, head, text, kindConnectionless, 1)
}

// openVerdict decrypts a verdict.
func openVerdict(s *seal.Session, b []byte) (payload []byte, ok bool) {
	payload, err := s.Open(nil, b[:verdictHead], b[verdictHead:], kindConnectionless, 1)
	return payload, err == nil
}

// sealDeferral encrypts the text of an owner that decides later into a packet. number counts the
// texts of the session. The seal has a kind of its own, because the verdict is number 1 of the
// other.
func sealDeferral(s *seal.Session, nonce seal.Nonce, number *uint16, text string) []byte {
	*number++
	head := appendNonceHead(make([]byte, 0, deferredHead+maxDeferral+tagBytes), packetDeferred, nonce)
	head = binary.LittleEndian.AppendUint16(head, *number)
	return s.Seal(head, head, packDeferral(text), kindDeferred, uint64(*number))
}

// openDeferral decrypts such a packet.
func openDeferral(s *seal.Session, b []byte) (number uint16, text string, ok bool) {
	number = binary.LittleEndian.Uint16(b[deferredHead-2:])
	plain, err := s.Open(nil, b[:deferredHead], b[deferredHead:], kindDeferred, uint64(number))
	if err != nil || number == 0 {
		return 0, "", false
	}
	text, err = unpackDeferral(plain)
	return number, plainText(text), err == nil
}
