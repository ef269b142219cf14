package node

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/follow"
)

var errNoOrder = errors.New("this client goes to no other server")

// A TransferOrder names the server to which another server sends this client.
type TransferOrder = engine.TransferOrder

// follows reports whether the client can be sent to another server. The local client of a server
// cannot, nor can a stepped one without a way to others.
func (c *Client) follows() bool {
	return c.core.Loop != nil && (!c.alone || c.cfg.Client.Reach != nil) && !c.cfg.Client.Watch
}

// Follow answers a server that sends this client to another one, and waits for the player
// (ClientConfig.Asked): go, or stay. Call it on the goroutine of Run.
func (c *Client) Follow(goes bool) error {
	if c.follow == nil {
		return errNoOrder
	}
	return c.follow.Answer(goes)
}

// follower is a Client as its Follower sees it.
type follower struct{ *Client }

var _ follow.Client = follower{}

// Home returns the data folder.
func (f follower) Home() *core.Home { return f.core.Home }

// Log returns the log.
func (f follower) Log() *slog.Logger { return f.core.Log }

// Playing returns the side that plays.
func (f follower) Playing() *core.Side { return f.core.Side }

// Join makes a side for another server, with the variables that the player has set.
func (f follower) Join(o *engine.TransferOrder, guard follow.Guard) (*core.Side, error) {
	c, cfg := f.Client, f.config
	find := c.resolve
	var at []netcore.Addr
	if reach := c.cfg.Client.Reach; reach != nil {
		order := *o
		order.Ticket = nil
		find = func(_ string, done func([]netcore.Addr, error)) {
			reach(order, func(to []netcore.Addr, err error) {
				at = to
				done(to, err)
			})
		}
	}
	cfg.Resolve, cfg.Keys = guard(find), nil
	s, err := c.newSide(cfg)
	if err != nil {
		return nil, err
	}
	common := c.cfg.Common
	common.Vars = append(slices.Clip(common.Vars), changed(c.core.Side)...)
	if err := s.Start(common, core.Content{}); err != nil {
		return nil, err
	}
	s.Closed = func() { c.leaves(at) }
	c.joining = s
	c.core.AddSide(s.Side)
	return s.Side, nil
}

// leaves tells the program of addresses that the client no longer uses.
func (c *Client) leaves(at []netcore.Addr) {
	if f := c.cfg.Client.Leaves; f != nil && len(at) > 0 {
		f(at)
	}
}

// changed returns the variables of a side that are not as they were at its start.
func changed(s *core.Side) (vars []Var) {
	for _, name := range s.Console.Names() {
		if _, v := s.Console.Lookup(name); v != nil && !v.Passing && s.Console.Changed(name) {
			vars = append(vars, Var{Name: name, Value: v.Value.String(), From: name})
		}
	}
	return vars
}

// Swap lets a side play that has joined another server.
func (f follower) Swap(to *core.Side, leave func()) {
	c, before, s := f.Client, f.playing, f.joining
	c.demos.Leave()
	leave()
	c.traffic.leave()
	for _, v := range changed(before.Side) {
		_ = to.Console.Set(v.Name, v.Value) // its mods can be others, with other variables
	}
	c.core.Swap(to)
	c.core.Side, c.playing, c.joining = to, s, nil
	c.line = lineWatch{}
	if f := c.cfg.Client.Arrives; f != nil {
		f(to.Host.Server().Net().Addr())
	}
	c.arrived(to.Host.Server())
	s.appear(before)
}

// Drop removes a side that has joined no other server.
func (f follower) Drop(s *core.Side) {
	f.joining = nil
	s.Left = true
	s.Host.Shutdown("")
}

// Asked tells the player of an order that waits for an answer.
func (f follower) Asked(o *engine.TransferOrder) {
	if show := f.cfg.Client.Asked; show != nil {
		show(o)
		return
	}
	if o != nil {
		f.core.Print("this server sends you to " + o.Name + " at " + o.Address + ": follow goes there, stay does not")
	}
}
