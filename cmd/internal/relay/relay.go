// Package relay forwards UDP datagrams between clients and servers, over a line with a capacity, a
// queue, delay and losses. The line is that of netsim, so it behaves as in the tests. Its clock is
// real.
//
// A Relay has one line and one goroutine that owns it. Each Forward is an address for the clients
// of one server. The server sees each client at an address of its own.
package relay

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

const (
	maxClients  = 1024 // of a relay; datagrams of more clients are dropped
	queued      = 4096 // datagrams between the sockets and the line
	kernelBytes = 4 << 20
)

// Direction describes one direction of the line.
type Direction = netsim.Direction

// Relay is a line and the sockets at its ends.
type Relay struct {
	net      *netsim.Network
	epoch    time.Time
	up, down *netsim.Bottleneck
	ways     [2]Direction // up, down
	servers  []*Forward
	clients  []*client

	arrivals chan arrival
	calls    chan func()
	closing  chan struct{}
	readers  sync.WaitGroup
	done     chan struct{}
}

// Forward is an address at which a relay takes the datagrams for a server.
type Forward struct {
	relay   *Relay
	addr    netcore.Addr // in the simulated network
	socket  *net.UDPConn
	server  netip.AddrPort
	clients map[netip.AddrPort]*client
}

// client is a client of a server. Its socket is the client that the server sees.
type client struct {
	to     *Forward
	at     netip.AddrPort
	addr   netcore.Addr // in the simulated network
	socket *net.UDPConn
}

// arrival is a datagram of a client, or of the server for a client.
type arrival struct {
	server *Forward
	from   netip.AddrPort
	client *client // nil: the datagram is from a client
	data   []byte
}

// New starts a relay with a line without delay and loss.
func New() *Relay {
	r := &Relay{
		net: netsim.New(uint64(time.Now().UnixNano())), epoch: time.Now(), up: netsim.NewBottleneck(1, 0), down: netsim.NewBottleneck(1, 0),
		arrivals: make(chan arrival, queued), calls: make(chan func()), closing: make(chan struct{}), done: make(chan struct{}),
	}
	r.up.Set(Direction{})
	r.down.Set(Direction{})
	go r.run()
	return r
}

// Close closes all sockets and ends the goroutines.
func (r *Relay) Close() {
	close(r.closing)
	<-r.done
	for _, f := range r.servers {
		_ = f.socket.Close()
	}
	for _, c := range r.clients {
		_ = c.socket.Close()
	}
	r.readers.Wait()
}

// do calls f on the goroutine that owns the line.
func (r *Relay) do(f func()) {
	called := make(chan struct{})
	select {
	case r.calls <- func() { f(); close(called) }:
		<-called
	case <-r.done:
	}
}

// Set gives the line its properties: from the clients to the servers, and back.
func (r *Relay) Set(up, down Direction) {
	r.do(func() {
		r.ways = [2]Direction{up, down}
		r.up.Set(up)
		r.down.Set(down)
		for _, c := range r.clients {
			r.link(c)
		}
	})
}

func (r *Relay) link(c *client) {
	r.net.Link(c.addr, c.to.addr, r.ways[0].LinkParams, r.ways[1].LinkParams)
	r.net.Through(c.addr, c.to.addr, r.up)
	r.net.Through(c.to.addr, c.addr, r.down)
}

// Rebind gives each client another address, as seen from its server. Datagrams to the old addresses
// are lost.
func (r *Relay) Rebind() (err error) {
	r.do(func() {
		for _, c := range r.clients {
			old := c.socket
			if e := r.dial(c); e != nil {
				err = e
				continue
			}
			_ = old.Close()
		}
	})
	return err
}

// Down counts the traffic that the line has carried from the server.
func (f *Forward) Down() (flow netsim.Flow) {
	f.relay.do(func() { flow = *f.relay.down.Flow(f.addr) })
	return flow
}

// Wait returns how long a datagram from a server would wait in the queue now.
func (r *Relay) Wait() (t time.Duration) {
	r.do(func() { t = r.down.Wait(r.net.Now()) })
	return t
}

