package line

import (
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// Medium is a line between servers and their clients. All share its bottleneck in each direction.
type Medium interface {
	// Set gives the line its properties: from the clients to the servers, and back.
	Set(up, down netsim.Direction)
	// Pair adds a server and its client. The acks of a client can vary by jitter; real sockets do
	// that anyway.
	Pair(server, client netsim.Machine, jitter netcore.Time)
	// Client adds one more client to the server of a pair.
	Client(pair int, client netsim.Machine)
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
	pairs    int
	clients  []*simulatedClient
	added    int // addresses of later clients, and of clients that moved
}

type simulatedClient struct {
	netsim.Machine
	at, server netcore.Addr
	jitter     netcore.Time
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
func (s *Simulated) Down(pair int) netsim.Flow { return *s.down.Flow(ServerAddr(pair)) }

// Wait implements Medium.
func (s *Simulated) Wait() netcore.Time { return s.down.Wait(s.net.Now()) }

// Set implements Medium.
func (s *Simulated) Set(up, down netsim.Direction) {
	s.ways = [2]netsim.Direction{up, down}
	s.up.Set(up)
	s.down.Set(down)
	for _, c := range s.clients {
		s.link(c)
	}
}

func (s *Simulated) link(c *simulatedClient) {
	up := s.ways[0].LinkParams
	up.Jitter += c.jitter
	s.net.Link(c.at, c.server, up, s.ways[1].LinkParams)
	s.net.Through(c.at, c.server, s.up)
	s.net.Through(c.server, c.at, s.down)
}

// Pair implements Medium.
func (s *Simulated) Pair(server, client netsim.Machine, jitter netcore.Time) {
	n := s.pairs
	s.pairs++
	s.net.Attach(ServerAddr(n), server)
	s.add(&simulatedClient{client, ClientAddr(n), ServerAddr(n), jitter})
}

// Client implements Medium.
func (s *Simulated) Client(pair int, client netsim.Machine) {
	s.add(&simulatedClient{client, s.freeAddr(), ServerAddr(pair), 0})
}

func (s *Simulated) add(c *simulatedClient) {
	s.clients = append(s.clients, c)
	s.net.Attach(c.at, c.Machine)
	s.link(c)
}

// freeAddr returns an address that no client has had.
func (s *Simulated) freeAddr() netcore.Addr {
	s.added++
	return netcore.SimAddr(uint16(999 + s.added))
}

// Replace implements Medium.
func (s *Simulated) Replace(pair int, server netsim.Machine) { s.net.Attach(ServerAddr(pair), server) }

// Rebind implements Medium.
func (s *Simulated) Rebind() {
	for _, c := range s.clients {
		s.net.Attach(c.at, deaf{})
		c.at = s.freeAddr()
		s.net.Attach(c.at, c.Machine)
		s.link(c)
	}
}
