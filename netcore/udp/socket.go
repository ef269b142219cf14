package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const kernelBytes = 4 << 20 // requested buffer per direction; the kernel can grant less

// Socket is a bound UDP socket and its reader.
type Socket struct {
	transport
	local netip.AddrPort
	six   bool // an IPv6 socket: it addresses IPv4 peers in mapped form
	asked bool // packets carry the own address that was asked, and answers leave from it
	Queue
	others atomic.Pointer[func(*Packet)] // takes the datagrams of other protocols
	closed atomic.Bool
	done   chan struct{}
}

// Listen binds a server's socket to "host:port". An empty host means all
// addresses of both families, 0.0.0.0 all IPv4 addresses, [::] again both. Port
// 0 means any free port (see Addr). If the
// socket is bound to more than one address, Packet.From also has the address
// that the peer asked (netcore.Addr.Own), on systems that tell it.
func Listen(addr string) (*Socket, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: address must be HOST:PORT", addr)
	}
	if host == "" {
		return openBoth(addr, true)
	}
	network := "udp"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		network = "udp4" // "udp" takes 0.0.0.0 for the addresses of both families
	}
	return open(network, addr, true)
}

// Dial binds a client's socket to any free port. It reaches peers of both
// families, or of IPv4 if the system has no IPv6.
func Dial() (*Socket, error) { return openBoth(":0", false) }

// openBoth opens a socket of both families, or of IPv4 if the system has no
// IPv6.
func openBoth(addr string, server bool) (*Socket, error) {
	if s, err := open("udp", addr, server); err == nil {
		return s, nil
	}
	return open("udp4", addr, server)
}

func open(network, addr string, server bool) (*Socket, error) {
	conn, err := bind(network, addr)
	if err != nil {
		return nil, err
	}
	return start(conn, server), nil
}

func bind(network, addr string) (*net.UDPConn, error) {
	local, err := net.ResolveUDPAddr(network, addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	conn, err := net.ListenUDP(network, local)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	return conn, nil
}

// start makes a socket of conn, and starts its reader.
func start(conn *net.UDPConn, server bool) *Socket {
	// If the kernel refuses these buffer sizes, packets are only lost earlier.
	_ = conn.SetReadBuffer(kernelBytes)
	_ = conn.SetWriteBuffer(kernelBytes)
	s := &Socket{local: conn.LocalAddr().(*net.UDPAddr).AddrPort(), Queue: NewQueue(), done: make(chan struct{})}
	s.six = !s.local.Addr().Is4()
	requestTimes(conn)
	s.asked = server && s.local.Addr().IsUnspecified() && requestOwn(conn, s.six)
	s.transport = newNetSocket(conn, s.six)
	if server {
		if c, err := takeOver(conn, s.six); err == nil {
			s.transport = c
		}
	}
	go s.receive()
	return s
}

// Addr returns the bound address. Its port is never 0.
func (s *Socket) Addr() netip.AddrPort {
	return netip.AddrPortFrom(s.local.Addr().Unmap(), s.local.Port())
}

// Write sends one datagram and does not keep b. It ignores errors of single
// packets, because the protocol handles them as packet loss. It returns an error
// if the socket is closed or the address is not a UDP address.
func (s *Socket) Write(to netcore.Addr, b []byte) error {
	ap := to.AddrPort()
	if !ap.IsValid() {
		return fmt.Errorf("%v is not a UDP address", to)
	}
	switch {
	case s.six && ap.Addr().Is4():
		ap = netip.AddrPortFrom(netip.AddrFrom16(ap.Addr().As16()), ap.Port())
	case !s.six && !ap.Addr().Is4():
		return nil
	}
	if !s.asked {
		to.Own = [16]byte{}
	}
	if err := s.write(b, ap, to.Own); errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Others passes the datagrams of other protocols, those that begin with less than
// netcore.LeastToServer, to a function. It is for the socket of a server. The function runs on the
// goroutine of the reader, so it must not wait. The packet belongs to it. Such datagrams never
// enter the queue.
func (s *Socket) Others(take func(*Packet)) { s.others.Store(&take) }

// Close closes the socket and waits until its reader has ended.
func (s *Socket) Close() error {
	if s.closed.Swap(true) {
		return net.ErrClosed
	}
	s.wake()
	<-s.done
	return s.close()
}

// arrival returns when a datagram arrived that the reader gets now. at is the kernel's time in Unix
// nanoseconds, 0 if it tells none. The clock can be set in between, so only ages of up to a second
// count.
func arrival(now time.Time, at int64) time.Time {
	age := time.Duration(now.UnixNano() - at)
	if age < 0 || age > time.Second {
		return now
	}
	return now.Add(-age)
}

// receive moves datagrams from the socket to the channel until the socket closes.
// It ignores other read errors, because they concern single peers. An ICMP
// message can cause one.
func (s *Socket) receive() {
	defer close(s.done)
	defer close(s.packets)
	for flow := (flow{}); ; {
		n, err := s.read()
		if s.closed.Load() || errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(denseTime) // an error that stays must not keep a core busy
			continue
		}
		now := time.Now()
		flow.begin(now)
		for i := range n {
			flow.add(s.pass(i, now))
		}
		if flow.dense() {
			s.rest(n)
		}
	}
}

// pass passes a packet to the channel. It returns the address of the peer.
func (s *Socket) pass(i int, now time.Time) (from netcore.Addr) {
	p, own, at := s.take(i)
	from = p.From
	if p.n == 0 || p.n > netcore.MaxDatagram {
		p.Free()
		return from
	}
	if p.At = arrival(now, at); s.asked {
		p.From.Own = own
	}
	if take := s.others.Load(); take != nil && p.buf[0] < netcore.LeastToServer {
		(*take)(p)
		return from
	}
	s.Add(p)
	return from
}
