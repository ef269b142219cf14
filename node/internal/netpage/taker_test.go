package netpage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// newTaker returns a taker for a host without mods.
func newTaker(h *engine.Host) *Taker {
	now := func() time.Duration { return time.Duration(h.TickNumber()) * engine.TickTime }
	return &Taker{Host: h, Scripts: &script.Scripts{Runtime: new(vm.Runtime)}, Pulse: new(pulse.Pulse), Phases: &pulse.Phases{Now: now}, Now: now, Clock: now}
}

// crowd adds runners to a server.
func crowd(t testing.TB, h *engine.Host, n int) (all []*enginetest.Runner) {
	t.Helper()
	for i := range n {
		o, err := h.World().New("Runner", func(o sim.Object) error {
			o.(*enginetest.Runner).At = sim.Vec3{X: float64(10 * i), Y: float64(i % 7)}
			return nil
		})
		require.NoError(t, err)
		all = append(all, o.(*enginetest.Runner))
	}
	return all
}

// TestLookingChangesNothing plays a world twice, once with snapshots in every tick. The packets
// must be the same.
func TestLookingChangesNothing(t *testing.T) {
	play := func(look bool) uint64 {
		link := netcore.LinkParams{Delay: 40 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{Seed: 3, Clients: 3, Up: link, Down: link})
		taker, s := newTaker(r.Server.Host), new(Snapshot)
		all := crowd(t, r.Server.Host, 40)
		r.Join()
		for i, c := range r.Server.Connections() {
			require.NoError(t, c.Control.Set(all[i]))
		}
		for i := range 200 {
			all[3+i%30].PutTo(sim.Vec3{X: float64(i), Y: float64(3 * i)})
			r.Run(engine.TickTime)
			if look {
				taker.Take(Want{Client: r.Peer(i % 3).ID(), Details: i%4 == 0}, s)
				require.Len(t, s.Clients.List, 3)
				require.NotEmpty(t, s.Rows)
			}
		}
		return r.Net.Hash()
	}
	assert.Equal(t, play(false), play(true))
}

// TestSnapshotsAreBounded checks the limits of rows, and that the nearest ghosts have them.
func TestSnapshotsAreBounded(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	all := crowd(t, r.Server.Host, 100)
	for i := range maxRows {
		o := newThingAt(t, r.Server.Host, sim.Vec3{X: -float64(i) / 4})
		r.Server.Rules.SetAlways(o)
	}
	r.Join()
	require.NoError(t, r.Peer(0).Control.Set(all[50]))
	r.Run(time.Second)
	s := new(Snapshot)
	newTaker(r.Server.Host).Take(Want{}, s)
	require.Len(t, s.Rows, maxRows)
	assert.Equal(t, s.Map.Ghosts-s.Map.Unplaced-maxRows, s.Map.Omitted)
	assert.Positive(t, s.Map.Omitted)
	eye, far := int32(all[50].At.X*100), int32(0)
	for i := range s.Rows {
		far = max(far, eye-s.Rows[i].Truth[0])
	}
	assert.Less(t, far, int32(100*maxRows/4+eye)-100, "the farthest have no row")
}

func newThingAt(t *testing.T, h *engine.Host, at sim.Vec3) sim.Object {
	t.Helper()
	o, err := h.World().New("Thing", func(o sim.Object) error { o.(*enginetest.Thing).At = at; return nil })
	require.NoError(t, err)
	return o
}

// TestMapOfAClient checks the rows of a client's own object, of one in scope, and of one out of
// scope.
func TestMapOfAClient(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	all := crowd(t, r.Server.Host, 12)
	all[11].PutTo(sim.Vec3{X: 132})
	r.Join()
	for i := range 2 {
		require.NoError(t, r.Peer(i).Control.Set(all[i]))
		r.Peer(i).Visible.SetView(engine.ScopeView{Distance: 100, FOV: 90})
	}
	r.Run(time.Second)
	taker, s := newTaker(r.Server.Host), new(Snapshot)
	taker.Take(Want{Client: r.Peer(1).ID(), Details: true}, s)
	assert.Equal(t, uint32(r.Peer(1).ID()), s.Map.Client)
	assert.Equal(t, [3]float64{10, 1, 0}, s.Map.Eye)
	assert.Equal(t, 100.0, s.Map.Distance)
	rows := map[uint32]Row{}
	for _, row := range s.Rows {
		rows[row.Object] = row
	}
	id := func(i int) uint32 { return uint32(all[i].ID()) }
	assert.Equal(t, uint32(flagOwn), rows[id(1)].Kind>>24)
	assert.Equal(t, id(1), s.Clients.List[1].Object)
	assert.Equal(t, [3]int32{2000, 200, 0}, rows[id(2)].Truth)
	assert.GreaterOrEqual(t, rows[id(2)].Ghost, int32(0))
	assert.Equal(t, int32(-1), rows[id(11)].Ghost, "it is 122 m away")
	assert.Equal(t, [3]int32{13200, 0, 0}, rows[id(11)].Truth)
	require.Len(t, s.Details.Classes, 1)
	assert.Equal(t, "Runner", s.Details.Classes[0].Name)
	assert.Equal(t, uint64(12), s.Details.Classes[0].Creates)
	assert.Greater(t, s.Details.Classes[0].CreateBits, uint64(12*30))

	taker.Take(Want{Client: 4_000_000}, s)
	assert.Equal(t, uint32(r.Peer(0).ID()), s.Map.Client, "an unknown client is the first")
	assert.Nil(t, s.Details)
	frame, err := appendFrame(nil, s)
	require.NoError(t, err)
	assert.Len(t, frame, 8+int(frame[0])+int(frame[1])<<8+4*rowWords*len(s.Rows))
}

// TestSnapshotOfAnEmptyServer checks that nobody connected is no special case for the page.
func TestSnapshotOfAnEmptyServer(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	s := new(Snapshot)
	newTaker(r.Server.Host).Take(Want{Details: true}, s)
	frame, err := appendFrame(nil, s)
	require.NoError(t, err)
	for _, want := range []string{`"list":[]`, `"bots":[]`, `"classes":[]`, `"mods":[]`, `"events":[]`} {
		assert.Contains(t, string(frame), want)
	}
}

// BenchmarkSnapshot takes and encodes snapshots of a server with 64 clients that have 1,000 objects
// in scope.
func BenchmarkSnapshot(b *testing.B) {
	r := enginetest.New(b, enginetest.Options{Clients: 64})
	crowd(b, r.Server.Host, 1000)
	r.Join()
	r.Run(time.Second)
	taker, s, frame := newTaker(r.Server.Host), new(Snapshot), []byte(nil)
	for i := 0; b.Loop(); i++ {
		taker.Take(Want{Details: i%detailsEvery == 0}, s)
		frame, _ = appendFrame(frame[:0], s)
	}
	require.Len(b, s.Rows, 1000)
	b.ReportMetric(float64(len(frame)), "bytes")
}
