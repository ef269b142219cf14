package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

const (
	floodClients = 64
	floodTurns   = 10   // measured turns of each kind: with and without flood
	floodPerTick = 3200 // spoofed requests per tick: 100,000 per second
	floodBurst   = 512  // requests received between two sends
)

// floodServer is a server in memory with connected clients.
type floodServer struct {
	server  *benchPeer
	clients []*benchPeer
	now     netcore.Time
	wire    [][]byte // packets to client i, in reused buffers
	due     []int    // indices of clients with packets in wire
	request [80]byte // a challenge request

	invented, answers int
	absorb            time.Duration // time spent on spoofed requests
}

// floodClient is the server's state for a client.
type floodClient struct {
	count  counters
	events *event.Stream
}

// flood compares the server's tick time (Tick and Send to 64 clients) with and without spoofed
// requests, each from another address. The two cases alternate, so that other load on the machine
// affects both equally.
func flood(row time.Duration) (Row, error) {
	f, err := newFlooded()
	if err != nil {
		return nil, err
	}
	turn := row / (2 * floodTurns)
	for _, on := range []bool{false, true} {
		if _, err := f.ticks(turn, on); err != nil {
			return nil, err
		}
	}
	before := heap()
	f.absorb, f.invented, f.answers = 0, 0, 0
	var calm, busy []float64
	for i := range 2 * floodTurns {
		took, err := f.ticks(turn, i%2 == 1)
		if err != nil {
			return nil, err
		}
		if i%2 == 1 {
			busy = append(busy, took...)
		} else {
			calm = append(calm, took...)
		}
	}
	if f.answers == 0 {
		return nil, errors.New("no forged request was answered")
	}
	grown := max(0, heap()-before-8*(cap(calm)+cap(busy)))
	slices.Sort(calm)
	slices.Sort(busy)
	return Row{
		{"spoofed_per_s_absorbed", float64(f.invented) / f.absorb.Seconds()},
		{"tick_p99_growth", quantile(busy, 0.99) / quantile(calm, 0.99)},
		{"tick_us_p99", quantile(calm, 0.99)},
		{"heap_growth_kib", float64(grown) / 1024},
	}, nil
}

// heap returns the bytes in use after a garbage collection.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func newFlooded() (*floodServer, error) {
	f := new(floodServer)
	f.request[0] = 0xC4 // a challenge request: type, nonce, "torc", zeros
	copy(f.request[17:], "torc")
	var err error
	f.server, err = newPeer(netcore.Config{
		Accepting: true, Limits: noLimits,
		Streams: func(c *netcore.Conn) []netcore.Stream {
			s := new(floodClient)
			s.events = event.New(event.Config{Kinds: s.count.kinds(), Mutual: true})
			c.User = s
			return []netcore.Stream{s.events}
		},
	})
	if err != nil {
		return nil, err
	}
	for i := range floodClients {
		c, err := newPeer(netcore.Config{})
		if err != nil {
			return nil, err
		}
		f.clients, f.wire = append(f.clients, c), append(f.wire, nil)
		c.dial(f.now, f.server, netcore.LocalAddr(0))
		for n := 0; c.conn == nil; n++ {
			if n == 100 {
				return nil, fmt.Errorf("client %d: %w", i, errors.Join(errSilent, c.err))
			}
			f.round()
		}
	}
	return f, nil
}

// ticks runs ticks for the given time, at least one. It returns the duration of each server tick in
// µs.
func (f *floodServer) ticks(long time.Duration, invented bool) (took []float64, err error) {
	for end := time.Now().Add(long); len(took) == 0 || time.Now().Before(end); {
		if invented {
			f.invent()
		}
		for _, c := range f.server.Conns() {
			s := c.User.(*floodClient)
			if err := s.count.post(s.events); err != nil {
				return nil, err
			}
		}
		took = append(took, float64(f.round().Nanoseconds())/1000)
		if f.server.ended > 0 {
			return nil, fmt.Errorf("a client was lost: %w", f.server.err)
		}
	}
	return took, nil
}

// invent delivers one tick's spoofed requests, from unused addresses.
func (f *floodServer) invent() {
	start := time.Now()
	for n := 1; n <= floodPerTick; n++ {
		f.invented++
		binary.LittleEndian.PutUint64(f.request[1:], uint64(f.invented))
		from := netcore.Addr{Kind: netcore.AddrUDP, Port: uint16(f.invented)}
		binary.BigEndian.PutUint64(from.IP[:], 0x20010db8<<32|uint64(f.invented>>16))
		f.server.Receive(f.now, from, f.request[:])
		if n%floodBurst == 0 || n == floodPerTick {
			f.server.Send(f.now, f.hear)
		}
	}
	f.absorb += time.Since(start)
}

// hear stores the server's packets until the measured part is over.
func (f *floodServer) hear(to netcore.Addr, b []byte) {
	if to.Kind != netcore.AddrLocal {
		f.answers++
		return
	}
	i := int(to.Port) - 1
	if len(f.wire[i]) > 0 {
		f.deliver() // a second packet for this client
	}
	f.wire[i] = append(f.wire[i], b...)
	f.due = append(f.due, i)
}

func (f *floodServer) deliver() {
	for _, i := range f.due {
		f.clients[i].Receive(f.now, netcore.LocalAddr(0), f.wire[i])
		f.wire[i] = f.wire[i][:0]
	}
	f.due = f.due[:0]
}

// round runs one tick of the server and all clients. It returns the duration of the server's part.
func (f *floodServer) round() time.Duration {
	f.now += tickTime
	for i, c := range f.clients {
		c.Tick(f.now)
		c.Send(f.now, func(_ netcore.Addr, b []byte) {
			f.server.Receive(f.now, netcore.LocalAddr(uint16(i+1)), b)
		})
	}
	start := time.Now()
	f.server.Tick(f.now)
	f.server.Send(f.now, f.hear)
	took := time.Since(start)
	f.deliver()
	return took
}
