package netcore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// The handshake (PROTOCOL.md, Handshake). The first byte of a connectionless packet is its type,
// shifted left by the two bits of kind 0.
//
//	client                                                      server
//	ChallengeRequest   type | nonce 16 | "torc" | zeros to 80     ──▶  keeps nothing
//	              ◀──  type | nonce 16 | cookie 16 | key 32 | CRC 4    ChallengeResponse
//	(trusts the key?)
//	ConnectRequest     type | nonce 16 | cookie 16 | Noise 1      ──▶  cookie, then keys, then Decide
//	              ◀──  type | nonce 16 | Noise 2                       ConnectReply: accepted or why not
//
// The client compares the nonce of an answer with its own. So it drops packets from attackers who
// cannot read its packets, before it does any key exchange. The CRC detects accidental damage only:
// a damaged response must not look like a server with a different key.
const (
	packetChallengeRequest  = 1 << 2
	packetChallengeResponse = 2 << 2
	packetConnectRequest    = 3 << 2
	packetConnectReply      = 4 << 2
)

const (
	handshakeMagic = "torc"

	// The request is padded, so that no answer to an unproven address is larger than the request.
	challengeRequestSize  = 80
	challengeResponseSize = 1 + 16 + 16 + 32 + 4
	connectRequestHead    = 1 + 16 + 16
	connectReplyHead      = 1 + 16

	maxFirstPayload  = MaxDatagram - connectRequestHead - seal.FirstOverhead
	maxSecondPayload = MaxDatagram - connectReplyHead - seal.SecondOverhead

	maxOfferText = 255  // bytes of a name, a password, a game or one argument
	maxOfferArgs = 16   // connect arguments
	maxWelcome   = 1000 // bytes of the welcome in the server's accept
)

// ProtocolVersion is the version of the wire format. Endpoints refuse peers with another version
// and send them the reason as text.
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

// prologue binds both Noise messages to the proven address: the messages of one cookie are invalid
// with another cookie.
func prologue(nonce seal.Nonce, cookie seal.Cookie) []byte {
	b := []byte("torc handshake")
	b = append(b, nonce[:]...)
	return append(b, cookie[:]...)
}

// offer describes a client to the server, encrypted in the first Noise message.
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

// serialize is the wire form of an offer. The version is always the first field. If the version
// differs, serialize reads no further fields.
func (o *offer) serialize(s *bitstream.Codec, own uint32) {
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

// connectAnswer is the server's answer to an offer, encrypted in the second Noise message.
type connectAnswer struct {
	Accepted bool
	Check    bool
	Rate     Rate
	Welcome  []byte
	Refusal  string
}

// serialize is the wire form of an answer. A refusal has the same form in all versions, because it
// tells a client with the wrong version why it was refused.
func (a *connectAnswer) serialize(s *bitstream.Codec) {
	if !s.Flag(&a.Accepted) {
		handshakeText(s, &a.Refusal, MaxReasonText)
		return
	}
	s.Flag(&a.Check)
	a.Rate.Serialize(s)
	s.Bytes(&a.Welcome, maxWelcome)
}

// handshakeText writes a string as length and bytes. It does not use the text compression, so that
// other versions of it can still read the handshake.
func handshakeText(s *bitstream.Codec, v *string, limit int) {
	b := []byte(*v)
	s.Bytes(&b, limit)
	if s.Reading() {
		*v = string(b)
	}
}

var (
	errOfferSize      = errors.New("name, password and arguments are too long for one packet")
	errOfferArgs      = errors.New("more than 16 connect arguments")
	errConnectRequest = errors.New("malformed connect request")
)

// packOffer returns an offer as bytes, or an error if it is too long.
func packOffer(o *offer) ([]byte, error) {
	if len(o.Args) > maxOfferArgs {
		return nil, errOfferArgs
	}
	w := bitstream.NewWriter(make([]byte, maxFirstPayload))
	o.serialize(&w.Codec, o.Version)
	if w.Err() != nil {
		return nil, errOfferSize
	}
	return w.Bytes(), nil
}

// unpackOffer reads a peer's offer. own is this side's version.
func unpackOffer(b []byte, own uint32) (o offer, err error) {
	r := bitstream.NewReader(b)
	o.serialize(&r.Codec, own)
	if r.Err() != nil || o.Version == own && r.Left() >= 8 {
		return o, errConnectRequest
	}
	return o, nil
}

// packAnswer returns an answer as bytes. It always fits, because the caller has limited the length
// of each field.
func packAnswer(a *connectAnswer) []byte {
	w := bitstream.NewWriter(make([]byte, maxSecondPayload))
	a.serialize(&w.Codec)
	if w.Err() != nil {
		panic("BUG: the connect answer is too long: " + w.Err().Error())
	}
	return w.Bytes()
}

func unpackAnswer(b []byte) (a connectAnswer, err error) {
	r := bitstream.NewReader(b)
	a.serialize(&r.Codec)
	if r.Err() != nil || a.Accepted && r.Left() >= 8 {
		return a, errors.New("malformed connect reply")
	}
	return a, nil
}
