package netsim

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// Machine is a program at an address. netcore.Endpoint implements it.
type Machine interface {
	Receive(now netcore.Time, from netcore.Addr, datagram []byte)
	Tick(now netcore.Time)
	Send(now netcore.Time, out func(to netcore.Addr, datagram []byte))
}

type attachment struct {
	addr    netcore.Addr
	machine Machine
	out     func(to netcore.Addr, datagram []byte)
	sentAt  netcore.Time // of the last call of Send
}

type edge struct {
	from, to netcore.Addr
	link     *netcore.Link
	through  *Bottleneck // before the link; nil for none
}

type interval struct{ from, to netcore.Time }

// Network holds the machines and the links between them.
type Network struct {
	// Watch, if set, is called with every sent datagram, before the link can
	// drop or change it.
	Watch func(now netcore.Time, from, to netcore.Addr, datagram []byte)

	// Punctual, if set, calls Send of a machine also at the times that its method Due returns.
	// Otherwise a machine sends at steps and after arrivals only.
	Punctual bool

	seed      uint64
	now       netcore.Time
	nodes     []*attachment
	places    map[netcore.Addr]int // of nodes; never iterated
	wants     []netcore.Time       // when each of nodes wants to send, if the network is punctual
	routes    []edge
	arrivals  []netcore.Time // when the next datagram of each of routes arrives
	lines     []*Bottleneck
	index     map[[2]netcore.Addr]int // of routes; never iterated
	blackouts []interval
	drops     int
	trace     uint64 // of all datagrams
	sent      int
}

// New returns an empty network at time 0.
func New(seed uint64) *Network {
	return &Network{seed: seed, places: map[netcore.Addr]int{}, index: map[[2]netcore.Addr]int{}}
}

// Now returns the current virtual time.
func (n *Network) Now() netcore.Time { return n.now }

// Sent returns the number of datagrams that machines have sent.
func (n *Network) Sent() int { return n.sent }

// Hash returns a hash of all sent and received datagrams so far: their times,
// addresses and bytes.
func (n *Network) Hash() uint64 { return n.trace }

// Attach puts a machine at an address. It replaces a machine that has the address.
func (n *Network) Attach(addr netcore.Addr, m Machine) {
	p := &attachment{addr: addr, machine: m, out: func(to netcore.Addr, d []byte) { n.Send(addr, to, d) }}
	if i, ok := n.places[addr]; ok {
		n.nodes[i] = p
		n.noteWant(i)
		return
	}
	n.places[addr] = len(n.nodes)
	n.nodes, n.wants = append(n.nodes, p), append(n.wants, netcore.Never)
	n.noteWant(len(n.nodes) - 1)
}

// Link connects two addresses: up is from a to b, down from b to a. If they are
// connected already, Link only changes the parameters. Without a link nothing
// arrives.
func (n *Network) Link(a, b netcore.Addr, up, down netcore.LinkParams) {
	n.setLink(a, b, up)
	n.setLink(b, a, down)
}

func (n *Network) setLink(from, to netcore.Addr, p netcore.LinkParams) {
	if i, ok := n.index[[2]netcore.Addr{from, to}]; ok {
		n.routes[i].link.Params = p
		return
	}
	n.index[[2]netcore.Addr{from, to}] = len(n.routes)
	seed := n.seed*0x9e3779b97f4a7c15 + uint64(len(n.routes))
	n.routes = append(n.routes, edge{from: from, to: to, link: netcore.NewLink(seed, p)})
	n.arrivals = append(n.arrivals, netcore.Never)
}

// Through sends everything from one address to another through a bottleneck, before it enters the
// link between them. The two must be linked already. b can be shared by several directions.
func (n *Network) Through(from, to netcore.Addr, b *Bottleneck) {
	n.routes[n.index[[2]netcore.Addr{from, to}]].through = b
	if !slices.Contains(n.lines, b) {
		n.lines = append(n.lines, b)
	}
}

// Blackout drops everything that is sent from the time from until the time to.
func (n *Network) Blackout(from, to netcore.Time) {
	n.blackouts = append(n.blackouts, interval{from, to})
}

// DropNext drops the next k datagrams, from any machine.
func (n *Network) DropNext(k int) { n.drops += k }

func (n *Network) inBlackout() bool {
	for _, b := range n.blackouts {
		if b.from <= n.now && n.now < b.to {
			return true
		}
	}
	return false
}

// Send sends a datagram from one address to another now. Datagrams of a program outside the
// simulation enter it so.
func (n *Network) Send(from, to netcore.Addr, d []byte) {
	n.sent++
	n.traceDatagram('s', from, to, d)
	if n.Watch != nil {
		n.Watch(n.now, from, to, d)
	}
	i, ok := n.index[[2]netcore.Addr{from, to}]
	switch {
	case !ok || n.inBlackout():
	case n.drops > 0:
		n.drops--
	case n.routes[i].through != nil:
		if b := n.routes[i].through; !b.push(n.now, i, d) {
			b.Flow(from).drop(len(d))
		}
	default:
		n.enter(i, d)
	}
}

// enter puts a datagram into the link of a route.
func (n *Network) enter(route int, d []byte) {
	l := n.routes[route].link
	l.Push(n.now, d)
	n.arrivals[route] = l.Due()
}

