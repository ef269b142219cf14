package node

import (
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
)

// swarmClient is one client of a swarm. It has a key and a socket of its own, and shares compiled
// files and classes with the others.
type swarmClient struct {
	*side
	socket *socket
	out    func(to netcore.Addr, b []byte)
	move   func() // makes the moves of a tick; nil: a script or nobody does
	stage  swarmStage
	pace   pacer
	due    netcore.Time // when it wants to do something
}

// swarmStage is how far a client of a swarm has got.
type swarmStage int

const (
	joining swarmStage = iota
	playing
	gone
)

// newClient makes the next client, loads its mods and connects it.
func (s *Swarm) newClient() error {
	n := len(s.all)
	c := &swarmClient{}
	e := engine.Config{
		Resolve: s.resolver(), Trust: s.core.home.trust(s.core.log), Classes: s.classes, Seed: s.seed + uint64(n), NoInterpolation: true,
		Entered: func(*engine.Connection) { s.entered(c) },
		Ended:   func(conn *engine.Connection, reason string) { s.endedOf(c, conn, reason) },
		Failed:  func(_ string, r netcore.Reason) { s.left(c, false, r.String()) },
	}
	var err error
	if e.Identity, err = seal.NewIdentity(s.core.from.Entropy); err != nil {
		return err
	}
	print := func(string) {}
	if n == 0 {
		print = s.core.print
	}
	if c.side, err = newSide(fmt.Sprintf("client %d", n+1), s.cfg.Common, e, s.core.from, print, s.core.log); err != nil {
		return err
	}
	if n == 0 {
		s.core.side = c.side
	}
	s.core.sides = append(s.core.sides, c.side)
	if err := c.register([]console.Command{quitCommand(s.core.owner)}); err != nil {
		return err
	}
	if err := c.addScripts(script.Setup{}); err != nil {
		return err
	}
	if s.cfg.Client.Wander {
		c.move = wander(c.side)
	}
	if err := c.start(s.cfg.Common, world{}); err != nil {
		return err
	}
	return s.connect(c, n)
}

// connect gives a client a socket and connects it. The ticks of the clients are spread over the
// time of one tick.
func (s *Swarm) connect(c *swarmClient, n int) (err error) {
	if c.socket, err = dial(); err != nil {
		return err
	}
	c.out = func(to netcore.Addr, b []byte) { _ = c.socket.Write(to, b) }
	c.pace.next = s.core.now() + engine.TickTime*netcore.Time(n)/netcore.Time(s.cfg.Count)%engine.TickTime
	c.due = c.pace.next
	s.all = append(s.all, c)
	go s.forward(c)
	args := engine.ConnectArgs{Name: fmt.Sprint(s.cfg.Name, n+1), Password: s.cfg.Password, Args: s.cfg.Client.Args, Timeout: s.cfg.Client.Timeout}
	if err := c.host.Connect(s.cfg.Client.Address, args); err != nil {
		return &ConfigError{"Address", s.cfg.Client.Address, err}
	}
	return nil
}

// receive takes in a datagram that arrived at a time before now.
func (c *swarmClient) receive(now, at netcore.Time, p *packet) {
	c.host.Receive(at, p.From, p.Bytes())
	p.Free()
	c.due = min(c.due, c.host.Due(now))
}

// turn runs the ticks that are due, or else sends what is due.
func (c *swarmClient) turn(now netcore.Time) {
	ticks, _ := c.pace.due(now, c.host.TickLength())
	for range ticks {
		if c.move != nil {
			c.move()
		}
		c.tick(now)
		c.host.Send(now, c.out)
	}
	if ticks == 0 {
		c.host.Send(now, c.out)
	}
	c.due = min(c.pace.next, max(c.host.Due(now), now+restTime))
}
