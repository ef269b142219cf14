package swarm

import (
	"log/slog"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/follow"
)

var _ follow.Client = (*client)(nil)

// Home returns the data folder, which all clients share.
func (c *client) Home() *core.Home { return c.swarm.core.Home }

// Log returns the log.
func (c *client) Log() *slog.Logger { return c.swarm.core.Log }

// Now returns the time.
func (c *client) Now() netcore.Time { return c.swarm.core.Now() }

// Playing returns the side that plays.
func (c *client) Playing() *core.Side { return c.Side }

// Join makes a side for another server.
func (c *client) Join(_ *engine.TransferOrder, guard follow.Guard) (*core.Side, error) {
	cfg := c.config
	cfg.Resolve = guard(cfg.Resolve)
	side, err := c.newSide(slices.Index(c.swarm.all, c), cfg)
	if err != nil {
		return nil, err
	}
	c.others = append(c.others, side)
	return side, side.Start(c.swarm.cfg.Common, core.Content{})
}

// Swap lets a side play that has joined another server.
func (c *client) Swap(to *core.Side, leave func()) {
	leave()
	before := c.Side
	before.Left = true
	c.others = append(slices.DeleteFunc(c.others, func(o *core.Side) bool { return o == to }), before)
	c.Side = to
	if c.swarm.core.Side == before {
		c.swarm.core.Side = to
	}
	c.Log().Info("a client has gone to another server", "side", c.Name, "address", core.HostPort(to.Host.Dialer.LastAddress()))
}

// Drop removes a side that has joined no other server.
func (c *client) Drop(side *core.Side) {
	side.Left = true
	side.Host.Shutdown("")
}

// Asked does nothing: nobody looks at the clients of a swarm.
func (c *client) Asked(*engine.TransferOrder) {}

// tickOthers runs a tick of the sides that do not play. It forgets those that have told their
// servers all.
func (c *client) tickOthers(now netcore.Time) {
	if len(c.others) == 0 {
		return
	}
	c.others = slices.DeleteFunc(c.others, func(o *core.Side) bool {
		if !o.Left {
			o.Tick(now)
			return false
		}
		o.Host.Idle(now)
		over := o.Host.Due(now) == netcore.Never
		if over {
			c.swarm.core.Sides = slices.DeleteFunc(c.swarm.core.Sides, func(s *core.Side) bool { return s == o })
		}
		return over
	})
}
