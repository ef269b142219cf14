package bench

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// Clients is the hidden subcommand of torclab for the clients' process. Only a process of torclab
// bench starts it.
const Clients = "bench-clients"

// Orders from the server's process to the clients' process, one per line, after a first line with a
// crowdTask. At the end of input the clients' process exits.
const (
	tellMeasure = "measure" // start to count
	tellStop    = "stop"    // stop to count
	tellReport  = "report"  // report the counts and the digests of the ghosts
	tellLook    = "look"    // report what one client draws, see drawnPlayers
	tellTurn    = "turn"    // in lockstep: tick once, with the number of datagrams sent so far
)

// crowdTask is the task of the clients' process.
type crowdTask struct {
	Server  string // HOST:PORT#KEY
	Clients int
	Objects int // ghosts to wait for, per client
	Deaf    int // only one client in this many decodes its ghosts; 0: all do

	Match bool // the clients play a match, instead of watching movers
	First int  // number of the first client: the clients of a match can have several processes
	Moves int  // ticks of a fight to record, for the moves of deaf players

	Lockstep bool
	Epoch    time.Time // of the clock in lockstep
	Loss     int       // percent
	RTT      [2]int    // ticks
}

// crowdReport is a report of the clients' process. The first one only sets Ready, when every client
// has all its ghosts. Later ones are complete, except those of turns.
type crowdReport struct {
	Turn   bool
	Sent   int // after a turn: datagrams sent so far
	Ready  bool
	Error  string
	LateMS float64  // 99 % quantile of the clients' tick lateness
	Cores  float64  // CPU time of the process by clock time
	Ages   []uint64 // [n]: how often a ghost's newest update was n ticks old
	Last   []int64  // per client that decodes its ghosts: time of the last update, in Unix ns
	Digest []uint64 // per client that decodes its ghosts: digest of them
	Drawn  *drawnPlayers
}

const (
	crowdStep  = time.Millisecond // interval between two reads of the sockets
	oldestSeen = 1024             // ticks; older updates count as this
	takeAfter  = 16               // packets between two reads of the ghost stream
)

// simClient is one client of the workload.
type simClient struct {
	engine.NopScripts
	host   *engine.Host
	socket *udp.Socket
	out    func(netcore.Addr, []byte)
	next   netcore.Time // time of the next tick
	over   string       // reason of the disconnect
	clock  func() time.Time
	deaf   bool // does not decode ghosts once it has joined
	line   *crowdLine
	player *player // nil: it watches movers

	joined bool // all its ghosts have arrived; a player is in the game
	ghosts []*benchMover
	byID   []*benchMover // by ghost id
	tick   uint64
	last   time.Time              // time of the newest update
	gaps   [oldestSeen + 1]uint64 // [n]: updates received n ticks after the one before
}

func (e *simClient) GhostAdded(_ *engine.Connection, o sim.Object) {
	if m, is := o.(*benchMover); is {
		m.last = e.tick
		e.ghosts = append(e.ghosts, m)
	}
}

func (e *simClient) GhostRemoved(_ *engine.Connection, o sim.Object) {
	e.ghosts = slices.DeleteFunc(e.ghosts, func(m *benchMover) bool { return sim.Object(m) == o })
}

// Tick counts the tick. A deaf player does without the ghosts of its join, which cost time.
func (e *simClient) Tick(n uint64) {
	e.tick = n
	if e.deaf && e.joined && e.player != nil && !e.player.alone {
		e.player.alone = true
		e.host.Server().PeerGhosts.Each(func(o sim.Object) bool { return e.host.World().Delete(o) == nil })
	}
}

// Busy drains the ghost stream. The host calls it in Tick before it processes the inbox. By then
// the endpoint has released the packets that arrived out of order.
func (e *simClient) Busy() bool {
	e.take()
	return false
}

// take reads the decoded changes directly from the ghost stream, before the host applies them.
// Applying a thousand ghosts in each of hundreds of clients would cost too much CPU on the machine
// under test.
func (e *simClient) take() {
	if !e.joined || e.player != nil {
		return
	}
	c := e.host.Server()
	if c == nil {
		return
	}
	g := c.Ghosts()
	var came time.Time
	for ended := false; ; {
		ch := g.Next()
		switch {
		case ch == nil && ended: // end of the last packet
			if !came.IsZero() {
				e.last = came
			}
			return
		case ch == nil:
			ended = true
			continue
		case ch.Kind == ghost.Kill || ch.Kind == ghost.Reset:
			e.over = "a ghost was removed, but this workload removes none"
			return
		}
		if ended = false; came.IsZero() {
			came = e.clock()
		}
		e.update(c, ch)
	}
}

