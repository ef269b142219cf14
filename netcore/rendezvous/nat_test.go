package rendezvous

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/netcore"
)

func udp(address string) netcore.Addr { return netcore.UDPAddr(netip.MustParseAddrPort(address)) }

// natKind is how a router translates addresses.
type natKind int

const (
	noNAT         natKind = iota
	fullCone              // lets everybody in at a port that a program has used
	addressCone           // lets in only the addresses that the program has sent to
	portCone              // lets in only the addresses and ports that the program has sent to
	symmetric             // likewise, and has another port for each destination
	natKinds      = iota
	latency       = 20 * time.Millisecond
	closedAddress = "198.51.100.99:9"
)

func (k natKind) String() string {
	return [...]string{"no NAT", "full cone", "address cone", "port cone", "symmetric"}[k]
}

// nat is a router with one program behind it.
type nat struct {
	kind    natKind
	inside  netcore.Addr
	public  string // IP
	ports   map[string]uint16
	allowed map[string]bool
}

// leave returns the address that a datagram leaves from.
func (n *nat) leave(to netcore.Addr) netcore.Addr {
	if n.kind == noNAT {
		return n.inside
	}
	mapping := ""
	if n.kind == symmetric {
		mapping = to.String()
	}
	port, known := n.ports[mapping]
	if !known {
		port = uint16(40000 + 7*len(n.ports))
		n.ports[mapping] = port
	}
	for _, key := range []string{"", to.AddrPort().Addr().String(), to.String()} {
		n.allowed[fmt.Sprint(port, " ", key)] = true
	}
	return udp(fmt.Sprintf("%s:%d", n.public, port))
}

// admits reports whether a datagram reaches the program.
func (n *nat) admits(to, from netcore.Addr) bool {
	key := map[natKind]string{fullCone: "", addressCone: from.AddrPort().Addr().String()}[n.kind]
	if n.kind == portCone || n.kind == symmetric {
		key = from.String()
	}
	return n.kind == noNAT && to == n.inside || n.kind != noNAT && n.allowed[fmt.Sprint(to.Port, " ", key)]
}

// host is a program of the simulation.
type host struct {
	nat     *nat
	receive func(now netcore.Time, from netcore.Addr, b []byte)
	tick    func(now netcore.Time, out func(to netcore.Addr, b []byte))
}

// datagram is under way.
type datagram struct {
	at       netcore.Time
	n        int
	from, to netcore.Addr
	b        []byte
}

type flight []datagram

func (f flight) Len() int { return len(f) }
func (f flight) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].n < f[j].n
}
func (f flight) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flight) Push(x any)   { *f = append(*f, x.(datagram)) }
func (f *flight) Pop() any     { d := (*f)[len(*f)-1]; *f = (*f)[:len(*f)-1]; return d }

// internet carries datagrams between hosts, in virtual time.
type internet struct {
	now    netcore.Time
	hosts  []*host
	flight flight
	sent   int
	loss   float64
	random *rand.Rand
	seen   func(from, to netcore.Addr, b []byte) // gets every datagram between routers
}

func (i *internet) add(kind natKind, inside, public string) *host {
	h := &host{nat: &nat{kind: kind, inside: udp(inside), public: public, ports: map[string]uint16{}, allowed: map[string]bool{}}}
	i.hosts = append(i.hosts, h)
	return h
}

// out returns the function by which a host sends.
func (i *internet) out(h *host) func(to netcore.Addr, b []byte) {
	return func(to netcore.Addr, b []byte) {
		from := h.nat.leave(to)
		if i.seen != nil {
			i.seen(from, to, b)
		}
		if i.random.Float64() < i.loss {
			return
		}
		i.sent++
		heap.Push(&i.flight, datagram{i.now + latency, i.sent, from, to, append([]byte(nil), b...)})
	}
}

// run lets time pass.
func (i *internet) run(until netcore.Time, done func() bool) {
	for ; i.now < until && !done(); i.now += time.Millisecond {
		for len(i.flight) > 0 && i.flight[0].at <= i.now {
			d := heap.Pop(&i.flight).(datagram)
			for _, h := range i.hosts {
				own := h.nat.kind == noNAT && d.to == h.nat.inside || h.nat.kind != noNAT && d.to.AddrPort().Addr().String() == h.nat.public
				if own && h.nat.admits(d.to, d.from) {
					h.receive(i.now, d.from, d.b)
				}
			}
		}
		for _, h := range i.hosts {
			if h.tick != nil {
				h.tick(i.now, i.out(h))
			}
		}
	}
}
