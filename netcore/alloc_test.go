package netcore

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// filler writes n bytes into every packet while want is positive.
type filler struct{ n, want int }

func (f *filler) Pack(w *bitstream.Writer, _ Outgoing) bool {
	if !w.WriteFlag(f.want > 0) {
		return false
	}
	f.want--
	for range f.n / 8 {
		w.WriteBits(0x0123456789abcdef, 64)
	}
	return true
}

func (f *filler) Unpack(r *bitstream.Reader, _ Incoming) error {
	if r.ReadFlag() {
		for range f.n / 8 {
			r.ReadBits(64)
		}
	}
	return nil
}

func (f *filler) Notify(Seq, bool) {}

// exchange is a pair of warm connections that send each other one packet per round.
type exchange struct {
	now        Time
	a, b       *Conn
	fa, fb     filler
	toA, toB   func(Addr, []byte)
	lost, loss int // every loss-th packet is lost
}

func newExchange(bytes, loss int) *exchange {
	x := &exchange{loss: loss}
	ka, kb := netcoretest.Pairs(1)
	x.fa.n, x.fb.n = bytes, bytes
	cfg := ConnConfig{PeerRate: Rate{Packets: 125}}
	cfg.Keys, cfg.Streams = ka, func(*Conn) []Stream { return []Stream{&x.fa} }
	x.a = NewConn(0, cfg)
	cfg.Keys, cfg.Streams = kb, func(*Conn) []Stream { return []Stream{&x.fb} }
	x.b = NewConn(0, cfg)
	x.a.Boost(true) // so that losses do not make the packets smaller than a filler's section
	x.b.Boost(true)
	x.toA = func(_ Addr, d []byte) { x.deliver(x.a, d) }
	x.toB = func(_ Addr, d []byte) { x.deliver(x.b, d) }
	for range 2000 {
		x.round()
	}
	return x
}

func (x *exchange) deliver(to *Conn, d []byte) {
	if x.lost++; x.loss == 0 || x.lost%x.loss != 0 {
		to.Receive(x.now, d)
	}
}

func (x *exchange) round() {
	x.now += 32 * ms
	x.fa.want, x.fb.want = 1, 1
	x.a.Tick(x.now)
	x.b.Tick(x.now)
	x.a.Send(x.now, x.toB)
	x.b.Send(x.now, x.toA)
}

func TestNoAllocationPerPacket(t *testing.T) {
	for _, loss := range []int{0, 7} {
		x := newExchange(800, loss)
		before := x.a.Stats().Sent
		assert.Zero(t, testing.AllocsPerRun(5000, x.round), "one packet of %d lost", loss)
		assert.GreaterOrEqual(t, x.a.Stats().Sent, before+5000)
		_, over := x.a.Closed()
		assert.False(t, over)
	}
}

func TestNoAllocationPerControlPacket(t *testing.T) {
	x := newExchange(80, 0)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		x.now += 6 * quietServerKeepAlive / 5
		x.a.Send(x.now, x.toB)
		x.b.Send(x.now, x.toA)
	}))
	assert.GreaterOrEqual(t, x.b.Stats().ControlReceived, uint64(1000))
}

// TestMemoryOfAConnection: a connection that sends little takes little. Only packets in flight need
// more.
func TestMemoryOfAConnection(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Conn{}), uintptr(3456-8), "a size of the allocator, less its header")
	a, _ := newTestConns(ConnConfig{MaxSend: Rate{1e9, BaseDatagram}})
	a.packets(t, 0, 1)
	assert.Equal(t, 8, cap(a.out.ring))
	a.Boost(true)
	a.stream.want = 2 * Window
	for now := Time(0); now < 100*ms; now += ms {
		a.send(now)
	}
	assert.Equal(t, Window, cap(a.out.ring))
	assert.LessOrEqual(t, Window*unsafe.Sizeof(sentPacket{}), uintptr(24<<10))
}

func TestNoAllocationForForgedPackets(t *testing.T) {
	x := newExchange(80, 0)
	junk := make([]byte, 300)
	junk[0] = kindData | byte((x.b.in.closedTo+1)<<2)
	junk[1] = byte((x.b.in.closedTo + 1) >> 6)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { x.b.Receive(x.now, junk) }))
	assert.GreaterOrEqual(t, x.b.Stats().Forged, uint64(1000))
}

// One operation is one packet in each direction: built, encrypted, decrypted, read and
// acknowledged.
func BenchmarkExchange(b *testing.B) {
	for _, tt := range []struct {
		name        string
		bytes, loss int
	}{{"small", 16, 0}, {"full", 1150, 0}, {"lossy", 200, 10}} {
		b.Run(tt.name, func(b *testing.B) {
			x := newExchange(tt.bytes, tt.loss)
			b.ReportAllocs()
			for b.Loop() {
				x.round()
			}
		})
	}
}
