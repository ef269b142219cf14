package netcore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// greedy is a stream that fills every packet.
type greedy struct{}

func (greedy) Pack(w *bitstream.Writer, _ Outgoing) bool {
	n := w.Left() - 16
	if !w.WriteFlag(n > 0) {
		return false
	}
	w.WriteBits(uint64(n), 14)
	for ; n > 0; n -= 64 {
		w.WriteBits(0, min(n, 64))
	}
	return true
}

func (greedy) Unpack(r *bitstream.Reader, _ Incoming) error {
	if r.ReadFlag() {
		for n := int(r.ReadBits(14)); n > 0; n -= 64 {
			r.ReadBits(min(n, 64))
		}
	}
	return nil
}

func (greedy) Notify(Seq, bool) {}

// greedyAuto makes the connections of a host fill whatever the line and the path carry.
func greedyAuto(c *Config) {
	c.Streams, c.RecvRate = func(*Conn) []Stream { return []Stream{greedy{}} }, Rate{Auto, MaxSize}
}

// narrow drops datagrams larger than most bytes, in both directions.
func narrow(n *testNetwork, most *int) {
	n.filter = func(p testDatagram) bool { return len(p.b) <= *most }
}

// TestSmallPaths joins over paths that drop large datagrams, with the longest introduction. Both
// ends find out what the path carries.
func TestSmallPaths(t *testing.T) {
	for most, want := range map[int]int{MaxDatagram: MaxDatagram, 1300: BaseDatagram, BaseDatagram: BaseDatagram, 1100: 1000, 1000: 1000, 900: 800, 700: 640, 548: leastPath, leastPath: leastPath} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			server, client, n := twoHosts(t, greedyAuto)
			narrow(n, &most)
			args := make([]string, maxOfferArgs)
			for i := range args {
				args[i] = strings.Repeat("x", maxOfferText)
			}
			client.Connect(0, server.addr, ConnectOptions{Trust: trustAll, Args: args})
			n.run(5 * time.Second)
			require.Len(t, client.connected, 1)
			for _, c := range []*Conn{client.connected[0], server.connected[0]} {
				assert.Equal(t, want, c.pathSize.limit())
				before := *c.Stats()
				n.run(2 * time.Second)
				assert.Equal(t, before.Dropped, c.Stats().Dropped, "no packet is too large")
				assert.Greater(t, c.Stats().Delivered, before.Delivered+20)
			}
		})
	}
}

// TestPathsChange makes the path of a running connection smaller and larger. The connection finds
// the new size within some seconds, and a larger one within a minute.
func TestPathsChange(t *testing.T) {
	most := MaxDatagram
	server, client, n := twoHosts(t, greedyAuto)
	narrow(n, &most)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	for _, step := range []struct{ most, want, seconds int }{{MaxDatagram, MaxDatagram, 2}, {1000, 1000, 8}, {600, leastPath, 8}, {1300, BaseDatagram, 62}, {MaxDatagram, MaxDatagram, 62}} {
		most = step.most
		n.run(time.Duration(step.seconds) * time.Second)
		assert.Equal(t, step.want, client.connected[0].pathSize.limit(), "%d bytes", most)
		assert.Equal(t, step.want, server.connected[0].pathSize.limit(), "%d bytes", most)
	}
	assert.Empty(t, append(server.ended, client.ended...))
}

// TestSmallPacketsShowNoLargePath: while the path drops large packets, smaller ones arrive between
// them and change nothing. One as large as the smallest lost one does.
func TestSmallPacketsShowNoLargePath(t *testing.T) {
	for _, c := range []struct{ lost, arrives, want int }{
		{MaxDatagram, 700, BaseDatagram}, {MaxDatagram, BaseDatagram, BaseDatagram}, {1300, 1299, BaseDatagram},
		{1300, 1300, MaxDatagram}, {BaseDatagram, MaxDatagram, MaxDatagram},
	} {
		p := pathSize{most: MaxDatagram, arrived: true}
		for i := range largeLost {
			at := time.Duration(i) * lostTime / (largeLost - 1)
			p.fate(at, at, c.lost, false)
			p.fate(at, at, c.arrives, true)
		}
		assert.Equal(t, c.want, p.limit(), "%+v", c)
	}
}

// TestLossIsNoSmallPath checks that random loss does not shrink packets for long.
func TestLossIsNoSmallPath(t *testing.T) {
	for _, loss := range []uint64{5, 20, 50} { // percent
		server, client, n := twoHosts(t, func(c *Config) { c.Streams = func(*Conn) []Stream { return []Stream{greedy{}} } })
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(time.Second)
		rng := seededEntropy(loss)
		n.filter = func(testDatagram) bool {
			var b [1]byte
			_, _ = rng.Read(b[:])
			return uint64(b[0])*100 >= loss*256
		}
		full := 0
		for range 300 {
			n.run(100 * time.Millisecond)
			if server.connected[0].pathSize.limit() >= BaseDatagram {
				full++
			}
		}
		assert.Greater(t, full, 270, "loss %d %%", loss)
	}
}

