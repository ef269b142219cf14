package netcore

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// state returns the state of a connection that only a valid packet can change. Counters of dropped
// packets are not part of it.
func (w *testConn) state() string {
	return fmt.Sprintf("%+v|%+v|%+v|%v|%+v|%+v|%+v|%v|%v|%d|%v",
		w.out.newest, w.out.ackedTo, w.in, w.heard, w.held, w.rtt, w.ping, w.pendingAck, w.end, w.stats.Received, w.record)
}

// TestInvalidPacketsChangeNothing checks that only an exact and new packet of the peer changes
// anything. Afterwards the original packet still works.
func TestInvalidPacketsChangeNothing(t *testing.T) {
	kinds := []struct {
		name string
		make func(a *testConn) []byte
	}{
		{"data", func(a *testConn) []byte { return a.packets(t, 0, 1)[0] }},
		{"ping", func(a *testConn) []byte { a.packets(t, 0, 1); return a.send(200 * ms)[0] }},
		{"drop", func(a *testConn) []byte { a.Close(Reason{Code: Kicked}); return a.send(0)[0] }},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			a, b := newTestConns(ConnConfig{})
			d := k.make(a)
			fresh := b.state()
			try := func(what string, bad []byte) {
				b.take(300*ms, bad)
				require.Equal(t, fresh, b.state(), "%s", what)
			}
			for n := range len(d) {
				try(fmt.Sprintf("first %d bytes", n), d[:n])
			}
			for bit := range 8 * len(d) {
				bad := append([]byte(nil), d...)
				bad[bit/8] ^= 1 << (bit % 8)
				try(fmt.Sprintf("bit %d flipped", bit), bad)
			}
			for _, tail := range []int{1, 8, 100, MaxDatagram} {
				try(fmt.Sprintf("%d bytes more", tail), append(append([]byte(nil), d...), make([]byte, tail)...))
			}
			_, own := newTestConns(ConnConfig{})
			try("its own direction's keys", k.make(own))

			b.take(300*ms, d)
			require.NotEqual(t, fresh, b.state(), "the packet itself")
			fresh = b.state()
			try("replayed", d)
			assert.NotZero(t, b.stats.Forged)
			assert.NotZero(t, b.stats.Late)
		})
	}
}

func TestReplayedLater(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	var old [][]byte
	now := Time(0)
	for i := range 600 {
		now += 32 * ms
		p := a.packets(t, now, 1)
		old = append(old, p...)
		b.take(now, p...)
		b.Tick(now)
		reply := b.packets(t, now, 1)
		a.take(now, reply...)
		if i%50 == 0 {
			now += 10 * time.Second
			ping := a.send(now)
			b.take(now, ping...)
			b.send(now)
			old = append(old, ping...)
		}
	}
	fresh := b.state()
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(old), func(i, j int) { old[i], old[j] = old[j], old[i] })
	b.take(now, old...)
	assert.Equal(t, fresh, b.state())
}

// FuzzAuthentic reads packets that only a peer with the right keys can send.
func FuzzAuthentic(f *testing.F) {
	f.Add(byte(kindData), uint16(1), []byte{0, 0})
	f.Add(byte(kindData), uint16(8), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(byte(kindControl), uint16(1), []byte{4, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0})
	f.Add(byte(kindDrop), uint16(1), []byte{8, 4, 'h', 'i'})
	f.Fuzz(func(t *testing.T, kind byte, number uint16, text []byte) {
		if number == 0 || len(text) > MaxPlain {
			return
		}
		a, b := newTestConns(ConnConfig{Check: number%2 == 0})
		b.packets(t, 0, 3)
		kind = 1 + kind%3
		b.take(0, a.sealText(kind, uint64(number), text))
		b.Tick(32 * ms)
		b.send(32 * ms)
		if r, over := b.Closed(); over {
			assert.NotEmpty(t, r.String())
			assert.Zero(t, b.InFlight())
		}
	})
}

func (w *testConn) sealText(kind byte, number uint64, text []byte) []byte {
	clear := binary.LittleEndian.AppendUint16(nil, uint16(kind)|uint16(number<<2))
	return w.cfg.Keys.Seal(clear, clear, text, kind, number)
}

var fates = regexp.MustCompile(`[+-]\d+`)

// TestAuthenticNoise does the work of the fuzz target in every test run.
func TestAuthenticNoise(t *testing.T) {
	_, b := newTestConns(ConnConfig{})
	b.handlePing(Window + 1)
	_, refused := b.Closed()
	require.True(t, refused, "noise has pings for packets up to 1<<48, and the window would take hours to get there")
	ended := 0
	seeds := testenv.SeedCount(t, 150, 3000)
	for seed := range testenv.Sweep(t, seeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := newTestConns(ConnConfig{Check: seed%2 == 0})
		b.packets(t, 0, 3)
		text := make([]byte, r.IntN(60))
		for i := range text {
			x := r.Uint32() // more zeros than ones: random bits would be refused too early
			text[i] = byte(x & (x >> 8))
		}
		b.take(0, a.sealText(byte(1+r.IntN(3)), 1+r.Uint64N(3), text))
		b.Tick(32 * ms)
		b.send(32 * ms)
		if _, over := b.Closed(); over {
			ended++
			said, why, ok := strings.Cut(b.read(), " closed ended: ")
			require.True(t, ok && why != "", "seed %d", seed)
			require.Len(t, fates.FindAllString(said, -1), 3, "seed %d: %s", seed, said)
		}
	}
	assert.GreaterOrEqual(t, ended, int(seeds/3))
}

// All packets of a window arrive, each randomly damaged, in random order.
func TestDamagedPacketsInRandomOrder(t *testing.T) {
	for seed := range testenv.Seeds(t, 40, 200) {
		r := rand.New(rand.NewPCG(seed, 4))
		a, b := newTestConns(ConnConfig{})
		flight := a.packets(t, 0, 30)
		for range 300 {
			d := append([]byte(nil), flight[r.IntN(len(flight))]...)
			switch r.IntN(4) {
			case 0:
				d = d[:r.IntN(len(d)+1)]
			case 1:
				d[r.IntN(len(d))] ^= byte(1 + r.IntN(255))
			case 2:
				d = append(d, byte(r.Uint32()))
			}
			b.take(0, d)
		}
		_, over := b.Closed()
		require.False(t, over)
		for i, n := 0, Seq(0); i < len(b.record); i++ {
			var got Seq
			fmt.Sscan(b.record[i], &got)
			require.Greater(t, got, n)
			n = got
		}
	}
}

func TestImpossibleRate(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.take(0, a.forge(kindData, 1, func(s *bitstream.Writer) { s.WriteBits(0, 7); s.WriteBits(1|1000<<1, 22); s.WriteBits(0, 1) }))
	r, over := b.Closed()
	require.True(t, over)
	assert.Equal(t, BadPacket, r.Code)
	assert.Contains(t, r.Text, "section rate: ")
	assert.Equal(t, DefaultRate, b.SendRate(), "nothing of it was believed")
}