func (n *Network) traceDatagram(what byte, from, to netcore.Addr, d []byte) {
	var b [17]byte
	b[0] = what
	binary.LittleEndian.PutUint64(b[1:], uint64(n.now))
	binary.LittleEndian.PutUint16(b[9:], from.Port)
	binary.LittleEndian.PutUint16(b[11:], to.Port)
	binary.LittleEndian.PutUint32(b[13:], uint32(len(d)))
	sum := crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, d)
	n.trace = (n.trace ^ n.trace>>32 ^ uint64(sum)) * 0x9e3779b97f4a7c15
}

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Run advances the clock to until. At every step it calls Tick and then Send of
// each machine, in the order of Attach.
func (n *Network) Run(until, step netcore.Time) {
	n.RunWhile(until, step, func() bool { return true })
}

// RunWhile does the same as Run, but stops before a step when more returns
// false. It reports whether more returned false, during the run or at its end.
func (n *Network) RunWhile(until, step netcore.Time, more func() bool) bool {
	for n.now < until {
		if !more() {
			return true
		}
		n.arrive(min(n.now+step, until))
		for i, p := range n.nodes {
			p.machine.Tick(n.now)
			n.sendOf(i)
		}
	}
	return !more()
}

// arrive advances the clock to until. It handles the events of this time in order.
func (n *Network) arrive(until netcore.Time) {
	for i := range n.nodes {
		n.noteWant(i) // the owner of a machine can have changed it since the step before
	}
	for {
		do, due := n.next()
		if due > until {
			break
		}
		n.now = max(n.now, due)
		do()
	}
	n.now = until
}

// next returns the next event and its time: a datagram that leaves a bottleneck or arrives, or a
// punctual machine that sends. Without events the time is Never.
func (n *Network) next() (do func(), due netcore.Time) {
	due = netcore.Never
	for _, b := range n.lines {
		if t := b.due(); t < due {
			do, due = func() { n.leave(b) }, t
		}
	}
	route, node := -1, -1
	for i, t := range n.arrivals {
		if t < due {
			route, due = i, t
		}
	}
	for i, t := range n.wants {
		if t != netcore.Never && max(t, n.now) < due {
			node, due = i, max(t, n.now)
		}
	}
	switch {
	case node >= 0:
		return func() { n.sendOf(node) }, due
	case route >= 0:
		return func() { n.deliver(route) }, due
	}
	return do, due
}

// Due returns the time of the next event between steps, or Never.
func (n *Network) Due() netcore.Time {
	_, due := n.next()
	return due
}

// sendOf calls Send of a machine.
func (n *Network) sendOf(node int) {
	p := n.nodes[node]
	p.sentAt = n.now
	p.machine.Send(n.now, p.out)
	n.noteWant(node)
}

// noteWant notes when a machine wants to send. That changes only if something is called that
// belongs to it.
func (n *Network) noteWant(node int) {
	if n.Punctual {
		n.wants[node] = n.nodes[node].due(n.now)
	}
}

// due returns when a machine wants to send, at least minPause after it did so last.
func (p *attachment) due(now netcore.Time) netcore.Time {
	d, ok := p.machine.(interface {
		Due(netcore.Time) netcore.Time
	})
	if !ok {
		return netcore.Never
	}
	return max(d.Due(now), p.sentAt+minPause)
}

// minPause is the least time between two calls of Send that Due asks for. It is the pause of the
// loop of node.
const minPause = 250 * time.Microsecond

// leave passes the datagram that leaves a bottleneck to its link.
func (n *Network) leave(b *Bottleneck) {
	d := b.pop()
	r := n.routes[d.route]
	f := b.Flow(r.from)
	f.Delivered++
	f.DeliveredBytes += d.size
	n.enter(d.route, d.data)
}

func (n *Network) deliver(route int) {
	r := n.routes[route]
	node, ok := n.places[r.to]
	if !ok {
		r.link.Clear()
		n.arrivals[route] = r.link.Due()
		return
	}
	p := n.nodes[node]
	r.link.Pop(n.now, func(d []byte) {
		n.traceDatagram('r', r.from, r.to, d)
		p.machine.Receive(n.now, r.from, d)
	})
	n.arrivals[route] = r.link.Due()
	n.sendOf(node)
}

// Idle reports whether no datagram is in flight.
func (n *Network) Idle() bool {
	for _, b := range n.lines {
		if len(b.waiting) > 0 {
			return false
		}
	}
	for i := range n.routes {
		if n.routes[i].link.Due() != netcore.Never {
			return false
		}
	}
	return true
}

// RandomLink returns random link parameters for seed sweeps: packet loss up to
// worst, duplicates, reordering, jitter, bursts and corruption.
func RandomLink(r *rand.Rand, worst float64) netcore.LinkParams {
	ms := func(choices ...int) netcore.Time {
		return time.Duration(choices[r.IntN(len(choices))]) * time.Millisecond
	}
	of := func(choices ...float64) float64 { return choices[r.IntN(len(choices))] }
	return netcore.LinkParams{
		Loss:        worst * of(0, .2, .6, 1),
		Duplicate:   of(0, .1),
		Reorder:     of(0, 0, .05, .2),
		Corrupt:     of(0, 0, .02),
		Burst:       of(0, 0, .02),
		BurstLength: 1 + 10*r.Float64(),
		Delay:       ms(1, 25, 50, 150),
		Jitter:      ms(0, 10, 80, 300),
		Bandwidth:   int(of(0, 0, 0, 20000)),
	}
}
