package event

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/seal"
)

// counter is the event of the benchmarks: an id and three small integers that hold a running
// number.
type counter struct {
	a, b, c uint32
	pool    *counterPool
}

// counterPool creates counters and gets them back at both ends.
type counterPool struct {
	spare []*counter
	next  uint32 // the number that the receiver expects
}

func (p *counterPool) New() Event {
	n := len(p.spare)
	if n == 0 {
		return &counter{pool: p}
	}
	v := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return v
}

func (v *counter) KindID() KindID { return ownKinds }

func (v *counter) Serialize(s *Codec) {
	s.Uint(&v.a, 8)
	s.Uint(&v.b, 8)
	s.Uint(&v.c, 8)
}

func (v *counter) Process(*netcore.Conn) error {
	n := v.a | v.b<<8 | v.c<<16
	if n != v.pool.next&0xffffff {
		return errors.New("out of order")
	}
	v.pool.next++
	return nil
}

func (v *counter) Release()  { v.pool.spare = append(v.pool.spare, v) }
func (v *counter) Fate(bool) { v.pool.spare = append(v.pool.spare, v) }

// counterStreams is a pair of event streams that exchange counters.
type counterStreams struct {
	a, b     *Stream
	out, in  counterPool
	sent     uint32
	w        *bitstream.Writer
	r        *bitstream.Reader
	buf      []byte
	seq      netcore.Seq
	now      netcore.Time
	perRound int
}

func newCounterStreams() *counterStreams {
	c := &counterStreams{buf: make([]byte, 1180), w: bitstream.NewWriter(nil), r: bitstream.NewReader(nil), perRound: 330}
	kind := func(p *counterPool) *Kinds { return NewKinds(Kind{Name: "counter", New: p.New}) }
	c.a = New(Config{Kinds: kind(&c.out), Server: true})
	c.b = New(Config{Kinds: kind(&c.in)})
	return c
}

// send posts events and packs them. receive unpacks them and reports their fate.
func (c *counterStreams) send() {
	for range c.perRound {
		v := c.out.New().(*counter)
		v.a, v.b, v.c = c.sent&255, c.sent>>8&255, c.sent>>16&255
		c.sent++
		if err := c.a.Post(v, Post{}); err != nil {
			panic(err)
		}
	}
	c.w.Reset(c.buf)
	c.seq++
	c.now += time.Millisecond
	if !c.a.Pack(c.w, netcore.Outgoing{Seq: c.seq, Now: c.now}) {
		panic("nothing packed")
	}
}

func (c *counterStreams) receive() {
	c.r.Reset(c.w.Bytes())
	if err := c.b.Unpack(c.r, netcore.Incoming{Seq: c.seq, Now: c.now}); err != nil {
		panic(err)
	}
}

func (c *counterStreams) round() {
	c.send()
	c.receive()
	c.a.Notify(c.seq, true)
}

func BenchmarkEvents(b *testing.B) {
	c := newCounterStreams()
	for range 10 {
		c.round()
	}
	b.ReportAllocs()
	b.ResetTimer()
	var send, receive time.Duration
	bits := 0
	for n := 0; n < b.N; n += c.perRound {
		t0 := time.Now()
		c.send()
		bits += c.w.Pos()
		t1 := time.Now()
		c.receive()
		t2 := time.Now()
		c.a.Notify(c.seq, true)
		send += t1.Sub(t0) + time.Since(t2)
		receive += t2.Sub(t1)
	}
	events := float64(c.a.Stats().Sent)
	b.ReportMetric(float64(send.Nanoseconds())/float64(b.N), "send-ns/event")
	b.ReportMetric(float64(receive.Nanoseconds())/float64(b.N), "receive-ns/event")
	b.ReportMetric(float64(bits)/(events-3300), "bits/event")
}

// sealedPair is the same two streams on an encrypted connection.
type sealedPair struct {
	*counterStreams
	ca, cb   *netcore.Conn
	toA, toB func(netcore.Addr, []byte)
}

func newSealedPair() *sealedPair {
	p := &sealedPair{counterStreams: newCounterStreams()}
	keysA, keysB := netcoretest.Pairs(1)
	end := func(keys *seal.Session, e *Stream) *netcore.Conn {
		return netcore.NewConn(0, netcore.ConnConfig{
			Keys: keys, PeerRate: netcore.Rate{Packets: 125, Size: netcore.MaxDatagram},
			Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{e} },
		})
	}
	p.ca, p.cb = end(keysA, p.a), end(keysB, p.b)
	p.toA = func(_ netcore.Addr, d []byte) { p.ca.Receive(p.now, d) }
	p.toB = func(_ netcore.Addr, d []byte) { p.cb.Receive(p.now, d) }
	return p
}

