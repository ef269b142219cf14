package netcore_test

import (
	"testing"
	"time"

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

// overheadOf returns how many bytes per second each of two ends sends beside the bytes of its
// filler, and how many bytes of each packet that is. The round-trip time is 100 ms.
func overheadOf(fill int, loss float64) (perSecond, perPacket float64) {
	ks, kc := netcoretest.Pairs(1)
	n := netsim.New(1)
	a, b := netcore.SimAddr(1), netcore.SimAddr(2)
	var fillers [2]*filler
	for i, end := range []netcore.ConnConfig{{Addr: b, Keys: ks}, {Addr: a, Keys: kc}} {
		fillers[i] = &filler{most: fill}
		end.PeerRate, end.RecvRate = netcore.DefaultRate, netcore.DefaultRate
		end.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{fillers[i]} }
		n.Attach([]netcore.Addr{a, b}[i], overheadEnd{netcore.NewConn(0, end)})
	}
	line := netcore.LinkParams{Loss: loss, Delay: 50 * ms}
	n.Link(a, b, line, line)
	n.Run(2*time.Second, ms)
	bytes, packets, filled := 0, 0, fillers[0].took+fillers[1].took
	n.Watch = func(_ netcore.Time, _, _ netcore.Addr, d []byte) { bytes += len(d); packets++ }
	n.Run(n.Now()+30*time.Second, ms)
	bytes -= fillers[0].took + fillers[1].took - filled
	return float64(bytes) / 2 / 30, float64(bytes) / float64(packets)
}

// overheadEnd is an end of a connection in a simulated network.
type overheadEnd struct{ *netcore.Conn }

func (e overheadEnd) Receive(now netcore.Time, _ netcore.Addr, d []byte) { e.Conn.Receive(now, d) }

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
					perSecond, perPacket := overheadOf(state.fill, loss)
					b.ReportMetric(perSecond, "B/s")
					b.ReportMetric(perPacket, "B/packet")
				}
			})
		}
	}
}
