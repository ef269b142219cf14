package engine

import (
	"math/bits"

	"github.com/torc-engine/torc/engine/sim"
)

// visibleStage is how much of the world a connection may see.
type visibleStage uint8

const (
	stageOff    visibleStage = iota // nothing
	stageAlways                     // only objects that are always in scope
	stageOpen                       // all objects that the rules allow
)

// A scopeSink adds objects to the peer's scope. A connection's gate implements it.
type scopeSink interface {
	// admit adds an object to the peer's scope, now or as soon as the peer has its class. It
	// returns false if there is no room.
	admit(number uint32) bool
	// expel removes it again.
	expel(number uint32)
	// forget is expel of an object that loses its number.
	forget(number uint32)
}

// A VisibleSet is the visible set of one connection: the objects found by its last query.
//
// Nearly all of them are in the peer's scope, and there is nothing else to know about them: a bit
// each is enough. The others have an entry. They have just come into scope, scripts were asked
// about them, or they are near but not in scope: hidden by a script, not yet asked about, or
// without room in the ghost table.
//
//	in scope  entry         what is known of the object
//	yes       none          it is in scope; nearly all objects, and new ones from their first tick on
//	yes       near or not   it has just come, or scripts were asked about it lately
//	no        near          scripts hide it or have not answered yet, or the ghost table is full
//	no        not near      scripts were asked about it lately; the answer is kept for its return
type VisibleSet struct {
	scope  *scope
	conn   *Connection
	sink   scopeSink
	view   ScopeView
	camera camera
	groups uint64

	toClient numberSet
	early    map[sim.ID]struct{} // scopeToClient objects without a number

	in        bitSet // by number: the objects in scope
	listed    bitSet // by number: those with an entry
	entries   []visibleEntry
	index     entryIndex
	most      int32 // entries at a time since the last trim
	stage     visibleStage
	queries   uint8        // number of queries, low bits
	phase     uint32       // offset of its queries
	fresh     bool         // run a query in this tick
	rules     bool         // its rules may have changed for any object
	leapt     bool         // the camera has jumped since the last query
	asks      []uint32     // objects to ask scripts about
	memory    *scopeMemory // that of the chunk, in a step
	evictions eviction
}

// age clears the flags of ticks that are scopeStay ticks old at tick now.
func (e *visibleEntry) age(now uint32) {
	if e.is(entryYoung) && uint8(now)-e.since >= scopeStay {
		e.set(entryYoung, false)
	}
	if e.is(entryRecent) && uint8(now)-e.asked >= scopeStay {
		e.set(entryRecent, false)
	}
}

// attach gives a new visible set its scope, connection and sink. Bots, and clients that still load,
// have these too: scripts can bind objects to them.
func (v *VisibleSet) attach(s *scope, c *Connection, d scopeSink) {
	v.scope, v.conn = s, c
	v.sink = d
}

// begin shows the connection only the objects that are always in scope.
func (v *VisibleSet) begin() {
	v.reset()
	v.view = v.view.orDefault()
	v.camera.aim(v.view)
	v.stage, v.fresh = stageAlways, true
	v.phase = v.scope.phase
	v.scope.phase++
}

// open shows the connection all objects that the rules allow.
func (v *VisibleSet) open() {
	if v.stage == stageAlways {
		v.stage, v.fresh = stageOpen, true
	}
}

// reset empties the visible set. It does not call the sink, because the peer's scope is already
// cleared.
func (v *VisibleSet) reset() {
	v.index, v.entries, v.asks = entryIndex{}, nil, nil
	clear(v.in)
	clear(v.listed)
	v.evictions = eviction{}
	v.stage = stageOff
}

// settled reports whether live returns true for all objects in scope, and no script answer is
// missing. Objects without room are ignored.
func (v *VisibleSet) settled(live func(number uint32) bool) bool {
	if v.fresh || len(v.asks) > 0 || len(v.early) > 0 {
		return false
	}
	for n := range v.in.all() {
		if !live(n) {
			return false
		}
	}
	return true
}

// step updates the visible set in a tick. Several connections can do so at once.
func (v *VisibleSet) step() {
	s := v.scope
	v.rules = v.fresh || len(s.changed) > scopeChanges
	if !v.rules {
		for _, n := range s.changed {
			v.review(n)
		}
	}
	if v.rules || v.leapt || (s.tick+v.phase)%scopeInterval == 0 {
		v.query()
	}
	if v.evictions.step(v); v.evictions.on != v.evictions.told {
		v.memory.full = append(v.memory.full, v)
	}
}

