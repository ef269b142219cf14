package netcore

import (
	"container/list"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// speakTime is how long a client has for its introduction after the key exchange. For the same time
// the server keeps a refusal, to repeat it.
const speakTime = 4 * time.Second

// halfOpen is a session whose client has not been accepted. It is
//
//	unheard ──introduction──▶ heard ──Answer──▶ accepted (a Conn), or refused
//	                            └──Answer──▶ deferred ──Answer──▶ accepted, or refused
//
// An unheard session costs a place in the table of half-open sessions, and counts for its address.
// A refused one keeps its answer for a while. So a repeated packet gets the same answer and is not
// decided again. A deferred one has left this table for that of deferred sessions.
type halfOpen struct {
	from    Addr
	key     seal.Key
	nonce   seal.Nonce
	cookie  seal.Cookie
	session *seal.Session // nil if the greeting was refused
	reply   []byte        // answers the connect request
	verdict []byte        // answers the introduction; nil before the decision
	due     []byte        // the answer that the next Send passes on, or nil
	again   []byte        // the answer that it repeats, or nil

	pieces [][]byte // of the introduction; empty before the first one
	heard  Time     // when the introduction was complete; of a deferred session, when its client last asked
	turn   int      // the number of complete introductions before this one
	told   bool     // the client knows that it waits for a decision
	other  bool     // the client has another class list
	until  Time
	place  *list.Element // in the table's order; nil for a heard session that waits for a decision
	counts bool          // as unheard, for its address
	gone   bool          // removed: nothing is decided about it

	deferred  bool            // the owner answers later
	deferral  []byte          // answers the introduction meanwhile
	deferrals uint16          // texts so far
	request   *ConnectRequest // of a deferred session
}

// halfOpenTable holds the half-open sessions. Every operation takes constant time: a flood of
// sessions makes none of them slow.
type halfOpenTable struct {
	byAddr map[Addr]*halfOpen
	order  list.List    // those that can expire, the oldest first
	counts map[Addr]int // unheard sessions and waiting requests by range; see Addr.Ranges
}

func newHalfOpenTable() *halfOpenTable {
	return &halfOpenTable{byAddr: make(map[Addr]*halfOpen), counts: make(map[Addr]int)}
}

// add adds an unheard session. It replaces an earlier one of the same address. If the table holds
// most sessions that can expire, the oldest of them makes room.
func (t *halfOpenTable) add(now Time, s *halfOpen, most int) {
	if old := t.byAddr[s.from]; old != nil {
		t.drop(old)
	}
	if t.order.Len() >= most {
		t.drop(t.oldest())
	}
	t.byAddr[s.from] = s
	s.counts = true
	t.count(s.from, 1)
	t.keep(now, s)
}

// count changes the number of an address's unheard sessions and waiting requests by n.
func (t *halfOpenTable) count(from Addr, n int) {
	for _, at := range from.Ranges() {
		if t.counts[at] += n; t.counts[at] == 0 {
			delete(t.counts, at)
		}
	}
}

// keep makes a session the youngest.
func (t *halfOpenTable) keep(now Time, s *halfOpen) {
	t.release(s)
	s.until, s.place = now+speakTime, t.order.PushBack(s)
}

// release takes a session out of the order: it cannot expire.
func (t *halfOpenTable) release(s *halfOpen) {
	if s.place != nil {
		t.order.Remove(s.place)
		s.place = nil
	}
}

// hear stops counting a session as unheard.
func (t *halfOpenTable) hear(s *halfOpen) {
	if s.counts {
		s.counts = false
		t.count(s.from, -1)
	}
}

// drop removes a session and erases its keys.
func (t *halfOpenTable) drop(s *halfOpen) {
	t.remove(s)
	if s.session != nil {
		s.session.Erase()
	}
}

// remove removes a session whose keys a connection takes over.
func (t *halfOpenTable) remove(s *halfOpen) {
	s.gone = true
	t.hear(s)
	t.release(s)
	if t.byAddr[s.from] == s {
		delete(t.byAddr, s.from)
	}
}

// expire removes the sessions whose time is over.
func (t *halfOpenTable) expire(now Time) {
	for t.order.Len() > 0 && now >= t.oldest().until {
		t.drop(t.oldest())
	}
}

// excuse gives all sessions more time, but none more than a new one has.
func (t *halfOpenTable) excuse(now, late Time) {
	for at := t.order.Front(); at != nil; at = at.Next() {
		if s, ok := at.Value.(*halfOpen); ok {
			s.until = min(s.until+late, now+speakTime)
		}
	}
}

func (t *halfOpenTable) oldest() *halfOpen {
	s, _ := t.order.Front().Value.(*halfOpen)
	return s
}

// clear removes all sessions and erases their keys. It counts no waiting requests any more.
func (t *halfOpenTable) clear() {
	for _, s := range t.byAddr { // any order: nobody hears of it
		t.drop(s)
	}
	clear(t.counts)
}
