package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// replicateFields are the fields of a row in order. Programs rely on them.
var replicateFields = []string{
	"clients", "objects", "sealed", "ticks", "server_cpu_ms_per_tick", "server_cpu_us_per_client_tick",
	"tick_ms_p50", "tick_ms_p99", "tick_ms_p999", "bytes_per_packet", "packets_per_client_s", "bytes_per_client_s",
	"updates_per_client_s", "bits_per_update", "server_cpu_ns_per_update", "staleness_ticks_mean", "staleness_ticks_p99",
	"scope_in_ms_p50", "converge_ms_p50", "allocs_per_update", "rss_mib", "gc_pause_ms_max", "generator_late_ms_p99",
}

// TestReplicate runs the two processes once with each kind of load. The workload itself checks that
// the ghosts equal the objects at the end.
func TestReplicate(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]Load{
		"all":       {Clients: []int{1, 3}, Objects: []int{100}, Active: 100, Profile: filepath.Join(t.TempDir(), "cpu")},
		"few":       {Clients: []int{2}, Objects: []int{100}, Active: 10, Whole: true},
		"growth":    {Clients: []int{2}, Objects: []int{50, 200}, Active: 100, Scope: 50},
		"lockstep":  {Clients: []int{3}, Objects: []int{100}, Active: 100, Lockstep: true, Loss: 10, RTT: [2]int{2, 4}, Size: 400},
		"deaf":      {Clients: []int{3}, Objects: []int{100}, Active: 100, Lockstep: true, Deaf: true},
		"unlimited": {Clients: []int{2}, Objects: []int{500}, Active: 100, Unlimited: true, Distance: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := Find("replicate")
			var all []Row
			o := Options{Row: 5 * tiny, Load: load}
			require.NoError(t, w.run(o, func(r Row) { all = append(all, r) }))
			require.Len(t, all, len(load.Clients)*len(load.Objects))
			for _, r := range all {
				values := map[string]any{}
				for i, f := range r {
					values[f.Name] = f.Value
					if i < len(replicateFields) {
						assert.Equal(t, replicateFields[i], f.Name)
					}
				}
				for _, field := range []string{"ticks", "bytes_per_packet", "updates_per_client_s", "bits_per_update", "scope_in_ms_p50", "converge_ms_p50"} {
					assert.Positive(t, values[field], field)
				}
				if load.Scope > 0 {
					assert.Equal(t, load.Scope, values["in_scope"])
				}
			}
			if load.Profile != "" {
				info, err := os.Stat(load.Profile)
				require.NoError(t, err)
				assert.Positive(t, info.Size())
			}
		})
	}
}

// TestLockstep checks that a line of the clients' process costs updates and delays them, and that a
// server cannot tell deaf clients from others.
func TestLockstep(t *testing.T) {
	t.Parallel()
	figures := func(load Load) map[string]any {
		load.Clients, load.Objects, load.Active, load.Lockstep = []int{4}, []int{300}, 100, true
		values := map[string]any{}
		w, _ := Find("replicate")
		require.NoError(t, w.run(Options{Row: 40 * tickTime, Load: load}, func(r Row) {
			for _, f := range r {
				values[f.Name] = f.Value
			}
		}))
		return values
	}
	plain := figures(Load{Size: 400})
	assert.Equal(t, 40, plain["ticks"])
	assert.EqualValues(t, 0, plain["lost_packets"])
	assert.InDelta(t, 31.25, plain["packets_per_client_s"], 0.01, "one packet in each turn")

	far := figures(Load{Size: 400, RTT: [2]int{6, 6}})
	assert.Greater(t, far["bits_per_update"], plain["bits_per_update"], "older baselines")
	assert.Greater(t, far["converge_ms_p50"], plain["converge_ms_p50"])

	lossy := figures(Load{Size: 400, RTT: [2]int{2, 6}, Loss: 20})
	assert.Positive(t, lossy["lost_packets"])

	deaf := figures(Load{Size: 400, RTT: [2]int{6, 6}, Deaf: true})
	for _, same := range []string{"updates_per_client_s", "bits_per_update", "relative_share"} {
		assert.InEpsilon(t, far[same], deaf[same], 0.01, same)
	}
}

// TestMoversMatchDefinition checks the movement of the world against fixed values, because other
// programs implement it too.
func TestMoversMatchDefinition(t *testing.T) {
	s, err := newSimServer(Load{Active: 100}, 1000, engine.Config{})
	require.NoError(t, err)
	first, last := s.movers.all[0], s.movers.all[999]
	rnd := splitmix64(42)
	assert.Equal(t, uint64(0xbdd732262feb6e95), rnd.next(), "of the reference implementation")
	assert.InDelta(t, 483.13, first.at.X, 0.01, "-1000 + 2000 * (0xbdd732 / 2^24)")
	assert.Equal(t, 63, first.health)
	moves := 0
	before := last.at
	for range 100 {
		s.movers.step()
		if last.at != before {
			moves++
		}
		before = last.at
	}
	assert.Equal(t, 100, moves)
	assert.Equal(t, 62, first.health, "once in a hundred ticks")
	assert.Equal(t, 62, last.health)
	bits := 0
	for g := range moveGroups {
		for _, cell := range first.Class().Cells(g) {
			bits += cell.Bits
		}
	}
	assert.Equal(t, 3*18+10+8+6, bits)
}

