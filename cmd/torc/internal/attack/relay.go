package attack

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// The layout of packets in bytes; see PROTOCOL.md.
const (
	cookieAt    = 17 // cookie in a challenge response and in a connect request
	keyAt       = 33 // key of the server in a challenge response
	checkAt     = 66 // CRC of a challenge response
	firstAt     = 42 // first Noise message in a connect request
	nonceHead   = 17 // type and nonce
	pieceHead   = 18 // type, nonce, and index of a piece
	sealedHead  = 2  // kind and number of a packet of a connection, after the connection id
	packetSize  = 1200
	numberBits  = 14 // of the number of a packet of a connection
	ackBits     = 48 // of the numbers in a control packet
	delayBits   = 8  // of the delay after the gaps
	controlPing = 0  // kinds of control packets
	controlAck  = 2
)

// The first bytes of packets that a relay changes.
const (
	challengeResponse = 0xC8
	connectReply      = 0xD0
	introduction      = 0xD4
	verdictPacket     = 0xD8
)

// sealedPacket is a packet of the server, as it arrived.
type sealedPacket struct {
	kind   byte
	number uint64
	b      []byte
}

// relay is between a client and the server. It is a server to the client and a client to the server, so
// it reads and writes inside of sealed packets. It keeps the key of the player. It belongs to the
// goroutine of its client.
type relay struct {
	player    seal.KeyPair // of the client, and to the server
	own       seal.KeyPair // to the client
	server    seal.Key
	initiator *seal.Initiator
	responder *seal.Responder
	near, far *seal.Session     // with the client and with the server
	handshake map[string][]byte // changed packets of the handshake by the original ones

	id        []byte                // first byte and connection id of the client's packets
	sent, got [seal.NumKinds]uint64 // newest numbers from the client and from the server
	added     uint64                // control packets that only the relay has sent
	seen      []sealedPacket        // the first sealed packets of the server
	opened    int                   // sealed packets of the server that open under a new number
	unopened  int                   // other ones
	bytes     int                   // of the opened ones

	lossy bool // no data packet of the server reaches the client
	mute  bool // it passes on no more packets of the client
}

// seenMost is how many packets of the server a relay keeps.
const seenMost = 64

func newRelay(player seal.KeyPair) (*relay, error) {
	own, err := seal.NewIdentity(rand.Reader)
	return &relay{player: player, own: own, handshake: map[string][]byte{}}, err
}

// out returns a packet of the client in the form for the server, nil to drop it.
func (y *relay) out(b []byte) []byte {
	if y.mute {
		return nil
	}
	if kindOf(b) != kindHandshake {
		y.id = append(y.id[:0], b[:idBytes]...)
		return y.withID(y.reseal(b[idBytes:], y.near, y.far, &y.sent, y.added))
	}
	switch b[0] {
	case lastRequest:
		return y.once(b, func() (out []byte, err error) {
			prologue := append([]byte("torc handshake"), b[1:keyAt]...)
			if y.responder, err = seal.NewResponder(rand.Reader, y.own, prologue); err != nil {
				return nil, err
			}
			greeting, _, err1 := y.responder.Read(b[firstAt:])
			y.initiator, err = seal.NewInitiator(rand.Reader, y.player, y.server, prologue)
			if err = errors.Join(err1, err); err != nil {
				return nil, err
			}
			return y.initiator.Write(bytes.Clone(b[:firstAt]), greeting)
		})
	case introduction:
		return y.once(b, func() ([]byte, error) {
			return resealHandshake(b, pieceHead, y.near, y.far, uint64(b[nonceHead]&15)+1)
		})
	}
	return b
}

