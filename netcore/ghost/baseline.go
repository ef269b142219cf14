package ghost

import "github.com/torc-engine/torc/netcore"

// receivedGhost is the receiver's entry for one id of the peer.
type receivedGhost struct {
	layout    *Layout        // nil: the id is unused
	cells     []receivedCell // of its smooth groups, one group after the other
	tracks    *[]track       // per smooth group, while split is above 0; nil before the first time
	track     track          // of all smooth groups, while split is 0
	split     uint8          // see advanceTracks
	known     bool           // the smooth groups have a baseline
	creates   uint16         // number of creates of the id, mod 2^16, never 0 after the first
	lastNamed uint32         // low bits of the number of the last packet that named the id
	birth     uint32         // low bits of the number of the packet that created the ghost
}

// track holds the ticks of the two newest values of a smooth group from packets up to the base.
// They are the baseline of its next update.
type track struct {
	tick uint32 // of the newest value
	span uint32 // ticks from the value before it; 0 if there is none
}

// receivedCell holds the values of a smooth cell. All of them are aligned to the highest bit, so
// that arithmetic wraps as the cell does. A baseline is not kept as two values: the prediction
// needs their difference.
type receivedCell struct {
	known receivedValue // the newer value of the baseline
	last  uint32        // the value received last
}

// receivedValue is a received value of a smooth cell, aligned to the highest bit, and the
// difference to the value received before. There is none before the first value, and then the
// difference is of no use.
type receivedValue = [2]uint32

const (
	trackSize = 8  // bytes of a track
	cellSize  = 12 // bytes of a receivedCell
)

func (g *receivedGhost) token(id uint32) uint32 { return uint32(g.creates)<<netcore.GhostBits | id }

const pageIDs = 64 // ids per page of the receiver's table

// receivedGhosts is the table of a receiver, by id. It grows by pages. Each ghost also holds the
// values that baselines are taken from.
type receivedGhosts struct {
	pages []*[pageIDs]receivedGhost
	live  int
	size  int // total size of all tracks and cells in bytes
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
	if l.smoothCells > 0 {
		g.cells = make([]receivedCell, l.smoothCells)
	}
	t.live++
	t.size += g.size()
}

// size returns the size of the ghost's cells in bytes, and of the tracks that it can get.
func (g *receivedGhost) size() int { return trackSize*g.layout.smoothGroups() + cellSize*len(g.cells) }

// trackOf returns the track of a smooth group.
func (g *receivedGhost) trackOf(group int) *track {
	if g.split == 0 {
		return &g.track
	}
	return &(*g.tracks)[g.layout.places[group].track]
}

// cellsOf returns the cells of adjacent groups.
func (g *receivedGhost) cellsOf(plan *maskPlan) []receivedCell {
	if plan.all {
		return g.cells
	}
	return g.cells[plan.cell:][:plan.cells]
}

// receive adds the differences to the newest values of a smooth group, and stores the values. It
// reports whether they equal the last ones.
func (g *receivedGhost) receive(p *groupPlace, values []receivedValue) (again bool) {
	cells, changed := g.cells[p.cell:], uint32(0)
	for i := range values {
		v, c := &values[i], &cells[i]
		v[1] = v[0] - c.last
		changed |= v[1]
		c.last = v[0]
	}
	return changed == 0
}

// drop makes an entry unused.
func (t *receivedGhosts) drop(g *receivedGhost) {
	t.size -= g.size()
	g.layout, g.tracks, g.cells, g.known, g.split = nil, nil, nil, false, 0
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
