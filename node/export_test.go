package node

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// NewObservedOn makes a stepped server whose host has a changed config.
func NewObservedOn(cfg Config, e Edge, observe func(*engine.Config)) (*Server, error) {
	return newServer(cfg, core.NewOwner(cfg.Common, core.Stepped(e)), &Server{stepped: true, observe: observe})
}

// NewWanderingOn makes a stepped client that finds servers by the Resolve of its Config.
func NewWanderingOn(cfg Config, e Edge) (*Client, error) {
	return newClient(cfg, core.NewOwner(cfg.Common, core.Stepped(e))).step(cfg.Resolve)
}

// Sides returns how many sides a client has.
func Sides(c *Client) int { return len(c.core.Sides) }

// QueuedLines is how many lines of a capture can wait.
const QueuedLines = queuedLines

// FillCapture gives the capture of a client n datagrams.
func FillCapture(c *Client, n int) {
	for range n {
		c.traffic.Sent([]byte{0xc4})
	}
}

// SideHost returns the host of a side of a client. The first one plays.
func SideHost(c *Client, i int) *engine.Host { return c.core.Sides[i].Host }

// Accept makes a key the known key of a server.
func Accept(c *Client, hostport string, key seal.Key) error { return c.core.Home.Accept(hostport, key) }

// Differs returns the error of a key that is not the known key of a server.
func Differs(c *Client, hostport string, key seal.Key) error {
	return c.core.Home.Differs(hostport, key)
}
