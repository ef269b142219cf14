package store

import "slices"

// A sharedSet is what a modStore has besides, if a fleet shares its values.
type sharedSet struct {
	known   map[string]known      // the newest that this server knows of the fleet
	bytes   int                   // of known, with entryOverhead per entry
	pending map[string]*sharedKey // keys with changes whose outcome is not known
	waiting []changeGroup         // not sent yet
	sent    []sharedBatch         // without an outcome: one, but more when the server ends
	refused *refusal              // the oldest batch was refused, and its callbacks wait
	held    map[string]bool       // keys that this server has claimed
	ready   bool                  // the fleet has told its values, and takes changes

	arrival    *arrival    // all values of the fleet, while they come; nil: they do not
	comparison *comparison // of what the mod saw before the newest arrival; nil: it has ended

	news      []string        // keys that other servers have changed, for onShared
	inNews    map[string]bool // the same
	flooded   bool            // news were left out, and the log has a warning
	unsaved   map[string]bool // keys that have changed since TakeSaves
	whole     bool            // too many have: the next save has everything
	moved     bool            // changes were made or have ended since TakeSaves
	dropped   int             // values of other servers above the limit
	undecoded int             // values of other servers that are damaged
}

func newSharedSet() *sharedSet {
	return &sharedSet{
		known: map[string]known{}, pending: map[string]*sharedKey{}, held: map[string]bool{}, inNews: map[string]bool{}, unsaved: map[string]bool{},
	}
}

// known is the newest value of a key that this server knows of the fleet.
type known struct {
	data   []byte // never nil
	value  []byte // nil: only a claim, or damaged
	holder string // "" for nobody
	owner  string
	rev    uint64
}

// A sharedKey is a key with changes whose outcome is not known. Values of other servers wait behind
// them.
type sharedKey struct {
	changes int
	holder  string // as the mod sees it
	began   uint64 // revision before the first of the changes
	was     []byte // value of that revision
	base    uint64 // revision after the newest one that has happened
	seen    uint64 // highest revision that the fleet told meanwhile, also of a deletion
}

// A sharedChange is a change of a mod.
type sharedChange struct {
	Change
	of           *modStore
	kind         changeKind
	based        bool   // Base is that of another run of this server
	value        []byte // as scripts see it
	before       []byte // value that scripts saw before
	holderBefore string
	done         storeCallback
	again        *attempt // what to do after a conflict; nil: done gets the error
}

// changeKind says what a change is for.
type changeKind int

const (
	putChange changeKind = iota
	claimChange
	releaseChange
)

// A changeGroup is changes of one tick: all of them happen or none.
type changeGroup struct {
	changes []*sharedChange
	bytes   int
}

// add adds a change if a batch has room for it.
func (g *changeGroup) add(c *sharedChange) bool {
	size := len(c.Key) + len(c.Data)
	if len(g.changes) > 0 && (len(g.changes) == MaxBatch || g.bytes+size > MaxBatchBytes) {
		return false
	}
	g.changes = append(g.changes, c)
	g.bytes += size
	return true
}

// A sharedBatch is what was sent: for each key the last of its changes.
type sharedBatch struct {
	number  uint64
	writes  []Change
	changes []*sharedChange
}

// A refusal is a batch that another server was faster than. The news of that server can come later
// than the outcome, and then the callbacks wait for it, because they should see the other value.
type refusal struct {
	sharedBatch
	until uint64 // the last tick to wait
}

// refusalTicks is how long the callbacks of a refused batch wait for the other value.
const refusalTicks = 64

// nextBatch takes whole groups off the waiting ones, as many as a batch has room for.
func (s *sharedSet) nextBatch() (b sharedBatch) {
	bytes, n := 0, 0
	for _, g := range s.waiting {
		if n > 0 && (len(b.changes)+len(g.changes) > MaxBatch || bytes+g.bytes > MaxBatchBytes) {
			break
		}
		b.changes = append(b.changes, g.changes...)
		bytes += g.bytes
		n++
	}
	s.waiting = slices.Delete(s.waiting, 0, n)
	b.writes = s.combine(b.changes)
	return b
}

// combine returns one write for each key, in the order of the changes. A chained change whose
// predecessor has happened is compared with the revision of that one.
func (s *sharedSet) combine(changes []*sharedChange) (writes []Change) {
	at := map[string]int{}
	for _, c := range changes {
		if i, double := at[c.Key]; double {
			writes[i].Data = c.Data
			continue
		}
		w := c.Change
		if w.Chained && !s.underway(c.Key) {
			w.Base, w.Chained = s.pending[c.Key].base, false
		}
		at[c.Key] = len(writes)
		writes = append(writes, w)
	}
	return writes
}

// underway reports whether a batch without an outcome has a key.
func (s *sharedSet) underway(key string) bool {
	return slices.ContainsFunc(s.sent, func(b sharedBatch) bool {
		return slices.ContainsFunc(b.writes, func(w Change) bool { return w.Key == key })
	})
}

// unfinished returns the changes whose outcome is not known, oldest first.
func (s *sharedSet) unfinished() (all []*sharedChange) {
	for _, b := range s.sent {
		all = append(all, b.changes...)
	}
	for _, g := range s.waiting {
		all = append(all, g.changes...)
	}
	return all
}

// unsent returns the changes that the fleet has not taken, one for each key.
func (s *sharedSet) unsent() []Change {
	at := map[string]int{}
	var list []Change
	for _, c := range s.unfinished() {
		if i, double := at[c.Key]; double {
			list[i].Data = c.Data
			continue
		}
		w := c.Change
		if w.Chained { // the one before it has happened
			w.Base, w.Chained = s.pending[c.Key].base, false
		}
		at[c.Key] = len(list)
		list = append(list, w)
	}
	return list
}

// maxUnsaved is how many changed keys wait for a save. Keys that other servers add and delete again
// would fill the memory.
const maxUnsaved = 65_536

// setKnown notes a value of the fleet; data nil removes the key.
func (s *sharedSet) setKnown(key string, k known) {
	s.bytes += entrySize(key, k.data) - entrySize(key, s.known[key].data)
	if s.unsaved[key] = true; len(s.unsaved) > maxUnsaved {
		s.whole = true
		clear(s.unsaved)
	}
	if k.data == nil {
		delete(s.known, key)
		return
	}
	s.known[key] = k
}

// overtaken reports whether this server knows of the change of another one that refused a batch.
func (s *sharedSet) overtaken(b sharedBatch) bool {
	return slices.ContainsFunc(b.writes, func(w Change) bool {
		return !w.Chained && s.known[w.Key].rev != w.Base
	})
}

// nextNews takes the oldest key off the news.
func (s *sharedSet) nextNews() string {
	key := s.news[0]
	s.news = s.news[1:]
	delete(s.inNews, key)
	return key
}

func (s *sharedSet) forgetNews() {
	s.news = nil
	clear(s.inNews)
}
