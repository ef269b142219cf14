package ghost

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netsim/netsimtest"
)

// TestEveryGhostIsLogged checks that net.log 3 logs every ghost, with the same text at both ends.
func TestEveryGhostIsLogged(t *testing.T) {
	var sent, received []string
	images := NewSnapshots()
	note := func(level int, lines *[]string) *netcore.Log {
		return &netcore.Log{Level: level, Print: func(line string) { *lines = append(*lines, line) }}
	}
	clientLog := note(netcore.LogItems, &received)
	star := netsimtest.NewStar(t, 1, 1, 0, func(c *netcore.Config) {
		c.Log = note(netcore.LogItems, &sent)
		c.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{New(Config{Snapshots: images})} }
	}, func(_ int, c *netcore.Config) {
		c.Log = clientLog
		c.Streams = func(*netcore.Conn) []netcore.Stream {
			return []netcore.Stream{New(Config{Layout: func(uint16) *Layout { return forkLayout }})}
		}
	})
	g := star.Server.Conns()[0].Streams()[0].(*Stream)
	g.Activate(true)

	tick := uint32(0)
	step := func(what func()) {
		tick++
		images.Begin(tick)
		what()
		star.Step(100 * time.Millisecond)
		star.Step(100 * time.Millisecond)
	}
	var obj uint32
	step(func() { obj = images.Add(forkLayout); g.Scope(obj) })
	step(func() { images.Set(obj, 2, &Values{Cells: []uint64{0}, Texts: []string{"x"}}) })
	step(func() { g.Unscope(obj) })

	assert.Equal(t, []string{
		"sim:2 <- create ghost 0 (Forked), groups 0xf: 49 bits",
		"sim:2 <- update ghost 0 (Forked), groups 0x4: 17 bits",
		"sim:2 <- kill ghost 0",
	}, ghostLines(sent))
	for i := range sent {
		sent[i] = strings.Replace(sent[i], "sim:2 <-", "sim:1 ->", 1)
	}
	want := ghostLines(sent)
	want[2] += " (Forked)" // the sender no longer knows the object, so it logs no class
	assert.Equal(t, want, ghostLines(received))

	received, clientLog.Level = nil, netcore.LogPackets
	step(func() { obj = images.Add(forkLayout); g.Scope(obj) })
	assert.Empty(t, ghostLines(received))
	assert.NotEmpty(t, received, "but of packets there are")
}

func ghostLines(lines []string) (ghosts []string) {
	for _, line := range lines {
		if strings.Contains(line, " ghost ") {
			ghosts = append(ghosts, line)
		}
	}
	return ghosts
}

// TestBitsAreCountedByClass checks that both ends count the same creates, updates and bits of a
// class.
func TestBitsAreCountedByClass(t *testing.T) {
	r := newGhostRig(t, Config{}, mixedLayout(3), plainLayout(4, 6))
	obj := r.object(r.layouts[4])
	r.from.Scope(obj)
	r.runUntilIdle(5)
	created := r.from.ClassStats(4).Sent
	assert.Equal(t, ClassCount{Creates: 1, CreateBits: 10 + 4 + 5 + 6 + 4 + 5 + 6}, created, "a class and six groups")
	r.begin()
	r.set(obj, 3, 7)
	r.runUntilIdle(5)
	sent := r.from.ClassStats(4).Sent
	assert.Equal(t, created.CreateBits, sent.CreateBits)
	assert.EqualValues(t, 1, sent.Updates)
	assert.EqualValues(t, 1+3+4, sent.UpdateBits, "one of five groups, by its index, and what is in it")
	assert.Equal(t, sent, r.to.ClassStats(4).Received)
	assert.Zero(t, r.from.ClassStats(3))
}

// TestCopiedBitsAreCountedByClass counts the copied updates of two classes whose ghosts alternate,
// relative and whole ones.
func TestCopiedBitsAreCountedByClass(t *testing.T) {
	images := NewSnapshots()
	images.Begin(1)
	var layouts [2]*Layout
	for i := range layouts {
		layouts[i] = NewLayout(uint16(i+1), "Numbers", []CellGroup{{}, {Cells: []Cell{{Field: "n", Bits: 12, Smooth: i == 0}}}})
	}
	g := New(Config{Snapshots: images})
	g.Activate(true)
	var objects []uint32
	for i := range 40 {
		objects = append(objects, images.Add(layouts[i%2]))
		g.Scope(objects[i])
	}
	var want [2]ClassCount
	relative := 0
	for seq := netcore.Seq(1); seq <= 6; seq++ {
		images.Begin(uint32(seq) + 1)
		for _, obj := range objects {
			images.Set(obj, 1, &Values{Cells: []uint64{uint64(seq)}})
		}
		require.True(t, g.Pack(bitstream.NewWriter(make([]byte, 1000)), netcore.Outgoing{Seq: seq}))
		for _, it := range g.packet.lists[kindUpdate].items {
			want[it.id%2].add(kindUpdate, int(it.size))
			relative += int(it.id+1) % 2
		}
		g.Notify(seq, true)
	}
	for i, l := range layouts {
		got := g.ClassStats(l.ID).Sent
		assert.Equal(t, want[i].Updates, got.Updates)
		assert.Equal(t, want[i].UpdateBits, got.UpdateBits)
	}
	assert.NotZero(t, relative)
	assert.EqualValues(t, relative, g.Stats().Relative)
}
