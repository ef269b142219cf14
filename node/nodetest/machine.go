package nodetest

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/node"
)

// program is a stepped node.
type program interface {
	receive(from netcore.Addr, datagram []byte)
	step()
}

// machine is a computer with a clock of its own. At most one program runs on it.
type machine struct {
	net   *netsim.Network
	addr  netcore.Addr
	runs  program      // nil: the machine is off
	wakes netcore.Time // until then the machine stands still
	held  []datagram   // arrived while the machine stood still
	clock clock
	shift time.Duration // of its date
	died  *uint64       // counts the lives of programs, for their randomness
}

type datagram struct {
	from netcore.Addr
	data []byte
}

// clock runs faster or slower than the time of the network, and can jump ahead.
type clock struct {
	mine, base netcore.Time // its time at a time of the network
	ppm        int64        // how much faster it is, in millionths
}

func (c *clock) at(now netcore.Time) netcore.Time {
	d := now - c.base
	return c.mine + d + d/1_000_000*netcore.Time(c.ppm)
}

// set changes the speed and lets the clock jump ahead.
func (c *clock) set(now netcore.Time, ppm int64, jump time.Duration) {
	c.mine, c.base, c.ppm = c.at(now)+jump, now, ppm
}

// Receive passes a datagram to the program, or keeps it while the machine stands still.
func (m *machine) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	switch {
	case m.runs == nil:
	case now < m.wakes:
		if len(m.held) < socketBuffer {
			m.held = append(m.held, datagram{from, append([]byte(nil), d...)})
		}
	default:
		m.runs.receive(from, d)
	}
}

// socketBuffer is how many datagrams the operating system keeps for a program that does not run.
const socketBuffer = 256

// Tick runs the program's loop once.
func (m *machine) Tick(now netcore.Time) {
	if m.runs == nil || now < m.wakes {
		return
	}
	for _, d := range m.held {
		if m.runs != nil {
			m.runs.receive(d.from, d.data)
		}
	}
	m.held = m.held[:0]
	if m.runs != nil {
		m.runs.step()
	}
}

// Send does nothing: a program sends in its step.
func (m *machine) Send(netcore.Time, func(netcore.Addr, []byte)) {}

// edge returns what a new program takes from the machine. Its clock begins at 0.
func (m *machine) edge(seed uint64, send func(to netcore.Addr, d []byte)) node.Edge {
	*m.died++
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], *m.died)
	start := m.clock.at(m.net.Now())
	return node.Edge{
		Clock:   func() time.Duration { return m.clock.at(m.net.Now()) - start },
		Date:    func() time.Time { return firstDate.Add(m.net.Now() + m.shift) },
		Entropy: rand.NewChaCha8(key),
		Send:    send,
		Protos:  protos,
	}
}

var firstDate = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// serverAddr is where the server is.
var serverAddr = address(0, 0)

// address returns the address of a player at one of its places. The server is player 0.
func address(player, place int) netcore.Addr {
	return netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(player), 1 + byte(place)}), 28000))
}

// nobody is a machine without a program.
type nobody struct{}

func (nobody) Receive(netcore.Time, netcore.Addr, []byte)    {}
func (nobody) Tick(netcore.Time)                             {}
func (nobody) Send(netcore.Time, func(netcore.Addr, []byte)) {}
