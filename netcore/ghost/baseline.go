package ghost

import "github.com/torc-engine/torc/netcore"

// receivedGhost is the receiver's entry for one id of the peer.
type receivedGhost struct {
	layout    *Layout // nil: the id is unused
	tracks    []track
	lastNamed uint32 // low bits of the number of the last packet that named the id
	creates   uint16 // number of creates of the id, mod 2^16, never 0 after the first
	birth     uint32 // low bits of the number of the packet that created the ghost
}

func (g *receivedGhost) token(id uint32) uint32 { return uint32(g.creates)<<netcore.GhostBits | id }

const pageIDs = 64 // ids per page of the receiver's table

// receivedGhosts is the table of a receiver, by id. It grows by pages. Each ghost also holds the
// values that baselines are taken from.
type receivedGhosts struct {
	pages     []*[pageIDs]receivedGhost
	live      int
	trackSize int // total size of all tracks in bytes
}

// find returns the ghost with an id, nil if there is none.
func (t *receivedGhosts) find(id uint32) *receivedGhost {
	page := int(id / pageIDs)
	if page >= len(t.pages) || t.pages[page] == nil {
		return nil
	}
	g := &t.pages[page][id%pageIDs]
	if g.layout == nil {
		return nil
	}
	return g
}

// place returns the table entry of an id, used or not.
func (t *receivedGhosts) place(id uint32) *receivedGhost {
	page := int(id / pageIDs)
	for page >= len(t.pages) {
		t.pages = append(t.pages, nil)
	}
	if t.pages[page] == nil {
		t.pages[page] = new([pageIDs]receivedGhost)
	}
	return &t.pages[page][id%pageIDs]
}

// create makes an unused entry a ghost of a class.
func (t *receivedGhosts) create(g *receivedGhost, l *Layout, seq netcore.Seq) {
	g.layout, g.birth = l, uint32(seq)
	if g.creates++; g.creates == 0 {
		g.creates = 1
	}
	if n := l.smoothGroups(); n > 0 {
		g.tracks = make([]track, n)
	}
	t.live++
}

// drop makes an entry unused.
func (t *receivedGhosts) drop(g *receivedGhost) {
	for i := range g.tracks {
		t.trackSize -= 4 * len(g.tracks[i].ring)
	}
	g.layout, g.tracks = nil, nil
	t.live--
}

// clear drops every ghost. Each id keeps its count of creates.
func (t *receivedGhosts) clear() {
	for _, page := range t.pages {
		if t.live == 0 {
			return
		}
		if page == nil {
			continue
		}
		for i := range page {
			if g := &page[i]; g.layout != nil {
				t.drop(g)
			}
		}
	}
}

// add stores a value of a smooth group and returns its cells for the caller to fill in.
func (t *receivedGhosts) add(g *receivedGhost, group int, seq netcore.Seq, tick uint32) []uint32 {
	cells, grown := g.trackOf(group).add(uint32(seq), tick, len(g.layout.Groups[group].Cells))
	t.trackSize += grown
	return cells
}

func (g *receivedGhost) trackOf(group int) *track {
	return &g.tracks[g.layout.track[group]]
}

// fromWire returns the token of the ghost with an id, given as id + 1. It returns 0 for none.
func (t *receivedGhosts) fromWire(id uint32) uint32 {
	if id == 0 {
		return 0
	}
	g := t.find(id - 1)
	if g == nil {
		return 0
	}
	return g.token(id - 1)
}
