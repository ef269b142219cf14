package engine

import "github.com/torc-engine/torc/engine/sim"

// visibleStage is how much of the world a connection may see.
type visibleStage uint8

const (
	sightOff    visibleStage = iota // nothing
	sightAlways                     // only objects that are always in scope
	sightOpen                       // all objects that the rules allow
)

// A scopeSink adds objects to the peer's scope. A connection's gate implements it.
type scopeSink interface {
	// admit adds an object to the peer's scope, now or as soon as the peer has its class. It
	// returns false if there is no room.
	admit(number uint32) bool
	// expel removes it again.
	expel(number uint32)
}

// visibleSet is the visible set of one connection: the objects found by its last query.
//
// The entries in the peer's scope come first. After them come entries that are near, but hidden by
// a script, not yet asked about, or without room in the ghost table.
type visibleSet struct {
	scope  *scope
	conn   *Connection
	door   scopeSink
	stage  visibleStage
	view   ScopeView
	camera camera
	groups uint64

	toClient numberSet
	early    map[sim.ID]struct{} // scopeToClient objects without a number

	entries []visibleEntry
	in      int // number of entries in scope
	index   entryIndex
	serial  uint8    // of the last query, low bits
	phase   uint32   // offset of its queries
	fresh   bool     // run a query in this tick
	rules   bool     // its rules may have changed for any object
	asks    []uint32 // objects to ask scripts about
	crowd   eviction
}

// A visibleEntry is an object near a connection. It has 8 bytes, because there are many. The ticks in
// it have 8 bits. So they count only while a flag is set, and each query clears the flags of those
// that are scopeStay ticks old.
type visibleEntry struct {
	number uint32
	since  uint8 // tick at which it came into scope
	asked  uint8 // tick of the scripts' last answer
	seen   uint8 // low bits of the serial of the last query that found it
	flags  entryFlags
}

type entryFlags uint8

const (
	entryHidden   entryFlags = 1 << iota // scripts hide it
	entryQueued                          // it is in asks
	entryToClient                        // kept by scopeToClient
	entryAnswered                        // scripts have answered
	entryYoung                           // since counts
	entryRecent                          // asked counts
)

func (e *visibleEntry) is(f entryFlags) bool { return e.flags&f != 0 }

