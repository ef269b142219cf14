package ghost

import "github.com/torc-engine/torc/netcore"

// receivedGhost is an id of the peer's.
type receivedGhost struct {
	layout *Layout // nil: nobody has the id
	tracks []track
	named  uint32 // low bits of the number of the last packet that named it
	born   uint16 // creates of the id, mod 2^16 without 0
	birth  uint32 // low bits of the number of the packet that brought it
}

func (g *receivedGhost) token(id uint32) uint32 { return uint32(g.born)<<netcore.GhostBits | id }

const pageIDs = 64 // ids to a page of the receiver's table

// receivedGhosts is a receiver's table, by id. It grows in pages, and with what
// of the ghosts is kept to be relative to.
type receivedGhosts struct {
	pages []*[pageIDs]receivedGhost
	live  int
	kept  int // bytes of tracks
}

// find returns the ghost with an id, nil if nobody has it.
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

// place returns where an id's ghost is, or would be.
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

// bear makes a ghost of a class of an unused place.
func (t *receivedGhosts) bear(g *receivedGhost, l *Layout, seq netcore.Seq) {
	g.layout, g.birth = l, uint32(seq)
	if g.born++; g.born == 0 {
		g.born = 1
	}
	if n := l.smoothGroups(); n > 0 {
		g.tracks = make([]track, n)
	}
	t.live++
}

// drop makes a place unused.
func (t *receivedGhosts) drop(g *receivedGhost) {
	for i := range g.tracks {
		t.kept -= 4 * len(g.tracks[i].ring)
	}
	g.layout, g.tracks = nil, nil
	t.live--
}

// clear drops every ghost. Ids go on counting their creates.
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

// add returns where the cells of a smooth group of a ghost go that have arrived.
func (t *receivedGhosts) add(g *receivedGhost, group int, seq netcore.Seq, tick uint32) []uint32 {
	cells, grown := g.trackOf(group).add(uint32(seq), tick, len(g.layout.Groups[group].Cells))
	t.kept += grown
	return cells
}

func (g *receivedGhost) trackOf(group int) *track {
	return &g.tracks[g.layout.track[group]]
}

// fromWire returns the token of who has a ghost id, given as id + 1; 0 for none.
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
