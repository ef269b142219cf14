package netcore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// greedyStream fills every packet, or writes the same few bytes once per tick.
type greedyStream struct {
	greedy bool
	ready  bool
}

func (s *greedyStream) Due(now netcore.Time) netcore.Time {
	if s.greedy || s.ready {
		return now
	}
	return netcore.Never
}

func (s *greedyStream) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	size := (w.Left() - 16) / 8
	if !s.greedy {
		size = 30
		if !s.ready {
			size = 0
		}
		s.ready = false
	}
	w.WriteBits(uint64(max(size, 0)), 11)
	for range size {
		w.WriteBits(0x55, 8)
	}
	return size > 0
}

func (s *greedyStream) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for n := r.ReadBits(11); n > 0; n-- {
		r.ReadBits(8)
	}
	return nil
}

func (s *greedyStream) Notify(netcore.Seq, bool) {}

// lineEnd is one end of a connection over a line. Its clock ticks every 32 ms, at its own phase.
type lineEnd struct {
	conn   *netcore.Conn
	stream *greedyStream
	next   netcore.Time // tick
	start  netcore.Time
}

func (e *lineEnd) Receive(now netcore.Time, _ netcore.Addr, d []byte) { e.conn.Receive(now, d) }
func (e *lineEnd) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if now >= e.start {
		e.conn.Send(now, out)
	}
}
func (e *lineEnd) Due(now netcore.Time) netcore.Time { return max(e.conn.Due(now), e.start) }
func (e *lineEnd) Tick(now netcore.Time) {
	if now < e.next || now < e.start {
		return
	}
	e.next = now + 32*ms
	e.stream.ready = true
	e.conn.Tick(now)
}

// line is a bottleneck with connections through it.
type line struct {
	net     *netsim.Network
	down    *netsim.Bottleneck
	delay   netcore.Time // one way
	loss    float64      // of packets from the servers
	servers []*lineEnd
	clients []*lineEnd
	from    []netcore.Addr // of the servers
	random  *rand.Rand
	seed    uint64
}

func newLine(seed uint64, rate float64, queue, delay netcore.Time) *line {
	l := &line{net: netsim.New(seed), down: netsim.NewBottleneck(rate, queue), delay: delay, seed: seed}
	l.random = rand.New(rand.NewPCG(seed, 5))
	l.net.Punctual = true
	return l
}

// add adds a server that always has more to send, and its client, which sends a few bytes per tick.
func (l *line) add(start netcore.Time) *lineEnd {
	n := uint16(len(l.servers))
	server, client := netcore.SimAddr(100+n), netcore.SimAddr(200+n)
	ks, kc := netcoretest.Pairs(l.seed*10 + uint64(n))
	s, c := l.end(client, ks, start), l.end(server, kc, start)
	s.stream.greedy = true
	l.servers, l.clients, l.from = append(l.servers, s), append(l.clients, c), append(l.from, server)
	l.net.Attach(server, s)
	l.net.Attach(client, c)
	l.net.Link(server, client, netcore.LinkParams{Delay: l.delay, Loss: l.loss}, netcore.LinkParams{Delay: l.delay})
	l.net.Through(server, client, l.down)
	return s
}

func (l *line) end(to netcore.Addr, keys *seal.Session, start netcore.Time) *lineEnd {
	s := new(greedyStream)
	auto := netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize}
	conn := netcore.NewConn(0, netcore.ConnConfig{
		Addr: to, Keys: keys, Seed: l.seed, PeerRate: auto, RecvRate: auto,
		MaxSend: netcore.Rate{Packets: netcore.MaxRate, Size: netcore.MaxSize},
		Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{s} },
	})
	return &lineEnd{conn: conn, stream: s, start: start, next: time.Duration(l.random.Int64N(int64(32 * ms)))}
}

// addCUBIC adds a sender like TCP. The times of its acks vary a little, so that its segments do not
// always arrive when the queue has just room for them.
func (l *line) addCUBIC() netcore.Addr {
	from, to := netcore.SimAddr(1), netcore.SimAddr(2)
	l.net.Attach(from, &netsim.CUBIC{To: to})
	l.net.Attach(to, new(netsim.CUBICReceiver))
	l.net.Link(from, to, netcore.LinkParams{Delay: l.delay}, netcore.LinkParams{Delay: l.delay, Jitter: 10 * ms})
	l.net.Through(from, to, l.down)
	return from
}

