package swarm

import (
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/bots"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/follow"
	"github.com/torc-engine/torc/script"
)

// client is one client of a swarm. It has a key and a socket of its own, and shares compiled
// files and classes with the others.
type client struct {
	*core.Side // that plays
	swarm      *Swarm
	config     engine.Config // of each side, without its reports
	others     []*core.Side  // one that joins another server, and those that have left one
	follow     *follow.Follower
	socket     *core.Socket
	out        func(to netcore.Addr, b []byte)
	move       func() // makes the moves of a tick; nil: a script or nobody does
	stage      stage
	pace       core.Pacer
	due        netcore.Time // when it wants to do something
}

// stage is how far a client of a swarm has got.
type stage int

const (
	joining stage = iota
	playing
	gone
)

// newClient makes the next client, loads its mods and connects it.
func (s *Swarm) newClient() error {
	n := len(s.all)
	c := &client{swarm: s}
	c.follow = follow.New(c)
	c.config = engine.Config{
		Resolve: s.resolver(), Pages: s.pages(), Trust: s.core.Home.Trust(s.core.Log), Classes: s.classes, Seed: s.seed + uint64(n), NoInterpolation: true,
	}
	var err error
	if c.config.Identity, err = seal.NewIdentity(s.core.From.Entropy); err != nil {
		return err
	}
	if c.Side, err = c.newSide(n, c.config); err != nil {
		return err
	}
	if n == 0 {
		s.core.Side = c.Side
	}
	if s.cfg.Wander {
		bot := bots.NewWander(c.Seed)
		c.move = func() { bot.Tick(c.Host) }
	}
	if err := c.Start(s.cfg.Common, core.Content{}); err != nil {
		return err
	}
	return s.connect(c, n)
}

// newSide makes a side of the n-th client, which reports to the swarm.
func (c *client) newSide(n int, e engine.Config) (side *core.Side, err error) {
	s := c.swarm
	plays := func() bool { return c.Side == side }
	e.Entered = func(*engine.Connection) {
		if plays() {
			s.entered(c)
		}
	}
	e.Ended = func(conn *engine.Connection, reason string) {
		switch end := func() { s.endedOf(c, conn, reason) }; {
		case !plays():
			c.follow.Failed(side, reason)
		case !c.follow.Lost(conn, end):
			end()
		}
	}
	e.Failed = func(_ string, r netcore.Reason) {
		if plays() {
			s.left(c, false, r.String())
		} else {
			c.follow.Failed(side, r.String())
		}
	}
	e.Transfer = c.follow.Order
	print := func(string) {}
	if n == 0 {
		print = func(text string) {
			if plays() {
				s.core.Print(text)
			}
		}
	}
	if side, err = core.NewSide(fmt.Sprintf("client %d", n+1), s.cfg.Common, e, s.core.From, print, s.core.Log); err != nil {
		return nil, err
	}
	s.core.Sides = append(s.core.Sides, side)
	if err := side.Register([]console.Command{core.QuitCommand(s.core.Owner)}); err != nil {
		return nil, err
	}
	if err := core.Registered(side.Console, c.follow); err != nil {
		return nil, err
	}
	return side, side.AddScripts(script.Setup{})
}

// connect gives a client a socket and connects it. The ticks of the clients are spread over the
// time of one tick.
func (s *Swarm) connect(c *client, n int) (err error) {
	if c.socket, err = core.Dial(); err != nil {
		return err
	}
	c.out = func(to netcore.Addr, b []byte) { _ = c.socket.Write(to, b) }
	c.pace.Next = s.core.Now() + engine.TickTime*netcore.Time(n)/netcore.Time(s.cfg.Count)%engine.TickTime
	c.due = c.pace.Next
	s.all = append(s.all, c)
	go s.forward(c)
	args := engine.ConnectArgs{Name: fmt.Sprint(s.cfg.Name, n+1), Password: s.cfg.Password, Args: s.cfg.Args, Timeout: s.cfg.Timeout}
	if err := c.Host.Dialer.Connect(s.cfg.Address, args); err != nil {
		return &core.ConfigError{Field: "Address", Value: s.cfg.Address, Err: err}
	}
	return nil
}

// receive takes in a datagram that arrived at a time before now.
func (c *client) receive(now, at netcore.Time, p *core.Packet) {
	host := c.Host
	for _, o := range c.others {
		if o.Host.Knows(p.From) {
			host = o.Host
		}
	}
	host.Receive(at, p.From, p.Bytes())
	p.Free()
	c.due = min(c.due, host.Due(now))
}

// turn runs the ticks that are due, or else sends what is due.
func (c *client) turn(now netcore.Time) {
	ticks, _ := c.pace.Due(now, c.Host.Pace.TickLength())
	for range ticks {
		if c.move != nil {
			c.move()
		}
		c.Tick(now)
		c.tickOthers(now)
		c.send(now)
		c.follow.Tick()
	}
	if ticks == 0 {
		c.send(now)
	}
	c.due = min(c.pace.Next, max(c.nextSend(now), now+core.RestTime))
}

func (c *client) send(now netcore.Time) {
	c.Host.Send(now, c.out)
	for _, o := range c.others {
		o.Host.Send(now, c.out)
	}
}

// nextSend is when a side of the client wants to send.
func (c *client) nextSend(now netcore.Time) netcore.Time {
	due := c.Host.Due(now)
	for _, o := range c.others {
		due = min(due, o.Host.Due(now))
	}
	return due
}