// update stores the values of an update.
func (e *simClient) update(c *engine.Connection, ch *ghost.Change) {
	id := int(uint16(ch.Token))
	for id >= len(e.byID) {
		e.byID = append(e.byID, nil)
	}
	m := e.byID[id]
	if m == nil {
		var is bool
		if m, is = c.PeerGhosts.Ghost(ch.Token).(*benchMover); !is {
			e.over = "an unexpected ghost was created"
			return
		}
		e.byID[id], m.codes = m, new([moveGroups][3]uint64)
		var v sim.Values
		for g := range moveGroups {
			m.Class().Quantise(m, g, &v)
			copy(m.codes[g][:], v.Cells)
		}
	}
	for groups := ch.Mask; groups != 0; groups &= groups - 1 {
		g := bits.TrailingZeros32(groups)
		copy(m.codes[g][:], ch.Values(g).Cells)
	}
	e.gaps[min(e.tick-m.last, oldestSeen)]++
	m.last = e.tick
}

// benchClasses returns the classes of both sides.
func benchClasses() (*sim.Classes, error) {
	classes := sim.NewClasses()
	if err := engine.Register(classes); err != nil {
		return nil, err
	}
	if err := classes.Register(moverClass); err != nil {
		return nil, err
	}
	return classes, classes.Register(eyeClass)
}

// newExtra returns an unconnected client.
func newExtra(resolve engine.Resolver) (*simClient, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes, err := benchClasses()
	if err != nil {
		return nil, err
	}
	e := &simClient{clock: time.Now}
	e.open(engine.Config{Classes: classes, Identity: id, Resolve: resolve})
	return e, nil
}

// open makes the host of a client.
func (e *simClient) open(cfg engine.Config) {
	cfg.Name, cfg.Entropy, cfg.Streams = "bench", rand.Reader, e.streams
	cfg.Ended = func(_ *engine.Connection, reason string) { e.over = reason }
	cfg.Failed = func(_ string, r netcore.Reason) { e.over = r.String() }
	e.host = engine.NewHost(cfg)
	e.host.SetScripts(e)
}

// clientProcess is all clients of one process, in one goroutine.
type clientProcess struct {
	task  crowdTask
	all   []*simClient
	epoch time.Time
	turns crowdTurns
	late  []float64 // lateness of ticks in ms, since measure
	since time.Time // time of measure
	cpu   time.Duration
	count crowdReport

	reports *json.Encoder
	fight   *fight     // what the players have in common; nil without players
	looking *simClient // the next to report what it draws; nil: nobody
	looks   int
}

// RunClients is the main function of the clients' process. It reads orders from in and writes
// reports to out.
func RunClients(in io.Reader, out io.Writer) error {
	debug.SetGCPercent(400) // spends memory to save CPU time for the server
	lines, reports := bufio.NewReader(in), json.NewEncoder(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		return fmt.Errorf("torclab %s serves the workloads only: %w", Clients, err)
	}
	c := &clientProcess{epoch: time.Now(), reports: reports}
	if err := json.Unmarshal([]byte(first), &c.task); err != nil {
		return err
	}
	orders := make(chan string)
	go func() {
		defer close(orders)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			orders <- strings.TrimSpace(line)
		}
	}()
	return c.run(orders)
}

// run serves the clients until the orders end.
func (c *clientProcess) run(orders <-chan string) error {
	if err := c.enter(); err != nil {
		return c.reports.Encode(crowdReport{Error: err.Error()})
	}
	ready := false
	step := time.NewTicker(crowdStep)
	defer step.Stop()
	if c.task.Lockstep {
		step.Stop()
	}
	for {
		select {
		case <-step.C:
			c.round()
		case order, more := <-orders:
			turn, isTurn := strings.CutPrefix(order, tellTurn+" ")
			switch {
			case isTurn:
				if err := c.turn(turn); err != nil {
					return err
				}
			case !more:
				return c.leave()
			case order == tellMeasure:
				c.measure()
			case order == tellStop:
				c.stop()
			case order == tellLook:
				c.look()
			case order == tellReport:
				if err := c.reports.Encode(c.report()); err != nil {
					return err
				}
			}
		}
		if !ready && c.ready() {
			ready = true
			if err := c.reports.Encode(crowdReport{Ready: true, Error: c.fault()}); err != nil {
				return err
			}
		}
	}
}

// enter starts to connect all clients, spread over one tick.
func (c *clientProcess) enter() error {
	to, _, _ := strings.Cut(c.task.Server, "#")
	addr, _, err := udp.Parse(to)
	if err != nil {
		return err
	}
	if c.task.Match {
		if c.fight, err = newFight(c.task.Moves); err != nil {
			return err
		}
	}
	for i := range c.task.Clients {
		e, err := c.newClient(c.task.First+i, engine.ResolveTo(addr))
		if err != nil {
			return err
		}
		if e.socket, err = udp.Dial(); err != nil {
			return err
		}
		e.out = func(to netcore.Addr, b []byte) { _ = e.socket.Write(to, b) }
		e.next = time.Since(c.epoch) + time.Duration(i)*tickTime/time.Duration(c.task.Clients)
		if c.task.Lockstep {
			c.turns.enter(c.task, i, e)
		}
		if err := e.host.Dialer.Connect(c.task.Server, engine.ConnectArgs{Name: playerName(uint16(c.task.First + i)), Timeout: joinAll}); err != nil {
			return err
		}
		c.all = append(c.all, e)
	}
	return nil
}

