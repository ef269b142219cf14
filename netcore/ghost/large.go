package ghost

import "github.com/torc-engine/torc/netcore"

// A ghost whose state does not fit into an empty section of a packet of the size
// that the peer has asked for asks for a larger packet, up to MaxDatagram. So
// nobody waits for ever, and nobody behind it: a player who asked for small
// packets sees everything, only later. What no packet can carry is left out.
const (
	largeExtra = 24                                 // bytes that a section takes besides the body of its only ghost, at most
	largest    = netcore.MaxPlain - 64 - largeExtra // bytes of a body that a packet surely carries, with the marks of net.check
)

// Least is the room in bytes without which the most urgent ghost cannot be sent;
// 0 is any.
func (g *Stream) Least() int { return g.least }

// tooLarge notes that a ghost, with a body of so many bits, does not fit into an
// empty section.
func (g *Stream) tooLarge(id uint16, body int) {
	bytes := (body + 7) / 8
	if bytes <= largest {
		if g.least == 0 {
			g.least = bytes + largeExtra
		}
		return
	}
	g.stats.TooLarge++
	g.oversize = g.table.obj[id]
}

// Oversize returns the object that was last found to be too large for any
// packet, 0 if none was.
func (g *Stream) Oversize() (obj uint32) { return g.oversize }
