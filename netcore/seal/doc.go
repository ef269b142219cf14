// Package seal is the only place in torc that knows keys.
//
// It holds three things, and nothing of packets, connections or addresses:
//
//   - Identity and Key: who a program is. A Key is an X25519 public key; it is
//     written as base32 behind the '#' of a server's address.
//   - Cookies: the stateless answer to an address that has not yet shown that
//     it can receive. Only someone who reads the address's mail can repeat it.
//   - Initiator and Responder: the two ends of one Noise handshake,
//     Noise_IK_25519_ChaChaPoly_BLAKE2s, whose result is a Pair: one
//     ChaCha20-Poly1305 key per direction.
//
// There is one suite, no negotiation and no plaintext mode.
//
//	client                                       server
//	NewInitiator(server key, prologue)
//	  Write(payload)  ── e, es, s, ss ──▶        NewResponder(prologue).Read
//	  Read            ◀── e, ee, se ──           Write(payload)
//	     │                                          │
//	     └────────────── Pair ◀────────────────────▶┘
//
// A Pair's nonce is the packet's kind and its 64-bit number, so the caller's
// numbering is the security of the stream: Seal panics when a number of a kind
// does not increase, because sealing two texts under one nonce would give both
// away. Keys live as long as their session and are never written anywhere.
//
// All randomness comes from a reader the caller supplies; time is an argument.
// The package starts nothing and keeps nothing.
package seal
