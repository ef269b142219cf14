package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/torc-engine/torc/netcore"
)

const (
	waiting     = 1024    // packets between the reader and the owner
	kernelBytes = 4 << 20 // asked of the kernel for each direction; it may give less
)

// Packet is one datagram that arrived.
type Packet struct {
	From netcore.Addr
	n    int
	buf  [netcore.MaxDatagram + 1]byte // one more, to tell a longer one
}

// Bytes returns the datagram; it is valid until Free.
func (p *Packet) Bytes() []byte { return p.buf[:p.n] }

// Free gives the packet back. It must not be used afterwards.
func (p *Packet) Free() { pool.Put(p) }

var pool = sync.Pool{New: func() any { return new(Packet) }}

// Socket is a bound UDP socket and its reader.
type Socket struct {
	conn    *net.UDPConn
	six     bool // an IPv6 socket: IPv4 peers are written in mapped form
	packets chan *Packet
	dropped atomic.Uint64
	closed  atomic.Bool
	done    chan struct{}
}

// Listen binds a server's socket to "host:port". An empty host means every
// address of both families; port 0 means any free port (see Addr).
func Listen(addr string) (*Socket, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: an address is HOST:PORT", addr)
	}
	if host == "" { // both families on one socket, or IPv4 where there is no IPv6
		if s, err := open("udp", addr); err == nil {
			return s, nil
		}
		return open("udp4", addr)
	}
	return open("udp", addr)
}

// Dial binds a client's socket to any free port, of the family that leads to
// the peer.
func Dial(to netcore.Addr) (*Socket, error) {
	if to.AddrPort().Addr().Is4() {
		return open("udp4", ":0")
	}
	return open("udp", ":0")
}

func open(network, addr string) (*Socket, error) {
	local, err := net.ResolveUDPAddr(network, addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	conn, err := net.ListenUDP(network, local)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	// Smaller kernel buffers than asked for only mean earlier loss.
	_ = conn.SetReadBuffer(kernelBytes)
	_ = conn.SetWriteBuffer(kernelBytes)
	s := &Socket{conn: conn, packets: make(chan *Packet, waiting), done: make(chan struct{})}
	s.six = !conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Is4()
	go s.read()
	return s, nil
}

// Addr returns the address as bound, its port never 0.
func (s *Socket) Addr() netip.AddrPort {
	ap := s.conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// Packets returns what arrives. The channel is closed when the socket is.
func (s *Socket) Packets() <-chan *Packet { return s.packets }

// Dropped returns how many packets arrived while the owner was too far behind.
func (s *Socket) Dropped() uint64 { return s.dropped.Load() }

// Write sends one datagram; it does not keep b. Errors that concern one peer
// or one moment are loss, and the protocol above lives with loss: only a
// socket that is closed is an error.
func (s *Socket) Write(to netcore.Addr, b []byte) error {
	ap := to.AddrPort()
	if !ap.IsValid() {
		return fmt.Errorf("%v is not a UDP address", to)
	}
	if s.six && ap.Addr().Is4() {
		ap = netip.AddrPortFrom(netip.AddrFrom16(ap.Addr().As16()), ap.Port())
	}
	if _, err := s.conn.WriteToUDPAddrPort(b, ap); errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Close closes the socket and waits until its reader is gone.
func (s *Socket) Close() error {
	s.closed.Store(true)
	err := s.conn.Close()
	<-s.done
	return err
}

// read moves datagrams from the socket to the channel until the socket closes.
// An error of a read belongs to some peer (an ICMP message may cause one) and
// ends nothing.
func (s *Socket) read() {
	defer close(s.done)
	defer close(s.packets)
	p := pool.Get().(*Packet)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(p.buf[:])
		if err != nil {
			if s.closed.Load() || errors.Is(err, net.ErrClosed) {
				p.Free()
				return
			}
			continue
		}
		if n == 0 || n > netcore.MaxDatagram {
			continue
		}
		p.From, p.n = netcore.UDPAddr(from), n
		select {
		case s.packets <- p:
			p = pool.Get().(*Packet)
		default:
			s.dropped.Add(1)
		}
	}
}
