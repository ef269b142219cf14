package bench

import (
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// overhead counts the bytes of data packets beside the game's payload. It runs a minute of virtual
// time in both directions, at the default packet rate and 100 ms round-trip time:
//
//	silent   no payload: pings only
//	idle     one byte per packet both ways
//	busy     full packets both ways
func overhead(row time.Duration, emit func(Row)) error {
	for _, state := range []struct {
		name string
		fill int // payload bytes per packet
	}{{"silent", 0}, {"idle", 1}, {"busy", netcore.MaxDatagram}} {
		for _, share := range []float64{0, 0.1} {
			r, err := overheadRow(2*row, state.fill, share)
			if err != nil {
				return err
			}
			emit(append(Row{{"state", state.name}, {"loss", share}}, r...))
		}
	}
	return nil
}

// padding is a stream of meaningless bytes.
type padding struct {
	most int
	took int // bytes in the last packet built
}

func (f *padding) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	f.took = min(f.most, w.Left()/8)
	for range f.took {
		w.WriteBits(0xff, 8)
	}
	return f.took > 0
}

// Unpack reads to the end of the packet: the filler is the only section.
func (f *padding) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for r.Left() >= 8 {
		r.ReadBits(8)
	}
	return nil
}

func (f *padding) Notify(netcore.Seq, bool) {}

// Due returns now: only the rate limits the filler.
func (f *padding) Due(now netcore.Time) netcore.Time {
	if f.most == 0 {
		return netcore.Never
	}
	return now
}

func overheadRow(long netcore.Time, fill int, share float64) (Row, error) {
	ends := [2]*padding{{}, {}}
	var peers [2]*benchPeer
	for i := range peers {
		var err error
		peers[i], err = newPeer(netcore.Config{
			Accepting: i == 1,
			Streams:   func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{ends[i]} },
		})
		if err != nil {
			return nil, err
		}
	}
	n, err := introduce(1, peers[0], peers[1])
	if err != nil {
		return nil, err
	}
	line := netcore.LinkParams{Loss: share, Delay: lossDelay}
	n.Link(clientAt, serverAt, line, line)
	n.Run(2*time.Second, time.Millisecond) // let the traffic of the handshake end
	var extra []float64
	control, whole := 0, 0
	n.Watch = func(_ netcore.Time, from, _ netcore.Addr, d []byte) {
		whole += len(d)
		kind := d[0] & 3
		if d[0] == clientByte {
			kind = d[clientHead] & 3
		}
		if kind != 1 { // not a data packet
			control += len(d)
			return
		}
		extra = append(extra, float64(len(d)-ends[from.Port-1].took))
	}
	ends[0].most, ends[1].most = fill, fill
	n.Run(n.Now()+long, time.Millisecond)
	slices.Sort(extra)
	perSecond := func(x int) float64 { return float64(x) / 2 / long.Seconds() } // per side
	return Row{
		{"packets_per_s", perSecond(len(extra))}, {"bytes_per_s", perSecond(whole)},
		{"control_bytes_per_s", perSecond(control)}, {"seal_bytes", seal.Overhead},
		{"overhead_bytes_mean", mean(extra)}, {"overhead_bytes_p50", quantile(extra, 0.5)}, {"overhead_bytes_max", quantile(extra, 1)},
	}, nil
}

// Packets of a client begin with this byte and a connection id.
const clientByte, clientHead = 0xC0, 9

func mean(of []float64) float64 {
	sum := 0.
	for _, x := range of {
		sum += x
	}
	return sum / float64(len(of))
}
