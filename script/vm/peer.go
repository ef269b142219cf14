package vm

import (
	"maps"
	"slices"
	"time"
)

// A Peer identifies a connection whose input, or whose object, makes the mods run. Its faults are
// booked to the peer, so that one peer cannot suspend a handler for the others. 0 is no peer.
type Peer uint64

const (
	firstPeerPause = time.Second // pause after the second fault, or the first that exhausts a budget
	maxPeerPause   = 64 * time.Second
	maxPeerFaults  = 256 // peers stored for each handler
)

// peerFaults describes the faults that one peer has caused in one handler.
type peerFaults struct {
	peer   Peer
	origin string
	last   time.Duration // the newest fault, in simulation time
	pause  time.Duration // length of the newest pause
	faults int
	spent  bool // the newest fault exhausted a budget
}

func (p *peerFaults) until() time.Duration { return p.last + p.pause }

// peerAccount counts the instructions of the root entries that a peer causes.
type peerAccount struct {
	debt int64 // instructions that are not paid for; each tick pays PeerShare
	lead int64 // instructions beyond a fair part of the last ticks; see payPeers
	idle int   // ticks since the last instruction
}

// maxLead is the largest lead of a peer, in shares of a tick. After a crowd, it is gone in as many
// ticks.
const maxLead = 64

// forgetAfter is the number of ticks after which a peer without instructions counts no more.
const forgetAfter = 512

// payPeers begins a tick: it pays for a part of what the peers have used. If nothing has waited in
// the last tick, a lead falls by the share of a peer. Else it falls by the mean use of all peers
// that have used or wanted something lately. So of many peers that wait, the one that has used the
// least is next, and a peer with less than the mean never has a lead.
func (h *Runtime) payPeers() {
	share := h.cfg.Limits.PeerShare()
	mean := share
	if h.meter.waited && len(h.accounts) > 0 {
		mean = min(share, h.meter.peersUsed/int64(len(h.accounts)))
	}
	maps.DeleteFunc(h.accounts, func(_ Peer, a *peerAccount) bool {
		a.debt, a.lead = max(0, a.debt-share), max(0, min(a.lead, maxLead*share)-mean)
		a.idle++
		return a.debt == 0 && a.lead == 0 && a.idle > forgetAfter
	})
	h.meter.waited, h.meter.peersUsed = false, 0
}

// Waited notes that something of a peer waits for the next tick, because this one is used up.
func (h *Runtime) Waited() { h.meter.waited = true }

// accountOf returns the account of the current peer, nil without a peer.
func (h *Runtime) accountOf() *peerAccount {
	if h.peer == 0 {
		return nil
	}
	return h.account(h.peer)
}

func (h *Runtime) account(p Peer) *peerAccount {
	a := h.accounts[p]
	if a == nil {
		a = &peerAccount{}
		h.accounts[p] = a
	}
	return a
}

// SureItems is how many items of a limited kind, such as timers, each peer can have even if the
// others have used up the limit.
const SureItems = 4

// PartOf returns the part of a limit on items that one peer can use: a quarter.
func PartOf(limit int) int { return max(limit/4, 1) }

// MayUse reports whether a peer that has own items can have another one, while all peers have all
// items. Nobody has more than a part of the limit. Beyond the limit, peers with few items still get
// some, up to twice the limit: a peer can come again as another one.
func MayUse(own, all, limit int) bool {
	return own < PartOf(limit) && (all < limit || own < SureItems && all < 2*limit)
}

// OverShare reports whether a peer has used its share of the instructions of this tick. A call that
// has begun can exceed the share. Then later ticks pay for the rest.
func (h *Runtime) OverShare(p Peer) bool {
	a := h.accounts[p]
	return a != nil && a.debt >= h.cfg.Limits.PeerShare()
}

// Ahead returns how many instructions a peer has used recently beyond its fair part, 0 for most
// peers. Peers with a smaller lead are served first. A peer counts from its first question on: one
// that has used nothing yet is among those that wait.
func (h *Runtime) Ahead(p Peer) int64 {
	if p == 0 {
		return 0
	}
	return h.account(p).lead
}

