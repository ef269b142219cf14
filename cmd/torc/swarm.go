package main

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/script"
)

const (
	bornEvery = 8 * time.Millisecond // one drone, so that those before it do not wait
	arrivals  = 256                  // datagrams between the sockets and the loop
)

// A swarm is many clients of one server, which nobody plays. Its loop goes round
// for all of them; the console is the first one's.
type swarm struct {
	*loop
	options *config.Options
	to      netcore.Addr
	seed    uint64

	classes *sim.Classes // what drones share
	folders []fs.FS
	protos  *script.Protos

	all     []*drone
	born    netcore.Time // when the next one is
	arrived chan arrival
	closed  chan struct{}
	told    bool         // how many have connected
	until   netcore.Time // when its time is up
	lost    int
	why     string // the first one was lost, or did not get in
	last    string // reason of an end
}

// arrival is a datagram for a drone.
type arrival struct {
	drone  *drone
	packet *udp.Packet
}

// runSwarm is the subcommand.
func runSwarm(o *config.Options) error {
	l, err := newLoop(o, "client")
	if err != nil {
		return err
	}
	s := newSwarm(l, o)
	defer s.close()
	if err := s.open(); err != nil {
		return err
	}
	return s.run()
}

func newSwarm(l *loop, o *config.Options) *swarm {
	return &swarm{
		loop: l, options: o, seed: seedOf(o), protos: script.NewProtos(),
		arrived: make(chan arrival, arrivals), closed: make(chan struct{}), until: netcore.Never,
	}
}

// open makes the first drone; the others follow while the swarm runs. What is
// wrong with the command line shows at the first.
func (s *swarm) open() (err error) {
	if err := accept(s.options, s.home.Path("known_servers")); err != nil {
		return err
	}
	hostport, _, _ := strings.Cut(s.options.Address, "#")
	if s.to, err = udp.Resolve(hostport); err != nil {
		return failure{unconnected, err}
	}
	if s.folders, err = modFolders(s.options); err != nil {
		return err
	}
	if s.classes, err = newClasses(); err != nil {
		return err
	}
	return s.bear()
}

// close gives everything back.
func (s *swarm) close() {
	close(s.closed)
	for _, d := range s.all {
		d.socket.Close()
	}
	s.loop.close()
}

// bear makes one more drone.
func (s *swarm) bear() error {
	s.born = s.now() + bornEvery
	_, err := s.newDrone()
	return err
}

// forward hands the loop what comes for a drone.
func (s *swarm) forward(d *drone) {
	for p := range d.socket.Packets() {
		select {
		case s.arrived <- arrival{d, p}:
		case <-s.closed:
			p.Free()
		}
	}
}

// run goes round until an end has come to its end.
func (s *swarm) run() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !s.over() {
		timer.Reset(s.rest())
		s.wait(timer.C)
		s.turn()
	}
	if s.end.err == nil && s.lost > 0 {
		return s.loss()
	}
	return s.end.err
}

// rest is how long nothing needs to be done.
func (s *swarm) rest() time.Duration {
	now := s.now()
	next := min(s.until, now+engine.TickTime)
	if len(s.all) < s.options.Count {
		next = min(next, s.born)
	}
	for _, d := range s.all {
		next = min(next, d.due)
	}
	if s.end != nil {
		next = now + restTime // what the end needs is not among that
	}
	return max(next-now, 0)
}

// wait sleeps until something comes or is due, and takes in what has come.
func (s *swarm) wait(due <-chan time.Time) {
	select {
	case a := <-s.arrived:
		a.drone.receive(s.now(), a.packet)
	case sig := <-s.signals:
		s.signal(sig)
	case ask := <-s.term.Asks():
		ask.Answer(s.typing.console)
	case <-due:
	}
	for range burst {
		select {
		case a := <-s.arrived:
			a.drone.receive(s.now(), a.packet)
		default:
			return
		}
	}
}

// turn does what is due.
func (s *swarm) turn() {
	now := s.now()
	if len(s.all) < s.options.Count && now >= s.born && s.end == nil {
		if err := s.bear(); err != nil {
			s.quit("", err)
		}
	}
	s.enter()
	for _, d := range s.all {
		if now >= d.due || s.end != nil {
			d.turn(now)
		}
	}
	if now >= s.until {
		s.quit("", nil)
	}
}

// entered counts a drone in.
func (s *swarm) entered(d *drone) {
	if d.stage == joining {
		d.stage = playing
		s.count()
	}
}

// ended counts a drone out. Only a server's end, and one of our own, is no loss.
func (s *swarm) ended(d *drone, c *engine.Connection, reason string) {
	why, _ := c.Net().Closed()
	lost := why.Code != netcore.SelfClosed && why.Code != netcore.ShuttingDown
	s.left(d, lost && d.stage == playing, reason)
}

// failed counts a drone out that did not get in.
func (s *swarm) failed(d *drone, reason string) { s.left(d, false, reason) }

func (s *swarm) left(d *drone, lost bool, reason string) {
	if d.stage == gone || s.end != nil {
		return
	}
	lost = lost || d.stage == joining
	d.stage, s.last = gone, reason
	if lost {
		s.log.Warn("a client was lost", "side", d.name, "reason", reason)
		if s.lost++; s.why == "" {
			s.why = reason
		}
	}
	s.count()
}

// stages counts the drones in a stage.
func (s *swarm) stages(in stage) (n int) {
	for _, d := range s.all {
		if d.stage == in {
			n++
		}
	}
	return n
}

// count says how many have connected when nobody is on the way any more, and
// ends a swarm of which nobody is left.
func (s *swarm) count() {
	in := s.stages(playing)
	if len(s.all) < s.options.Count || s.stages(joining) > 0 {
		return
	}
	if !s.told {
		s.told, s.ready = true, true
		s.print(fmt.Sprintf("connected %d of %d", in, s.options.Count))
		if s.options.For > 0 {
			s.until = s.now() + s.options.For
		}
		if in == 0 {
			s.quit("", failure{unconnected, fmt.Errorf("could not connect to %s: %s", s.options.Address, s.last)})
		}
	}
	if in == 0 {
		s.quit("", nil)
	}
}

// loss is what becomes of a swarm that was not whole to its end.
func (s *swarm) loss() error {
	return failure{failed, fmt.Errorf("%d of %d clients were lost, the first because: %s", s.lost, s.options.Count, s.why)}
}
