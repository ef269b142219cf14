package netcore_test

import (
	"math/rand/v2"
	"time"

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
	for left := 8 * size; left > 0; left -= 64 {
		w.WriteBits(0x55, min(left, 64))
	}
	return size > 0
}

func (s *greedyStream) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for left := 8 * int(r.ReadBits(11)); left > 0; left -= 64 {
		r.ReadBits(min(left, 64))
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
	first   []netcore.Stream // before the stream of the next server, and of its client
	seed    uint64
	at      func(n uint16) netcore.Addr // the addresses of the ends
}

func newLine(seed uint64, rate float64, queue, delay netcore.Time) *line {
	l := &line{net: netsim.New(seed), down: netsim.NewBottleneck(rate, queue), delay: delay, seed: seed, at: netcore.SimAddr}
	l.random = rand.New(rand.NewPCG(seed, 5))
	l.net.Punctual = true
	return l
}

// add adds a server that always has more to send, and its client, which sends a few bytes per tick.
func (l *line) add(start netcore.Time) *lineEnd {
	n := uint16(len(l.servers))
	server, client := l.at(100+n), l.at(200+n)
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
	streams := []netcore.Stream{s}
	if len(l.first) > 0 {
		streams, l.first = []netcore.Stream{l.first[0], s}, l.first[1:]
	}
	auto := netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize}
	conn := netcore.NewConn(0, netcore.ConnConfig{
		Addr: to, Keys: keys, Seed: l.seed, PeerRate: auto, RecvRate: auto,
		MaxSend: netcore.Rate{Packets: netcore.MaxRate, Size: netcore.MaxSize},
		Streams: func(*netcore.Conn) []netcore.Stream { return streams },
	})
	return &lineEnd{conn: conn, stream: s, start: start, next: time.Duration(l.random.Int64N(int64(32 * ms)))}
}

// lineUse is what a line carried in a time.
type lineUse struct {
	used float64      // of the capacity, by all servers
	rtt  netcore.Time // mean of the smoothed round-trip time of the first server
}

// use runs the network until a time.
func (l *line) use(till netcore.Time) (u lineUse) {
	const step = 4 * ms
	start, carried, steps := l.net.Now(), 0, netcore.Time(0)
	for _, a := range l.from {
		carried -= l.down.Flow(a).DeliveredBytes
	}
	for ; l.net.Now() < till; steps++ {
		l.net.Run(l.net.Now()+step, step)
		u.rtt += l.servers[0].conn.RTT()
	}
	for _, a := range l.from {
		carried += l.down.Flow(a).DeliveredBytes
	}
	u.used = float64(carried) / (l.down.Rate / 8 * (till - start).Seconds())
	u.rtt /= steps
	return u
}
