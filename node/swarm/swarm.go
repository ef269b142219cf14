package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

const (
	clientEvery   = 2 * time.Millisecond // between two new clients, so that the others need not wait
	queuedPackets = 256                  // datagrams between the sockets and the loop
)

// Config describes a swarm. The zero value of a field is its default.
type Config struct {
	core.Common               // each client gets a number after its Name
	Address     string        // of the server: HOST:PORT, or HOST:PORT#KEY, or the link of its page
	AcceptKey   *seal.Key     // the server's key from now on; replaces a known one
	Args        []string      // of the connect requests
	Timeout     time.Duration // of the first connect of a client; 0 is 15 s
	Wander      bool          // bots make the moves
	Count       int           // clients
	For         time.Duration // to stay after all have connected; 0 is without end
}

// Swarm is many clients of one server, on one goroutine: a load for that server. Its host, console
// and scripts are those of the first client. It has none before Start.
type Swarm struct {
	core.Node
	core *core.Core
	cfg  Config
	seed uint64

	page    shared[string]         // where the page of a link says that the server is, for all clients
	lookup  shared[[]netcore.Addr] // of the server's name, for all clients
	classes *sim.Classes           // shared by the clients

	all      []*client
	next     netcore.Time // when the next client is made
	arrived  chan arrival
	told     bool         // how many have connected
	until    netcore.Time // when its time is up
	lost     int
	firstWhy string // why the first client was lost
	lastWhy  string // why the last client left
	starting core.Starting
}

// arrival is a datagram for a client.
type arrival struct {
	client *client
	packet *core.Packet
}

// New opens the data folder of a swarm. Its clients are made by Start and Run. The caller must
// call Close.
func New(cfg Config) (*Swarm, error) {
	if cfg.Count < 1 {
		return nil, &core.ConfigError{Field: "Count", Value: fmt.Sprint(cfg.Count), Err: errors.New("must be at least 1")}
	}
	parts := &core.Core{Owner: core.NewOwner(cfg.Common, core.Machine())}
	s := &Swarm{
		core: parts, Node: core.NewNode(parts), cfg: cfg,
		arrived: make(chan arrival, queuedPackets), until: netcore.Never,
	}
	s.seed = core.DrawSeed(cfg.Seed, s.core.From.Entropy)
	var err error
	if s.core.Home, err = core.OpenHome(cfg.Data, false, s.core.Log); err != nil {
		return nil, err
	}
	return s, nil
}

// Start makes the first client and connects it. The others follow in Run, which calls Start if
// nobody has.
func (s *Swarm) Start() error { return s.starting.Once(s.core.Owner, s.start) }

func (s *Swarm) start() (err error) {
	if key := s.cfg.AcceptKey; key != nil {
		if s.cfg.Address, err = s.core.Home.AcceptAt(s.cfg.Address, *key); err != nil {
			return err
		}
	}
	if s.classes, err = core.NewClasses(s.cfg.Register); err != nil {
		return err
	}
	return s.add()
}

// shared is an answer that many clients need, such as the addresses of one name.
type shared[T any] struct {
	asked, found bool
	answer       T
	err          error
	waiting      []func(T, error)
}

// get calls done with the answer, now or later. The first call asks for it. After an error, a later
// client asks again.
func (l *shared[T]) get(ask func(done func(T, error)), done func(T, error)) {
	if l.found {
		done(l.answer, l.err)
		return
	}
	l.waiting = append(l.waiting, done)
	if l.asked {
		return
	}
	l.asked = true
	ask(func(answer T, err error) {
		l.asked, l.found = err == nil, err == nil
		l.answer, l.err = answer, err
		for _, done := range l.waiting {
			done(answer, err)
		}
		l.waiting = nil
	})
}

// resolver returns the Resolver of one client. All clients share the lookup of the server's name.
func (s *Swarm) resolver() engine.Resolver {
	own := core.PickResolver(s.cfg.Resolve, s.core.Posts)
	return func(hostport string, done func([]netcore.Addr, error)) {
		if hostport != s.page.answer && hostport != core.HostPort(s.cfg.Address) {
			own(hostport, done)
			return
		}
		s.lookup.get(func(done func([]netcore.Addr, error)) { own(hostport, done) }, done)
	}
}

// pages returns the Pages of one client. All clients share the answer of the page of their link.
func (s *Swarm) pages() engine.Pages {
	own := core.Pages(s.core.Posts)
	return func(l engine.Link, done func(string, error)) {
		if l.Site != core.HostPort(s.cfg.Address) {
			own(l, done)
			return
		}
		s.page.get(func(done func(string, error)) { own(l, done) }, done)
	}
}

// Run runs the swarm until ctx ends, Close or Quit is called, somebody types quit, its time is up,
// or all clients have left. It returns an error if a client was lost, and a *ConnectError if none
// got in.
func (s *Swarm) Run(ctx context.Context) error {
	run, finish, err := s.core.Begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := s.Start(); err != nil {
		return err
	}
	return s.loop(run)
}

