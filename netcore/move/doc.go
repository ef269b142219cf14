// Package move implements the move stream of a connection: a player's input to the side that
// simulates the player, and the corrections back.
//
//	sender (usually the client)              receiver (usually the server)
//	Push ──────────moves─────────────────▶   Next, Drop
//	Answer ◀───newest done, state, flash──   SetState, SetFlash
//	Forget
//
// # Moves
//
// A [Move] is a player's input for one tick. The sender numbers its moves from 1 and sends each one
// in several packets, 3 by default. It usually simulates each move immediately. The receiver takes
// the moves with [Stream.Next], in order, and simulates them, too. It does each move at most once.
// If all packets with a move are lost, the move is skipped.
//
// At most [Max] moves are unacknowledged. A sender with that many makes no further moves until an
// ack arrives. So both sides need only buffers of fixed size.
//
// # Corrections
//
// The receiver acknowledges the newest move done. The sender can attach a checksum of its control
// object's state after a move. If the receiver's checksum differs, the receiver calls
// [Stream.SetState], and the stream sends the receiver's state. The sender gets it from
// [Stream.Answer]. It sets its object to that state and simulates the moves after it again.
//
// # Guarantees
//
//   - Moves are done in order, each at most once. Drop gives moves up.
//   - A move is lost only if a packet with only newer moves arrives before every packet with it.
//   - A forced state, or a state set after it, is repeated until one arrives.
//   - A state always belongs to the newest move acknowledged in the same packet.
//
// # Where to read
//
//	stream.go     Config, and the parts of a netcore.Stream
//	kind.go       Move and its wire form
//	sender.go     the side that sends moves
//	receiver.go   the side that receives and answers them
//	wire.go       the section of a packet; see PROTOCOL.md, Moves
package move
