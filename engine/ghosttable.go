package engine

import "github.com/torc-engine/torc/engine/sim"

// ghostPage is the number of ghosts in a page of the table. A peer with a single high id allocates
// one page and the list of pages instead of the full table.
const ghostPage = 256

// PeerGhosts are the ghosts of the peer's objects on this side. A ghost's token has its id in the
// low 16 bits. The high bits count the ghosts that have used the id.
type PeerGhosts struct {
	conn   *Connection
	pages  []*[ghostPage]ghostEntry // up to the highest id so far; nil on a side without ghosts
	tokens map[sim.ID]uint32
	epoch  uint8 // of the ghosts: how often the peer has deleted all, mod 256

	watched bool // scripts want the changes of this packet

	arrival   sim.Arrival   // how late the peer's states are
	numberRun sim.NumberRun // of the newest update
}

type ghostEntry struct {
	token          uint32
	divergedGroups uint32 // groups that local moves have changed
	updates        uint32 // updates received since the create
	interpolated   bool   // the object is a sim.Interpolator
	object         sim.Object
	ident          *sim.Identity // of the object
	numbers        sim.Numbers   // of the object; nil: its values are not restored by their places
}

// entry returns the entry of a token's id, or nil if its page does not exist.
func (t *PeerGhosts) entry(token uint32) *ghostEntry {
	id := uint16(token)
	page := int(id / ghostPage)
	if page >= len(t.pages) || t.pages[page] == nil {
		return nil
	}
	return &t.pages[page][id%ghostPage]
}

// place returns the entry of an id. It makes the page if it does not exist.
func (t *PeerGhosts) place(id uint16) *ghostEntry {
	page := int(id / ghostPage)
	if page >= len(t.pages) {
		t.pages = append(t.pages, make([]*[ghostPage]ghostEntry, page+1-len(t.pages))...)
	}
	if t.pages[page] == nil {
		t.pages[page] = new([ghostPage]ghostEntry)
	}
	return &t.pages[page][id%ghostPage]
}

// put stores o as the ghost of a token. numbers are the places for its updates, or nil.
func (t *PeerGhosts) put(token uint32, o sim.Object, numbers sim.Numbers) {
	e := t.place(uint16(token))
	*e = ghostEntry{token: token, object: o, ident: o.Ident(), numbers: numbers}
	_, e.interpolated = o.(sim.Interpolator)
	if t.tokens == nil {
		t.tokens = map[sim.ID]uint32{}
	}
	t.tokens[o.Ident().ID()] = token
}

// drop removes a ghost from the table.
func (t *PeerGhosts) drop(e *ghostEntry) {
	delete(t.tokens, e.object.Ident().ID())
	*e = ghostEntry{}
}

// Ghost returns the ghost with this token, or nil if it is gone.
func (t *PeerGhosts) Ghost(token uint32) sim.Object {
	e := t.entry(token)
	if token == 0 || e == nil || e.token != token {
		return nil
	}
	return e.object
}

// IDOf returns the id of a ghost. ok is false if o is not a ghost of this peer.
func (t *PeerGhosts) IDOf(o sim.Object) (id uint16, ok bool) {
	token, ok := t.tokens[o.Ident().ID()]
	return uint16(token), ok
}

// UpdatesOf returns the number of updates received for a ghost since its create. It returns 0 if
// o is not a ghost of this peer.
func (t *PeerGhosts) UpdatesOf(o sim.Object) uint32 {
	if e := t.entry(t.tokens[o.Ident().ID()]); e != nil && e.object == o {
		return e.updates
	}
	return 0
}

// Each calls do for every ghost of the peer, in id order, until do returns false. do can
// delete ghosts.
func (t *PeerGhosts) Each(do func(o sim.Object) bool) {
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

// has reports whether an id has a ghost.
func (t *PeerGhosts) has(id uint16) bool {
	page := int(id / ghostPage)
	return page < len(t.pages) && t.pages[page] != nil && t.pages[page][id%ghostPage].object != nil
}

// Count returns the number of the peer's ghosts on this side.
func (t *PeerGhosts) Count() int { return len(t.tokens) }