// Forward opens an address for the clients of a server: "HOST:PORT", port 0 for any free port.
func (r *Relay) Forward(listen string, server netip.AddrPort) (*Forward, error) {
	at, err := net.ResolveUDPAddr("udp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", listen, err)
	}
	socket, err := net.ListenUDP("udp", at)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", listen, err)
	}
	_ = socket.SetReadBuffer(kernelBytes) // a smaller buffer only loses more
	f := &Forward{relay: r, socket: socket, server: server, clients: map[netip.AddrPort]*client{}}
	r.do(func() {
		f.addr = netcore.SimAddr(uint16(1 + len(r.servers)))
		r.servers = append(r.servers, f)
		r.net.Attach(f.addr, f)
		r.read(socket, func(from netip.AddrPort, b []byte) arrival { return arrival{server: f, from: from, data: b} })
	})
	return f, nil
}

// Addr returns the address for the clients.
func (f *Forward) Addr() netip.AddrPort {
	at := f.socket.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// Receive passes a datagram of a client to the server. It implements netsim.Machine.
func (f *Forward) Receive(_ netcore.Time, from netcore.Addr, b []byte) {
	c := f.relay.clients[from.Port-firstClient]
	_, _ = c.socket.Write(b) // an error is that of an earlier datagram, which is lost
}

// Tick implements netsim.Machine.
func (f *Forward) Tick(netcore.Time) {}

// Send implements netsim.Machine.
func (f *Forward) Send(netcore.Time, func(netcore.Addr, []byte)) {}

// Receive passes a datagram of the server to the client. It implements netsim.Machine.
func (c *client) Receive(_ netcore.Time, _ netcore.Addr, b []byte) {
	_, _ = c.to.socket.WriteToUDPAddrPort(b, c.at)
}

// Tick implements netsim.Machine.
func (c *client) Tick(netcore.Time) {}

// Send implements netsim.Machine.
func (c *client) Send(netcore.Time, func(netcore.Addr, []byte)) {}

// firstClient is the number of the first client in the simulated network.
const firstClient = 1 << 15

// clientAt returns the client of a server with an address, a new one if needed. It returns nil if
// there are too many.
func (f *Forward) clientAt(at netip.AddrPort) *client {
	if c := f.clients[at]; c != nil {
		return c
	}
	r := f.relay
	if len(r.clients) == maxClients {
		return nil
	}
	c := &client{to: f, at: at, addr: netcore.SimAddr(firstClient + uint16(len(r.clients)))}
	if r.dial(c) != nil {
		return nil
	}
	r.clients, f.clients[at] = append(r.clients, c), c
	r.net.Attach(c.addr, c)
	r.link(c)
	return c
}

// dial gives a client a new socket to its server.
func (r *Relay) dial(c *client) error {
	socket, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(c.to.server))
	if err != nil {
		return err
	}
	_ = socket.SetReadBuffer(kernelBytes)
	c.socket = socket
	r.read(socket, func(_ netip.AddrPort, b []byte) arrival { return arrival{client: c, data: b} })
	return nil
}

// read passes the datagrams of a socket to the line until the socket closes. Other errors concern
// single datagrams: a server that is not there refuses them.
func (r *Relay) read(socket *net.UDPConn, what func(from netip.AddrPort, b []byte) arrival) {
	r.readers.Add(1)
	go func() {
		defer r.readers.Done()
		for buf := make([]byte, 1<<16); ; {
			n, from, err := socket.ReadFromUDPAddrPort(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			select {
			case r.arrivals <- what(from, append([]byte(nil), buf[:n]...)):
			case <-r.closing:
				return
			}
		}
	}()
}

// run moves datagrams through the line until the relay closes.
func (r *Relay) run() {
	defer close(r.done)
	timer := time.NewTimer(0)
	for {
		if due := r.net.Due(); due != netcore.Never {
			timer.Reset(max(due-time.Since(r.epoch), 0))
		}
		select {
		case a := <-r.arrivals:
			r.advance()
			r.enter(a)
		case f := <-r.calls:
			r.advance()
			f()
		case <-timer.C:
			r.advance()
		case <-r.closing:
			return
		}
	}
}

// advance lets the line reach the present.
func (r *Relay) advance() {
	now := time.Since(r.epoch)
	r.net.Run(now, now)
}

// enter puts a datagram into the line.
func (r *Relay) enter(a arrival) {
	c := a.client
	if c != nil {
		r.net.Send(c.to.addr, c.addr, a.data)
		return
	}
	if c = a.server.clientAt(a.from); c != nil {
		r.net.Send(c.addr, c.to.addr, a.data)
	}
}
