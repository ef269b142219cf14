package web

import (
	"bytes"
	"encoding/binary"
	"net"
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
	maxPaths   = 8    // addresses that are known of a peer
	maxWaiting = 64   // datagrams of a peer that wait for it
	shareRate  = 1000 // datagrams of a peer per second
	shareBurst = 200  // the same at once
)

// rtcPort divides the UDP port of the game among the peers of WebRTC. It takes only datagrams of
// peers that a signalling request has opened: a STUN request belongs to the peer that it names, and
// everything else to the peer at the address.
type rtcPort struct {
	socket  *udp.Socket
	dropped atomic.Uint64

	mu     sync.Mutex
	byName map[string]*share
	byAddr map[netcore.Addr]*share
}

// newRTCPort takes the datagrams of STUN and DTLS from a socket.
func newRTCPort(socket *udp.Socket) *rtcPort {
	p := &rtcPort{socket: socket, byName: map[string]*share{}, byAddr: map[netcore.Addr]*share{}}
	socket.Others(p.take)
	return p
}

// share is the part of the port that a peer has. It is the UDP mux of the peer's ICE agent.
type share struct {
	port      *rtcPort
	name      string // the user name of the agent in STUN
	four, six *lane
	done      chan struct{}

	// guarded by rtcPort.mu
	paths  []netcore.Addr // where the peer sends from; the newest heard is the last
	pace   pace
	closed bool
}

// lane is the part of a share for one family of addresses. It is a net.PacketConn.
type lane struct {
	*share
	local *net.UDPAddr
	in    chan *udp.Packet
}

// open makes a share.
func (p *rtcPort) open(name string) *share {
	s := &share{port: p, name: name, done: make(chan struct{}), pace: pace{limit: rate.Limit{PerSecond: shareRate, Burst: shareBurst}}}
	number := int(p.socket.Addr().Port())
	s.four = &lane{s, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: number}, make(chan *udp.Packet, maxWaiting)}
	s.six = &lane{s, &net.UDPAddr{IP: net.IPv6loopback, Port: number}, make(chan *udp.Packet, maxWaiting)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byName[name] = s
	return s
}

// take passes a datagram to its peer, or drops it. It runs on the goroutine that reads the socket.
func (p *rtcPort) take(packet *udp.Packet) {
	if to := p.find(packet); to != nil {
		select {
		case to.in <- packet:
			return
		default:
		}
	}
	p.dropped.Add(1)
	packet.Free()
}

// find returns the lane that a datagram belongs to; nil means that nobody gets it.
func (p *rtcPort) find(packet *udp.Packet) *lane {
	b, from := packet.Bytes(), packet.From.Remote()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.byAddr[from]
	switch {
	case isSTUN(b):
		if name := stunName(b); len(name) > 0 {
			if s = p.byName[string(name)]; s == nil || !s.learn(packet.From) {
				return nil
			}
		}
	case !isDTLS(b):
		return nil
	}
	if s == nil || s.closed || !s.pace.allow(packet.At) {
		return nil
	}
	s.heard(from)
	if netip.AddrFrom16(from.IP).Is4In6() {
		return s.four
	}
	return s.six
}

// learn notes an address of the peer. It returns false if the address belongs to another peer. A
// browser in a car or behind a router changes its address many times in a game, so beyond maxPaths
// the address that was silent for the longest time is forgotten. rtcPort.mu must be locked.
func (s *share) learn(from netcore.Addr) bool {
	at := from.Remote()
	switch s.port.byAddr[at] {
	case s:
		s.paths[s.indexOf(at)] = from // the peer can ask another own address
		return true
	case nil:
	default:
		return false
	}
	if s.closed {
		return false
	}
	if len(s.paths) == maxPaths {
		delete(s.port.byAddr, s.paths[0].Remote())
		s.paths = slices.Delete(s.paths, 0, 1)
	}
	s.paths = append(s.paths, from)
	s.port.byAddr[at] = s
	return true
}