// TestMoversStayInTheirBoxes moves the objects for ten minutes, or an hour.
func TestMoversStayInTheirBoxes(t *testing.T) {
	s, err := newSimServer(Load{Active: 100, Scope: 5}, 20, engine.Config{})
	require.NoError(t, err)
	for range testenv.Length(600, 3600) * 1000 / engine.TickMs {
		s.movers.step()
	}
	for i, m := range s.movers.all {
		at := m.Place().Position
		at.X -= float64(i/5) * boxApart
		assert.LessOrEqual(t, max(at.X, -at.X, at.Y, -at.Y), boxSide+20*sim.TickSeconds)
		assert.LessOrEqual(t, max(at.Z, -at.Z), boxHeight+5*sim.TickSeconds)
		assert.True(t, m.yaw >= 0 && m.yaw <= 1 && m.pitch >= 0 && m.pitch <= 1)
	}
}

// TestActivePercentage checks that the given percentage of movers is active in each tick, and that
// every mover gets its turn.
func TestActivePercentage(t *testing.T) {
	for _, active := range []int{0, 10, 30, 100} {
		s, err := newSimServer(Load{Active: active}, 100, engine.Config{})
		require.NoError(t, err)
		moved := make([]int, 100)
		for range 100 {
			before := make([]sim.Vec3, 100)
			for i, m := range s.movers.all {
				before[i] = m.at
			}
			s.movers.step()
			in := 0
			for i, m := range s.movers.all {
				if m.at != before[i] {
					in++
					moved[i]++
				}
			}
			assert.Equal(t, active, in)
		}
		for i := range moved {
			assert.Equal(t, active, moved[i])
		}
	}
}

// TestDigest checks that the digest covers exactly the transmitted values, in any order.
func TestDigest(t *testing.T) {
	s, err := newSimServer(Load{}, 10, engine.Config{})
	require.NoError(t, err)
	var d digest
	all := s.movers.all
	want := d.all(all)
	all[0], all[9] = all[9], all[0]
	assert.Equal(t, want, d.all(all), "the order is nothing")
	all[3].at.X += 0.0001
	assert.Equal(t, want, d.all(all), "less than a step is nothing")
	for _, change := range []func(){
		func() { all[3].at.Y += 1 }, func() { all[3].yaw += 0.3 }, func() { all[3].pitch += 0.3 }, func() { all[3].health-- },
	} {
		change()
		now := d.all(all)
		assert.NotEqual(t, want, now)
		want = now
	}
}

func TestAges(t *testing.T) {
	c := clientProcess{all: []*simClient{{}, {}}}
	// A ghost whose updates came 1, 1 and 3 ticks after the previous one had the ages 0, 0, 0, 1
	// and 2 ticks.
	for _, gap := range []int{1, 1, 3} {
		c.all[1].gaps[gap]++
	}
	c.stop()
	assert.Equal(t, []uint64{3, 1, 1, 0}, c.count.Ages[:4])
	mean, p99 := ages(c.count.Ages)
	assert.InDelta(t, 3./5, mean, 1e-9)
	assert.Equal(t, 2., p99)
	mean, _ = ages(nil)
	assert.Equal(t, "NaN", fmt.Sprint(mean))
}

// TestClientsThatFail checks that failed clients are reported.
func TestClientsThatFail(t *testing.T) {
	c, err := startClients(crowdTask{Server: "127.0.0.1:0", Clients: 1})
	require.NoError(t, err)
	for came, limit := false, testenv.Limit(t); !came; testenv.Pause() {
		require.False(t, testenv.Expired(limit), "no report came")
		_, came, err = c.nextReport()
	}
	assert.Error(t, err)
	assert.NoError(t, c.end())
}

func TestWideTablesAreTransposed(t *testing.T) {
	w := Workload{Name: "x", About: "y", run: func(_ Options, emit func(Row)) error {
		for n := range 2 {
			var r Row
			for i := range wide + 1 {
				r = append(r, ResultField{fmt.Sprint("f", i), 10*n + i})
			}
			emit(r)
		}
		return nil
	}}
	var table writer
	require.NoError(t, w.Print(&table, Options{}))
	assert.Contains(t, string(table), "\n   f0   0  10\n   f1   1  11\n")
}

// writer is a Writer that keeps all bytes.
type writer []byte

func (w *writer) Write(b []byte) (int, error) { *w = append(*w, b...); return len(b), nil }
