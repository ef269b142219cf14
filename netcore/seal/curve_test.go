package seal

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/curve25519"
)

// TestCurveIsX25519: which of its two keys a handshake uses follows from the bytes.
func TestCurveIsX25519(t *testing.T) {
	id, err := NewIdentity(rand.Reader)
	require.NoError(t, err)
	peer, err := NewIdentity(rand.Reader)
	require.NoError(t, err)
	c := &curve{static: id}
	for range 2 { // without an ephemeral key, and with one
		got, err := c.DH(id.private.Bytes(), peer.Public[:])
		require.NoError(t, err)
		want, err := curve25519.X25519(id.private.Bytes(), peer.Public[:])
		require.NoError(t, err)
		assert.Equal(t, want, got)

		e, err := c.GenerateKeypair(rand.Reader)
		require.NoError(t, err)
		got, err = c.DH(e.Private, peer.Public[:])
		require.NoError(t, err)
		want, err = curve25519.X25519(e.Private, peer.Public[:])
		require.NoError(t, err)
		assert.Equal(t, want, got)

		again, err := c.DH(e.Private, peer.Public[:])
		require.NoError(t, err)
		assert.Same(t, &got[0], &again[0], "computed once")
		_, err = c.DH(e.Private, make([]byte, 32))
		assert.Error(t, err, "of low order")
		other, err := c.DH(e.Private, id.Public[:])
		require.NoError(t, err)
		assert.NotEqual(t, got, other)
	}
	_, err = c.DH(id.private.Bytes(), make([]byte, 32))
	assert.Error(t, err, "of low order")
	_, err = c.DH(id.private.Bytes(), make([]byte, 31))
	assert.Error(t, err)
}

func TestHandshakeNeedsKeyPair(t *testing.T) {
	_, err := NewInitiator(rand.Reader, KeyPair{}, Key{9}, nil)
	assert.ErrorIs(t, err, errNoKey)
	_, err = NewResponder(rand.Reader, KeyPair{}, nil)
	assert.ErrorIs(t, err, errNoKey)
	_, err = KeyPair{}.MarshalText()
	assert.ErrorIs(t, err, errNoKey)
}
