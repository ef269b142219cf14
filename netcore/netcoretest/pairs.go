package netcoretest

import (
	"io"
	"math/rand/v2"

	"github.com/torc-engine/torc/netcore/seal"
)

// Entropy returns a reader of pseudo-random bytes that follow from seed.
func Entropy(seed uint64) io.Reader {
	return rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24),
		byte(seed >> 32), byte(seed >> 40), byte(seed >> 48), byte(seed >> 56), 77})
}

// Identity returns an identity that follows from seed.
func Identity(seed uint64) seal.KeyPair {
	id, err := seal.NewIdentity(Entropy(seed))
	must(err)
	return id
}

// Pairs returns the two ends of a session whose keys follow from seed, without a handshake.
func Pairs(seed uint64) (initiator, responder *seal.Session) {
	var k seal.SessionKeys
	entropy := Entropy(seed)
	for _, key := range []*[32]byte{&k.Seal, &k.Open} {
		_, err := io.ReadFull(entropy, key[:])
		must(err)
	}
	return seal.NewSession(k), seal.NewSession(seal.SessionKeys{Seal: k.Open, Open: k.Seal})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