// indexOf returns the place of an address of the peer, -1 if it has none. rtcPort.mu must be
// locked.
func (s *share) indexOf(at netcore.Addr) int {
	return slices.IndexFunc(s.paths, func(path netcore.Addr) bool { return path.Remote() == at })
}

// heard moves an address of the peer behind the others. rtcPort.mu must be locked.
func (s *share) heard(at netcore.Addr) {
	i, last := s.indexOf(at), len(s.paths)-1
	if path := s.paths[i]; i < last {
		copy(s.paths[i:], s.paths[i+1:])
		s.paths[last] = path
	}
}

// close gives the share back.
func (s *share) close() {
	s.port.mu.Lock()
	defer s.port.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.done)
	delete(s.port.byName, s.name)
	for _, path := range s.paths {
		delete(s.port.byAddr, path.Remote())
	}
}

// GetListenAddresses implements ice.UDPMux. The agent tells them nobody: see candidates.go.
func (s *share) GetListenAddresses() []net.Addr { return []net.Addr{s.four.local, s.six.local} }

// GetConn implements ice.UDPMux.
func (s *share) GetConn(_ string, addr net.Addr) (net.PacketConn, error) {
	if addr == net.Addr(s.six.local) {
		return s.six, nil
	}
	return s.four, nil
}

// RemoveConnByUfrag implements ice.UDPMux. An agent also calls it before it begins.
func (s *share) RemoveConnByUfrag(string) {}

// Close implements ice.UDPMux and net.PacketConn.
func (s *share) Close() error { s.close(); return nil }

// ReadFrom implements net.PacketConn.
func (l *lane) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case packet := <-l.in:
		defer packet.Free()
		return copy(b, packet.Bytes()), net.UDPAddrFromAddrPort(packet.From.Remote().AddrPort()), nil
	case <-l.done:
		return 0, nil, net.ErrClosed
	}
}

// WriteTo implements net.PacketConn. Nothing leaves for an address that the peer has not sent from.
func (l *lane) WriteTo(b []byte, to net.Addr) (int, error) {
	if at, ok := to.(*net.UDPAddr); ok {
		if path := l.path(netcore.UDPAddr(at.AddrPort())); path.Kind != netcore.AddrNone {
			_ = l.port.socket.Write(path, b) // a failed send is a lost packet
		}
	}
	return len(b), nil
}

// path returns an address of the peer with the own address that it asked; the zero Addr if there is
// none.
func (l *lane) path(to netcore.Addr) netcore.Addr {
	l.port.mu.Lock()
	defer l.port.mu.Unlock()
	if i := l.indexOf(to); i >= 0 {
		return l.paths[i]
	}
	return netcore.Addr{}
}

// LocalAddr implements net.PacketConn.
func (l *lane) LocalAddr() net.Addr { return l.local }

// SetDeadline implements net.PacketConn. The agent closes the lane instead.
func (l *lane) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.PacketConn.
func (l *lane) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.PacketConn.
func (l *lane) SetWriteDeadline(time.Time) error { return nil }

const (
	stunHead    = 20
	stunCookie  = 0x2112A442
	stunUser    = 0x0006 // the attribute USERNAME
	dtlsFirst   = 20     // the first bytes of DTLS, by RFC 7983
	dtlsLast    = 63
	stunClasses = 4 // first bytes of STUN
)

func isSTUN(b []byte) bool {
	return len(b) >= stunHead && b[0] < stunClasses && binary.BigEndian.Uint32(b[4:]) == stunCookie
}

func isDTLS(b []byte) bool { return b[0] >= dtlsFirst && b[0] <= dtlsLast }

// stunName returns the first half of the user name in a STUN request: that of the agent here. It
// returns nil if there is none.
func stunName(b []byte) []byte {
	for rest := b[stunHead:]; len(rest) >= 4; {
		kind, n := binary.BigEndian.Uint16(rest), int(binary.BigEndian.Uint16(rest[2:]))
		if rest = rest[4:]; n > len(rest) {
			return nil
		}
		if kind == stunUser {
			name, _, _ := bytes.Cut(rest[:n], []byte(":"))
			return name
		}
		rest = rest[min((n+3)&^3, len(rest)):]
	}
	return nil
}
