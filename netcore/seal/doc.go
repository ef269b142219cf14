// Package seal holds all cryptographic keys of torc.
//
// It has four parts. None of them knows packets, connections or addresses:
//
//   - Identity and Key identify a program. A Key is an X25519 public key. Its
//     text form is base32, after the '#' of a server's address.
//   - Cookies are the stateless answer to an address that has not yet proven
//     that it can receive. Only a program that receives packets at the address
//     can return the cookie.
//   - Initiator and Responder are the two ends of one Noise handshake,
//     Noise_IK_25519_ChaChaPoly_BLAKE2s. Its result is a Session:
//     one ChaCha20-Poly1305 key per direction.
//   - A ticket is what a server tells another one about a player whom it sends
//     there. Its key follows from the identities of both servers.
//
// There is one cipher suite, no negotiation and no plaintext mode.
//
//	client                                       server
//	NewInitiator(server key, prologue)
//	  Write(payload)  ── e, es, s, ss ──▶        NewResponder(prologue).Read
//	  Read            ◀── e, ee, se ──           Write(payload)
//	     │                                          │
//	     └──────────── Session ◀───────────────────▶┘
//
// The nonce of a sealed packet is the packet's kind and its 64-bit number. The
// security therefore depends on the caller's numbers: two packets under one
// nonce would reveal both. Seal panics if a number of a kind does not increase.
// Session keys are replaced while the session lasts, end with it, and are never stored.
//
// All randomness comes from a reader that the caller supplies. Time is an
// argument. The package has no goroutines and no global state.
//
// # Where to read
//
//	key.go, agent.go    identities; who uses a private key
//	cookie.go           cookies; puzzle.go: what they can cost
//	noise.go, curve.go  the handshake
//	pair.go             the keys of a session
//	reset.go            the token of a restarted server
//	ticket.go           tickets between servers
//	equal.go            passwords in constant time
package seal