// in returns a packet of the server in the form for the client, nil to drop it.
func (y *relay) in(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if b[0]&3 != kindHandshake {
		return y.receive(b)
	}
	switch b[0] {
	case challengeResponse:
		b = bytes.Clone(b)
		copy(y.server[:], b[keyAt:])
		copy(b[keyAt:], y.own.Public[:])
		binary.LittleEndian.PutUint32(b[checkAt:], crc32.ChecksumIEEE(b[:checkAt]))
	case connectReply:
		return y.once(b, func() (out []byte, err error) {
			verdict, far, err := y.initiator.Read(b[nonceHead:])
			if err != nil {
				return nil, err
			}
			y.far = far
			out, y.near, err = y.responder.Write(bytes.Clone(b[:nonceHead]), verdict)
			return out, err
		})
	case verdictPacket:
		return y.once(b, func() ([]byte, error) { return resealHandshake(b, nonceHead, y.far, y.near, 1) })
	}
	return b
}

// once changes a packet of the handshake, and returns the same bytes for a repetition. It returns nil for
// a packet that cannot be changed: the join of the client fails then.
func (y *relay) once(b []byte, change func() ([]byte, error)) []byte {
	if out, is := y.handshake[string(b)]; is {
		return out
	}
	out, err := change()
	if err != nil {
		return nil
	}
	y.handshake[string(b)] = out
	return out
}

// resealHandshake opens a packet of the handshake and seals it for the other side.
func resealHandshake(b []byte, head int, from, to *seal.Session, number uint64) ([]byte, error) {
	if from == nil || to == nil {
		return nil, errors.New("a sealed packet before the key exchange")
	}
	plain, err := from.Open(nil, b[:head], b[head:], kindHandshake, number)
	if err != nil {
		return nil, err
	}
	return to.Seal(bytes.Clone(b[:head]), b[:head], plain, kindHandshake, number), nil
}

// receive takes a sealed packet of the server, and counts it.
func (y *relay) receive(b []byte) []byte {
	out := y.reseal(b, y.far, y.near, &y.got, 0)
	if out == nil {
		y.unopened++
		return nil
	}
	kind := b[0] & 3
	number := y.got[kind]
	y.opened, y.bytes = y.opened+1, y.bytes+len(b)
	if len(y.seen) < seenMost {
		y.seen = append(y.seen, sealedPacket{kind, number, bytes.Clone(b)})
	}
	if kind == kindData && y.lossy {
		return nil
	}
	return out
}

// reseal opens a packet of the connection under the next number of its kind, and seals it for the other
// side. It returns nil if the packet does not open. more is added to the numbers of control packets.
func (y *relay) reseal(b []byte, from, to *seal.Session, newest *[seal.NumKinds]uint64, more uint64) []byte {
	if from == nil || len(b) < sealedHead {
		return nil
	}
	kind, low := b[0]&3, uint64(binary.LittleEndian.Uint16(b)>>2)
	number := newest[kind] + (low-newest[kind])&(1<<numberBits-1)
	plain, err := from.Open(nil, b[:sealedHead], b[sealedHead:], kind, number)
	if err != nil || number == newest[kind] {
		return nil
	}
	newest[kind] = number
	if kind == kindControl {
		number += more
	}
	return sealWith(to, kind, number, plain)
}

// withID returns a packet of the client with the connection id before it.
func (y *relay) withID(packet []byte) []byte {
	if packet == nil {
		return nil
	}
	return append(bytes.Clone(y.id), packet...)
}

func sealWith(to *seal.Session, kind byte, number uint64, plain []byte) []byte {
	head := binary.LittleEndian.AppendUint16(make([]byte, 0, packetSize), uint16(kind)|uint16(number<<2))
	return to.Seal(head, head, plain, kind, number)
}

// control returns a control packet for the server that acknowledges all packets up to a number. A ping
// names newest as the newest data packet of the client.
func (y *relay) control(kind, ack, newest uint64) []byte {
	w := bitstream.NewWriter(make([]byte, 64))
	w.WriteBits(kind, 3)
	w.WriteBits(ack, ackBits)
	w.WriteFlag(false) // no gaps
	w.WriteBits(0, delayBits)
	if kind == controlPing {
		w.WriteBits(newest, ackBits)
	}
	y.added++
	return y.withID(sealWith(y.far, kindControl, y.sent[kindControl]+y.added, w.Bytes()))
}
