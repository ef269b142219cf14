package ghost

import "github.com/torc-engine/torc/netcore"

// If the state of a ghost does not fit into an empty section of the size that the peer requested,
// the stream requests a larger packet, up to what the path carries. So the ghost and those behind
// it do not wait forever: a player who requested small packets gets everything, only later. An
// object that is too large for any packet is left out.
const (
	// sectionOverhead is the maximum size in bytes of a section besides the body of its only ghost.
	sectionOverhead = 24
	// maxBodyBytes is the size in bytes of a body that always fits into a packet, with the marks of
	// net.check.
	maxBodyBytes = netcore.BasePlain - 64 - sectionOverhead
)

// Least returns the number of bytes that the section needs to carry the most urgent ghost. 0 means
// that any size will do.
func (g *Stream) Least() int { return g.minBytes }

// tooLarge records that the body of a ghost, given in bits, does not fit into an empty section.
func (g *Stream) tooLarge(id, body int) {
	bytes := (body + 7) / 8
	if bytes <= maxBodyBytes {
		if g.minBytes == 0 {
			g.minBytes = bytes + sectionOverhead
		}
		return
	}
	g.stats.TooLarge++
	g.oversize = g.table.obj[id]
}

// Oversize returns the object that was last found to be too large for any packet, 0 if there was
// none.
func (g *Stream) Oversize() (obj uint32) { return g.oversize }
