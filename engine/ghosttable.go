package engine

import "github.com/torc-engine/torc/engine/sim"

// ghostPage is how many ghosts a page of the table has: a peer that uses one
// high id makes one page, not all.
const ghostPage = 256

// A ghostTable is what a connection has here of its peer's objects. A ghost's
// token is its id in the low 16 bits, and above them which of the ghosts that
// had this id it is.
type ghostTable struct {
	pages  [1 << 16 / ghostPage]*[ghostPage]ghostEntry
	tokens map[sim.ID]uint32
}

type ghostEntry struct {
	token   uint32
	stray   uint32 // groups that are not as they came: moves have driven it here
	updates uint32 // that have come since its create
	object  sim.Object
}

// entry is the place of a token's id, nil where nothing has been yet.
func (t *ghostTable) entry(token uint32) *ghostEntry {
	id := uint16(token)
	page := t.pages[id/ghostPage]
	if page == nil {
		return nil
	}
	return &page[id%ghostPage]
}

// put makes o the ghost of a token.
func (t *ghostTable) put(token uint32, o sim.Object) {
	id := uint16(token)
	if t.pages[id/ghostPage] == nil {
		t.pages[id/ghostPage] = new([ghostPage]ghostEntry)
	}
	t.pages[id/ghostPage][id%ghostPage] = ghostEntry{token: token, object: o}
	if t.tokens == nil {
		t.tokens = map[sim.ID]uint32{}
	}
	t.tokens[o.Ident().ID()] = token
}

// drop forgets the ghost of an id.
func (t *ghostTable) drop(e *ghostEntry) {
	delete(t.tokens, e.object.Ident().ID())
	*e = ghostEntry{}
}

// Ghost is the ghost that a token means, nil if it is gone.
func (t *ghostTable) Ghost(token uint32) sim.Object {
	e := t.entry(token)
	if token == 0 || e == nil || e.token != token {
		return nil
	}
	return e.object
}

// GhostID is the id of a ghost of the peer's, here; false if o is none.
func (t *ghostTable) GhostID(o sim.Object) (id uint16, ok bool) {
	token, ok := t.tokens[o.Ident().ID()]
	return uint16(token), ok
}

// GhostUpdates is how many updates of a ghost of the peer's have come, besides its
// create; 0 of what is none.
func (t *ghostTable) GhostUpdates(o sim.Object) uint32 {
	if e := t.entry(t.tokens[o.Ident().ID()]); e != nil && e.object == o {
		return e.updates
	}
	return 0
}

// EachGhost calls do with every ghost of the peer's that is here, in the order
// of their ids, until it returns false. Ghosts may go meanwhile.
func (t *ghostTable) EachGhost(do func(o sim.Object) bool) {
	for _, page := range t.pages {
		if page == nil {
			continue
		}
		for i := range page {
			if o := page[i].object; o != nil && !do(o) {
				return
			}
		}
	}
}

// GhostCount is the number of the peer's ghosts here.
func (t *ghostTable) GhostCount() int { return len(t.tokens) }
