package main

import (
	"crypto/rand"
	"fmt"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/bots"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// A drone is one client of a swarm: a side like any other, with a key and a
// socket of its own. What it does not need for itself it shares.
type drone struct {
	*side
	socket *udp.Socket
	bot    *bots.Wander // nil: a script or nobody
	out    func(to netcore.Addr, b []byte)
	stage  stage
	pace   pacer
	due    netcore.Time // when it wants to do something
}

// stage is how far a drone has got.
type stage int

const (
	joining stage = iota
	playing
	gone
)

// newDrone makes the next drone, loads its mods and has it call the server.
func (s *swarm) newDrone() (*drone, error) {
	n := len(s.all)
	d := &drone{side: &side{
		name: fmt.Sprintf("client %d", n+1), loop: s.loop,
		folders: s.folders, protos: s.protos, drone: true, mute: n > 0,
	}}
	cfg := engine.Config{
		Resolve: udp.Resolve, Trust: s.trust(s.home), Classes: s.classes, Seed: s.seed + uint64(n), Unseen: true,
		Entered: func(*engine.Connection) { s.entered(d) },
		Ended:   func(c *engine.Connection, reason string) { s.ended(d, c, reason) },
		Failed:  func(_, reason string) { s.failed(d, reason) },
	}
	var err error
	if cfg.Identity, err = seal.NewIdentity(rand.Reader); err != nil {
		return nil, err
	}
	if err := d.assemble(cfg); err != nil {
		return nil, err
	}
	if s.options.Bot == "wander" {
		d.bot = bots.NewWander(cfg.Seed)
	}
	if err := d.start(s.options); err != nil {
		return nil, err
	}
	return d, s.call(d, n)
}

// call gives a drone a socket and has it connect. Drones tick one after the
// other, spread over the time of a tick.
func (s *swarm) call(d *drone, n int) (err error) {
	if d.socket, err = udp.Dial(s.to); err != nil {
		return err
	}
	d.out = func(to netcore.Addr, b []byte) { _ = d.socket.Write(to, b) }
	d.pace.next = s.now() + engine.TickTime*netcore.Time(n)/netcore.Time(s.options.Count)%engine.TickTime
	d.due = d.pace.next
	s.all = append(s.all, d)
	go s.forward(d)
	args := engine.ConnectArgs{
		Name: fmt.Sprint(s.options.Name, n+1), Password: s.options.Password, Args: s.options.Args, Timeout: s.options.Timeout,
	}
	if err := d.host.Connect(s.options.Address, args); err != nil {
		return &config.Usage{Text: fmt.Sprintf("%s: %v", s.options.Address, err)}
	}
	return nil
}

// receive takes in a datagram.
func (d *drone) receive(now netcore.Time, p *udp.Packet) {
	d.host.Receive(now, p.From, p.Bytes())
	p.Free()
	d.due = min(d.due, d.host.Due(now))
}

// turn does what is due.
func (d *drone) turn(now netcore.Time) {
	ticks, _ := d.pace.due(now)
	for range ticks {
		if d.bot != nil {
			d.bot.Tick(d.host)
		}
		d.host.Tick(now)
		d.host.Send(now, d.out)
	}
	if ticks == 0 {
		d.host.Send(now, d.out)
	}
	d.due = min(d.pace.next, max(d.host.Due(now), now+restTime))
}
