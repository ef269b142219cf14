package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math"

	"golang.org/x/crypto/chacha20poly1305"
)

// Overhead is the number of bytes that sealing adds.
const Overhead = chacha20poly1305.Overhead

// NumKinds is the number of kinds; kinds are 0..NumKinds-1. The first four are the kinds of
// packets. The last one is that of deferrals.
const NumKinds = 5

// Session seals and opens the packets of one session. Each direction has its own
// key. Under each key, each kind has its own sequence of numbers.
//
//	nonce, 12 bytes:  kind | 0 0 0 | number, little endian, 8 bytes
//
// Keys change while a session lasts. RenewSealing replaces the key of this side. The
// other side calls ExpectNewKey before the first packet under the new key arrives.
// Nobody can compute an older key from a newer one.
//
// A Session belongs to one connection. Only one goroutine can use it at a time. It
// does not allocate if dst has room.
type Session struct {
	out, in  sessionKey
	next     sessionKey       // for opening; expected and not used yet
	previous sessionKey       // for opening; replaced a short time ago
	sealed   [NumKinds]uint64 // the newest number sealed of each kind
	nonce    [chacha20poly1305.NonceSize]byte
}

// sessionKey is a key of one direction. The zero value is no key.
type sessionKey struct{ aead cipher.AEAD }

// SessionKeys are the first keys of a session, as one side uses them. Anybody with these keys can
// read and forge every packet of the session.
type SessionKeys struct {
	Seal, Open [32]byte
}

// NewSession returns a Session that begins with some keys.
func NewSession(k SessionKeys) *Session {
	return &Session{out: newSessionKey(k.Seal), in: newSessionKey(k.Open)}
}

// newPair returns a Session that seals with the key out and opens with the key in. It passes the
// keys to reveal, which can be nil.
func newPair(out, in [32]byte, reveal func(SessionKeys)) *Session {
	k := SessionKeys{Seal: out, Open: in}
	if reveal != nil {
		reveal(k)
	}
	return NewSession(k)
}

func newSessionKey(key [32]byte) sessionKey {
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("BUG: " + err.Error()) // the key has the right length by its type
	}
	return sessionKey{a}
}

// following returns the key that replaces k: the function REKEY of the Noise Protocol
// Framework, revision 34, section 4.2.
func (k *sessionKey) following() sessionKey {
	var nonce [chacha20poly1305.NonceSize]byte
	binary.LittleEndian.PutUint64(nonce[4:], math.MaxUint64)
	var zeros [chacha20poly1305.KeySize]byte
	sealed := k.aead.Seal(nil, nonce[:], zeros[:], nil)
	defer clear(sealed)
	return newSessionKey([32]byte(sealed[:32]))
}

// erase drops a key. Its bytes inside the cipher stay in memory until the garbage collector
// reuses it.
func (k *sessionKey) erase() { *k = sessionKey{} }

// Seal encrypts plain, authenticates it together with ad, and appends the result
// to dst. The numbers of one kind must be at least 1 and strictly increase, also when
// the key changes. Otherwise a nonce could repeat, so Seal panics.
func (p *Session) Seal(dst, ad, plain []byte, kind byte, number uint64) []byte {
	if kind >= NumKinds || number <= p.sealed[kind] {
		panic(fmt.Sprintf("BUG: packet %d of kind %d sealed after %d", number, kind, p.sealed[kind%NumKinds]))
	}
	p.sealed[kind] = number
	return p.out.aead.Seal(dst, p.setNonce(kind, number), plain, ad)
}

// Open decrypts a sealed packet and appends the plaintext to dst. An error means
// that the peer did not seal these bytes under this kind and number. The caller
// must then drop the packet without any other effect. The caller must also
// refuse numbers that it has seen before. The first packet under an expected key makes
// that key the current one.
func (p *Session) Open(dst, ad, sealed []byte, kind byte, number uint64) ([]byte, error) {
	nonce := p.setNonce(kind, number)
	plain, err := p.in.aead.Open(dst, nonce, sealed, ad)
	if err != nil && p.next.aead != nil {
		if plain, err = p.next.aead.Open(dst, nonce, sealed, ad); err == nil {
			p.previous, p.in = p.in, p.next
			p.next.erase()
		}
	}
	if err != nil && p.previous.aead != nil {
		plain, err = p.previous.aead.Open(dst, nonce, sealed, ad)
	}
	return plain, err
}

// RenewSealing replaces the key that this side seals with. The caller must know that
// the other side expects the new key.
func (p *Session) RenewSealing() { p.out = p.out.following() }

// ExpectNewKey makes Open accept the key that follows. It returns false if the last
// expected key was not used yet: then the other side breaks the rules.
func (p *Session) ExpectNewKey() bool {
	if p.next.aead != nil {
		return false
	}
	p.next = p.in.following()
	return true
}

// Overlaps reports whether Open still accepts the key before the current one, for packets
// that were overtaken.
func (p *Session) Overlaps() bool { return p.previous.aead != nil }

// ForgetPrevious erases the key before the current one.
func (p *Session) ForgetPrevious() { p.previous.erase() }

// Erase erases all keys. The Session cannot be used any more.
func (p *Session) Erase() {
	for _, k := range []*sessionKey{&p.out, &p.in, &p.next, &p.previous} {
		k.erase()
	}
}

// setNonce stores the nonce inside the Session, to avoid an allocation.
func (p *Session) setNonce(kind byte, number uint64) []byte {
	p.nonce[0] = kind
	binary.LittleEndian.PutUint64(p.nonce[4:], number)
	return p.nonce[:]
}
