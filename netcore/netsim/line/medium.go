package line

import (
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// Medium is a line between pairs of programs. All pairs share its bottleneck in each direction.
type Medium interface {
	// Set gives the line its properties: from the clients to the servers, and back.
	Set(up, down netsim.Direction)
	// Pair adds a server and its client. The acks of a client can vary by jitter; real sockets do that
	// anyway.
	Pair(server, client netsim.Machine, jitter netcore.Time)
	// Replace puts another program in the place of the server of a pair.
	Replace(pair int, server netsim.Machine)
	// Rebind gives the clients other addresses, as seen from the servers.
	Rebind()
	// Run runs all programs until a time.
	Run(until netcore.Time)
	Now() netcore.Time
	// Down counts what the server of a pair has sent. Wait is the queue from the servers.
	Down(pair int) netsim.Flow
	Wait() netcore.Time
}

// ServerAddr is the address that the client of every pair uses for its server.
func ServerAddr(pair int) netcore.Addr { return netcore.SimAddr(uint16(100 + pair)) }

// ClientAddr is the address at which the server of a pair sees its client first.
func ClientAddr(pair int) netcore.Addr { return netcore.SimAddr(uint16(200 + pair)) }

// Simulated is a Medium in virtual time.
type Simulated struct {
	net      *netsim.Network
	up, down *netsim.Bottleneck
	ways     [2]netsim.Direction // up, down
	pairs    []*simulatedPair
	moved    int
}

type simulatedPair struct {
	server, client netcore.Addr
	machine        netsim.Machine // of the client
	jitter         netcore.Time
}

// deaf is a machine that ignores everything.
type deaf struct{}

func (deaf) Receive(netcore.Time, netcore.Addr, []byte)         {}
func (deaf) Tick(netcore.Time)                                  {}
func (deaf) Send(netcore.Time, func(to netcore.Addr, d []byte)) {}

// NewSimulated returns an unlimited line without programs.
func NewSimulated(seed uint64) *Simulated {
	s := &Simulated{net: netsim.New(seed), up: netsim.NewBottleneck(1, 0), down: netsim.NewBottleneck(1, 0)}
	s.net.Punctual = true
	s.Set(netsim.Direction{}, netsim.Direction{})
	return s
}

// Now implements Medium.
func (s *Simulated) Now() netcore.Time { return s.net.Now() }

// Run implements Medium.
func (s *Simulated) Run(until netcore.Time) { s.net.Run(until, 4*time.Millisecond) }

// Down implements Medium.
func (s *Simulated) Down(pair int) netsim.Flow { return *s.down.Flow(s.pairs[pair].server) }

// Wait implements Medium.
func (s *Simulated) Wait() netcore.Time { return s.down.Wait(s.net.Now()) }

// Set implements Medium.
func (s *Simulated) Set(up, down netsim.Direction) {
	s.ways = [2]netsim.Direction{up, down}
	s.up.Set(up)
	s.down.Set(down)
	for _, p := range s.pairs {
		s.link(p)
	}
}

func (s *Simulated) link(p *simulatedPair) {
	up := s.ways[0].LinkParams
	up.Jitter += p.jitter
	s.net.Link(p.client, p.server, up, s.ways[1].LinkParams)
	s.net.Through(p.client, p.server, s.up)
	s.net.Through(p.server, p.client, s.down)
}

// Pair implements Medium.
func (s *Simulated) Pair(server, client netsim.Machine, jitter netcore.Time) {
	p := &simulatedPair{server: ServerAddr(len(s.pairs)), client: ClientAddr(len(s.pairs)), machine: client, jitter: jitter}
	s.pairs = append(s.pairs, p)
	s.net.Attach(p.server, server)
	s.net.Attach(p.client, client)
	s.link(p)
}

// Replace implements Medium.
func (s *Simulated) Replace(pair int, server netsim.Machine) {
	s.net.Attach(s.pairs[pair].server, server)
}

// Rebind implements Medium.
func (s *Simulated) Rebind() {
	for _, p := range s.pairs {
		s.net.Attach(p.client, deaf{})
		p.client = netcore.SimAddr(uint16(1000 + s.moved))
		s.moved++
		s.net.Attach(p.client, p.machine)
		s.link(p)
	}
}