// SetPeer names the peer that causes the calls from now on, and returns the one before. Use it as
//
//	defer h.SetPeer(h.SetPeer(p))
func (h *Runtime) SetPeer(p Peer) (before Peer) {
	before, h.peer = h.peer, p
	return before
}

// Peer returns the peer that causes the current call, or 0.
func (h *Runtime) Peer() Peer { return h.peer }

// Refuses reports whether a handler refuses the current peer because of the peer's faults. spent
// asks only about faults that exhausted a budget.
func (m *Mod) Refuses(event string, spent bool) bool {
	return m.Runtime.peer != 0 && m.RefusesOn(m.EventRecord(event), spent)
}

// RefusesOn is Refuses for the record of an event.
func (m *Mod) RefusesOn(r *EventRecord, spent bool) bool {
	h := m.Runtime
	if h.peer == 0 {
		return false
	}
	i := r.peerIndex(h)
	return i >= 0 && h.Now() < r.peers[i].until() && (r.peers[i].spent || !spent)
}

// peerIndex returns the place of the current peer in the list, or -1. A new connection takes over
// the place of an ended one with the same origin, so connecting again ends no pause.
func (r *EventRecord) peerIndex(h *Runtime) int {
	i := slices.IndexFunc(r.peers, func(f peerFaults) bool { return f.peer == h.peer })
	if i >= 0 || len(r.peers) == 0 || h.cfg.Origin == nil {
		return i
	}
	origin := h.cfg.Origin(h.peer)
	i = slices.IndexFunc(r.peers, func(f peerFaults) bool { return f.origin == origin && h.cfg.Origin(f.peer) == "" })
	if i >= 0 {
		r.peers[i].peer = h.peer
	}
	return i
}

// bookPeer books a fault of a handler to the current peer. The second fault in the window begins a
// pause, and each further one doubles it. No number of peers suspends the handler for the others.
func (r *EventRecord) bookPeer(h *Runtime, spent bool) {
	now, i := h.Now(), r.peerIndex(h)
	if i < 0 {
		f := peerFaults{peer: h.peer}
		if h.cfg.Origin != nil {
			f.origin = h.cfg.Origin(h.peer)
		}
		r.makePeerRoom(f.origin, now)
		i = len(r.peers)
		r.peers = append(r.peers, f)
	}
	p := &r.peers[i]
	switch recent := p.faults > 0 && now < p.until()+max(p.pause, faultWindow); {
	case recent && p.pause > 0:
		p.pause = min(2*p.pause, maxPeerPause)
	case recent || spent:
		p.pause = firstPeerPause
	default:
		p.pause = 0
	}
	p.last, p.spent = now, spent
	p.faults++
}

// makePeerRoom makes room in a full list for a peer of an origin. Peers whose pause is over go
// first. Then the origin with the most peers loses one. Of several, the one whose last fault is
// oldest goes.
func (r *EventRecord) makePeerRoom(origin string, now time.Duration) {
	if len(r.peers) < maxPeerFaults {
		return
	}
	count := make(map[string]int, len(r.peers)+1)
	count[origin] = 1
	for i := range r.peers {
		count[r.peers[i].origin]++
	}
	var gone peerRank
	for i := range r.peers {
		p := &r.peers[i]
		if rank := (peerRank{i, now < p.until(), count[p.origin], p.last}); i == 0 || rank.before(&gone) {
			gone = rank
		}
	}
	r.peers = slices.Delete(r.peers, gone.place, gone.place+1)
}

// A peerRank says when a peer leaves a full list.
type peerRank struct {
	place   int // in the list
	pausing bool
	origin  int           // peers of its origin
	last    time.Duration // of its faults
}

// before reports whether a peer leaves before another one.
func (a *peerRank) before(b *peerRank) bool {
	if a.pausing != b.pausing {
		return b.pausing
	}
	if a.origin != b.origin {
		return a.origin > b.origin
	}
	return a.last < b.last
}
