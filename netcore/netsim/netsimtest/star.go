// Package netsimtest provides a server and its clients on a simulated network. Tests use it to run
// streams over real connections.
package netsimtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// Star is a server and its clients, each linked to the server.
type Star struct {
	Server  *netcore.Endpoint
	Clients []*netcore.Endpoint
	Network *netsim.Network
	Sent    []string         // the server's datagrams in order, each with its receiver
	Ended   []netcore.Reason // the reasons for which connections of the server ended
}

// NewStar connects n clients to a server. server and client change the configurations. NewStar
// calls client with 0 to n-1. Each link has a delay of 20 ms and loses datagrams with probability
// loss.
func NewStar(t testing.TB, seed uint64, n int, loss float64, server func(*netcore.Config), client func(int, *netcore.Config)) *Star {
	s := &Star{Network: netsim.New(seed)}
	cfg := config(0)
	cfg.Ended = func(_ *netcore.Conn, r netcore.Reason) { s.Ended = append(s.Ended, r) }
	server(&cfg)
	s.Server = netcore.NewEndpoint(cfg)
	at := netcore.SimAddr(1)
	s.Network.Attach(at, &tap{s.Server, &s.Sent})
	link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: loss}
	for i := range n {
		cfg := config(uint64(i + 1))
		client(i, &cfg)
		c, addr := netcore.NewEndpoint(cfg), netcore.SimAddr(uint16(2+i))
		s.Network.Attach(addr, c)
		s.Network.Link(addr, at, link, link)
		c.Connect(0, at, netcore.ConnectOptions{Trust: func(netcore.Addr, seal.Key) error { return nil }})
		s.Clients = append(s.Clients, c)
	}
	s.Network.Run(4*time.Second, 10*time.Millisecond)
	require.Len(t, s.Server.Conns(), n)
	return s
}

// Step runs the network for d in one step.
func (s *Star) Step(d time.Duration) { s.Network.Run(s.Network.Now()+d, d) }

func config(seed uint64) netcore.Config {
	return netcore.Config{
		Identity: netcoretest.Identity(seed), Entropy: netcoretest.Entropy(seed), Accepting: true, Game: "test",
		Limits: netcore.Limits{HalfOpen: 64},
	}
}

// tap records every datagram that its machine sends, as a text.
type tap struct {
	netsim.Machine
	sent *[]string
}

func (m *tap) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	m.Machine.Send(now, func(to netcore.Addr, d []byte) {
		*m.sent = append(*m.sent, fmt.Sprintf("%v %x", to, d))
		out(to, d)
	})
}
