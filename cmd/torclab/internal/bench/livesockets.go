package bench

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/cmd/internal/relay"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// liveLine is a line.Medium of real sockets and a relay, in real time. The calling goroutine runs
// all programs. They know each other by addresses of a simulated network: between programs at
// loopback addresses torc assumes no line.
type liveLine struct {
	relay    *relay.Relay
	epoch    time.Time
	programs []*liveProgram
	servers  []*liveProgram // of the pairs
	forwards []*relay.Forward
	arrivals chan liveArrival

	receivers []*liveProgram // that got something and have not sent since

	closing chan struct{}
	timer   *time.Timer
	err     error
}

// liveProgram is a machine with a socket.
type liveProgram struct {
	netsim.Machine
	socket *net.UDPConn
	first  netcore.Addr     // how the machine knows its first peer
	peers  []netip.AddrPort // in the order in which they were heard
	sentAt netcore.Time

	received bool // something since it has sent
}

type liveArrival struct {
	program *liveProgram
	from    netip.AddrPort
	data    []byte
}

// liveStep is the longest time between two calls of Tick and Send.
const liveStep = 4 * time.Millisecond

func newLiveLine() *liveLine {
	return &liveLine{relay: relay.New(), epoch: time.Now(), arrivals: make(chan liveArrival, 1024), closing: make(chan struct{}), timer: time.NewTimer(0)}
}

// close closes all sockets.
func (l *liveLine) close() error {
	l.relay.Close()
	close(l.closing)
	for _, p := range l.programs {
		l.err = errors.Join(l.err, p.socket.Close())
	}
	return l.err
}

func (l *liveLine) Now() netcore.Time               { return time.Since(l.epoch) }
func (l *liveLine) Set(up, down netsim.Direction)   { l.relay.Set(up, down) }
func (l *liveLine) Rebind()                         { l.err = errors.Join(l.err, l.relay.Rebind()) }
func (l *liveLine) Down(pair int) netsim.Flow       { return l.forwards[pair].Down() }
func (l *liveLine) Wait() netcore.Time              { return l.relay.Wait() }
func (l *liveLine) Replace(n int, m netsim.Machine) { l.servers[n].Machine = m }

// Pair implements line.Medium.
func (l *liveLine) Pair(server, client netsim.Machine, _ netcore.Time) {
	s, err := l.open(server, line.ClientAddr(len(l.servers)))
	if l.err = errors.Join(l.err, err); l.err != nil {
		return
	}
	f, err := l.relay.Forward("127.0.0.1:0", s.socket.LocalAddr().(*net.UDPAddr).AddrPort())
	if l.err = errors.Join(l.err, err); l.err != nil {
		return
	}
	l.servers, l.forwards = append(l.servers, s), append(l.forwards, f)
	l.Client(len(l.servers)-1, client)
}

// Client implements line.Medium. The client sends a byte first, so that the relay and the server
// know it.
func (l *liveLine) Client(pair int, client netsim.Machine) {
	c, err := l.open(client, line.ServerAddr(pair))
	if l.err = errors.Join(l.err, err); l.err != nil {
		return
	}
	to := l.forwards[pair].Addr()
	c.peers = []netip.AddrPort{to}
	_, err = c.socket.WriteToUDPAddrPort(make([]byte, helloSize), to)
	l.err = errors.Join(l.err, err)
}

// helloSize is the size of the datagram by which the server learns the address of its client.
const helloSize = 1

func (l *liveLine) open(m netsim.Machine, first netcore.Addr) (*liveProgram, error) {
	return l.openAt(net.IPv4(127, 0, 0, 1), m, first)
}

// openAt opens a socket for a machine at an address of this machine.
func (l *liveLine) openAt(at net.IP, m netsim.Machine, first netcore.Addr) (*liveProgram, error) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: at})
	if err != nil {
		return nil, err
	}
	p := &liveProgram{Machine: m, socket: socket, first: first}
	l.programs = append(l.programs, p)
	go l.read(p)
	return p, nil
}

// read passes on the datagrams of a program until its socket closes.
func (l *liveLine) read(p *liveProgram) {
	for buf := make([]byte, 1<<16); ; {
		n, from, err := p.socket.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // it concerns one earlier datagram
		}
		select {
		case l.arrivals <- liveArrival{p, from, bytes.Clone(buf[:n])}:
		case <-l.closing:
			return
		}
	}
}

// Run implements line.Medium. Between two programs it passes on what has arrived: a thousand
// clients that solve puzzles do not delay the answers of their server.
func (l *liveLine) Run(until netcore.Time) {
	if l.err != nil {
		time.Sleep(until - l.Now())
	}
	for l.Now() < until {
		l.timer.Reset(l.pause(until))
		select {
		case a := <-l.arrivals:
			l.receive(a)
		case <-l.timer.C:
		}
		for _, p := range l.programs {
			l.receiveAll()
			p.Tick(l.Now())
			p.send(l.Now())
		}
	}
}

// receiveAll passes on what has arrived. Then each program that got something sends, once.
func (l *liveLine) receiveAll() {
	for range len(l.arrivals) {
		l.receive(<-l.arrivals)
	}
	for _, p := range l.receivers {
		p.received = false
		p.send(l.Now())
	}
	l.receivers = l.receivers[:0]
}

// pause returns how long nothing is due.
func (l *liveLine) pause(until netcore.Time) time.Duration {
	now := l.Now()
	due := min(until, now+liveStep)
	for _, p := range l.programs {
		if d, ok := p.Machine.(interface {
			Due(netcore.Time) netcore.Time
		}); ok {
			due = min(due, max(d.Due(now), p.sentAt+leastPause))
		}
	}
	return max(due-now, 0)
}

// leastPause is the pause of the loop of node.
const leastPause = 250 * time.Microsecond

func (l *liveLine) receive(a liveArrival) {
	from := a.program.known(a.from)
	if len(a.data) != helloSize {
		a.program.Receive(l.Now(), from, a.data)
		if !a.program.received {
			a.program.received = true
			l.receivers = append(l.receivers, a.program)
		}
	}
}

// known returns how the program knows a peer.
func (p *liveProgram) known(at netip.AddrPort) netcore.Addr {
	for i, known := range p.peers {
		if known == at {
			return p.name(i)
		}
	}
	p.peers = append(p.peers, at)
	return p.name(len(p.peers) - 1)
}

func (p *liveProgram) name(i int) netcore.Addr {
	if i == 0 {
		return p.first
	}
	return netcore.SimAddr(uint16(1000 + i))
}

func (p *liveProgram) send(now netcore.Time) {
	p.sentAt = now
	p.Send(now, func(to netcore.Addr, b []byte) {
		for i, at := range p.peers {
			if p.name(i) == to {
				_, _ = p.socket.WriteToUDPAddrPort(b, at)
			}
		}
	})
}
