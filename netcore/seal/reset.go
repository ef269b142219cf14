package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
)

// ResetToken proves that a packet comes from the server that gave a connection its id.
type ResetToken [16]byte

// Equal compares two tokens in constant time.
func (t ResetToken) Equal(o ResetToken) bool { return subtle.ConstantTimeCompare(t[:], o[:]) == 1 }

// ResetKey makes the reset tokens of a server. It follows from the server's identity, so a server
// that was restarted makes the same tokens as before, without having stored anything.
type ResetKey [32]byte

// ResetKey returns the key of an identity. The zero KeyPair has a key that everybody knows.
func (id KeyPair) ResetKey() (k ResetKey) {
	if id.private == nil {
		return k
	}
	mac := hmac.New(sha256.New, id.private.Bytes())
	mac.Write([]byte("torc reset key")) // a hash.Hash never returns an error
	mac.Sum(k[:0])
	return k
}

// Token returns the token of a connection id: the first 16 bytes of HMAC-SHA256 of the id.
func (k *ResetKey) Token(id uint64) (t ResetToken) {
	mac := hmac.New(sha256.New, k[:])
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], id)
	mac.Write(b[:]) // a hash.Hash never returns an error
	copy(t[:], mac.Sum(nil))
	return t
}
