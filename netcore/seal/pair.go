package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// Overhead is what sealing adds to a text, in bytes.
const Overhead = chacha20poly1305.Overhead

// Kinds is how many packet kinds a Pair tells apart; kinds are 0..Kinds-1.
const Kinds = 4

// Pair is the two directions of one session. Each direction has its own key,
// and the packets of each kind their own count under it.
//
//	nonce, 12 bytes:  kind | 0 0 0 | number, little endian, 8 bytes
//
// A Pair belongs to one connection and is used by one goroutine at a time. It
// does not allocate, provided that dst has room.
type Pair struct {
	out, in cipher.AEAD
	sealed  [Kinds]uint64 // the newest number sealed of each kind
	nonce   [chacha20poly1305.NonceSize]byte
}

// newPair makes a Pair that seals with one key and opens with the other.
func newPair(out, in [32]byte) *Pair {
	return &Pair{out: aead(out), in: aead(in)}
}

func aead(key [32]byte) cipher.AEAD {
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("BUG: " + err.Error()) // the key has the right length by its type
	}
	return a
}

// Seal appends plain, encrypted and authenticated together with ad, to dst.
// The numbers of one kind begin at 1 or above and must strictly increase;
// anything else is a bug of the caller that would reuse a nonce, and panics.
func (p *Pair) Seal(dst, ad, plain []byte, kind byte, number uint64) []byte {
	if kind >= Kinds || number <= p.sealed[kind] {
		panic(fmt.Sprintf("BUG: packet %d of kind %d sealed after %d", number, kind, p.sealed[kind%Kinds]))
	}
	p.sealed[kind] = number
	return p.out.Seal(dst, p.setNonce(kind, number), plain, ad)
}

// Open appends the text of a sealed packet to dst. An error means that the
// packet is not the peer's, or not this packet: drop it and change nothing.
// Refusing a number seen before is the caller's part.
func (p *Pair) Open(dst, ad, sealed []byte, kind byte, number uint64) ([]byte, error) {
	return p.in.Open(dst, p.setNonce(kind, number), sealed, ad)
}

// setNonce keeps the nonce inside the Pair, where it costs no allocation.
func (p *Pair) setNonce(kind byte, number uint64) []byte {
	p.nonce[0] = kind
	binary.LittleEndian.PutUint64(p.nonce[4:], number)
	return p.nonce[:]
}
