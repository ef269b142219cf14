package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// Overhead is the number of bytes that sealing adds.
const Overhead = chacha20poly1305.Overhead

// NumKinds is the number of packet kinds; kinds are 0..Kinds-1.
const NumKinds = 4

// Session seals and opens the packets of one session. Each direction has its own
// key. Under each key, each kind has its own sequence of numbers.
//
//	nonce, 12 bytes:  kind | 0 0 0 | number, little endian, 8 bytes
//
// A Session belongs to one connection. Only one goroutine can use it at a time. It
// does not allocate if dst has room.
type Session struct {
	out, in cipher.AEAD
	sealed  [NumKinds]uint64 // the newest number sealed of each kind
	nonce   [chacha20poly1305.NonceSize]byte
}

// newPair returns a Session that seals with the key out and opens with the key in.
func newPair(out, in [32]byte) *Session {
	return &Session{out: aead(out), in: aead(in)}
}

func aead(key [32]byte) cipher.AEAD {
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("BUG: " + err.Error()) // the key has the right length by its type
	}
	return a
}

// Seal encrypts plain, authenticates it together with ad, and appends the result
// to dst. The numbers of one kind must be at least 1 and strictly increase.
// Otherwise a nonce could repeat, so Seal panics.
func (p *Session) Seal(dst, ad, plain []byte, kind byte, number uint64) []byte {
	if kind >= NumKinds || number <= p.sealed[kind] {
		panic(fmt.Sprintf("BUG: packet %d of kind %d sealed after %d", number, kind, p.sealed[kind%NumKinds]))
	}
	p.sealed[kind] = number
	return p.out.Seal(dst, p.setNonce(kind, number), plain, ad)
}

// Open decrypts a sealed packet and appends the plaintext to dst. An error means
// that the peer did not seal these bytes under this kind and number. The caller
// must then drop the packet without any other effect. The caller must also
// refuse numbers that it has seen before.
func (p *Session) Open(dst, ad, sealed []byte, kind byte, number uint64) ([]byte, error) {
	return p.in.Open(dst, p.setNonce(kind, number), sealed, ad)
}

// setNonce stores the nonce inside the Session, to avoid an allocation.
func (p *Session) setNonce(kind byte, number uint64) []byte {
	p.nonce[0] = kind
	binary.LittleEndian.PutUint64(p.nonce[4:], number)
	return p.nonce[:]
}
