package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
)

// Status is the state of a ghost on the sending side. The peer is guaranteed to learn of both
// changes, the create and the kill:
//
//	Free ──Scope──▶ Unsent ──packed──▶ Creating ──delivered──▶ Live
//	                  ◀──every copy lost──
//	Live ──Unscope──▶ Dying ──packed──▶ Dead ──delivered──▶ Free
//	                    ◀──────lost──────
//
// An Unsent ghost that leaves the scope becomes Free at once. A Creating ghost that leaves the
// scope waits for the delivery or loss of its create, and then becomes Dying or Free.
type Status uint8

const (
	Free     Status = iota
	Unsent          // its create must be sent
	Creating        // one or more creates are in flight
	Live            // the peer has it
	Dying           // its kill must be sent
	Dead            // its kill is in flight
)

func (s Status) String() string {
	return [...]string{"free", "new", "creating", "live", "dying", "dead"}[s]
}

// table holds the ghosts of a connection in columns by id, and an index from object number to id.
// The groups that a ghost owes its peer are
//
//	owed | { g : changed[obj][g] > sent }
//
// so a change of an object writes to no connection. sent is the tick of the newest packed update.
// owed holds the groups that this update left out and the groups that were lost since.
type table struct {
	obj     []uint32       // 0: the id is free, or the object is gone and the ghost must be killed
	sent    []uint32       // of an Unsent ghost: the tick in which it began to wait
	updated sparse[uint32] // of the ghosts in resent: the tick of the newest update that was no repetition
	owed    sparse[uint32] // of the ghosts in owing
	held    []uint32       // groups withheld by Withhold; nil until the first Withhold or Hide
	hidden  []uint32       // groups hidden by Hide; nil with held
	state   []Status
	birth   []uint16            // of a Live ghost; see name.go
	ages    []agePlanes         // by word
	weights []weightPlanes      // by word; nil without Config.Weigh: every weight is 1
	beats   []beatPlanes        // by word
	known   []knownPair         // of all smooth groups; of a ghost in split of the first one
	tracks  []sparse[knownPair] // of the other ones, for the ghosts in split; by track - 1
	origin  uint32              // the tick from which the pairs count
	smooth  []uint32            // by word: the smooth groups of each of its ghosts, or mixedSmooth

	used      idSet    // ids that are not Free
	dirty     idSet    // ghosts that may have something to send; those that hold nothing back do
	fresh     idSet    // ghosts that were sent, or began to wait, after the newest step of the ages
	resting   idSet    // ghosts that were sent, and whose beat has not come since; see beat.go
	deferred  idSet    // Unsent ghosts that wait for the kill of their object's previous ghost
	alive     idSet    // Live ghosts
	simple    idSet    // those of a class without weights of groups
	owing     idSet    // ghosts that have groups in owed
	holding   idSet    // ghosts that have groups in held or hidden
	resent    idSet    // ghosts whose newest packed update was a repetition
	confirmed idSet    // those of them whose state is known to have arrived
	split     idSet    // ghosts whose smooth groups have different known values, or had at the newest arrival
	newborn   [2]idSet // ghosts that became Live in the present and in the previous span of Window fates

	index []uint16 // open addressing: ghost id + 1 at a hash of its object
	in    int      // number of entries in the index

	leaving   map[uint32]uint16   // by object that left the scope: the ghost being deleted
	handovers map[uint16]handover // by such a ghost. Neither map is ever iterated

	limit int // limit on ids
	n     int // ids in use
	low   int // no word of used before this one has a free id
}

// rows returns the capacity of the columns in ids.
func (t *table) rows() int { return len(t.obj) }

