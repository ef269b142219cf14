package ghost

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// historySize returns the size of all histories in bytes.
func historySize(im *Snapshots) (size int) {
	for i := range im.histories {
		size += 4 * len(im.histories[i].ring)
	}
	return size
}

// TestSmallPacketsGetCheapAgain checks that updates in packets of 260 bytes are relative in the
// end, whatever made the baselines old: a pause, packet loss, or many objects. The short form has
// the pause and the loss.
func TestSmallPacketsGetCheapAgain(t *testing.T) {
	const size = 260
	type row struct {
		objects, rtt, drop, pause int
		updates, bits, staleness  float64
	}
	for _, tt := range testenv.Every(3, []row{
		{1000, 20, 20, 100, 80, 25, 5.6},
		{1000, 4, 0, 100, 100, 25, 5.5},
		{2000, 4, 0, 0, 80, 25, 11.5},
	}) {
		t.Run(fmt.Sprint(tt.objects, tt.rtt, tt.drop, tt.pause), func(t *testing.T) {
			v := newTestConn(newMovingWorld(tt.objects), Config{}, true)
			v.buffer, v.inFlight, v.drop = make([]byte, size-(1200-testSectionBytes)), make([]testPacket, tt.rtt), tt.drop
			v.warm(200)
			for range tt.pause {
				v.world.step()
			}
			v.warm(testenv.Length(400, 700))
			stale := 0.
			for range 100 {
				v.world.step()
				v.send()
				stale += v.staleness() / 100
			}
			s := v.from.Stats()
			updates := float64(s.Updates) / float64(v.sections)
			bits := (float64(v.bits)/float64(v.sections) + 8*(1200-testSectionBytes)) / updates
			t.Logf("%.0f updates per packet, %.1f bits per update, staleness %.1f ticks", updates, bits, stale)
			assert.GreaterOrEqual(t, updates, tt.updates)
			assert.LessOrEqual(t, bits, tt.bits)
			assert.LessOrEqual(t, stale, tt.staleness)
		})
	}
}

// TestDepthFollowsNeed checks that histories become deeper only for a connection that needs many
// packets for a round, and that their memory is given back.
func TestDepthFollowsNeed(t *testing.T) {
	world := newMovingWorld(500)
	fast, slow := newTestConn(world, Config{}, false), newTestConn(world, Config{}, false)
	slow.buffer = make([]byte, 100)
	run := func(ticks int, conns ...*testConn) {
		for range ticks {
			world.step()
			for _, v := range conns {
				v.send()
			}
		}
	}
	run(4*reviewTicks, fast)
	normal := historySize(world.images)
	assert.Zero(t, world.images.depth.now)
	assert.Zero(t, world.images.age)
	run(2*reviewTicks, fast, slow)
	assert.NotZero(t, world.images.depth.now)
	run(relativeAge<<maxDepth, fast, slow)
	assert.Greater(t, historySize(world.images), normal)
	run((calmReviews+2)*reviewTicks, fast)
	assert.Zero(t, world.images.depth.now)
	assert.Equal(t, normal, historySize(world.images))
}

// TestRestsAskForNoDepth checks that the first packets of a connection do not count as a long
// round, and neither do those after a rest of all objects.
func TestRestsAskForNoDepth(t *testing.T) {
	world := newMovingWorld(1000)
	for range 2 * maxInterval {
		world.step()
	}
	v := newTestConn(world, Config{}, false)
	for tick := range 4 * maxInterval {
		if tick < maxInterval || tick > 3*maxInterval {
			world.step()
		} else {
			world.tick++
			world.images.Begin(world.tick)
		}
		v.send()
		require.Zero(t, world.images.depth.wanted, "tick %d", tick)
	}
}

// TestDeepHistoriesAreBounded checks that histories above depth 0 keep to their limit in bytes,
// also when objects are added later.
func TestDeepHistoriesAreBounded(t *testing.T) {
	var d depth
	for _, tt := range []struct{ size, now, want int }{
		{1000, 0, maxDepth},
		{historyBytes >> maxDepth, 0, maxDepth},
		{historyBytes>>maxDepth + 1, 0, maxDepth - 1},
		{historyBytes/2 + 1, 0, 0},
		{historyBytes, 2, 2},
		{historyBytes + 1, 2, 1},
		{historyBytes + 1, 0, 0},
	} {
		d.now = tt.now
		d.want(10_000)
		assert.Equal(t, tt.want, d.next(tt.size), "%d bytes at depth %d", tt.size, tt.now)
	}
}

