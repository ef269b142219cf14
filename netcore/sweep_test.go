package netcore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

const ms = time.Millisecond

// checkedStream is a stream that checks the contract of Notify: fates arrive once, in order, and
// are correct.
type checkedStream struct {
	peer            *checkedStream
	rng             *rand.Rand
	sendProbability float64 // probability that it has data for a packet
	burst           int     // packets it wants at once

	sent   []netcore.Seq // packets with a section of this stream, in order
	fates  int
	read   map[netcore.Seq]bool
	newest netcore.Seq // the newest packet read
	fault  string
}

func (s *checkedStream) Pack(w *bitstream.Writer, p netcore.Outgoing) bool {
	if s.burst == 0 {
		w.WriteBits(0, 5)
		return false
	}
	s.burst--
	n := s.rng.IntN(32)
	w.WriteBits(uint64(n), 5)
	for i := 0; i < n; i++ {
		w.WriteBits(uint64(p.Seq), 16)
	}
	s.sent = append(s.sent, p.Seq)
	return true
}

func (s *checkedStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	for n := r.ReadBits(5); n > 0; n-- {
		if v := r.ReadBits(16); v != uint64(p.Seq)&0xffff {
			s.fail("packet %d carries %d", p.Seq, v)
		}
	}
	if p.Seq <= s.newest {
		s.fail("packet %d read after %d", p.Seq, s.newest)
	}
	s.newest, s.read[p.Seq] = p.Seq, true
	if i := s.peer.fates; i > 0 && s.peer.sent[i-1] >= p.Seq {
		s.fail("packet %d read after its fate was told", p.Seq)
	}
	return nil
}

func (s *checkedStream) Notify(seq netcore.Seq, delivered bool) {
	switch {
	case s.fates >= len(s.sent):
		s.fail("fate of %d, all are known", seq)
	case s.sent[s.fates] != seq:
		s.fail("fate of %d, expected %d", seq, s.sent[s.fates])
	case s.peer.read[seq] != delivered:
		s.fail("packet %d: told %v, in truth %v", seq, delivered, s.peer.read[seq])
	}
	s.fates++
}

func (s *checkedStream) fail(format string, args ...any) {
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
	}
}

// testPeer is a Conn on the simulated network.
type testPeer struct {
	conn   *netcore.Conn
	stream *checkedStream
	rng    *rand.Rand
	quiet  bool
	bursty bool
}

func (p *testPeer) Receive(now netcore.Time, _ netcore.Addr, d []byte) { p.conn.Receive(now, d) }
func (p *testPeer) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	p.conn.Send(now, out)
}

func (p *testPeer) Tick(now netcore.Time) {
	if w := p.stream; w != nil {
		w.burst = 0
		if !p.quiet && w.rng.Float64() < w.sendProbability {
			w.burst = 1
			if p.bursty && w.rng.IntN(20) == 0 {
				w.burst = 40
			}
		}
	}
	p.conn.Tick(now)
}

var here, there = netcore.SimAddr(1), netcore.SimAddr(2)

func newTestPeer(seed uint64, to netcore.Addr, keys *seal.Session, cfg netcore.ConnConfig) *testPeer {
	p := &testPeer{rng: rand.New(rand.NewPCG(seed, uint64(to.Port)))}
	p.stream = &checkedStream{rng: p.rng, sendProbability: 1, read: map[netcore.Seq]bool{}}
	cfg.Addr, cfg.Keys, cfg.Seed = to, keys, seed
	cfg.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{p.stream} }
	p.conn = netcore.NewConn(0, cfg)
	return p
}

func newPair(seed uint64, cfg netcore.ConnConfig, up, down netcore.LinkParams) (*netsim.Network, *testPeer, *testPeer) {
	ka, kb := netcoretest.Pairs(seed)
	a, b := newTestPeer(seed, there, ka, cfg), newTestPeer(seed, here, kb, cfg)
	a.stream.peer, b.stream.peer = b.stream, a.stream
	n := netsim.New(seed)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, up, down)
	return n, a, b
}