// Close ends Run and gives everything back. It waits for that, so do not call it on the goroutine
// of Run.
func (s *Swarm) Close() error {
	if !s.core.Stop() {
		return nil
	}
	for _, c := range s.all {
		_ = c.socket.Close()
	}
	return s.core.Home.Close()
}

// add makes one more client.
func (s *Swarm) add() error {
	s.next = s.core.Now() + clientEvery
	return s.newClient()
}

// forward hands the loop the datagrams of a client.
func (s *Swarm) forward(c *client) {
	for p := range c.socket.Packets() {
		select {
		case s.arrived <- arrival{c, p}:
		case <-s.core.Posts.Gone:
			p.Free()
		}
	}
}

// loop runs until an end is complete.
func (s *Swarm) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	canceled := ctx.Done()
	for !s.core.Over() {
		if ctx.Err() != nil && canceled != nil {
			canceled = nil
			s.core.Quit("", nil)
		}
		timer.Reset(s.rest())
		s.wait(timer.C, canceled)
		s.turn()
	}
	if s.core.Err() == nil && s.lost > 0 {
		return fmt.Errorf("%d of %d clients were lost, the first for this reason: %s", s.lost, s.cfg.Count, s.firstWhy)
	}
	return s.core.Err()
}

// rest is how long the loop can sleep.
func (s *Swarm) rest() time.Duration {
	now := s.core.Now()
	next := min(s.until, now+engine.TickTime)
	if len(s.all) < s.cfg.Count {
		next = min(next, s.next)
	}
	for _, c := range s.all {
		next = min(next, c.due)
	}
	if s.core.Ending() {
		next = now + core.RestTime // an end has no due times
	}
	return max(next-now, 0)
}

// wait sleeps until something arrives or is due, and receives the packets.
func (s *Swarm) wait(due <-chan time.Time, canceled <-chan struct{}) {
	select {
	case a := <-s.arrived:
		a.client.receive(s.core.Now(), s.core.From.At(a.packet.At), a.packet)
	case f := <-s.core.Queue:
		f()
	case <-canceled:
	case <-due:
	}
	for range max(core.Burst, 2*len(s.all)) { // a turn of many clients takes long, and each gets a packet per tick
		select {
		case a := <-s.arrived:
			a.client.receive(s.core.Now(), s.core.From.At(a.packet.At), a.packet)
		default:
			return
		}
	}
}

// turn runs the clients that are due.
func (s *Swarm) turn() {
	now := s.core.Now()
	if len(s.all) < s.cfg.Count && now >= s.next && !s.core.Ending() {
		if err := s.add(); err != nil {
			s.core.Quit("", err)
		}
	}
	s.core.BeforeTick()
	for _, c := range s.all {
		if now >= c.due || s.core.Ending() {
			c.turn(now)
		}
	}
	if now >= s.until {
		s.core.Quit("", nil)
	}
	s.core.AfterRound(now + engine.TickTime)
}

// entered counts a client in.
func (s *Swarm) entered(c *client) {
	if c.stage == joining {
		c.stage = playing
		s.count()
	}
}

// endedOf counts a client out. It is no loss if the server ended, or if the client left by itself.
func (s *Swarm) endedOf(c *client, conn *engine.Connection, reason string) {
	why, _ := conn.Net().Closed()
	lost := why.Code != netcore.SelfClosed && why.Code != netcore.ShuttingDown
	s.left(c, lost && c.stage == playing, reason)
}

// left counts a client out. A client that was still joining is lost.
func (s *Swarm) left(c *client, lost bool, reason string) {
	if c.stage == gone || s.core.Ending() {
		return
	}
	lost = lost || c.stage == joining
	c.stage, s.lastWhy = gone, reason
	if lost {
		s.core.Log.Warn("a client was lost", "side", c.Name, "reason", reason)
		if s.lost++; s.firstWhy == "" {
			s.firstWhy = reason
		}
	}
	s.count()
}

// stages counts the clients in a stage.
func (s *Swarm) stages(in stage) (n int) {
	for _, c := range s.all {
		if c.stage == in {
			n++
		}
	}
	return n
}

// count reports how many have connected when none is joining any more, and ends a swarm that all
// have left.
func (s *Swarm) count() {
	in := s.stages(playing)
	if len(s.all) < s.cfg.Count || s.stages(joining) > 0 {
		return
	}
	if !s.told {
		s.told, s.core.Ready = true, true
		s.core.Print(fmt.Sprintf("connected %d of %d", in, s.cfg.Count))
		if s.cfg.For > 0 {
			s.until = s.core.Now() + s.cfg.For
		}
		if in == 0 {
			s.core.Quit("", core.NotConnected(s.cfg.Address, s.lastWhy))
		}
	}
	if in == 0 {
		s.core.Quit("", nil)
	}
}
