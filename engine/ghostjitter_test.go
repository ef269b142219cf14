package engine_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// drone flies at 10 m/s on a winding course, with a sharp turn every second. Its ghosts move
// straight on.
type drone struct {
	sim.NetObject
	at, speed sim.Vec3
	ticks     int
	motion    sim.Motion
}

const droneSpeed = 10.0

func (d *drone) Place() sim.Place { return sim.Place{Position: d.at, Velocity: d.speed, Radius: 1} }

func (d *drone) Tick(uint64) {
	if !d.IsGhost() {
		d.ticks++
		angle := 2*math.Sin(float64(d.ticks)/40) + 1.2*float64(d.ticks/31%2)
		sin, cos := math.Sincos(angle)
		d.speed = sim.Vec3{X: droneSpeed * cos, Y: droneSpeed * sin}
	}
	d.at = d.at.Add(d.speed.Mul(sim.TickSeconds))
	d.Mark(1 << 1)
}

func (d *drone) Received(before sim.Place) {
	d.motion.Received(&d.Class().Motion, before, d.Place(), d.World().Late())
}
func (d *drone) Interpolate(n uint64) {
	if d.motion.Simulates(&d.Class().Motion) {
		d.Tick(n)
	}
	d.motion.Interpolate(&d.Class().Motion, d.Place())
}
func (d *drone) Shown(back float64) sim.Place { return d.motion.Shown(d.Place(), back) }

func registerDrone(t testing.TB, predict bool) func(*sim.Classes) {
	return func(cs *sim.Classes) {
		require.NoError(t, cs.Register(sim.Class{
			Name: "Drone", Parent: "NetObject", New: func() sim.Object { return new(drone) },
			Motion: sim.MotionRule{Predict: predict},
			Fields: []sim.Field{
				sim.VecField("at", 1, 4000, func(d *drone) *sim.Vec3 { return &d.at }),
				sim.VecField("speed", 1, 100, func(d *drone) *sim.Vec3 { return &d.speed }),
			},
		}))
	}
}

// ghostQuality is how well a ghost follows its original.
type ghostQuality struct {
	behind int     // ticks between the original and the best match of the ghost
	err    float64 // metres, RMS of the difference from that match
	jumps  float64 // metres in a tick, RMS of the difference between both movements
	worst  float64 // its maximum
}

func (q ghostQuality) String() string {
	return fmt.Sprintf("%d ticks behind, %.3f m off, jumps of %.3f m, at worst %.3f m", q.behind, q.err, q.jumps, q.worst)
}

// follow lets a client watch a drone for a minute over a line with jitter.
func follow(t *testing.T, seed uint64, predict bool, jitter time.Duration) ghostQuality {
	o := lag(100, 0)
	o.Seed, o.Up.Jitter, o.Down.Jitter = seed, jitter, jitter
	o.Classes = registerDrone(t, predict)
	r := enginetest.New(t, o)
	r.Server.Quiet, r.Clients[0].Quiet = true, true
	r.Join()
	x, err := r.Server.World().New("Drone", nil)
	require.NoError(t, err)
	d := x.(*drone)
	r.Run(10 * time.Second)
	g := ghostOf(peerOf(r, 0), r.Clients[0].Host.Server(), x).(*drone)
	var truth, shown []sim.Vec3
	for range 1875 {
		r.Run(32 * time.Millisecond)
		truth, shown = append(truth, d.at), append(shown, g.Shown(0).Position)
	}
	return judge(truth, shown)
}

func judge(truth, shown []sim.Vec3) (q ghostQuality) {
	const most = 20
	q.err = math.Inf(1)
	for behind := range most {
		sum := 0.0
		for i := most; i < len(shown); i++ {
			e := shown[i].Sub(truth[i-behind]).Len()
			sum += e * e
		}
		if e := math.Sqrt(sum / float64(len(shown)-most)); e < q.err {
			q.err, q.behind = e, behind
		}
	}
	for i := most; i < len(shown)-1; i++ {
		jump := shown[i].Sub(shown[i-1]).Sub(truth[i-q.behind].Sub(truth[i-q.behind-1])).Len()
		q.jumps += jump * jump / float64(len(shown)-1-most)
		q.worst = max(q.worst, jump)
	}
	q.jumps = math.Sqrt(q.jumps)
	return q
}

// TestJitterHardlyMovesGhosts checks that ghosts on a line with jitter move almost as on a quiet
// line. Shown as they arrive, they would be 0.23 m off at 50 ms and 0.41 m at 200 ms, with jumps of
// 0.19 m and 0.24 m. The turns of the drone alone cause jumps of 0.09 m.
func TestJitterHardlyMovesGhosts(t *testing.T) {
	limits := map[int]ghostQuality{
		0:   {behind: 1, err: 0.07, jumps: 0.095},
		5:   {behind: 1, err: 0.07, jumps: 0.095},
		50:  {behind: 3, err: 0.12, jumps: 0.095},
		200: {behind: 7, err: 0.12, jumps: 0.095},
	}
	for _, jitter := range testenv.EveryKey(3, limits) {
		most := limits[jitter]
		for _, predict := range []bool{false, true} {
			for seed := range testenv.Seeds(t, 1, 3) {
				q := follow(t, seed, predict, time.Duration(jitter)*time.Millisecond)
				t.Logf("jitter %d ms: %v", jitter, q)
				assert.LessOrEqual(t, q.behind, most.behind)
				assert.LessOrEqual(t, q.err, most.err)
				assert.LessOrEqual(t, q.jumps, most.jumps)
			}
		}
	}
}
