package web

import (
	"iter"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	maxSilent        = 256 // WebSockets without a connection of the game. A new one replaces the oldest
	silentPerAddress = 8   // the same of one address
	maxSweeps        = 30  // without a connection of the game, until a WebSocket is closed
)

// peers are the WebSockets.
type peers struct {
	udp.Queue
	lost atomic.Uint64

	mu      sync.Mutex
	byAddr  map[netcore.Addr]*peer
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

// reserve returns a new peer without a connection, which the caller must give back with release. It
// returns false if the IP address has as many peers as it can have.
func (s *peers) reserve(ip netip.Addr) (p *peer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := netcore.WebAddr(ip, 0)
	if s.closed || s.counts.full(at, silentPerAddress) {
		return nil, false
	}
	for at.Port == 0 || s.byAddr[at] != nil {
		s.next++
		at.Port = s.next
	}
	if len(s.silent) >= maxSilent {
		s.drop(s.silent[0])
	}
	p = &peer{addr: at, heard: s.Add, out: outbox{wake: make(chan struct{}, 1), lost: &s.lost}}
	s.byAddr[at] = p
	s.silent = append(s.silent, p)
	s.counts.add(at, 1)
	s.running.Add(1)
	return p, true
}

// run carries the datagrams of a peer until its connection ends.
func (s *peers) run(p *peer, conn *websocket.Conn, of net.Conn) {
	s.mu.Lock()
	p.conn, p.net = conn, of
	dropped := s.byAddr[p.addr] != p
	s.mu.Unlock()
	if dropped {
		_ = conn.CloseNow()
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

// drop forgets a peer and ends its connection: what waits is written first, for a second at most. The
// peer can be dropped already.
func (s *peers) drop(p *peer) {
	if s.byAddr[p.addr] != p {
		return
	}
	delete(s.byAddr, p.addr)
	s.speaks(p)
	p.out.close()
	if p.net != nil {
		_ = p.net.SetDeadline(time.Now().Add(endTime))
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

// Write sends a datagram to a peer, and does not keep b. It drops what the connection does not take in
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

// Lost returns the number of packets that were dropped because a connection did not take them.
func (s *peers) Lost() uint64 { return s.lost.Load() }

// Open returns the number of peers.
func (s *peers) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byAddr)
}

// Sweep notes which addresses have a connection of the game. The owner calls it once a second.
// A peer that has none for 30 sweeps is dropped.
func (s *peers) Sweep(live iter.Seq[netcore.Addr]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweeps++
	for a := range live {
		if p := s.byAddr[a.Remote()]; p != nil {
			p.sweep = s.sweeps
			s.speaks(p)
		}
	}
	for _, p := range s.byAddr {
		switch {
		case p.sweep == s.sweeps:
			p.silent = 0
		case p.silent == maxSweeps:
			s.drop(p)
		default:
			if p.silent++; p.silent == 1 && p.sweep > 0 {
				s.silent = append(s.silent, p)
				s.counts.add(p.addr, 1)
			}
		}
	}
}

// close ends all connections and waits for them.
func (s *peers) close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.byAddr {
		s.drop(p)
	}
	s.mu.Unlock()
	s.running.Wait()
}
