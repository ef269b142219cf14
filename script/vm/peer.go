package vm

import (
	"cmp"
	"slices"
	"time"
)

// A Peer identifies a connection whose input, or whose object, makes the mods run. Its faults are
// booked to the peer, so that one peer cannot suspend a handler for the others. 0 is no peer.
type Peer uint64

const (
	firstPeerPause = time.Second // pause after the second fault, or the first that exhausts a budget
	maxPeerPause   = 64 * time.Second
	maxPeerFaults  = 64 // peers stored for each handler
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
	debt   int64 // instructions that are not paid for; each tick pays PeerShare
	recent int64 // instructions of the last ticks; each tick keeps seven eighths
}

// pay begins a tick. It reports whether the peer has used anything recently.
func (a *peerAccount) pay(share int64) bool {
	a.debt = max(0, a.debt-share)
	a.recent = a.recent * 7 / 8
	return a.debt > 0 || a.recent > 0
}

// accountOf returns the account of the current peer, nil without a peer.
func (h *Runtime) accountOf() *peerAccount {
	if h.peer == 0 {
		return nil
	}
	a := h.accounts[h.peer]
	if a == nil {
		a = &peerAccount{}
		h.accounts[h.peer] = a
	}
	return a
}

// OverShare reports whether a peer has used its share of the instructions of this tick. A call that
// has begun can exceed the share. Then later ticks pay for the rest.
func (h *Runtime) OverShare(p Peer) bool {
	a := h.accounts[p]
	return a != nil && a.debt >= h.cfg.Limits.PeerShare()
}

// RecentUse returns the recent use of a peer in quarters of a share, 0 for most peers. Peers with a
// lower use are served first.
func (h *Runtime) RecentUse(p Peer) int {
	return int(4 * h.Recent(p) / h.cfg.Limits.PeerShare())
}

// Recent returns the recent use of a peer in instructions: each tick keeps seven eighths.
func (h *Runtime) Recent(p Peer) int64 {
	if a := h.accounts[p]; a != nil {
		return a.recent
	}
	return 0
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
// pause, and each further one doubles it. If peers of three origins have faults in the window, the
// mod has the fault: the handler is suspended, and it refuses nobody.
func (m *Mod) bookPeer(r *EventRecord, f *Fault) {
	h, now := m.Runtime, m.Runtime.Now()
	r.addPeerFault(h, now, f.Resource != 0)
	origins := map[string]bool{}
	for _, p := range r.peers {
		if now-p.last < faultWindow && p.origin != "" {
			origins[p.origin] = true
		}
	}
	if len(origins) >= faultOrigins && r.suspension.why == "" {
		m.suspendHandler(r, "faults of peers with different addresses, last: "+f.Text)
	}
}

// addPeerFault stores a fault of the current peer. A full list loses the peer whose last fault is
// oldest.
func (r *EventRecord) addPeerFault(h *Runtime, now time.Duration, spent bool) {
	i := r.peerIndex(h)
	if i < 0 {
		if len(r.peers) >= maxPeerFaults {
			oldest := slices.MinFunc(r.peers, func(a, b peerFaults) int { return cmp.Compare(a.last, b.last) })
			r.peers = slices.DeleteFunc(r.peers, func(p peerFaults) bool { return p.peer == oldest.peer })
		}
		i = len(r.peers)
		r.peers = append(r.peers, peerFaults{peer: h.peer})
		if h.cfg.Origin != nil {
			r.peers[i].origin = h.cfg.Origin(h.peer)
		}
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
