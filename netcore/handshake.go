package netcore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// The handshake, PROTOCOL.md "Handshake". The first byte of a connectionless
// packet is its type, shifted over the two bits of kind 0.
//
//	client                                                      server
//	ChallengeRequest   type | nonce 16 | "torc" | zeros to 80     ──▶  keeps nothing
//	              ◀──  type | nonce 16 | cookie 16 | key 32 | CRC 4    ChallengeResponse
//	(trusts the key?)
//	ConnectRequest     type | nonce 16 | cookie 16 | Noise 1      ──▶  cookie, then keys, then Decide
//	              ◀──  type | nonce 16 | Noise 2                       ConnectReply: accepted or why not
//
// The nonce in an answer lets a client drop what comes from someone who cannot
// read its packets, before any arithmetic on keys. The CRC guards against
// accidents alone: a damaged response must not look like a server whose key has
// changed.
const (
	packetChallengeRequest  = 1 << 2
	packetChallengeResponse = 2 << 2
	packetConnectRequest    = 3 << 2
	packetConnectReply      = 4 << 2
)

const (
	handshakeMagic = "torc"

	// The request is padded so that no answer to an address that has proven
	// nothing is larger than what came from there.
	challengeRequestSize  = 80
	challengeResponseSize = 1 + 16 + 16 + 32 + 4
	connectRequestHead    = 1 + 16 + 16
	connectReplyHead      = 1 + 16

	maxFirstPayload  = MaxDatagram - connectRequestHead - seal.FirstOverhead
	maxSecondPayload = MaxDatagram - connectReplyHead - seal.SecondOverhead

	maxOfferText = 255  // bytes of a name, a password, a game, one argument
	maxOfferArgs = 16   // connect arguments
	maxWelcome   = 1000 // bytes the server gives with its accept
)

// ProtocolVersion is the number of the wire format this package speaks. Peers
// with another number are refused with a sentence, never half understood.
const ProtocolVersion uint32 = 1

func appendChallengeRequest(b []byte, nonce seal.Nonce) []byte {
	b = append(b, packetChallengeRequest)
	b = append(b, nonce[:]...)
	b = append(b, handshakeMagic...)
	for len(b) < challengeRequestSize {
		b = append(b, 0)
	}
	return b
}

// parseChallengeRequest accepts the exact form only: fixed size, magic, zeros.
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

