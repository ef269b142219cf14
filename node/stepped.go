package node

import (
	"errors"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
)

// errStepped is the error of Run of a stepped node.
var errStepped = errors.New("node: Step runs this node: call only that")

// NewServerOn makes a server on an edge, without goroutines, sockets and a clock of its own. The
// program calls Receive for each datagram, and Step for all the rest. So the server runs in virtual
// time, on a simulated network. The fields Listen, MapPort, Rendezvous, Metrics, SSH and Web of the
// Config must be empty. No other process reaches the console. The caller must call Close.
func NewServerOn(cfg Config, e Edge) (*Server, error) {
	for _, f := range []struct {
		name string
		set  bool
	}{{"Listen", cfg.Server.Listen != ""}, {"MapPort", cfg.Server.MapPort}, {"Rendezvous", cfg.Server.Rendezvous != ""}, {"Metrics", cfg.Server.Metrics != ""}, {"SSH", cfg.Server.SSH != ""}, {"Web", cfg.Server.Web != nil}} {
		if f.set {
			return nil, &ConfigError{Field: f.name, Err: errors.New("must be empty: a stepped server opens no socket")}
		}
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	return newServer(cfg, core.NewOwner(cfg.Common, core.Stepped(e)), &Server{stepped: true})
}

// Receive handles a datagram of a peer. Only the program of a stepped server calls it.
func (s *Server) Receive(from netcore.Addr, datagram []byte) {
	if !s.meeting.Other(from, datagram) {
		s.core.Side.Receive(s.core.Now(), from, datagram)
	}
}

// Step runs the functions that wait, and the ticks that are due, or else it sends what is due. Only
// the program of a stepped server calls it. The first call starts the server. When the server has
// ended, Step returns io.EOF, or the error that Run returns for other servers.
func (s *Server) Step() error {
	if err := s.Start(); err != nil {
		return err
	}
	return s.core.Loop.Step()
}

// Due returns when Step has something to do next, if no datagram arrives before. The program of a
// stepped server asks for it after Step.
func (s *Server) Due() time.Duration { return s.core.Now() + s.core.Loop.Until(s.core.Now()) }

// NewSteppedClient makes a client without goroutines: the program calls Receive for each datagram
// of the server, and Step for all the rest. send passes a datagram to the server, over a channel of
// the program that carries nothing else; it must not keep the bytes. The server is at
// netcore.LocalAddr(1), and further ones to which it sends the client are where ClientConfig.Reach
// says. Such a client runs where there are no sockets, as in a browser. The caller must call Close.
func NewSteppedClient(cfg Config, send func(to netcore.Addr, datagram []byte)) (*Client, error) {
	from := core.Machine()
	from.Send = send
	c := newClient(cfg, core.NewOwner(cfg.Common, from))
	c.solve = core.Solver(c.core.Posts)
	return steppedClient(c)
}

// NewClientOn makes a stepped client on an edge. All its datagrams come from its server and go
// there, or to those where ClientConfig.Reach says that others are. It uses no Network.
func NewClientOn(cfg Config, e Edge) (*Client, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	return steppedClient(newClient(cfg, core.NewOwner(cfg.Common, core.Stepped(e))))
}

func steppedClient(c *Client) (*Client, error) {
	c.alone = true
	return c.step(func(_ string, done func([]netcore.Addr, error)) {
		done([]netcore.Addr{netcore.LocalAddr(1)}, nil)
	})
}

// step opens a client that is stepped.
func (c *Client) step(resolve engine.Resolver) (*Client, error) {
	if c.cfg.Client.Address == "" {
		return nil, errNoAddress
	}
	c.stepped, c.core.Loop = true, &core.Loop{Owner: c.core.Owner, Out: c.core.From.Send}
	if err := c.open(resolve); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Receive handles a datagram of the server. Only the program of a stepped client calls it.
func (c *Client) Receive(datagram []byte) { c.ReceiveFrom(netcore.LocalAddr(1), datagram) }

// ReceiveFrom handles a datagram of a server to which the client was sent, at an address of
// ClientConfig.Reach.
func (c *Client) ReceiveFrom(from netcore.Addr, datagram []byte) {
	c.core.Loop.Receive(c.core.Now(), from, datagram)
}

// Step runs the ticks that are due and sends. A program calls it for each frame, at least every 32
// ms for a smooth game, and after Receive if the answer is urgent. The first call starts the
// client. When the client has ended, Step returns io.EOF, or the error that Run returns for other
// clients.
func (c *Client) Step() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.core.Loop.Step()
}

// Due returns when Step has something to do next, like Server.Due.
func (c *Client) Due() time.Duration { return c.core.Now() + c.core.Loop.Until(c.core.Now()) }

// UntilTick returns the part of the last tick that has yet to pass, 0…1: the argument back of
// sim.Interpolator.
func (c *Client) UntilTick() float64 { return c.core.Loop.UntilTick() }
