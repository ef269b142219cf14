package swarm

import (
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/bots"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

// client is one client of a swarm. It has a key and a socket of its own, and shares compiled
// files and classes with the others.
type client struct {
	*core.Side
	socket *core.Socket
	out    func(to netcore.Addr, b []byte)
	move   func() // makes the moves of a tick; nil: a script or nobody does
	stage  stage
	pace   core.Pacer
	due    netcore.Time // when it wants to do something
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
	c := &client{}
	e := engine.Config{
		Resolve: s.resolver(), Pages: s.pages(), Trust: s.core.Home.Trust(s.core.Log), Classes: s.classes, Seed: s.seed + uint64(n), NoInterpolation: true,
		Entered: func(*engine.Connection) { s.entered(c) },
		Ended:   func(conn *engine.Connection, reason string) { s.endedOf(c, conn, reason) },
		Failed:  func(_ string, r netcore.Reason) { s.left(c, false, r.String()) },
	}
	var err error
	if e.Identity, err = seal.NewIdentity(s.core.From.Entropy); err != nil {
		return err
	}
	print := func(string) {}
	if n == 0 {
		print = s.core.Print
	}
	if c.Side, err = core.NewSide(fmt.Sprintf("client %d", n+1), s.cfg.Common, e, s.core.From, print, s.core.Log); err != nil {
		return err
	}
	if n == 0 {
		s.core.Side = c.Side
	}
	s.core.Sides = append(s.core.Sides, c.Side)
	if err := c.Register([]console.Command{core.QuitCommand(s.core.Owner)}); err != nil {
		return err
	}
	if err := c.AddScripts(script.Setup{}); err != nil {
		return err
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
	c.Host.Receive(at, p.From, p.Bytes())
	p.Free()
	c.due = min(c.due, c.Host.Due(now))
}

// turn runs the ticks that are due, or else sends what is due.
func (c *client) turn(now netcore.Time) {
	ticks, _ := c.pace.Due(now, c.Host.Pace.TickLength())
	for range ticks {
		if c.move != nil {
			c.move()
		}
		c.Tick(now)
		c.Host.Send(now, c.out)
	}
	if ticks == 0 {
		c.Host.Send(now, c.out)
	}
	c.due = min(c.pace.Next, max(c.Host.Due(now), now+core.RestTime))
}
