// Package dissect reads the packets of a capture field by field, with the positions of their bits.
//
// It is a second implementation of PROTOCOL.md beside the packages that send and receive. It shares
// with them only the primitives of netcore/bitstream and the cipher of netcore/seal. So a normal
// connection pays nothing for it, and the two implementations check each other.
//
// For any input it neither panics nor allocates by a number from the input.
//
// # Where to read
//
//	dissect.go, opener.go         reads a capture: sessions, and datagrams with their keys
//	handshake.go, link.go         packets outside of connections; headers, control packets
//	flow.go, packet.go            a side of a session; a packet with its fields and its fate
//	trace.go                      reads bits and keeps them as fields
//	events.go, command.go         the section of events, and remote calls
//	form.go                       forms and their answers
//	description.go                classes and datablocks that cross the connection
//	lists.go                      the lists of a server that its client has otherwise
//	ghosts.go, class.go, cell.go  the section of ghosts
//	moves.go, control.go          the section of moves; control states
//	header.go, print.go           the header of a capture; packets as text
package dissect
