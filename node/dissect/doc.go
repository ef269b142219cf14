// Package dissect reads the packets of a capture field by field, with the positions of their bits.
//
// It is a second implementation of PROTOCOL.md beside the packages that send and receive. It shares with
// them only the primitives of netcore/bitstream and the cipher of netcore/seal. So a normal connection
// pays nothing for it, and the two implementations check each other.
//
//	opener.go      opens the datagrams of a session, numbers them, and finds their verdicts
//	flow.go        what one side has told the other so far; data packets in the order of their numbers
//	handshake.go, link.go, moves.go, events.go, ghosts.go   the parts of packets
//	command.go, control.go, description.go   what events and control states contain
//	class.go, cell.go   classes, and the cells of their ghosts
//	header.go      the header of a capture, from the classes of a program
//	trace.go       a reader of bits that keeps each field
//	packet.go, print.go   the result, as JSON and as text
//
// For any input it neither panics nor allocates by a number from the input.
package dissect
