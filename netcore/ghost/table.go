package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
)

// State is where a ghost is between its two changes of status, which are
// guaranteed:
//
//	Free ──Scope──▶ New ──packed──▶ Creating ──delivered──▶ Live ──Unscope──▶ Dying ──packed──▶ Dead ──delivered──▶ Free
//	                 ◀──every copy lost──                                      ◀──────lost──────
//
// A New ghost that leaves the scope is free at once; one that is Creating waits
// for the fate of its create, and is then Dying or free.
type State uint8

const (
	Free     State = iota
	Unsent         // its create is to be sent
	Creating       // its create is in flight, maybe several times
	Live           // the peer has it
	Dying          // its kill is to be sent
	Dead           // its kill is in flight
)

func (s State) String() string {
	return [...]string{"free", "new", "creating", "live", "dying", "dead"}[s]
}

// idSet is a set of ghost ids.
type idSet []uint64

func (s idSet) add(id int)      { s[id>>6] |= 1 << (id & 63) }
func (s idSet) drop(id int)     { s[id>>6] &^= 1 << (id & 63) }
func (s idSet) has(id int) bool { return s[id>>6]>>(id&63)&1 != 0 }

// knownValues is when the two newest values of a smooth group were sent that the peer
// is known to have; 0 for none. Ticks begin at 1.
type knownValues struct{ newer, older uint32 }

// table is the ghosts of a connection in columns by id, and the way from
// an object to its id. What a ghost owes its peer is
//
//	owed | { g : changed[obj][g] > sent }
//
// so that a change in the world touches no connection. sent is the tick of the newest update packed, owed what that update
// left out or what was lost since.
type table struct {
	obj    []uint32 // 0: free, or no object any more and only to be killed
	sent   []uint32 // a New ghost's: since when it waits
	fresh  []uint32 // the tick of the newest update that was no copy
	owed   []uint32
	held   []uint32 // groups that wait for Withhold to let them go; nil until the first
	state  []State
	weight []uint8
	birth  []uint32      // of a Live ghost: low bits of the number of the packet that brought it
	slot   []uint16      // for the length of a call: which record or body is of this ghost, from 1
	lines  []knownValues // by id, then track of the layout: what is read together lies together
	tracks int           // that a ghost has in lines: the most that one has had

	used idSet // not free
	hot  idSet // may have something to send
	late idSet // New, and waits until the peer has lost an older ghost of its object
	told idSet // the peer is known to have got the newest update

	index []uint32 // open addressing: ghost id + 1 at a hash of its object
	in    int      // how many are in the index

	leaving   map[uint32]uint16   // by object that has left the scope: the ghost that is on its way out
	handovers map[uint16]handover // by such a ghost; neither is ever gone through

	most int // ids there may be
	n    int // ids in use
	low  int // no word of used before this one has a free id
}

// rows returns how many ids the columns have room for.
func (t *table) rows() int { return len(t.obj) }

// take gives an object the lowest free id, or returns false if there is none.
func (t *table) take(obj uint32) (id int, ok bool) {
	if t.n == t.most {
		return 0, false
	}
	for t.low < len(t.used) && t.used[t.low] == 1<<64-1 {
		t.low++
	}
	if t.low == len(t.used) {
		t.grow()
	}
	id = t.low<<6 + bits.TrailingZeros64(^t.used[t.low])
	t.used.add(id)
	t.hot.add(id)
	t.told.drop(id)
	t.late.drop(id)
	t.n++
	t.obj[id], t.state[id] = obj, Unsent
	t.enter(obj, id)
	return id, true
}

// free gives an id back.
func (t *table) free(id int) {
	t.disinherit(id)
	t.lose(id)
	t.state[id], t.owed[id], t.sent[id] = Free, 0, 0
	t.used.drop(id)
	t.hot.drop(id)
	t.low = min(t.low, id>>6)
	t.n--
}

