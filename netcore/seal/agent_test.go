package seal

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notes is an agent that notes what another one returns.
type notes struct {
	from    Agent
	secrets [][]byte
}

func (n *notes) Exchange(public []byte) ([]byte, error) {
	secret, err := n.from.Exchange(public)
	n.secrets = append(n.secrets, secret)
	return secret, err
}

func (n *notes) Token(id uint64) ResetToken { return n.from.Token(id) }

// told is an agent that has only notes.
type told struct{ secrets [][]byte }

func (t *told) Exchange([]byte) (secret []byte, err error) {
	secret, t.secrets = t.secrets[0], t.secrets[1:]
	return secret, nil
}

func (t *told) Token(uint64) ResetToken { return ResetToken{} }

// TestAgentRepeatsHandshake checks that the secrets of an agent and the entropy of a handshake are
// enough to make the same answer and the same session without the private key, and that nothing of
// the private key is among them.
func TestAgentRepeatsHandshake(t *testing.T) {
	server, err := NewIdentity(rand.Reader)
	require.NoError(t, err)
	client, err := NewIdentity(rand.Reader)
	require.NoError(t, err)
	i, err := NewInitiator(rand.Reader, client, server.Public, []byte("p"))
	require.NoError(t, err)
	first, err := i.Write(nil, []byte("hello"))
	require.NoError(t, err)
	answer := func(id KeyPair) (reply, sealed []byte) {
		r, err := NewResponder(sameBytes{}, id, []byte("p"))
		require.NoError(t, err)
		_, key, err := r.Read(first)
		require.NoError(t, err)
		assert.Equal(t, client.Public, key)
		reply, session, err := r.Write(nil, nil)
		require.NoError(t, err)
		return reply, session.Seal(nil, nil, []byte("packet"), 0, 1)
	}
	n := &notes{from: server.Agent()}
	reply, sealed := answer(server.WithAgent(n))
	require.NotEmpty(t, n.secrets)
	own, _ := answer(server)
	assert.Equal(t, own, reply)
	again, resealed := answer(KeyPair{Public: server.Public}.WithAgent(&told{n.secrets}))
	assert.Equal(t, reply, again)
	assert.Equal(t, sealed, resealed)
	for _, secret := range n.secrets {
		assert.NotEqual(t, server.private.Bytes(), secret)
	}
	resets := server.ResetKey()
	assert.Equal(t, resets.Token(7), server.WithAgent(n).Agent().Token(7))
}

// sameBytes is entropy that repeats.
type sameBytes struct{}

func (sameBytes) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(i)
	}
	return len(b), nil
}
