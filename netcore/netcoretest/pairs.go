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

// Pairs returns the two ends of a session whose keys follow from seed, by a handshake in memory.
func Pairs(seed uint64) (initiator, responder *seal.Session) {
	entropy := Entropy(seed)
	server, client := Identity(2*seed), Identity(2*seed+1)
	i, err := seal.NewInitiator(entropy, client, server.Public, nil)
	must(err)
	r, err := seal.NewResponder(entropy, server, nil)
	must(err)
	request, err := i.Write(nil, nil)
	must(err)
	_, _, err = r.Read(request)
	must(err)
	reply, responder, err := r.Write(nil, nil)
	must(err)
	_, initiator, err = i.Read(reply)
	must(err)
	return initiator, responder
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