// query finds the objects near the camera, and removes the others.
func (v *VisibleSet) query() {
	s, m := v.scope, v.memory
	clear(m.seen)
	v.fresh = false
	v.camera.askedAt, v.camera.askedLook = v.camera.at, v.camera.look
	for _, n := range [...]uint32{v.camera.self, v.camera.mount} {
		if n != 0 {
			v.touch(n)
		}
	}
	v.touchAll(v.toClient.list)
	v.touchAll(s.always.list)
	if v.stage == stageOpen {
		v.find()
		v.recognise()
	}
	for w := range v.in {
		for gone := v.in[w] &^ m.seen.word(w); gone != 0; gone &= gone - 1 {
			v.leave(uint32(w<<6 + bits.TrailingZeros64(gone)))
		}
	}
	v.most = max(v.most, int32(len(v.entries)))
	for at := len(v.entries) - 1; at >= 0; at-- {
		v.tidy(at)
	}
	if v.queries++; v.queries%scopeTrim == 0 {
		v.trim()
	}
}

// trim gives back memory of entries that was not needed since the last trim, as after a join.
func (v *VisibleSet) trim() {
	if 4*int(v.most) <= cap(v.entries) {
		v.entries = append(make([]visibleEntry, 0, v.most), v.entries...)
		v.index.build(v.entries)
	}
	v.most = int32(len(v.entries))
}

// tidy drops an entry that is not near any more, or that has nothing more to say.
func (v *VisibleSet) tidy(at int) {
	e := &v.entries[at]
	e.age(v.scope.tick)
	switch in := v.in.has(e.number); {
	case !in && !v.memory.seen.has(e.number):
		v.leave(e.number)
	case in:
		if v.silent(e.number) {
			e.set(entryAnswered, false)
		}
		if e.flags&^entryNear == 0 {
			v.dropEntry(at)
		}
	}
}

// find collects the objects that may be in range. Without a camera that is every object.
func (v *VisibleSet) find() {
	s, m := v.scope, v.memory
	m.near, m.far = m.near[:0], m.far[:0]
	if v.camera.on {
		m.looks = append(m.looks, scopeLook{v.camera.at, v.view.Distance * scopeSlack})
		m.near = append(m.near, s.unplaced.list...)
		m.near, m.far = s.grid.Around(v.camera.at.vec(), v.view.Distance*scopeClose, v.view.Distance*scopeSlack, m.near, m.far)
		return
	}
	for n := range s.bodies {
		if s.bodies[n].flags&bodyHere != 0 {
			m.near = append(m.near, uint32(n))
		}
	}
}

// recognise touches the found objects. Almost all of them are in scope and stay there: only new
// ones, and those of classes about which scripts can be asked, need a closer look.
func (v *VisibleSet) recognise() {
	m := v.memory
	if v.rules || v.view.ViewOnly {
		v.touchAll(m.near)
		v.touchAll(m.far)
		return
	}
	for _, n := range m.near {
		if v.in.has(n) && v.silent(n) {
			m.seen.add(n)
		} else {
			v.touch(n)
		}
	}
	for _, n := range m.far {
		switch {
		case !v.in.has(n):
		case v.silent(n):
			m.seen.add(n)
		default:
			v.touch(n)
		}
	}
}

func (v *VisibleSet) touchAll(numbers []uint32) {
	for _, n := range numbers {
		v.touch(n)
	}
}

// review checks one changed object.
func (v *VisibleSet) review(n uint32) {
	if v.scope.bodies[n].flags&bodyHere == 0 {
		return
	}
	v.memory.seen.remove(n)
	v.touch(n)
	if !v.memory.seen.has(n) {
		v.leave(n)
	}
}

// touch checks an object that may be near. A near object is seen by this query. An object that this
// connection may not see leaves at once.
func (v *VisibleSet) touch(n uint32) {
	m := v.memory
	if m.seen.has(n) {
		return
	}
	in, bound := v.in.has(n), v.toClient.has(n)
	if !v.allows(n, bound) {
		v.drop(n)
		return
	}
	if !bound && !v.reaches(n, in) {
		return
	}
	m.seen.add(n)
	at := v.where(n)
	if at < 0 && v.silent(n) && (in || v.admitNewborn(n)) {
		return
	}
	if at < 0 {
		at = v.enter(n)
	}
	e := &v.entries[at]
	e.set(entryNear, true)
	if v.mustAsk(e) {
		v.question(e)
		if !e.is(entryAnswered) {
			return // a new object is hidden until the scripts have answered
		}
	}
	v.settle(at)
}

