package seal

import (
	"errors"
	"fmt"
	"io"

	"github.com/flynn/noise"
)

// Sizes of the two handshake messages without their payloads, in bytes.
const (
	FirstOverhead  = 32 + 32 + 16 + 16 // ephemeral key, sealed static key, tag of the payload
	SecondOverhead = 32 + 16           // ephemeral key, tag of the payload
)

var errHandshake = errors.New("the handshake message is not authentic")

// newState prepares one end of a handshake. Both ends must pass the same
// prologue; otherwise no message of the other end opens.
func newState(entropy io.Reader, c *curve, id KeyPair, server []byte, initiator bool, prologue []byte) (*noise.HandshakeState, error) {
	private := id.Public // of a KeyPair with an agent: curve looks only at the ephemeral key
	switch {
	case id.private != nil:
		private = Key(id.private.Bytes())
	case id.agent == nil:
		return nil, errNoKey
	}
	c.static = id
	return noise.NewHandshakeState(noise.Config{
		CipherSuite:   noise.NewCipherSuite(c, noise.CipherChaChaPoly, noise.HashBLAKE2s),
		Random:        entropy,
		Pattern:       noise.HandshakeIK,
		Initiator:     initiator,
		Prologue:      prologue,
		StaticKeypair: noise.DHKey{Private: private[:], Public: id.Public[:]},
		PeerStatic:    server,
	})
}

// Initiator is the client's end of one handshake. Call Write once, then Read
// until a message is authentic.
type Initiator struct {
	// Reveal gets the keys of the session before Read returns. It is nil except for a capture.
	Reveal func(SessionKeys)

	state *noise.HandshakeState
	curve *curve
}

// NewInitiator begins a handshake with the server that owns the key server.
func NewInitiator(entropy io.Reader, id KeyPair, server Key, prologue []byte) (*Initiator, error) {
	c := new(curve)
	state, err := newState(entropy, c, id, server[:], true, prologue)
	if err != nil {
		return nil, fmt.Errorf("handshake failed: %w", err)
	}
	return &Initiator{state: state, curve: c}, nil
}

// Write appends the first message to dst, with payload encrypted for the server.
func (i *Initiator) Write(dst, payload []byte) ([]byte, error) {
	out, _, _, err := i.state.WriteMessage(dst, payload)
	if err != nil {
		return dst, fmt.Errorf("handshake failed: %w", err)
	}
	return out, nil
}

// Read opens the second message. An error leaves the Initiator unchanged, so the
// authentic answer can still follow a forged one.
func (i *Initiator) Read(message []byte) (payload []byte, pair *Session, err error) {
	// With a key of low order the noise library fails in the middle of its
	// Diffie-Hellman steps and does not roll back. Refuse such a key before.
	if len(message) < SecondOverhead {
		return nil, nil, errHandshake
	}
	if _, err := i.curve.DH(i.state.LocalEphemeral().Private, message[:32]); err != nil {
		return nil, nil, errHandshake
	}
	payload, out, in, err := i.state.ReadMessage(nil, message)
	if err != nil {
		return nil, nil, errHandshake
	}
	return payload, newPair(out.UnsafeKey(), in.UnsafeKey(), i.Reveal), nil
}

// Responder is the server's end of one handshake. Call Read, then Write. After
// an error it cannot be used again.
type Responder struct {
	// Reveal gets the keys of the session before Write returns. It is nil except for a capture.
	Reveal func(SessionKeys)

	state *noise.HandshakeState
}

// NewResponder prepares the server's end; id is the server's identity.
func NewResponder(entropy io.Reader, id KeyPair, prologue []byte) (*Responder, error) {
	state, err := newState(entropy, new(curve), id, nil, false, prologue)
	if err != nil {
		return nil, fmt.Errorf("handshake failed: %w", err)
	}
	return &Responder{state: state}, nil
}

// Read opens the first message and returns its payload and the sender's key.
func (r *Responder) Read(message []byte) (payload []byte, peer Key, err error) {
	payload, _, _, err = r.state.ReadMessage(nil, message)
	if err != nil {
		return nil, Key{}, errHandshake
	}
	return payload, Key(r.state.PeerStatic()), nil
}

// Write appends the second message to dst and ends the handshake.
func (r *Responder) Write(dst, payload []byte) ([]byte, *Session, error) {
	message, in, out, err := r.state.WriteMessage(dst, payload)
	if err != nil {
		return dst, nil, fmt.Errorf("handshake failed: %w", err)
	}
	return message, newPair(out.UnsafeKey(), in.UnsafeKey(), r.Reveal), nil
}
