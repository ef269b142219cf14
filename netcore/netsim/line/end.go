package line

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

const tick = 32 * time.Millisecond

// End is an endpoint at one end of a line. Its clock ticks every 32 ms, at its own phase.
type End struct {
	endpoint *netcore.Endpoint
	pending  *netcore.Pending // the newest attempt to join
	conn     *netcore.Conn    // the newest one; nil before the first
	joinedAt netcore.Time
	ended    []netcore.Reason // of its connections and joins
	streams  []*stream        // of its connections
	greedy   bool
	needs    []int // bytes per tick that its first connections send
	now      netcore.Time
	next     netcore.Time // tick
	start    netcore.Time
}

// entropy returns random bytes that follow from a seed.
func entropy(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}

// newEnd returns an end whose keys and phase follow from seed. Ends of one identity differ by life.
// A greedy end always has more to send.
func newEnd(seed, life uint64, greedy bool, start netcore.Time) (*End, error) {
	id, err := seal.NewIdentity(entropy(seed))
	if err != nil {
		return nil, err
	}
	entropy := entropy(seed<<8 + life + 1)
	e := &End{greedy: greedy, start: start, next: start + netcore.Time(entropy.Uint64()%uint64(tick))}
	e.endpoint = netcore.NewEndpoint(netcore.Config{
		Identity: id, Entropy: entropy, Accepting: true, Game: "line",
		RecvRate:  netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize},
		MaxSend:   netcore.Rate{Packets: netcore.MaxRate, Size: netcore.MaxSize},
		Streams:   func(c *netcore.Conn) []netcore.Stream { return []netcore.Stream{e.newStream(c)} },
		Connected: func(c *netcore.Conn, _ []byte) { e.conn, e.joinedAt = c, e.now },
		Ended:     func(_ *netcore.Conn, r netcore.Reason) { e.ended = append(e.ended, r) },
		Failed:    func(_ *netcore.Pending, r netcore.Reason) { e.ended = append(e.ended, r) },
	})
	return e, nil
}

func (e *End) newStream(c *netcore.Conn) *stream {
	s := &stream{conn: c, greedy: e.greedy, perTick: tickBytes}
	if n := len(e.streams); n < len(e.needs) {
		s.perTick = e.needs[n]
	}
	e.streams = append(e.streams, s)
	return s
}

// join connects the end to an address. It trusts every key.
func (e *End) join(now netcore.Time, to netcore.Addr) {
	e.pending = e.endpoint.Connect(max(now, e.start), to, netcore.ConnectOptions{Trust: func(netcore.Addr, seal.Key) error { return nil }})
}

// Receive implements netsim.Machine.
func (e *End) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	e.now = now
	e.endpoint.Receive(now, from, d)
}

// Send implements netsim.Machine.
func (e *End) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if e.now = now; now >= e.start {
		e.endpoint.Send(now, out)
	}
}

// Due returns when the end next has something to send.
func (e *End) Due(now netcore.Time) netcore.Time {
	return max(e.endpoint.Due(now), e.start)
}

// Tick implements netsim.Machine.
func (e *End) Tick(now netcore.Time) {
	if now < e.next {
		return
	}
	e.now, e.next = now, now+tick
	for _, s := range e.streams {
		s.tick()
	}
	e.endpoint.Tick(now)
}