func (p *sealedPair) round() {
	for range p.perRound {
		v := p.out.New().(*counter)
		v.a, v.b, v.c = p.sent&255, p.sent>>8&255, p.sent>>16&255
		p.sent++
		if err := p.a.Post(v, Post{}); err != nil {
			panic(err)
		}
	}
	p.now += 8 * time.Millisecond
	p.ca.Tick(p.now)
	p.ca.Send(p.now, p.toB)
	p.cb.Tick(p.now)
	p.cb.Send(p.now, p.toA)
}

// BenchmarkSealedEvents measures both ends of an encrypted connection on one core.
func BenchmarkSealedEvents(b *testing.B) {
	p := newSealedPair()
	for range 300 {
		p.round()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += p.perRound {
		p.round()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	if reason, over := p.ca.Closed(); over {
		b.Fatal(reason)
	}
}

func TestEventsOverConnections(t *testing.T) {
	p := newSealedPair()
	for range 300 {
		p.round()
	}
	_, over := p.ca.Closed()
	require.False(t, over)
	require.Greater(t, p.in.next, uint32(299*p.perRound), "what was posted came")
	require.Zero(t, testing.AllocsPerRun(200, p.round))
}

func TestNoAllocations(t *testing.T) {
	c := newCounterStreams()
	for range 100 {
		c.round()
	}
	require.Zero(t, testing.AllocsPerRun(200, c.round))
	require.Zero(t, c.a.Queued())
}

// timeOverLoss returns the time until n ordered events posted at once are processed. The round-trip
// time is 100 ms, the rate is a packet per millisecond, and loss is the packet loss in each
// direction.
func timeOverLoss(t testing.TB, seed uint64, n int, loss float64) netcore.Time {
	c := newCounterStreams()
	rng := rand.New(rand.NewPCG(seed, 2))
	const oneWay = 50 * time.Millisecond
	type packet struct {
		seq  netcore.Seq
		at   netcore.Time
		data []byte
		ok   bool
	}
	var air, known []packet
	c.perRound = 0
	for range n {
		v := c.out.New().(*counter)
		v.a, v.b, v.c = c.sent&255, c.sent>>8&255, c.sent>>16&255
		c.sent++
		require.NoError(t, c.a.Post(v, Post{}))
	}
	var seq netcore.Seq
	for now := netcore.Time(0); now < time.Minute; now += time.Millisecond {
		for len(air) > 0 && air[0].at <= now {
			p := air[0]
			air = air[1:]
			if p.ok {
				if err := c.b.Unpack(bitstream.NewReader(p.data), netcore.Incoming{Seq: p.seq, Now: now}); err != nil {
					require.NoError(t, err)
				}
				if int(c.in.next) == n {
					return now
				}
			}
			p.at = now + oneWay
			known = append(known, p)
		}
		// An ack packet comes back each millisecond, unless it is lost.
		if rng.Float64() >= loss {
			for len(known) > 0 && known[0].at <= now {
				c.a.Notify(known[0].seq, known[0].ok)
				known = known[1:]
			}
		}
		if len(air)+len(known) < netcore.Window && c.a.Due(now) <= now {
			w := bitstream.NewWriter(make([]byte, 1180))
			if c.a.Pack(w, netcore.Outgoing{Seq: seq + 1, Now: now}) {
				seq++
				air = append(air, packet{seq, now + oneWay, w.Bytes(), rng.Float64() >= loss})
			}
		}
	}
	t.Fatal("never done")
	return 0
}

func TestThousandEventsOverLoss(t *testing.T) {
	for _, row := range []struct {
		loss float64
		most netcore.Time
	}{{0, 60 * time.Millisecond}, {0.1, 120 * time.Millisecond}, {0.25, 200 * time.Millisecond}, {0.5, 500 * time.Millisecond}} {
		t.Run(fmt.Sprint(row.loss), func(t *testing.T) {
			times := make([]netcore.Time, testenv.Length(40, 200))
			for seed := range times {
				times[seed] = timeOverLoss(t, uint64(seed), 1000, row.loss)
			}
			slices.Sort(times)
			t.Logf("median %v, worst %v", times[len(times)/2], times[len(times)-1])
			require.LessOrEqual(t, times[len(times)-1], row.most)
		})
	}
}
