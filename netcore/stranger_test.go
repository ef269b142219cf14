package netcore

import (
	"crypto/ecdh"
	"io"
	"sync"
	"testing"

	"github.com/flynn/noise"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// stranger asks servers for sessions, as the client with a key. A flood of requests is cheap for
// it: all of them have one ephemeral key, and it computes each secret once.
type stranger struct{ static noise.DHKey }

// newStranger returns a stranger with a key that follows from seed.
func newStranger(seed uint64) stranger {
	key, _ := curve{}.GenerateKeypair(seededEntropy(seed))
	return stranger{key}
}

// request returns the first message of a handshake with a server.
func (s stranger) request(t testing.TB, server seal.Key, p seal.Puzzle, payload []byte) []byte {
	state, err := noise.NewHandshakeState(noise.Config{
		CipherSuite:   noise.NewCipherSuite(curve{}, noise.CipherChaChaPoly, noise.HashBLAKE2s),
		Random:        seededEntropy(0),
		Pattern:       noise.HandshakeIK,
		Initiator:     true,
		Prologue:      prologue(p),
		StaticKeypair: s.static,
		PeerStatic:    server[:],
	})
	require.NoError(t, err)
	packet, _, _, err := state.WriteMessage(appendConnectRequestHead(nil, p, 0), payload)
	require.NoError(t, err)
	return packet
}

// curve is X25519 for the noise library. It computes the public key of a private one, and the
// secret of two keys, only once.
type curve struct{}

var publicKeys, secrets sync.Map // by the bytes of a private key; by those of a private and a public one

func (curve) GenerateKeypair(entropy io.Reader) (noise.DHKey, error) {
	var private [32]byte
	if _, err := io.ReadFull(entropy, private[:]); err != nil {
		return noise.DHKey{}, err
	}
	public, known := publicKeys.Load(private)
	if !known {
		key, err := ecdh.X25519().NewPrivateKey(private[:])
		if err != nil {
			return noise.DHKey{}, err
		}
		public = key.PublicKey().Bytes()
		publicKeys.Store(private, public)
	}
	return noise.DHKey{Private: private[:], Public: public.([]byte)}, nil
}

func (curve) DH(private, public []byte) ([]byte, error) {
	both := string(private) + string(public)
	if secret, known := secrets.Load(both); known {
		return secret.([]byte), nil
	}
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		return nil, err
	}
	peer, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	secret, err := key.ECDH(peer)
	secrets.Store(both, secret)
	return secret, err
}

func (curve) DHLen() int     { return 32 }
func (curve) DHName() string { return "25519" }