// lineUse is what a line carried in a time.
type lineUse struct {
	shares     []float64 // of the capacity, of each server
	used, loss float64
	rtt        netcore.Time // mean of the smoothed round-trip time
	rttMost    netcore.Time // of all but a tenth of the time
	wait       netcore.Time // the mean queue
}

// use runs the network until a time.
func (l *line) use(till netcore.Time) (u lineUse) {
	const step = 4 * ms
	var before []netsim.Flow
	for _, a := range l.from {
		before = append(before, *l.down.Flow(a))
	}
	capacity, steps := 0., 0
	var rtt []netcore.Time
	for ; l.net.Now() < till; steps++ {
		l.net.Run(l.net.Now()+step, step)
		capacity += l.down.Rate / 8 * step.Seconds()
		u.wait += l.down.Wait(l.net.Now())
		rtt = append(rtt, l.servers[0].conn.RTT())
	}
	u.wait /= netcore.Time(steps)
	slices.Sort(rtt)
	u.rttMost = rtt[len(rtt)*9/10]
	for _, t := range rtt {
		u.rtt += t / netcore.Time(len(rtt))
	}
	dropped, all := 0, 0
	for i, a := range l.from {
		f := l.down.Flow(a)
		u.shares = append(u.shares, float64(f.DeliveredBytes-before[i].DeliveredBytes)/capacity)
		u.used += u.shares[i]
		dropped += f.Dropped - before[i].Dropped
		all += f.Dropped - before[i].Dropped + f.Delivered - before[i].Delivered
	}
	u.loss = float64(dropped) / float64(all)
	return u
}

// base is the round-trip time of an empty line with one packet of the size in use.
func (l *line) base() netcore.Time {
	size := l.servers[0].conn.PacketSize() + netsim.HeaderBytes
	return 2*l.delay + netcore.Time(float64(size)*8/l.down.Rate*float64(time.Second))
}

// lineSeeds returns the number of seeds: few, or up to 20 in a long run.
func lineSeeds(t *testing.T, few uint64) uint64 { return min(testenv.Seeds(t, few, 20), 20) }

// TestBusyLine measures a connection alone on a line, from three seconds after its start.
func TestBusyLine(t *testing.T) {
	for _, tt := range []struct {
		name         string
		rate         float64 // bits/s
		loss         float64 // at random
		seeds        uint64
		used         float64 // at least
		lost         float64 // at most
		more, factor float64 // the round-trip time is at most the factor times the base, and these ms
	}{
		{"28.8 kbit/s", 28_800, 0, 3, .9, .02, 50, 1},
		{"64 kbit/s", 64_000, 0, 3, .9, .01, 0, 1.5},
		{"256 kbit/s", 256_000, 0, 2, .9, .01, 0, 1.5},
		{"10 Mbit/s", 10e6, 0, 1, .9, .01, 0, 1.5},
		{"2 Mbit/s", 2e6, 0, 2, .9, .01, 0, 1.5},
		{"2 Mbit/s, 5 % lost", 2e6, .05, 2, .8, .01, 0, 1.5},
		{"256 kbit/s, 5 % lost", 256_000, .05, 2, .8, .01, 0, 1.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range lineSeeds(t, tt.seeds) {
				l := newLine(seed, tt.rate, 100*ms, 25*ms)
				l.loss = tt.loss
				l.add(0)
				l.use(3 * time.Second)
				u := l.use(testenv.Length(20*time.Second, 60*time.Second))
				t.Logf("seed %d: used %.3f, lost %.4f, RTT %v, mostly below %v, base %v, queue %v", seed, u.used, u.loss, u.rtt, u.rttMost, l.base(), u.wait)
				assert.GreaterOrEqual(t, u.used, tt.used, "seed %d", seed)
				assert.LessOrEqual(t, u.loss, tt.lost, "seed %d", seed)
				assert.LessOrEqual(t, float64(u.rtt), tt.factor*float64(l.base())+tt.more*float64(ms), "seed %d", seed)
			}
		})
	}
}