// settle updates the peer's scope for a near entry.
func (v *VisibleSet) settle(at int) {
	e := &v.entries[at]
	switch hidden, in := v.hides(e), v.in.has(e.number); {
	case hidden && in:
		v.exclude(e.number)
	case !hidden && !in && !v.evictions.on:
		v.admit(at)
	}
}

// admit tries to bring an entry into the peer's scope.
func (v *VisibleSet) admit(at int) bool {
	e := &v.entries[at]
	if !v.sink.admit(e.number) {
		v.evictions.markFull()
		return false
	}
	e.since = uint8(v.scope.tick)
	e.set(entryYoung, true)
	v.in.add(e.number)
	return true
}

// admitNewborn admits an object in the first tick in which anybody can see it, if there is room.
// That tick is known for all connections, so the object needs no entry. In a fight most objects
// come so, and few are there for long.
func (v *VisibleSet) admitNewborn(n uint32) bool {
	if v.scope.born[n] != v.scope.tick || v.evictions.on || !v.sink.admit(n) {
		return false
	}
	v.in.add(n)
	return true
}

// young reports whether an object in scope came less than scopeStay ticks ago. e is its entry, if
// it has one.
func (v *VisibleSet) young(n uint32, e *visibleEntry) bool {
	if v.scope.tick-v.scope.born[n] < scopeStay {
		return true
	}
	if e != nil {
		e.age(v.scope.tick)
	}
	return e != nil && e.is(entryYoung)
}

// exclude takes an object out of the peer's scope. It stays near.
func (v *VisibleSet) exclude(n uint32) {
	v.sink.expel(n)
	v.in.remove(n)
	at := v.where(n)
	if at < 0 {
		at = v.enter(n)
	}
	v.entries[at].set(entryNear, true)
}

// leave drops an object that is no longer near. It remains if it came into scope, or was asked
// about, less than scopeStay ticks ago.
func (v *VisibleSet) leave(n uint32) {
	var e *visibleEntry
	if at := v.where(n); at >= 0 {
		e = &v.entries[at]
		e.set(entryNear, false)
	}
	if v.stays(n, e) && v.allows(n, v.toClient.has(n)) {
		return
	}
	v.drop(n)
}

// stays reports whether it is too early to drop an object. e is its entry, if it has one.
func (v *VisibleSet) stays(n uint32, e *visibleEntry) bool {
	if v.in.has(n) {
		return v.young(n, e)
	}
	if e != nil {
		e.age(v.scope.tick)
	}
	return e != nil && e.is(entryRecent)
}

// forget drops an object that loses its number. If the object lives on, it gets another number,
// and its scopeToClient setting is kept. This is no change of a setting, so no rollback reverts it.
func (v *VisibleSet) forget(n uint32, o sim.Object) {
	if v.toClient.remove(n) && o.Ident().Alive() {
		v.bindEarly(o.Ident().ID())
	}
	if v.in.has(n) {
		v.sink.forget(n)
		v.in.remove(n)
	}
	v.unlist(n)
}

// where returns the index of an object's entry, or -1. Most objects have none, and listed is the
// faster way to learn that.
func (v *VisibleSet) where(n uint32) int {
	if !v.listed.has(n) {
		return -1
	}
	return v.index.where(n, v.entries)
}

// enter adds an entry.
func (v *VisibleSet) enter(n uint32) int {
	v.entries = append(v.entries, visibleEntry{number: n})
	v.listed.add(n)
	v.index.add(v.entries)
	return len(v.entries) - 1
}

// drop drops an object, near or not.
func (v *VisibleSet) drop(n uint32) {
	if v.in.has(n) {
		v.sink.expel(n)
		v.in.remove(n)
	}
	v.unlist(n)
}

// unlist drops the entry of an object, if it has one.
func (v *VisibleSet) unlist(n uint32) {
	if at := v.where(n); at >= 0 {
		v.dropEntry(at)
	}
}

// dropEntry drops an entry. The last one takes its place.
func (v *VisibleSet) dropEntry(at int) {
	v.listed.remove(v.entries[at].number)
	v.index.remove(v.entries[at].number, v.entries)
	if last := len(v.entries) - 1; at != last {
		slot := v.index.find(v.entries[last].number, v.entries)
		v.entries[at] = v.entries[last]
		v.index.set(slot, at)
	}
	v.entries = v.entries[:len(v.entries)-1]
}