// TestSizesAreBounds: no packet is larger than what the peer announced, what this side allows, and
// what the kind of the address allows. A connection with little to send never looks for a larger
// size.
func TestSizesAreBounds(t *testing.T) {
	for _, tt := range []struct {
		announced, own, most int
		idle                 bool
	}{{1300, MaxSize, 1300, false}, {MaxSize, 1250, 1250, false}, {MaxSize, MaxSize, MaxSize, false}, {200, MaxSize, 200, false},
		{BaseDatagram, MaxSize, BaseDatagram, false}, {MaxSize, MaxSize, 0, true}} {
		server, client, n := twoHosts(t, func(c *Config) {
			greedyAuto(c)
			c.MaxSend.Size = tt.own
			if tt.idle {
				c.Streams = nil
			}
		})
		client.cfg.RecvRate.Size = tt.announced
		largest := 0
		n.filter = func(p testDatagram) bool {
			if p.from == server.addr && len(server.connected) > 0 {
				largest = max(largest, len(p.b))
				assert.False(t, tt.idle && len(p.b) > 100, "nothing looks for a size that nobody needs")
			}
			return true
		}
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(3 * time.Second)
		require.Len(t, client.connected, 1)
		if !tt.idle {
			assert.Equal(t, tt.most, largest, "%+v", tt)
			assert.Equal(t, tt.most, server.connected[0].PacketSize())
		}
	}
	assert.Equal(t, BaseDatagram, AddrKind(200).largest(), "of a kind that nobody has measured")
}

// TestMovesForgetTheSize: the path to a new address can be narrower than the one before.
func TestMovesForgetTheSize(t *testing.T) {
	most := MaxDatagram
	server, client, n := twoHosts(t, greedyAuto)
	n.filter = func(p testDatagram) bool { return len(p.b) <= most || p.from != server.addr }
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(2 * time.Second)
	at := server.connected[0]
	assert.Equal(t, MaxDatagram, at.pathSize.limit())
	most = BaseDatagram
	rebind(client)
	n.run(200 * time.Millisecond)
	assert.Equal(t, movedAddr, at.Addr())
	assert.Equal(t, BaseDatagram, at.pathSize.limit())
}

// TestFirstLargePacketsLost checks that three large packets lost in a row are enough before one has
// arrived. Afterwards, it takes eight of them within a second or more.
func TestFirstLargePacketsLost(t *testing.T) {
	lose := func(p *pathSize, n int, each Time) (size int) {
		for i := range n {
			p.fate(0, Time(i)*each, BaseDatagram, false)
		}
		return p.limit()
	}
	assert.Equal(t, BaseDatagram, lose(new(pathSize), firstLargeLost-1, 0))
	assert.Equal(t, leastPath, lose(new(pathSize), firstLargeLost, 0))

	known := func() *pathSize {
		p := new(pathSize)
		p.fate(0, 0, BaseDatagram, true)
		return p
	}
	assert.Equal(t, BaseDatagram, lose(known(), largeLost-1, time.Second))
	assert.Equal(t, BaseDatagram, lose(known(), 10*largeLost, time.Millisecond), "a full queue")
	assert.Equal(t, leastPath, lose(known(), largeLost, time.Second))
}

// TestAnswersAboveTheGoal checks that a peer cannot enlarge packets beyond the goal of the search.
func TestAnswersAboveTheGoal(t *testing.T) {
	var p pathSize
	p.answered(0, MaxDatagram, MaxDatagram-1)
	assert.Equal(t, BaseDatagram, p.limit())
	p.answered(0, MaxDatagram-1, MaxDatagram-1)
	assert.Equal(t, MaxDatagram-1, p.limit())
}

// TestSearchKeepsToTheRate: the probes of a search take their part of the rate, so the peer never
// gets more than it can receive. Data goes on meanwhile, and the search still finds the size.
func TestSearchKeepsToTheRate(t *testing.T) {
	for _, rate := range []Rate{{10, 600}, {20, 600}, {4, 200}} {
		server, client, n := twoHosts(t, func(c *Config) { c.Streams = func(*Conn) []Stream { return []Stream{greedy{}} } })
		client.cfg.RecvRate = rate
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(5 * time.Second)
		require.Len(t, client.connected, 1)
		at := server.connected[0]
		at.pathSize.shrink(at.now)
		bytes, data, largest := 0, at.Stats().Sent, 0
		n.filter = func(p testDatagram) bool {
			if p.from == server.addr {
				bytes += len(p.b)
				largest = max(largest, len(p.b))
			}
			return len(p.b) <= 900
		}
		for second := 1; second <= 60; second++ {
			n.run(time.Second)
			most := float64(rate.Size)*(float64(second)*rate.Packets+at.rate.burst()) + BaseDatagram + float64(64*second)
			require.LessOrEqual(t, float64(bytes), most, "%v, %d s", rate, second)
		}
		assert.Equal(t, BaseDatagram, largest, "%v", rate)
		assert.Equal(t, 800, at.pathSize.limit(), "%v", rate)
		assert.Greater(t, float64(at.Stats().Sent-data), 60*rate.Packets/3, "%v: data goes on", rate)
	}
}
