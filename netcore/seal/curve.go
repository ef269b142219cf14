package seal

import (
	"bytes"
	"crypto/ecdh"
	"crypto/subtle"
	"io"

	"github.com/flynn/noise"
)

// curve implements X25519 for the noise library, for one handshake. The library
// passes keys as bytes. Making a key from bytes costs as much as using it, so
// curve keeps the ephemeral key of a handshake, and the pair of the static one.
type curve struct {
	static    KeyPair
	ephemeral *ecdh.PrivateKey

	// The last public key of a secret of the ephemeral key, and that secret: Initiator.Read checks
	// a key before the library uses it.
	public, secret []byte
}

// GenerateKeypair draws the ephemeral key.
func (c *curve) GenerateKeypair(entropy io.Reader) (noise.DHKey, error) {
	var secret [32]byte
	if _, err := io.ReadFull(entropy, secret[:]); err != nil {
		return noise.DHKey{}, err
	}
	key, err := ecdh.X25519().NewPrivateKey(secret[:])
	if err != nil {
		return noise.DHKey{}, err
	}
	c.ephemeral, c.public = key, nil
	return noise.DHKey{Private: secret[:], Public: key.PublicKey().Bytes()}, nil
}

// DH returns the shared secret. A public key of low order is an error.
func (c *curve) DH(private, public []byte) ([]byte, error) {
	if e := c.ephemeral; e != nil && subtle.ConstantTimeCompare(e.Bytes(), private) == 1 {
		return c.exchange(public)
	}
	return c.static.exchange(public)
}

// exchange returns the secret of the ephemeral key and a public one.
func (c *curve) exchange(public []byte) ([]byte, error) {
	if c.public == nil || !bytes.Equal(c.public, public) {
		secret, err := exchange(c.ephemeral, public)
		if err != nil {
			return nil, err
		}
		c.public, c.secret = bytes.Clone(public), secret
	}
	return c.secret, nil
}

func exchange(key *ecdh.PrivateKey, public []byte) ([]byte, error) {
	peer, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	return key.ECDH(peer)
}

func (c *curve) DHLen() int     { return 32 }
func (c *curve) DHName() string { return "25519" }
