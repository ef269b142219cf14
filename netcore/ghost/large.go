package ghost

import "github.com/torc-engine/torc/netcore"

// If the state of a ghost does not fit into an empty section of the size that the peer requested,
// the stream requests a larger packet, up to MaxDatagram. So the ghost and those behind it do not
// wait forever: a player who requested small packets gets everything, only later. An object that is
// too large for any packet is left out.
const (
	// largeExtra is the maximum size in bytes of a section besides the body of its only ghost.
	largeExtra = 24
	// largest is the size in bytes of a body that always fits into a packet, with the marks of
	// net.check.
	largest = netcore.MaxPlain - 64 - largeExtra
)

// Least returns the number of bytes that the section needs to carry the most urgent ghost. 0 means
// that any size will do.
func (g *Stream) Least() int { return g.least }

// tooLarge records that the body of a ghost, given in bits, does not fit into an empty section.
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

// Oversize returns the object that was last found to be too large for any packet, 0 if there was
// none.
func (g *Stream) Oversize() (obj uint32) { return g.oversize }