func appendChallengeResponse(b []byte, nonce seal.Nonce, cookie seal.Cookie, key seal.Key) []byte {
	b = append(b, packetChallengeResponse)
	b = append(b, nonce[:]...)
	b = append(b, cookie[:]...)
	b = append(b, key[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func parseChallengeResponse(b []byte) (nonce seal.Nonce, cookie seal.Cookie, key seal.Key, ok bool) {
	if len(b) != challengeResponseSize || b[0] != packetChallengeResponse {
		return nonce, cookie, key, false
	}
	copy(nonce[:], b[1:])
	copy(cookie[:], b[17:])
	copy(key[:], b[33:])
	said := binary.LittleEndian.Uint32(b[65:])
	return nonce, cookie, key, said == crc32.ChecksumIEEE(b[:65])
}

func appendConnectRequestHead(b []byte, nonce seal.Nonce, cookie seal.Cookie) []byte {
	b = append(b, packetConnectRequest)
	b = append(b, nonce[:]...)
	return append(b, cookie[:]...)
}

func parseConnectRequest(b []byte) (nonce seal.Nonce, cookie seal.Cookie, first []byte, ok bool) {
	if len(b) < connectRequestHead+seal.FirstOverhead || b[0] != packetConnectRequest {
		return nonce, cookie, nil, false
	}
	copy(nonce[:], b[1:])
	copy(cookie[:], b[17:])
	return nonce, cookie, b[connectRequestHead:], true
}

func appendConnectReplyHead(b []byte, nonce seal.Nonce) []byte {
	b = append(b, packetConnectReply)
	return append(b, nonce[:]...)
}

func parseConnectReply(b []byte) (nonce seal.Nonce, second []byte, ok bool) {
	if len(b) < connectReplyHead+seal.SecondOverhead || b[0] != packetConnectReply {
		return nonce, nil, false
	}
	copy(nonce[:], b[1:])
	return nonce, b[connectReplyHead:], true
}

// prologue binds both Noise messages to the address that proved itself: the
// messages of one cookie mean nothing under another.
func prologue(nonce seal.Nonce, cookie seal.Cookie) []byte {
	b := []byte("torc handshake")
	b = append(b, nonce[:]...)
	return append(b, cookie[:]...)
}

// offer is what a client says of itself, sealed in the first Noise message.
type offer struct {
	Version        uint32
	Game           string
	Classes        uint64
	Name, Password string
	Args           []string
	Rate           Rate
	Check          bool
	Roles          byte
}

// serialize is the wire form of an offer. The version comes first and never
// moves; of a foreign version nothing else is read.
func (o *offer) serialize(s *bitstream.Stream, own uint32) {
	s.Uint(&o.Version, 32)
	if o.Version != own {
		return
	}
	handshakeText(s, &o.Game, maxOfferText)
	s.Bits(&o.Classes, 64)
	handshakeText(s, &o.Name, maxOfferText)
	handshakeText(s, &o.Password, maxOfferText)
	n := len(o.Args)
	s.Int(&n, 0, maxOfferArgs)
	if s.Reading() {
		o.Args = make([]string, min(max(n, 0), maxOfferArgs))
	}
	for i := range o.Args {
		handshakeText(s, &o.Args[i], maxOfferText)
	}
	o.Rate.Serialize(s)
	s.Flag(&o.Check)
	roles := uint32(o.Roles)
	s.Uint(&roles, 8)
	o.Roles = byte(roles)
}

// answer is what the server says to an offer, sealed in the second message.
type answer struct {
	Accepted bool
	Check    bool
	Rate     Rate
	Welcome  []byte
	Refusal  string
}

// serialize is the wire form of an answer. A refusal reads alike in every
// version, because it is how a client learns that its version is the wrong one.
func (a *answer) serialize(s *bitstream.Stream) {
	if !s.Flag(&a.Accepted) {
		handshakeText(s, &a.Refusal, MaxReasonText)
		return
	}
	s.Flag(&a.Check)
	a.Rate.Serialize(s)
	s.Bytes(&a.Welcome, maxWelcome)
}

// handshakeText writes a string as length and bytes: the handshake stays readable
// whatever becomes of the coding of text.
func handshakeText(s *bitstream.Stream, v *string, limit int) {
	b := []byte(*v)
	s.Bytes(&b, limit)
	if s.Reading() {
		*v = string(b)
	}
}

var (
	errOfferSize  = errors.New("name, password and arguments are too long for one packet")
	errOfferArgs  = errors.New("more than 16 connect arguments")
	errHandshaken = errors.New("malformed connect request")
)

// packOffer returns an offer as bytes, or why it cannot travel.
func packOffer(o *offer) ([]byte, error) {
	if len(o.Args) > maxOfferArgs {
		return nil, errOfferArgs
	}
	w := bitstream.NewWriter(make([]byte, maxFirstPayload))
	o.serialize(&w.Stream, o.Version)
	if w.Err() != nil {
		return nil, errOfferSize
	}
	return w.Bytes(), nil
}

// unpackOffer reads a peer's offer. own is the version this side speaks.
func unpackOffer(b []byte, own uint32) (o offer, err error) {
	r := bitstream.NewReader(b)
	o.serialize(&r.Stream, own)
	if r.Err() != nil || o.Version == own && r.Left() >= 8 {
		return o, errHandshaken
	}
	return o, nil
}

// packAnswer returns an answer as bytes. Everything in it is this side's own
// and was cut to size before.
func packAnswer(a *answer) []byte {
	w := bitstream.NewWriter(make([]byte, maxSecondPayload))
	a.serialize(&w.Stream)
	if w.Err() != nil {
		panic("BUG: an answer that does not fit: " + w.Err().Error())
	}
	return w.Bytes()
}

func unpackAnswer(b []byte) (a answer, err error) {
	r := bitstream.NewReader(b)
	a.serialize(&r.Stream)
	if r.Err() != nil || a.Accepted && r.Left() >= 8 {
		return a, errors.New("malformed connect reply")
	}
	return a, nil
}