// lose parts a ghost from its object, which has left the scope.
func (t *table) lose(id int) {
	if t.obj[id] == 0 {
		return
	}
	t.leave(t.obj[id])
	t.obj[id] = 0
	if t.held != nil {
		t.held[id] = 0
	}
}

// grow makes room for more ids.
func (t *table) grow() {
	rows := max(64, 2*t.rows())
	t.obj, t.sent, t.owed = grown(t.obj, rows), grown(t.sent, rows), grown(t.owed, rows)
	t.fresh, t.told, t.late = grown(t.fresh, rows), grown(t.told, rows/64), grown(t.late, rows/64)
	t.state, t.weight, t.birth, t.slot = grown(t.state, rows), grown(t.weight, rows), grown(t.birth, rows), grown(t.slot, rows)
	t.used, t.hot = grown(t.used, rows/64), grown(t.hot, rows/64)
	if t.held != nil {
		t.held = grown(t.held, rows)
	}
	t.lines = grown(t.lines, rows*t.tracks)
}

// grown returns a copy of s of length n.
func grown[T any](s []T, n int) []T {
	to := make([]T, n)
	copy(to, s)
	return to
}

// forgetLines makes a ghost one of which the peer has no smooth group yet.
func (t *table) forgetLines(id, tracks int) {
	if tracks > t.tracks {
		lines := make([]knownValues, t.rows()*tracks)
		for other := range t.rows() {
			copy(lines[other*tracks:], t.linesOf(other))
		}
		t.lines, t.tracks = lines, tracks
	}
	clear(t.linesOf(id))
}

// linesOf is when what the peer has of a ghost was sent, by track.
func (t *table) linesOf(id int) []knownValues { return t.lines[id*t.tracks:][:t.tracks] }

// live notes that the peer has a ghost, since that packet.
func (t *table) live(id int, seq netcore.Seq) { t.state[id], t.birth[id] = Live, uint32(seq) }

// withheld returns the groups of a ghost that must wait.
func (t *table) withheld(id int) uint32 {
	if t.held == nil {
		return 0
	}
	return t.held[id]
}

// clear frees everything.
func (t *table) clear() {
	for w, ids := range t.used {
		for ; ids != 0; ids &= ids - 1 {
			t.free(w<<6 + bits.TrailingZeros64(ids))
		}
	}
}

// find returns the id of an object, −1 if it has none.
func (t *table) find(obj uint32) int {
	if len(t.index) == 0 || obj == 0 {
		return -1
	}
	for at := t.home(obj); t.index[at] != 0; at = t.next(at) {
		if id := int(t.index[at] - 1); t.obj[id] == obj {
			return id
		}
	}
	return -1
}

// home returns where in the index an object belongs.
func (t *table) home(obj uint32) int {
	return int(obj * 0x9e3779b1 >> (32 - bits.TrailingZeros(uint(len(t.index)))))
}

func (t *table) next(at int) int { return (at + 1) & (len(t.index) - 1) }

// enter adds an object to the index, which is kept at most half full.
func (t *table) enter(obj uint32, id int) {
	t.in++
	if 2*t.in > len(t.index) {
		t.index = make([]uint32, max(64, 2*len(t.index)))
		for other, o := range t.obj {
			if o != 0 && other != id {
				t.put(o, other)
			}
		}
	}
	t.put(obj, id)
}

func (t *table) put(obj uint32, id int) {
	at := t.home(obj)
	for t.index[at] != 0 {
		at = t.next(at)
	}
	t.index[at] = uint32(id + 1)
}

// leave removes an object from the index. What stands behind it moves up, so
// that a search may end at the first gap.
func (t *table) leave(obj uint32) {
	t.in--
	gap := t.home(obj)
	for t.obj[t.index[gap]-1] != obj {
		gap = t.next(gap)
	}
	mask := len(t.index) - 1
	for at := t.next(gap); t.index[at] != 0; at = t.next(at) {
		home := t.home(t.obj[t.index[at]-1])
		if (at-home)&mask >= (at-gap)&mask {
			t.index[gap] = t.index[at]
			gap = at
		}
	}
	t.index[gap] = 0
}