// runSeed runs one seed: packet loss, bursts, in some seeds a blackout or a side that is silent,
// then quiet until everything is settled. It returns the hash of the trace.
func runSeed(seed uint64) (uint64, error) {
	r := rand.New(rand.NewPCG(seed, 99))
	cfg := netcore.ConnConfig{Check: r.IntN(4) == 0, MaxSend: netcore.Rate{Packets: 125, Size: 100 + r.IntN(1100)}, PeerRate: netcore.Rate{Packets: 125}}
	up, down := netsim.RandomLink(r, .5), netsim.RandomLink(r, .5)
	n, a, b := newPair(seed, cfg, up, down)
	a.bursty, b.bursty = r.IntN(2) == 0, r.IntN(2) == 0
	a.stream.sendProbability, b.stream.sendProbability = .2+.8*r.Float64(), r.Float64()
	b.quiet = r.IntN(4) == 0
	talk := 2500 * ms
	if seed%16 == 0 {
		n.Blackout(talk/2, talk/2+30*time.Second)
		talk += 30 * time.Second
	}
	step := []netcore.Time{8 * ms, 16 * ms, 32 * ms}[r.IntN(3)]
	n.Run(talk, step)
	a.quiet, b.quiet = true, true
	for _, p := range []*netcore.LinkParams{&up, &down} {
		p.Burst, p.BurstLength = 0, 1 // a ping every two seconds would make a burst last a minute
	}
	n.Link(here, there, up, down)
	settled := n.RunWhile(talk+40*time.Second, step, func() bool { return a.conn.InFlight()+b.conn.InFlight() > 0 })
	for _, p := range []*testPeer{a, b} {
		why, over := p.conn.Closed()
		switch w := p.stream; {
		case w.fault != "":
			return 0, fmt.Errorf("%s", w.fault)
		case over:
			return 0, fmt.Errorf("ended: %v", why)
		case !settled:
			return 0, fmt.Errorf("%d packets never settled", p.conn.InFlight())
		case w.fates != len(w.sent):
			return 0, fmt.Errorf("%d packets, %d fates", len(w.sent), w.fates)
		}
	}
	if len(a.stream.sent) < 5 {
		return 0, fmt.Errorf("only %d packets sent", len(a.stream.sent))
	}
	return n.Hash(), nil
}

// TestSweep checks the contract of Notify over many seeds.
func TestSweep(t *testing.T) {
	for seed := range testenv.Seeds(t, 100, 1000) {
		h, err := runSeed(seed)
		require.NoError(t, err, "seed %d", seed)
		if seed%10 == 0 {
			again, err := runSeed(seed)
			require.NoError(t, err)
			require.Equal(t, h, again, "seed %d, run twice", seed)
		}
	}
}

func TestHeaderBits(t *testing.T) {
	for _, tt := range []struct {
		name string
		link netcore.LinkParams
		most float64
	}{
		{"no loss", netcore.LinkParams{Delay: 50 * ms}, 31},
		{"no loss, jitter", netcore.LinkParams{Delay: 50 * ms, Jitter: 20 * ms}, 31.5},
		{"10 % loss", netcore.LinkParams{Delay: 50 * ms, Jitter: 20 * ms, Loss: .1}, 36},
		{"10 % loss, 300 ms", netcore.LinkParams{Delay: 150 * ms, Jitter: 20 * ms, Loss: .1}, 39},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, a, _ := newPair(1, netcore.ConnConfig{}, tt.link, tt.link)
			n.Run(60*time.Second, 32*ms)
			s := a.conn.Stats()
			assert.Greater(t, s.Sent, uint64(1500))
			bits := float64(s.HeaderBits) / float64(s.Sent)
			t.Logf("%.2f bits; %d control packets beside %d", bits, s.ControlSent, s.Sent)
			assert.LessOrEqual(t, bits, tt.most)
		})
	}
}

func TestOneWayFlow(t *testing.T) {
	n, a, b := newPair(3, netcore.ConnConfig{}, netcore.LinkParams{Delay: 50 * ms}, netcore.LinkParams{Delay: 50 * ms})
	b.quiet = true
	n.Run(10*time.Second, 32*ms)
	assert.Greater(t, a.conn.Stats().Delivered, uint64(300), "acks reach a sender that is sent nothing")
	assert.Less(t, a.conn.InFlight(), 8)
	assert.Zero(t, b.conn.Stats().Sent)
	assert.LessOrEqual(t, b.conn.Stats().ControlSent, a.conn.Stats().Sent+4)
	assert.InDelta(t, 100*ms, a.conn.RTT(), float64(20*ms))
}

func TestReorderingLosesNothing(t *testing.T) {
	up := netcore.LinkParams{Delay: 50 * ms, Jitter: 5 * ms}
	n, a, b := newPair(3, netcore.ConnConfig{PeerRate: netcore.Rate{Packets: 125}}, up, up)
	a.bursty = true
	n.Run(20*time.Second, 32*ms)
	assert.Greater(t, b.conn.Stats().Held, uint64(40))
	assert.LessOrEqual(t, a.conn.Stats().Dropped, a.conn.Stats().Sent/500)
}
