package netcore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
)

// filler is a stream of meaningless bytes.
type filler struct {
	most int // bytes in a packet
	took int // bytes in all packets
}

func (f *filler) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	n := min(f.most, w.Left()/8)
	for range n {
		w.WriteBits(0xff, 8)
	}
	f.took += n
	return n > 0
}

// Unpack reads to the end of the packet: the filler is the only section.
func (f *filler) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for r.Left() >= 8 {
		r.ReadBits(8)
	}
	return nil
}

func (f *filler) Notify(netcore.Seq, bool) {}

// Due returns now: only the rate limits the filler.
func (f *filler) Due(now netcore.Time) netcore.Time {
	if f.most == 0 {
		return netcore.Never
	}
	return now
}

// overhead is what the two ends of a connection send beside the bytes of their fillers: the server
// first, then the client.
type overhead struct {
	perSecond [2]float64 // bytes
	perPacket [2]float64 // bytes
}

// overheadOf measures a server and a client for 30 s. The round-trip time is 100 ms.
func overheadOf(fill int, loss float64) (o overhead) {
	ks, kc := netcoretest.Pairs(1)
	n := netsim.New(1)
	ends := [2]netcore.Addr{netcore.SimAddr(1), netcore.SimAddr(2)}
	var fillers [2]*filler
	for i, end := range []netcore.ConnConfig{
		{Addr: ends[1], Keys: ks}, {Addr: ends[0], Keys: kc, Initiator: true, Route: netcore.Route{ID: 1 << 40}},
	} {
		fillers[i] = &filler{most: fill}
		end.PeerRate, end.RecvRate = netcore.DefaultRate, netcore.DefaultRate
		end.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{fillers[i]} }
		n.Attach(ends[i], &overheadEnd{Conn: netcore.NewConn(0, end), server: i == 0})
	}
	line := netcore.LinkParams{Loss: loss, Delay: 50 * ms}
	n.Link(ends[0], ends[1], line, line)
	n.Run(8*time.Second, 4*ms)
	var bytes, packets [2]int
	filled := [2]int{fillers[0].took, fillers[1].took}
	n.Watch = func(_ netcore.Time, from, _ netcore.Addr, d []byte) {
		i := 0
		if from == ends[1] {
			i = 1
		}
		bytes[i], packets[i] = bytes[i]+len(d), packets[i]+1
	}
	n.Run(n.Now()+30*time.Second, 4*ms)
	for i := range ends {
		own := float64(bytes[i] - (fillers[i].took - filled[i]))
		o.perSecond[i], o.perPacket[i] = own/30, own/float64(max(packets[i], 1))
	}
	return o
}

// overheadEnd is an end of a connection in a simulated network.
type overheadEnd struct {
	*netcore.Conn
	server bool
}

// headBytes is the length of the short head of a client's packet.
const headBytes = 3

// Receive passes a datagram on. An Endpoint would find the connection of a server by the head.
func (e *overheadEnd) Receive(now netcore.Time, _ netcore.Addr, d []byte) {
	if e.server {
		d = d[min(headBytes, len(d)):]
	}
	e.Conn.Receive(now, d)
}

// TestOverhead: a packet without data has at most 20 bytes from a server and 23 from a client, and
// a connection with nothing to say costs each side at most 12 bytes/s.
func TestOverhead(t *testing.T) {
	t.Parallel()
	o := overheadOf(1, 0)
	assert.Less(t, o.perPacket[0], 20.1, "server") // a skipped number takes a byte more
	assert.Less(t, o.perPacket[1], 23.1, "client")
	o = overheadOf(0, 0)
	for i, side := range []string{"server", "client"} {
		assert.LessOrEqual(t, o.perSecond[i], 12., side)
		assert.Positive(t, o.perSecond[i], side)
	}
}

// BenchmarkOverhead measures the bytes of packets that carry no data of the game: with nothing to
// send, with one byte per packet, and with full packets.
func BenchmarkOverhead(b *testing.B) {
	for _, state := range []struct {
		name string
		fill int
	}{{"silent", 0}, {"idle", 1}, {"busy", netcore.MaxDatagram}} {
		for _, loss := range []float64{0, .1} {
			b.Run(state.name+map[bool]string{true: ", 10% lost"}[loss > 0], func(b *testing.B) {
				for b.Loop() {
					o := overheadOf(state.fill, loss)
					for i, side := range []string{"server", "client"} {
						b.ReportMetric(o.perSecond[i], side+"-B/s")
						b.ReportMetric(o.perPacket[i], side+"-B/packet")
					}
				}
			})
		}
	}
}