// newClient returns a client, by its number among those of all processes.
func (c *clientProcess) newClient(n int, resolve engine.Resolver) (e *simClient, err error) {
	deaf := c.task.Deaf > 0 && n%c.task.Deaf != 0
	if c.fight != nil {
		return c.fight.newPlayer(n, deaf, resolve)
	}
	if e, err = newExtra(resolve); err == nil {
		e.deaf = deaf
	}
	return e, err
}

// ready reports whether a client has all its ghosts, or is in the game.
func (e *simClient) ready(objects int) bool {
	if e.player != nil {
		c := e.host.Server()
		return c != nil && c.Join.Phase() == engine.PhaseGame
	}
	return len(e.ghosts) >= objects
}

// round receives packets and runs the ticks that are due. A joining client replies immediately, any
// other with its next tick.
func (c *clientProcess) round() {
	for _, e := range c.all {
		e.joined = e.joined || e.ready(c.task.Objects)
		now := time.Since(c.epoch)
		came := e.receive(now)
		if late := now - e.next; late >= 0 {
			c.late = append(c.late, milliseconds(late))
			e.next += (late/tickTime + 1) * tickTime
			c.tick(e, now)
			came = true
		} else if e.joined {
			continue
		}
		if came {
			e.host.Send(now, e.out)
		}
	}
}

// tick runs a tick of a client.
func (c *clientProcess) tick(e *simClient, now netcore.Time) {
	if e.player != nil {
		e.steer()
	}
	e.host.Tick(now)
	if e == c.looking {
		c.reportDrawn(e)
	}
}

// receive reads the queued packets. It drains the ghost stream every takeAfter packets to limit its
// memory.
func (e *simClient) receive(now netcore.Time) (came bool) {
	for n := 1; ; n++ {
		select {
		case p, open := <-e.socket.Packets():
			if !open {
				return came
			}
			e.host.Receive(now, p.From, p.Bytes())
			p.Free()
			came = true
			if n%takeAfter == 0 {
				e.take()
			}
		default:
			e.take()
			return came
		}
	}
}

// ready reports whether every client has all its ghosts, or one has failed.
func (c *clientProcess) ready() bool {
	for _, e := range c.all {
		if e.over != "" {
			return true
		}
		if !e.ready(c.task.Objects) {
			return false
		}
	}
	return true
}

func (c *clientProcess) fault() string {
	for i, e := range c.all {
		if e.over != "" {
			return fmt.Sprintf("client %d: %s", i, e.over)
		}
	}
	return ""
}

// measure resets the counts.
func (c *clientProcess) measure() {
	c.late, c.since = c.late[:0], time.Now()
	c.cpu, _ = processCPU()
	for _, e := range c.all {
		e.gaps = [oldestSeen + 1]uint64{}
	}
}

// stop computes the results from the counts.
func (c *clientProcess) stop() {
	if c.task.Lockstep {
		c.late = append(c.late, 0) // no client waits for its clock
	}
	if len(c.late) == 0 {
		c.late = append(c.late, milliseconds(time.Since(c.since))) // not one tick since measure
	}
	slices.Sort(c.late)
	cpu, _ := processCPU()
	c.count = crowdReport{Ready: true, LateMS: quantile(c.late, 0.99), Cores: (cpu - c.cpu).Seconds() / time.Since(c.since).Seconds()}
	if c.fight != nil {
		return
	}
	c.count.Ages = make([]uint64, oldestSeen)
	for _, e := range c.hearing() {
		older := uint64(0) // updates with no newer one for more than age ticks
		for age := oldestSeen - 1; age >= 0; age-- {
			older += e.gaps[age+1]
			c.count.Ages[age] += older
		}
	}
}

func (c *clientProcess) report() crowdReport {
	r := c.count
	if r.Error = c.fault(); c.fight != nil {
		return r
	}
	var d digest
	for _, e := range c.hearing() {
		r.Last = append(r.Last, e.last.UnixNano())
		r.Digest = append(r.Digest, d.all(e.ghosts))
	}
	return r
}

// leave disconnects all clients and closes their sockets.
func (c *clientProcess) leave() error {
	for _, e := range c.all {
		e.host.Shutdown("")
		e.host.Send(time.Since(c.epoch), e.out)
		_ = e.socket.Close()
	}
	return nil
}
