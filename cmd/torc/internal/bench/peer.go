package bench

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

const tickTime = 32 * time.Millisecond // of the program, see cmd/torc

// peer is an endpoint and its newest connection, which owns one event stream
// unless the configuration has other streams.
type peer struct {
	*netcore.Endpoint
	conn    *netcore.Conn
	events  *netcore.Events
	count   counters
	err     error         // why an attempt or a connection ended
	ended   int           // how many did
	entered func()        // called when a connection is there; may be nil
	key     seal.Key      // its own
	socket  *udp.Socket   // nil in memory and on netsim
	epoch   time.Time     // of its clock, with a socket
	spent   time.Duration // in its verbs, in memory
	last    netcore.Time  // of a tick, on netsim
	every   netcore.Time  // between ticks, on netsim; 0 for all of them
	out     func(netcore.Addr, []byte)
}

// newPeer fills in what every endpoint of a workload has.
func newPeer(cfg netcore.Config) (*peer, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	p := &peer{key: id.Public}
	cfg.Identity, cfg.Entropy = id, rand.Reader
	if cfg.Streams == nil {
		kinds := p.count.kinds()
		cfg.Streams = func(*netcore.Conn) []netcore.Stream {
			p.events = netcore.NewEvents(netcore.EventsConfig{Kinds: kinds, Mutual: true})
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

// bind gives the peer a socket on loopback.
func (p *peer) bind(epoch time.Time) (err error) {
	if p.socket, err = udp.Listen("127.0.0.1:0"); err != nil {
		return err
	}
	p.epoch = epoch
	p.out = func(to netcore.Addr, b []byte) { _ = p.socket.Write(to, b) }
	return nil
}

func (p *peer) now() netcore.Time { return time.Since(p.epoch) }

func (p *peer) addr() netcore.Addr { return netcore.UDPAddr(p.socket.Addr()) }

// dial asks for a connection to a peer whose key is known.
func (p *peer) dial(now netcore.Time, to *peer, at netcore.Addr) {
	p.Connect(now, at, netcore.ConnectOptions{Key: &to.key})
}

// Tick is that of a machine on netsim, which ticks more often than the program.
func (p *peer) Tick(now netcore.Time) {
	if p.every > 0 && now-p.last < p.every {
		return
	}
	p.last = now
	p.Endpoint.Tick(now)
}

// wait waits for packets, at most so long, and takes in up to most of them.
func (p *peer) wait(timer *time.Timer, longest time.Duration, most int) {
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

// poll takes in up to most of the packets that have come.
func (p *peer) poll(most int) {
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

func (p *peer) take(packet *udp.Packet) {
	p.Receive(p.now(), packet.From, packet.Bytes())
	packet.Free()
}

// close tells the other side and gives the port back.
func (p *peer) close() error {
	p.Endpoint.Close(p.now(), netcore.Reason{Code: netcore.SelfClosed})
	p.Send(p.now(), p.out)
	return p.socket.Close()
}

var errSilent = errors.New("no connection came to be")

// meet connects two peers in memory or fails. It returns the time at the end.
func meet(client, server *peer, now netcore.Time) (netcore.Time, error) {
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

// exchange is a millisecond in memory: both tick, and each hears the other. What
// the server takes is added to its spent.
func exchange(client, server *peer, now netcore.Time) netcore.Time {
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
