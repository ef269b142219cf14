package web

import (
	"iter"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	maxSilent        = 256 // peers without a connection of the game. A new one replaces one of an address with more
	silentPerAddress = 8   // the same of one address
	maxSweeps        = 30  // without a connection of the game, until a peer is dropped
	maxOpening       = 10  // sweeps until a line must be open
	maxStill         = 5   // sweeps without progress, until a peer can make room for one of an address that has none
)

// peers are the browsers.
type peers struct {
	udp.Queue
	lost atomic.Uint64

	mu      sync.Mutex
	byAddr  map[netcore.Addr]*peer
	limits  netcore.Limits
	silent  []*peer // those without a connection of the game, oldest first
	counts  counts  // of these
	next    uint16  // number of a connection
	sweeps  int
	closed  bool
	running sync.WaitGroup
}

func newPeers() *peers {
	return &peers{Queue: udp.NewQueue(), byAddr: map[netcore.Addr]*peer{}, counts: counts{}}
}

// reserve returns a new peer without a line, which the caller must give back with release. It
// returns false if the IP address has as many peers as it can have, or if no peer makes room.
func (s *peers) reserve(ip netip.Addr, secure bool) (p *peer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := netcore.WebAddr(ip, 0)
	if s.closed || s.full(at) {
		return nil, false
	}
	if len(s.silent) >= maxSilent {
		old := s.crowded(at)
		if old == nil {
			return nil, false
		}
		s.drop(old)
	}
	at = s.free(ip)
	p = &peer{
		addr: at, ranges: at.Ranges(), moved: s.sweeps, secure: secure, heard: s.Add, out: outbox{wake: make(chan struct{}, 1), lost: &s.lost},
		pace: pace{limit: rate.Limit{PerSecond: messageRate, Burst: messageBurst}},
	}
	s.byAddr[at] = p
	s.silent = append(s.silent, p)
	s.counts.add(at, 1)
	s.running.Add(1)
	return p, true
}

// full reports whether an address has as many silent peers as it can have.
func (s *peers) full(of netcore.Addr) bool {
	return !s.limits.Allows(of) && s.counts.full(of, s.limits.Scale(silentPerAddress))
}

// setLimits replaces the limits.
func (s *peers) setLimits(l netcore.Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = l
}

// crowded returns the silent peer that makes room for a new one at by, or nil: the newest of the
// address with the most, if that is more than by would have. If all have one and by has none, the
// oldest without progress.
func (s *peers) crowded(by netcore.Addr) (found *peer) {
	ranges := by.Ranges()
	none := s.counts.share(ranges) == 0
	s.counts.add(by, 1)
	own := s.counts.share(ranges)
	s.counts.add(by, -1)
	most := own
	for _, p := range slices.Backward(s.silent) {
		switch share := s.counts.share(p.ranges); {
		case share > most:
			found, most = p, share
		case none && most == own && share == own && s.sweeps-max(p.moved, p.sweep) >= maxStill:
			found = p
		}
	}
	return found
}

// free returns an address of an IP address that no peer has.
func (s *peers) free(ip netip.Addr) netcore.Addr {
	at := netcore.WebAddr(ip, 0)
	for at.Port == 0 || s.byAddr[at] != nil {
		s.next++
		at.Port = s.next
	}
	return at
}

// move gives a peer another IP address, before its first message. It returns false if the peer was
// dropped, or if the address has as many peers as it can have.
func (s *peers) move(p *peer, ip netip.Addr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byAddr[p.addr] != p {
		return false
	}
	at := s.free(ip)
	if at.IP == p.addr.IP {
		return true
	}
	if s.full(at) {
		return false
	}
	delete(s.byAddr, p.addr)
	s.counts.add(p.addr, -1)
	p.addr = at
	p.ranges = at.Ranges()
	s.byAddr[at] = p
	s.counts.add(at, 1)
	return true
}

// attach gives a peer its line. It returns false if the peer was dropped.
func (s *peers) attach(p *peer, l line) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.line = l
	return s.byAddr[p.addr] == p
}

// opened notes that the line of a peer is open.
func (s *peers) opened(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.open, p.moved = true, s.sweeps
}

// run carries the datagrams of a peer until its line ends.
func (s *peers) run(p *peer, l line) {
	if !s.attach(p, l) {
		l.close()
		return
	}
	s.running.Go(p.write)
	p.read()
}

// release gives a peer back.
func (s *peers) release(p *peer) {
	s.mu.Lock()
	s.drop(p)
	s.mu.Unlock()
	s.running.Done()
}

// drop forgets a peer and ends its line: what waits is written first, for a second at most. The
// peer can be dropped already.
func (s *peers) drop(p *peer) {
	if s.byAddr[p.addr] != p {
		return
	}
	delete(s.byAddr, p.addr)
	s.speaks(p)
	p.out.close()
	if p.line != nil {
		p.line.end()
	}
}

// speaks takes a peer from those without a connection of the game.
func (s *peers) speaks(p *peer) {
	for i, other := range s.silent {
		if other == p {
			s.silent = append(s.silent[:i], s.silent[i+1:]...)
			s.counts.add(p.addr, -1)
			return
		}
	}
}

// Write sends a datagram to a peer, and does not keep b. It drops what the line does not take in
// time, as UDP would.
func (s *peers) Write(to netcore.Addr, b []byte) error {
	to = to.Remote()
	s.mu.Lock()
	p := s.byAddr[to]
	s.mu.Unlock()
	if p != nil {
		p.out.put(udp.NewPacket(to, time.Now(), b))
	}
	return nil
}

// Lost returns the number of packets that were dropped because a line did not take them.
func (s *peers) Lost() uint64 { return s.lost.Load() }

// Plain reports whether the page of a peer came in a way that somebody on the path could change. It
// is false for an address without a peer: the line of a peer over HTTPS can have ended.
func (s *peers) Plain(a netcore.Addr) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.byAddr[a.Remote()]
	return p != nil && !p.secure
}

// Open returns the number of peers.
func (s *peers) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byAddr)
}

// Sweep notes which addresses have a connection of the game. The owner calls it once a second.
// A peer that has none for 30 sweeps is dropped, and one whose line is not open after 10.
func (s *peers) Sweep(live iter.Seq[netcore.Addr]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweeps++
	for a := range live {
		if p := s.byAddr[a.Remote()]; p != nil {
			p.sweep = s.sweeps
			s.speaks(p)
			if p.joined != nil {
				p.joined(time.Now())
				p.joined = nil
			}
		}
	}
	for _, p := range s.byAddr {
		switch {
		case p.sweep == s.sweeps:
			p.silent = 0
		case p.silent == maxSweeps || !p.open && p.silent == maxOpening:
			s.drop(p)
		default:
			if p.silent++; p.silent == 1 && p.sweep > 0 {
				s.silent = append(s.silent, p)
				s.counts.add(p.addr, 1)
			}
		}
	}
}

// close ends all lines and waits for them.
func (s *peers) close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.byAddr {
		s.drop(p)
	}
	s.mu.Unlock()
	s.running.Wait()
}
