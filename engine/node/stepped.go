package node

import (
	"errors"

	"github.com/torc-engine/torc/netcore"
)

// NewSteppedClient makes a client without goroutines: the program calls Receive for each datagram of
// the server, and Step for all the rest. send passes a datagram to the server, over a channel of the
// program that carries nothing else; it must not keep the bytes. Such a client runs where there are
// no sockets, as in a browser. The caller must call Close.
func NewSteppedClient(cfg Config, send func(datagram []byte)) (*Client, error) {
	if cfg.Address == "" {
		return nil, errNoAddress
	}
	c := &Client{cfg: cfg, node: node{owner: newOwner(cfg)}, stepped: true}
	c.loop = &loop{owner: c.owner, out: send}
	err := c.open(func(_ string, done func([]netcore.Addr, error)) {
		done([]netcore.Addr{netcore.LocalAddr(1)}, nil)
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Receive handles a datagram of the server. Only the program of a stepped client calls it.
func (c *Client) Receive(datagram []byte) {
	c.side.host.Receive(c.now(), netcore.LocalAddr(1), datagram)
}

// Step runs the ticks that are due and sends. A program calls it for each frame, at least every 32 ms
// for a smooth game, and after Receive if the answer is urgent. The first call starts the client.
// When the client has ended, Step returns io.EOF, or the error that Run returns for other clients.
func (c *Client) Step() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.loop.step()
}

// UntilTick returns the part of the last tick that has yet to pass, 0…1: the argument back of
// sim.Interpolator.
func (c *Client) UntilTick() float64 {
	if c.side.host.Paused() {
		return 0
	}
	return min(max(float64(c.loop.pace.next-c.now())/float64(c.side.host.TickLength()), 0), 1)
}
