package bench

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

const tickTime = 32 * time.Millisecond // the program's tick, see cmd/torc

// benchPeer is an endpoint and its newest connection. The connection has one event stream, unless
// the configuration sets other streams.
type benchPeer struct {
	*netcore.Endpoint
	conn    *netcore.Conn
	events  *event.Stream
	count   counters
	err     error         // reason of the last failed connect or ended connection
	ended   int           // number of ended connections
	entered func()        // called when a connection is open; can be nil
	key     seal.Key      // its public key
	socket  *udp.Socket   // nil in memory and on netsim
	epoch   time.Time     // start of its clock, with a socket
	spent   time.Duration // time spent in its methods, in memory
	last    netcore.Time  // time of the last tick, on netsim
	every   netcore.Time  // tick interval on netsim; 0 ticks on every call
	out     func(netcore.Addr, []byte)
}

// newPeer completes the configuration and returns a peer.
func newPeer(cfg netcore.Config) (*benchPeer, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	p := &benchPeer{key: id.Public}
	cfg.Identity, cfg.Entropy = id, rand.Reader
	if cfg.Streams == nil {
		kinds := p.count.kinds()
		cfg.Streams = func(*netcore.Conn) []netcore.Stream {
			p.events = event.New(event.Config{Kinds: kinds, Mutual: true})
			return []netcore.Stream{p.events}
		}
	}
	cfg.Connected = func(c *netcore.Conn, _ []byte) {
		p.conn = c
		if p.entered != nil {
			p.entered()
		}
	}
	cfg.Ended = func(_ *netcore.Conn, r netcore.Reason) { p.err = r; p.ended++ }
	cfg.Failed = func(_ *netcore.Pending, r netcore.Reason) { p.err = r }
	p.Endpoint = netcore.NewEndpoint(cfg)
	return p, nil
}

// bind opens a loopback socket for the peer.
func (p *benchPeer) bind(epoch time.Time) (err error) {
	if p.socket, err = udp.Listen("127.0.0.1:0"); err != nil {
		return err
	}
	p.epoch = epoch
	p.out = func(to netcore.Addr, b []byte) { _ = p.socket.Write(to, b) }
	return nil
}

func (p *benchPeer) now() netcore.Time { return time.Since(p.epoch) }

func (p *benchPeer) addr() netcore.Addr { return netcore.UDPAddr(p.socket.Addr()) }

// dial connects to a peer with a pinned key.
func (p *benchPeer) dial(now netcore.Time, to *benchPeer, at netcore.Addr) {
	p.Connect(now, at, netcore.ConnectOptions{Key: &to.key})
}

// Tick ticks the endpoint, on netsim at most once per tick interval.
func (p *benchPeer) Tick(now netcore.Time) {
	if p.every > 0 && now-p.last < p.every {
		return
	}
	p.last = now
	p.Endpoint.Tick(now)
}

// wait waits for packets for at most longest. It reads up to most packets.
func (p *benchPeer) wait(timer *time.Timer, longest time.Duration, most int) {
	timer.Reset(longest)
	select {
	case packet, open := <-p.socket.Packets():
		if !open {
			return
		}
		p.take(packet)
		p.poll(most - 1)
	case <-timer.C:
	}
}

// poll reads up to most packets from the queue.
func (p *benchPeer) poll(most int) {
	for range most {
		select {
		case packet, open := <-p.socket.Packets():
			if !open {
				return
			}
			p.take(packet)
		default:
			return
		}
	}
}

func (p *benchPeer) take(packet *udp.Packet) {
	p.Receive(p.now(), packet.From, packet.Bytes())
	packet.Free()
}

// close disconnects and closes the socket.
func (p *benchPeer) close() error {
	p.Endpoint.Close(p.now(), netcore.Reason{Code: netcore.SelfClosed})
	p.Send(p.now(), p.out)
	return p.socket.Close()
}

var errSilent = errors.New("no connection was established")

// connectPair connects two peers in memory. It returns the time at the end, and an error if they do
// not connect.
func connectPair(client, server *benchPeer, now netcore.Time) (netcore.Time, error) {
	at := netcore.LocalAddr(1)
	client.conn, server.conn = nil, nil
	client.dial(now, server, at)
	for range 100 {
		if client.conn != nil && server.conn != nil {
			return now, nil
		}
		now = exchange(client, server, now)
	}
	return now, errors.Join(errSilent, client.err, server.err)
}

// exchange runs one millisecond in memory: both sides tick, and each receives the other's packets.
// The server's time is added to its spent field.
func exchange(client, server *benchPeer, now netcore.Time) netcore.Time {
	now += time.Millisecond
	client.Tick(now)
	client.Send(now, func(_ netcore.Addr, b []byte) {
		start := time.Now()
		server.Receive(now, netcore.LocalAddr(2), b)
		server.spent += time.Since(start)
	})
	start := time.Now()
	server.Tick(now)
	server.Send(now, func(_ netcore.Addr, b []byte) {
		start := time.Now()
		client.Receive(now, netcore.LocalAddr(1), b)
		server.spent -= time.Since(start)
	})
	server.spent += time.Since(start)
	return now
}
