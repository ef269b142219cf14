package netcore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// The requests whose owner answers later (Answer with ConnectRequest.Deferred). They delay no other
// request. Each has proven its address and its key, and costs a place of its own table.

const (
	maxDeferred    = 256              // requests
	deferredHear   = time.Second      // how often a client that still asks counts as heard
	deferredIdle   = 2 * time.Second  // silence after which a request is the first that makes room
	deferredGone   = 4 * time.Second  // silence after which the client has gone
	deferredMemory = 30 * time.Second // in which the requests of an address count against it
)

// deferredTable holds the deferred sessions. A client repeats its introduction every 0.4 s at most
// while it waits. So one that is silent has gone, and its place is free.
type deferredTable struct {
	byAddr map[Addr]*halfOpen // never ranged over
	order  []*halfOpen        // the oldest first
	counts map[Addr]int       // by range; see Addr.Ranges
	recent rate.Generations[Addr, rate.Recent]
}

func newDeferredTable() *deferredTable {
	return &deferredTable{byAddr: make(map[Addr]*halfOpen), counts: make(map[Addr]int)}
}

// add adds a session. It returns the one that must make room, or nil.
func (t *deferredTable) add(now Time, s *halfOpen) (out *halfOpen) {
	s.deferred, s.heard = true, now
	t.byAddr[s.from] = s
	t.order = append(t.order, s)
	t.recent.Turn(now, limiterSize, deferredMemory)
	for _, at := range s.from.Ranges() {
		t.counts[at]++
		use := t.recent.Get(at)
		use.Add(now, deferredMemory, 1)
		t.recent.Set(at, use)
	}
	if len(t.order) > maxDeferred {
		return t.evicted(now)
	}
	return nil
}

// evicted returns the session that makes room: one of the address with the most, an idle one first.
// Among addresses with as many, it is one of that with the most requests lately, and the newest.
func (t *deferredTable) evicted(now Time) (found *halfOpen) {
	var worst deferredRank
	for _, s := range slices.Backward(t.order) {
		if r := t.rank(now, s); found == nil || r.compare(worst) > 0 {
			found, worst = s, r
		}
	}
	return found
}

// deferredRank says how well a session deserves its place. The highest one makes room.
type deferredRank struct {
	share, recent float64
	idle          bool
}

func (t *deferredTable) rank(now Time, s *halfOpen) (r deferredRank) {
	var room [maxRanges]Addr
	for i, at := range s.from.appendRanges(room[:0]) {
		use := t.recent.Get(at)
		r.share = max(r.share, float64(t.counts[at])/float64(shares[i]))
		r.recent = max(r.recent, use.Count(now, deferredMemory)/float64(shares[i]))
	}
	r.idle = now-s.heard >= deferredIdle
	return r
}

func (r deferredRank) compare(o deferredRank) int {
	idle := 0
	if r.idle != o.idle {
		idle = -1
		if r.idle {
			idle = 1
		}
	}
	return cmp.Or(cmp.Compare(r.share, o.share), idle, cmp.Compare(r.recent, o.recent))
}

// remove removes a session, if the table has it.
func (t *deferredTable) remove(s *halfOpen) {
	if !s.deferred {
		return
	}
	s.deferred = false
	t.order = slices.DeleteFunc(t.order, func(o *halfOpen) bool { return o == s })
	if t.byAddr[s.from] == s {
		delete(t.byAddr, s.from)
	}
	for _, at := range s.from.Ranges() {
		if t.counts[at]--; t.counts[at] == 0 {
			delete(t.counts, at)
		}
	}
}

// drop removes a session whose client is not there any more.
func (t *deferredTable) drop(s *halfOpen) {
	t.remove(s)
	s.gone = true
	s.session.Erase()
}

// dropIf drops the sessions for which yes returns true.
func (t *deferredTable) dropIf(yes func(s *halfOpen) bool) {
	for _, s := range slices.Clone(t.order) {
		if yes(s) {
			t.drop(s)
		}
	}
}

// Over reports whether a request is over: it is answered, its client has gone or asks anew, or the
// endpoint has ended it.
func (r *ConnectRequest) Over() bool {
	return r.Conn != nil || r.session.gone || r.session.verdict != nil
}

// deferAnswer puts a request aside for an owner that answers later, and tells the client so. For
// one that is aside already, it changes the text.
func (e *Endpoint) deferAnswer(now Time, r *ConnectRequest) {
	s := r.session
	if !s.deferred {
		e.halfOpen.release(s)
		if e.halfOpen.byAddr[s.from] == s {
			delete(e.halfOpen.byAddr, s.from)
		}
		for _, o := range slices.Clone(e.deferred.order) {
			if o.from == s.from || o.key == s.key {
				e.refuse(now, o.request, "replaced by another connect request with your key")
			}
		}
		s.request, s.pieces = r, nil
		if out := e.deferred.add(now, s); out != nil {
			e.refuse(now, out.request, "the server checks too many players at the moment: try again")
			if out == s {
				return
			}
		}
	}
	if s.deferrals == math.MaxUint16 {
		return // no number is left for another text
	}
	s.deferral = sealDeferral(s.session, s.nonce, &s.deferrals, plainText(r.Deferred))
	e.owe(s, s.deferral)
}

// hearDeferred handles a repeated introduction of a deferred session: its client is still there.
func (e *Endpoint) hearDeferred(now Time, s *halfOpen) {
	s.heard = now
	e.owe(s, s.deferral)
}

// expireDeferred drops the sessions whose clients have gone.
func (e *Endpoint) expireDeferred(now Time) {
	e.deferred.dropIf(func(s *halfOpen) bool { return now-s.heard >= deferredGone })
}

// noRoom returns why the endpoint itself has no room for the connection of a session, or "".
func (e *Endpoint) noRoom(s *halfOpen) string {
	switch {
	case e.atConnectionLimit(s.from, s.key):
		return fmt.Sprintf("too many connections from this address (%d): the operator can raise sv.addressLimit", e.limits.Connections)
	case len(e.byID) >= maxRoutes:
		return "the server has no connection id left: try again later"
	}
	return ""
}