// TestSharedLine runs two connections on a line of 256 kbit/s. The second one starts with the first, or
// five seconds later.
func TestSharedLine(t *testing.T) {
	for _, start := range []netcore.Time{0, 5 * time.Second} {
		sum, runs := 0., 0.
		for seed := range lineSeeds(t, 2) {
			l := newLine(seed, 256_000, 100*ms, 25*ms)
			l.add(0)
			l.add(start)
			l.use(start + 5*time.Second)
			u := l.use(start + 60*time.Second)
			ratio := slices.Max(u.shares) / slices.Min(u.shares)
			t.Logf("seed %d, the second starts at %v: used %.3f, ratio %.2f, lost %.4f, RTT %v, mostly below %v, base %v", seed, start, u.used, ratio, u.loss, u.rtt, u.rttMost, l.base())
			assert.GreaterOrEqual(t, u.used, .9, "seed %d", seed)
			assert.LessOrEqual(t, ratio, 1.4, "seed %d", seed)
			sum, runs = sum+ratio, runs+1
			assert.LessOrEqual(t, u.loss, .01, "seed %d", seed)
			assert.LessOrEqual(t, float64(u.rtt), 1.5*float64(l.base()), "seed %d", seed)
		}
		assert.LessOrEqual(t, sum/runs, 1.2, "the mean of all seeds")
	}
}

// TestBesideCUBIC runs a connection beside a TCP that fills the queue.
func TestBesideCUBIC(t *testing.T) {
	for seed := range lineSeeds(t, 3) {
		l := newLine(seed, 256_000, 100*ms, 25*ms)
		l.add(0)
		tcp := l.addCUBIC()
		u := l.use(60 * time.Second)
		share := float64(l.down.Flow(tcp).DeliveredBytes) * 8 / 60 / 256_000
		t.Logf("seed %d: the connection got %.2f, CUBIC %.2f", seed, u.used, share)
		assert.GreaterOrEqual(t, u.used, .25, "seed %d", seed)
		assert.LessOrEqual(t, u.used, .75, "seed %d", seed)
	}
}

// TestCapacityChanges lets a line of 2 Mbit/s drop to 128 kbit/s and come back after 20 seconds. Its
// queue of 25,000 bytes lasts 1.6 s at the low capacity.
func TestCapacityChanges(t *testing.T) {
	for seed := range lineSeeds(t, 1) {
		l := newLine(seed, 2e6, 100*ms, 25*ms)
		l.down.Rates = []netsim.RateChange{{At: 20 * time.Second, Rate: 128_000}, {At: 40 * time.Second, Rate: 2e6}}
		l.add(0)
		l.use(15 * time.Second)
		before := l.use(20 * time.Second)
		l.use(22 * time.Second)
		queue := l.down.Wait(l.net.Now())
		low := l.use(40 * time.Second)
		l.use(45 * time.Second)
		after := l.use(50 * time.Second)
		t.Logf("seed %d: used %.3f, then %.3f with RTT %v, queue after 2 s %v, then %.3f", seed, before.used, low.used, low.rtt, queue, after.used)
		assert.GreaterOrEqual(t, before.used, .9, "seed %d", seed)
		assert.GreaterOrEqual(t, low.used, .9, "seed %d", seed)
		assert.LessOrEqual(t, low.rtt, 130*ms, "seed %d", seed)
		assert.LessOrEqual(t, queue, 42*ms, "seed %d", seed)
		assert.GreaterOrEqual(t, after.used, .95*before.used, "seed %d", seed)
	}
}

// TestPlotCapacity draws the run of TestCapacityChanges: per second the rate that the line delivers and
// the longest queue, each from 0 to 8 of its highest value.
func TestPlotCapacity(t *testing.T) {
	l := newLine(0, 2e6, 100*ms, 25*ms)
	l.down.Rates = []netsim.RateChange{{At: 20 * time.Second, Rate: 128_000}, {At: 40 * time.Second, Rate: 2e6}}
	l.add(0)
	var rate, queue []float64
	for range 60 {
		before, longest := l.down.Flow(l.from[0]).DeliveredBytes, netcore.Time(0)
		for range 100 {
			l.net.Run(l.net.Now()+10*ms, 2*ms)
			longest = max(longest, l.down.Wait(l.net.Now()))
		}
		rate = append(rate, 8*float64(l.down.Flow(l.from[0]).DeliveredBytes-before))
		queue = append(queue, longest.Seconds())
	}
	t.Logf("\nkbit/s\n%s\nqueue, ms\n%s", plot(rate, 2000, 1e3), plot(queue, 1600, 1e-3))
	assert.Len(t, rate, 60)
}

// plot draws values as columns below a highest value.
func plot(values []float64, most, unit float64) string {
	const rows = 8
	var b strings.Builder
	for row := rows; row > 0; row-- {
		fmt.Fprintf(&b, "%5.0f |", most*float64(row)/rows)
		line := ""
		for _, v := range values {
			if v/unit/most*rows >= float64(row)-.5 {
				line += "#"
			} else {
				line += " "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
