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

// newState prepares one end. The prologue is what both ends must agree on
// already; with another prologue no message of the other end opens.
func newState(entropy io.Reader, c *curve, id Identity, server []byte, initiator bool, prologue []byte) (*noise.HandshakeState, error) {
	if c.static = id.private; c.static == nil {
		return nil, errNobody
	}
	return noise.NewHandshakeState(noise.Config{
		CipherSuite:   noise.NewCipherSuite(c, noise.CipherChaChaPoly, noise.HashBLAKE2s),
		Random:        entropy,
		Pattern:       noise.HandshakeIK,
		Initiator:     initiator,
		Prologue:      prologue,
		StaticKeypair: noise.DHKey{Private: id.private.Bytes(), Public: id.Public[:]},
		PeerStatic:    server,
	})
}

// Initiator is the client's end of one handshake: Write once, then Read until
// a message is authentic.
type Initiator struct {
	state *noise.HandshakeState
	curve *curve
}

// NewInitiator begins a handshake with the server that owns the key.
func NewInitiator(entropy io.Reader, id Identity, server Key, prologue []byte) (*Initiator, error) {
	c := new(curve)
	state, err := newState(entropy, c, id, server[:], true, prologue)
	if err != nil {
		return nil, fmt.Errorf("no handshake: %w", err)
	}
	return &Initiator{state, c}, nil
}

// Write appends the first message, with payload sealed to the server, to dst.
func (i *Initiator) Write(dst, payload []byte) ([]byte, error) {
	out, _, _, err := i.state.WriteMessage(dst, payload)
	if err != nil {
		return dst, fmt.Errorf("no handshake: %w", err)
	}
	return out, nil
}

// Read opens the second message. After an error the Initiator is as before, so
// that a forged answer cannot spoil the true one that follows.
func (i *Initiator) Read(message []byte) (payload []byte, pair *Pair, err error) {
	// A key of low order makes the Diffie-Hellman steps fail half-way, where the
	// noise library does not roll back. Such a key is refused before it gets in.
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
	return payload, newPair(out.UnsafeKey(), in.UnsafeKey()), nil
}

// Responder is the server's end of one handshake: Read, then Write. After an
// error it is of no further use.
type Responder struct{ state *noise.HandshakeState }

// NewResponder prepares the end that owns id.
func NewResponder(entropy io.Reader, id Identity, prologue []byte) (*Responder, error) {
	state, err := newState(entropy, new(curve), id, nil, false, prologue)
	if err != nil {
		return nil, fmt.Errorf("no handshake: %w", err)
	}
	return &Responder{state}, nil
}

// Read opens the first message and says who wrote it.
func (r *Responder) Read(message []byte) (payload []byte, peer Key, err error) {
	payload, _, _, err = r.state.ReadMessage(nil, message)
	if err != nil {
		return nil, Key{}, errHandshake
	}
	return payload, Key(r.state.PeerStatic()), nil
}

// Write appends the second message to dst and ends the handshake.
func (r *Responder) Write(dst, payload []byte) ([]byte, *Pair, error) {
	message, in, out, err := r.state.WriteMessage(dst, payload)
	if err != nil {
		return dst, nil, fmt.Errorf("no handshake: %w", err)
	}
	return message, newPair(out.UnsafeKey(), in.UnsafeKey()), nil
}