// take gives an object the lowest free id. It returns false if there is none.
func (t *table) take(obj uint32) (id int, ok bool) {
	if t.n == t.limit {
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
	t.dirty.add(id)
	t.fresh.add(id)
	t.resting.drop(id)
	t.beats[id>>6].set(id&63, obj)
	t.deferred.drop(id)
	t.endResend(id)
	t.endSplit(id>>6, 1<<(id&63))
	t.newborn[0].drop(id)
	t.newborn[1].drop(id)
	t.n++
	t.obj[id], t.state[id] = obj, Unsent
	t.known[id] = 0
	t.addToIndex(obj, id)
	return id, true
}

// free makes an id free.
func (t *table) free(id int) {
	t.endHandover(id)
	t.detach(id)
	t.endResend(id)
	t.endSplit(id>>6, 1<<(id&63))
	t.state[id], t.sent[id] = Free, 0
	t.owe(id, 0)
	t.used.drop(id)
	t.dirty.drop(id)
	t.low = min(t.low, id>>6)
	t.n--
}

// detach detaches a ghost from its object, because the object has left the scope.
func (t *table) detach(id int) {
	if t.obj[id] == 0 {
		return
	}
	t.removeFromIndex(t.obj[id])
	t.obj[id] = 0
	t.alive.drop(id)
	t.simple.drop(id)
	t.resting.drop(id)
	if t.held != nil {
		t.hold(id, 0, 0)
	}
}

// grow makes room for more ids: an eighth of those so far, because a server has many tables.
func (t *table) grow() {
	rows := t.rows() + max(64, t.rows()/8&^63)
	t.obj, t.sent = growTo(t.obj, rows), growTo(t.sent, rows)
	t.state, t.birth = growTo(t.state, rows), growTo(t.birth, rows)
	t.known, t.smooth, t.ages = growTo(t.known, rows), growTo(t.smooth, rows/64), growTo(t.ages, rows/64)
	t.beats = growTo(t.beats, rows/64)
	if t.weights != nil {
		t.weights = growTo(t.weights, rows/64)
	}
	for _, set := range []*idSet{&t.used, &t.dirty, &t.fresh, &t.resting, &t.deferred, &t.alive, &t.simple, &t.owing, &t.holding, &t.resent, &t.confirmed, &t.split, &t.newborn[0], &t.newborn[1]} {
		*set = growTo(*set, rows/64)
	}
	if t.held != nil {
		t.held, t.hidden = growTo(t.held, rows), growTo(t.hidden, rows)
	}
}

// owe sets the groups that a ghost owes besides those that changed since it was sent.
func (t *table) owe(id int, groups uint32) {
	if groups != 0 {
		t.owing.add(id)
		t.owed.set(id, groups)
	} else if t.owing.has(id) {
		t.endOwing(id>>6, 1<<(id&63))
	}
}

// owedBy returns the groups that a ghost owes besides those that changed since it was sent.
func (t *table) owedBy(id int) uint32 {
	if !t.owing.has(id) {
		return 0
	}
	return *t.owed.at(id)
}

// endOwing records that the ghosts of a word with some bits owe nothing.
func (t *table) endOwing(word int, ids uint64) {
	if t.owing[word] &^= ids; t.owing[word] == 0 {
		t.owed.drop(word)
	}
}

// endResend records that the newest update of a ghost is no repetition.
func (t *table) endResend(id int) { t.endResends(id>>6, 1<<(id&63)) }

// endResends does the same for the ghosts of a word with some bits.
func (t *table) endResends(word int, ids uint64) {
	if t.resent[word]&ids == 0 {
		return
	}
	t.confirmed[word] &^= ids
	if t.resent[word] &^= ids; t.resent[word] == 0 {
		t.updated.drop(word)
	}
}

// live makes a ghost Live. seq is the packet that created it at the peer. simple tells that all
// groups of the class have the same weight.
func (t *table) live(id int, seq netcore.Seq, simple bool) {
	t.state[id], t.birth[id] = Live, birth(uint32(seq))
	t.newborn[0].add(id)
	t.alive.add(id)
	if simple {
		t.simple.add(id)
	}
}

// age begins a new span for newborn ghosts.
func (t *table) age() {
	t.newborn[0], t.newborn[1] = t.newborn[1], t.newborn[0]
	clear(t.newborn[0])
}

// bornAfter reports whether the packet that created a Live ghost has a higher number than another
// one, which is among the newest Window packets with a known fate.
func (t *table) bornAfter(id int, seq netcore.Seq) bool {
	if !t.newborn[0].has(id) && !t.newborn[1].has(id) {
		return false
	}
	later := (int(t.birth[id]) - int(birth(uint32(seq))) + birthCount) % birthCount
	return 0 < later && later <= birthCount/2
}

// sentAll records that the ghosts of a word with some bits were sent, that their newest update is
// no repetition, and that they owe nothing, except those in owing.
func (t *table) sentAll(word int, ids, owing uint64) {
	t.dirty[word] &^= ids
	t.fresh[word] |= ids
	t.resting[word] |= ids
	t.endResends(word, ids)
	if ids &^= owing; t.owing[word]&ids != 0 {
		t.endOwing(word, ids)
	}
}

// addChanged adds all ghosts whose objects changed after a tick to dirty. last holds the tick of
// the newest change by object number. Whether a ghost has changed is a guess for a branch, so there
// is none: the sign of a difference goes into the word.
func (t *table) addChanged(last []uint32, tick uint32) {
	for w, used := range t.used {
		if used&^t.dirty[w] == 0 {
			continue
		}
		changed := uint64(0)
		for _, obj := range (*[64]uint32)(t.obj[w<<6:]) {
			changed = changed>>1 | (uint64(tick)-uint64(last[obj]))&(1<<63)
		}
		t.dirty[w] |= changed
	}
}

// step adds the ticks from one tick to another to the ages of all ghosts. A step from a to b and
// one from b to c are a step from a to c, if no ghost becomes fresh at b.
func (t *table) step(from, to uint32) {
	if from == to {
		return
	}
	for w := range t.ages {
		a := &t.ages[w]
		a.step(from + 1)
		a.restart(t.fresh[w])
		a.run(from+1, to)
		t.resting[w] = t.restingAt(w, from, to)
	}
	clear(t.fresh)
}

// setWeights sets the weights of the ghosts of a word.
func (t *table) setWeights(word int, weights *[64]uint8) {
	t.holdWeights()
	t.weights[word].set(weights)
}

// setWeight sets the weight of a ghost.
func (t *table) setWeight(id int, weight uint8) {
	t.holdWeights()
	t.weights[id>>6].setOne(id&63, weight)
}

// weightOf returns the weight of a ghost as its key has it: rounded down to an eighth of an octave.
func (t *table) weightOf(id int) uint8 {
	if t.weights == nil {
		return 1
	}
	return t.weights[id>>6].at(id & 63)
}

// holdWeights makes the memory for weights.
func (t *table) holdWeights() {
	if t.weights == nil {
		t.weights = make([]weightPlanes, len(t.ages))
	}
}

// rank computes the keys of the ghosts of a word, for groups of full weight.
func (t *table) rank(w int, keys *keyPlanes) {
	ages, weights := t.ages[w], &weightPlanes{}
	ages.restart(t.fresh[w])
	if t.weights != nil {
		weights = &t.weights[w]
	}
	keys.add(&ages, weights)
}

// updatedAt returns the tick of the newest update of a ghost that was no repetition.
func (t *table) updatedAt(id int) uint32 {
	if t.resent.has(id) {
		return *t.updated.at(id)
	}
	return t.sent[id]
}

// resendsArrived records the arrival of the state that some ghosts of a word had at a tick. Their
// newest updates are repetitions.
func (t *table) resendsArrived(word int, ids uint64, tick uint32) {
	for ; ids != 0; ids &= ids - 1 {
		if id := word<<6 + bits.TrailingZeros64(ids); tick >= *t.updated.at(id) {
			t.confirmed.add(id)
		}
	}
}

// resend records that the newest packed update of a ghost repeats the one of a tick.
func (t *table) resend(id int, updated uint32) {
	t.resent.add(id)
	t.updated.set(id, updated)
}

// withheld returns the groups of a ghost that Withhold or Hide keeps back.
func (t *table) withheld(id int) uint32 {
	if t.held == nil {
		return 0
	}
	return t.held[id] | t.hidden[id]
}

// heldOf returns the groups of a ghost that Withhold keeps back.
func (t *table) heldOf(id int) uint32 {
	if t.held == nil {
		return 0
	}
	return t.held[id]
}

// hiddenOf returns the groups of a ghost that Hide keeps back.
func (t *table) hiddenOf(id int) uint32 {
	if t.held == nil {
		return 0
	}
	return t.hidden[id]
}

// hold sets the groups of a ghost that Withhold and Hide keep back.
func (t *table) hold(id int, held, hidden uint32) {
	if t.held == nil {
		t.held, t.hidden = make([]uint32, t.rows()), make([]uint32, t.rows())
	}
	t.held[id], t.hidden[id] = held, hidden
	if held|hidden != 0 {
		t.holding.add(id)
	} else {
		t.holding.drop(id)
	}
}

// clear frees all ids.
func (t *table) clear() {
	for w, ids := range t.used {
		for ; ids != 0; ids &= ids - 1 {
			t.free(w<<6 + bits.TrailingZeros64(ids))
		}
	}
}

// find returns the ghost id of an object, −1 if it has none.
func (t *table) find(obj uint32) int {
	if len(t.index) == 0 || obj == 0 {
		return -1
	}
	for at := t.indexSlot(obj); t.index[at] != 0; at = t.next(at) {
		if id := int(t.index[at] - 1); t.obj[id] == obj {
			return id
		}
	}
	return -1
}

// indexSlot returns the preferred index slot of an object.
func (t *table) indexSlot(obj uint32) int {
	return int(uint64(obj*0x9e3779b1) * uint64(len(t.index)) >> 32)
}

func (t *table) next(at int) int {
	if at++; at < len(t.index) {
		return at
	}
	return 0
}

// behind returns how many slots at is behind another slot.
func (t *table) behind(at, other int) int {
	if at -= other; at < 0 {
		at += len(t.index)
	}
	return at
}

// addToIndex adds an object to the index. It keeps the index at most seven eighths full, because a
// server has many tables.
func (t *table) addToIndex(obj uint32, id int) {
	t.in++
	if 8*t.in > 7*len(t.index) {
		t.index = make([]uint16, max(64, len(t.index)+len(t.index)/8))
		for other, o := range t.obj {
			if o != 0 && other != id {
				t.putInIndex(o, other)
			}
		}
	}
	t.putInIndex(obj, id)
}

func (t *table) putInIndex(obj uint32, id int) {
	at := t.indexSlot(obj)
	for t.index[at] != 0 {
		at = t.next(at)
	}
	t.index[at] = uint16(id + 1)
}

// removeFromIndex removes an object from the index. It moves later entries back into the gap, so
// that a search can stop at the first empty slot.
func (t *table) removeFromIndex(obj uint32) {
	t.in--
	gap := t.indexSlot(obj)
	for t.obj[t.index[gap]-1] != obj {
		gap = t.next(gap)
	}
	for at := t.next(gap); t.index[at] != 0; at = t.next(at) {
		home := t.indexSlot(t.obj[t.index[at]-1])
		if t.behind(at, home) >= t.behind(at, gap) {
			t.index[gap] = t.index[at]
			gap = at
		}
	}
	t.index[gap] = 0
}