// TestDeepBaselinesAreExact checks every value that a receiver decodes while the depth changes and
// packets are lost. Most updates use values that are older than the histories of depth 0.
func TestDeepBaselinesAreExact(t *testing.T) {
	line := NewLayout(9, "Line", []CellGroup{{},
		{Cells: []Cell{{Field: "at", Bits: 30, Smooth: true}}}, {Cells: []Cell{{Field: "yaw", Bits: 12, Smooth: true}}},
	})
	r := newGhostRig(t, Config{}, line)
	rng := rand.New(rand.NewPCG(5, 6))
	var objects []uint32
	for range 400 {
		obj := r.object(line, nil)
		objects = append(objects, obj)
		r.from.Scope(obj)
	}
	deepest := uint8(0)
	for step := range testenv.Length(1100, 3000) {
		r.begin()
		r.now += 32e6
		r.size = 32
		if step/500%2 == 1 {
			r.size = 700 // a round is short, so the depth falls
		}
		for i, obj := range objects {
			if i%7 != 0 || rng.IntN(50) == 0 { // some objects rest
				r.images.Set(obj, 1, &Values{Cells: []uint64{uint64(i*9000+int(r.tick)*(i-200)*3+rng.IntN(3)) & (1<<30 - 1)}})
			}
			if rng.IntN(40) == 0 {
				r.images.Set(obj, 2, &Values{Cells: []uint64{uint64(rng.IntN(4096))}})
			}
		}
		r.pack()
		for len(r.inFlight) > 5 {
			r.ack(rng.IntN(10) == 0)
		}
		deepest = max(deepest, r.images.age)
	}
	assert.Equal(t, uint8(maxDepth), deepest)
	assert.Greater(t, r.from.Stats().Relative, r.from.Stats().Updates/2)
}

// TestFarBaseIsNoBaseline checks that both ends agree when a base is so far behind that a receiver
// may have dropped the values before it.
func TestFarBaseIsNoBaseline(t *testing.T) {
	line := NewLayout(9, "Line", []CellGroup{{}, {Cells: []Cell{{Field: "at", Bits: 30, Smooth: true}}}})
	for _, unacked := range []int{50, 59, 60, 61, 63, 64, 65, 70, 150} {
		r := newGhostRig(t, Config{}, line)
		obj := r.object(line, nil)
		r.from.Scope(obj)
		r.runUntilIdle(3)
		r.images.depth.since, r.images.depth.now = 0, maxDepth
		for range unacked {
			r.begin()
			r.images.age = maxDepth
			r.set(obj, 1, uint64(1000+5*r.tick))
			require.NotNil(t, r.pack())
		}
		near := r.from.packet.header.near
		assert.Equal(t, unacked <= relativeAge, near, "%d packets", unacked)
		for len(r.inFlight) > 0 {
			r.ack(false)
		}
		r.requireEqual()
	}
}

// TestDeeperHistoriesAreComplete checks the values of the oldest tick that a baseline can have,
// while the histories become deeper.
func TestDeeperHistoriesAreComplete(t *testing.T) {
	l := NewLayout(1, "Line", []CellGroup{{}, {Cells: smoothCells("x", 30, 1)}})
	images := NewSnapshots()
	images.Begin(1)
	obj := images.Add(l)
	for tick := uint32(2); tick < 1200; tick++ {
		images.Begin(tick)
		if tick > 200 {
			images.depth.want(1 << 10)
		}
		images.Set(obj, 1, &Values{Cells: []uint64{uint64(tick)}})
		oldest := tick - min(tick-1, relativeAge<<images.age)
		for at := max(oldest, 2); at <= tick; at++ {
			if have := images.histories[obj].at(at)[0]; have != at {
				require.Equal(t, at, have, "tick %d, age %d", tick, images.age)
			}
		}
	}
	assert.EqualValues(t, maxDepth, images.depth.now)
}

// TestHistoriesGrowWithMotion checks that a single change after a rest costs two entries, however
// deep the histories are.
func TestHistoriesGrowWithMotion(t *testing.T) {
	world := newMovingWorld(100)
	for range 2 * restTicks {
		world.tick++
		world.images.Begin(world.tick)
		world.images.depth.want(1 << 10)
	}
	require.EqualValues(t, maxDepth, world.images.depth.now)
	world.step()
	assert.Equal(t, 2*4*5*100, historySize(world.images))
}

// TestCopiesAskForNoDepth checks that a packet with nothing but a copy does not count as a long
// round.
func TestCopiesAskForNoDepth(t *testing.T) {
	g := New(Config{})
	g.snapshots.Begin(20)
	g.measureRound(0, 1)
	assert.Zero(t, g.round)
}