func (e *visibleEntry) set(f entryFlags, on bool) {
	if e.flags &^= f; on {
		e.flags |= f
	}
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

// begin shows a connection only the objects that are always in scope.
func (v *visibleSet) begin(s *scope, c *Connection, d scopeSink) {
	v.reset()
	v.scope, v.conn, v.door = s, c, d
	v.view = v.view.orDefault()
	v.camera.aim(v.view)
	v.stage, v.fresh = sightAlways, true
	v.phase = s.phase
	s.phase++
}

// open shows a connection all objects that the rules allow.
func (v *visibleSet) open() {
	if v.stage == sightAlways {
		v.stage, v.fresh = sightOpen, true
	}
}

// reset empties the visible set. It does not call the sink, because the peer's scope is already
// cleared.
func (v *visibleSet) reset() {
	v.index.clear()
	v.entries, v.in, v.asks = v.entries[:0], 0, nil
	v.crowd = eviction{}
	v.stage = sightOff
}

// settled reports whether live returns true for all objects in scope, and no script answer is
// missing. Objects without room are ignored.
func (v *visibleSet) settled(live func(number uint32) bool) bool {
	if v.fresh || len(v.asks) > 0 || len(v.early) > 0 {
		return false
	}
	for _, e := range v.entries[:v.in] {
		if !live(e.number) {
			return false
		}
	}
	return true
}

// step updates the visible set in a tick.
func (v *visibleSet) step() {
	if v.stage == sightOff {
		return
	}
	v.adopt()
	leapt := v.look()
	s := v.scope
	v.rules = v.fresh || len(s.changed) > scopeChanges
	if !v.rules {
		for _, n := range s.changed {
			v.review(n)
		}
	}
	if v.rules || leapt || (s.tick+v.phase)%scopeInterval == 0 {
		v.query()
	}
	v.crowd.step(v)
}

// query finds the objects near the camera, and removes the others.
func (v *visibleSet) query() {
	v.serial++
	v.fresh = false
	v.camera.askedAt, v.camera.askedLook = v.camera.at, v.camera.look
	s := v.scope
	for _, n := range [...]uint32{v.camera.self, v.camera.mount} {
		if n != 0 {
			v.touch(n, v.toClient.has(n))
		}
	}
	for _, n := range v.toClient.list {
		v.touch(n, true)
	}
	for _, n := range s.always.list {
		v.touch(n, false)
	}
	if v.stage == sightOpen {
		v.find()
		v.recognise()
	}
	for at := len(v.entries) - 1; at >= 0; at-- {
		e := &v.entries[at]
		if e.flags&(entryYoung|entryRecent) != 0 {
			e.age(s.tick)
		}
		if e.seen != v.serial {
			v.leave(at)
		}
	}
}

// find collects the objects that may be in range. Without a camera that is every object.
func (v *visibleSet) find() {
	s := v.scope
	s.near, s.far = s.near[:0], s.far[:0]
	if v.camera.on {
		s.near = append(s.near, s.unplaced.list...)
		s.near, s.far = s.grid.Around(v.camera.at.vec(), v.view.Distance*scopeClose, v.view.Distance*scopeSlack, s.near, s.far)
		return
	}
	for n := range s.bodies {
		if s.bodies[n].flags&bodyHere != 0 {
			s.near = append(s.near, uint32(n))
		}
	}
}

// recognise touches the found objects. Almost all of them are in scope and stay there. A pass over
// the entries in order marks those as seen. Only new objects, and those with a question for
// scripts, are touched one by one.
func (v *visibleSet) recognise() {
	s := v.scope
	if v.rules || v.view.ViewOnly {
		v.touchAll(s.near)
		v.touchAll(s.far)
		return
	}
	for _, n := range s.near {
		s.marks.add(n)
	}
	for _, n := range s.far {
		s.marks.add(n)
	}
	s.recheck = s.recheck[:0]
	for at := range v.entries[:v.in] {
		e := &v.entries[at]
		if !s.marks.has(e.number) {
			continue
		}
		s.marks.remove(e.number)
		switch {
		case e.seen == v.serial:
		case v.mustAsk(e):
			s.recheck = append(s.recheck, e.number)
		default:
			e.seen = v.serial
			e.set(entryToClient, false)
		}
	}
	for _, n := range s.near {
		if s.marks.has(n) {
			s.marks.remove(n)
			v.touch(n, false)
		}
	}
	for _, n := range s.far {
		s.marks.remove(n)
	}
	v.touchAll(s.recheck)
}

func (v *visibleSet) touchAll(numbers []uint32) {
	for _, n := range numbers {
		v.touch(n, false)
	}
}

// review checks one changed object.
func (v *visibleSet) review(n uint32) {
	if v.scope.bodies[n].flags&bodyHere == 0 {
		return
	}
	bound := false
	if at := v.where(n); at >= 0 {
		v.entries[at].seen = v.serial - 1
		bound = v.entries[at].is(entryToClient)
	}
	v.touch(n, bound)
	if at := v.where(n); at >= 0 && v.entries[at].seen != v.serial {
		v.leave(at)
	}
}

// touch checks an object that may be near. A near object gets an entry of this query. An object
// that this connection may not see loses its entry.
func (v *visibleSet) touch(n uint32, bound bool) {
	at := v.where(n)
	if at >= 0 && v.entries[at].seen == v.serial {
		return
	}
	if !v.allows(n, bound) {
		if at >= 0 {
			v.drop(at)
		}
		return
	}
	if !bound && !v.reaches(n, at >= 0 && at < v.in) {
		return
	}
	if at < 0 {
		at = v.enter(n)
	}
	e := &v.entries[at]
	e.seen = v.serial
	e.set(entryToClient, bound)
	if v.mustAsk(e) {
		v.question(e)
		if !e.is(entryAnswered) {
			return // hidden until the scripts have answered
		}
	}
	v.settle(at)
}

// settle updates the peer's scope for a near entry.
func (v *visibleSet) settle(at int) {
	switch hidden := v.hides(&v.entries[at]); {
	case hidden && at < v.in:
		v.door.expel(v.entries[at].number)
		v.exclude(at)
	case !hidden && at >= v.in && !v.crowd.on:
		v.admit(at)
	}
}

// admit tries to bring an entry into the peer's scope.
func (v *visibleSet) admit(at int) bool {
	if !v.door.admit(v.entries[at].number) {
		v.crowd.markFull(v)
		return false
	}
	e := &v.entries[at]
	e.since = uint8(v.scope.tick)
	e.set(entryYoung, true)
	v.swap(at, v.in)
	v.in++
	return true
}

// leave drops an entry that is no longer near. It remains if it came into scope, or was asked
// about, less than scopeStay ticks ago.
func (v *visibleSet) leave(at int) {
	e := &v.entries[at]
	e.age(v.scope.tick)
	stays := entryRecent
	if at < v.in {
		stays = entryYoung
	}
	if e.is(stays) && v.allows(e.number, e.is(entryToClient)) {
		return
	}
	v.drop(at)
}

// forget drops an object that has lost its number. If the object lives on, it gets another number,
// and its scopeToClient setting is kept.
func (v *visibleSet) forget(n uint32, o sim.Object) {
	if v.toClient.remove(n) && o.Ident().Alive() {
		v.conn.ScopeToClient(o)
	}
	if at := v.where(n); at >= 0 {
		v.drop(at)
	}
}

// where returns the index of an object's entry, or -1.
func (v *visibleSet) where(n uint32) int { return v.index.where(n, v.entries) }

// enter adds an entry. The list grows by an eighth, because many connections have one.
func (v *visibleSet) enter(n uint32) int {
	if used := len(v.entries); used == cap(v.entries) {
		v.entries = append(make([]visibleEntry, 0, used+max(16, used/8)), v.entries...)
	}
	v.entries = append(v.entries, visibleEntry{number: n})
	v.index.add(v.entries)
	return len(v.entries) - 1
}

// exclude moves an entry out of the part in scope.
func (v *visibleSet) exclude(at int) int {
	v.in--
	v.swap(at, v.in)
	return v.in
}

func (v *visibleSet) drop(at int) {
	n := v.entries[at].number
	v.index.remove(n, v.entries)
	if at < v.in {
		v.door.expel(n)
		v.in--
		v.move(v.in, at)
		at = v.in
	}
	last := len(v.entries) - 1
	v.move(last, at)
	v.entries = v.entries[:last]
}

// move moves an entry to the place of a dropped one.
func (v *visibleSet) move(from, to int) {
	if from != to {
		slot := v.index.find(v.entries[from].number, v.entries)
		v.entries[to] = v.entries[from]
		v.index.set(slot, to)
	}
}

func (v *visibleSet) swap(a, b int) {
	slotA, slotB := v.index.find(v.entries[a].number, v.entries), v.index.find(v.entries[b].number, v.entries)
	v.entries[a], v.entries[b] = v.entries[b], v.entries[a]
	v.index.set(slotA, b)
	v.index.set(slotB, a)
}
