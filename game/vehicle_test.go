package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func kindOf(kind string) values { return values{"kind": sim.String(kind)} }

// with returns a merged with b. b wins.
func with(a, b values) values {
	all := values{}
	for k, v := range a {
		all[k] = v
	}
	for k, v := range b {
		all[k] = v
	}
	return all
}

// addVehicle adds a vehicle with a new datablock to a world.
func addVehicle(t testing.TB, w *sim.World, block string, data, own values) *Vehicle {
	_, _, err := w.Blocks.Declare("VehicleData", block, "", set(t, data))
	require.NoError(t, err)
	o, err := w.New("Vehicle", func(o sim.Object) error {
		require.NoError(t, set(t, values{"dataBlock": sim.String(block)})(o))
		return set(t, own)(o)
	})
	require.NoError(t, err)
	return o.(*Vehicle)
}

func newVehicle(t testing.TB, data, own values) *Vehicle {
	return addVehicle(t, newWorld(t), "buggy", data, own)
}

// addHills adds a terrain with the given height range in metres.
func addHills(t testing.TB, w *sim.World, seed, height float64) {
	_, err := w.New("TerrainBlock", set(t, values{"seed": sim.Number(math.Mod(seed, 1<<31)), "squareSize": sim.Number(8), "size": sim.Number(64),
		"height": sim.Number(height), "roughness": sim.Number(0.5)}))
	require.NoError(t, err)
}

func addBox(t testing.TB, w *sim.World, at, size sim.Vec3) {
	_, err := w.New("Box", set(t, values{"position": sim.Vec(at), "size": sim.Vec(size)}))
	require.NoError(t, err)
}

// runVehicleMove runs the same move for some ticks.
func runVehicleMove(v *Vehicle, m sim.Move, ticks int) {
	for range ticks {
		v.Control(m)
	}
}

var fullAhead = sim.Move{Y: sim.MoveFull}

func speedOf(v *Vehicle) float64 {
	return math.Hypot(v.velocity.X, v.velocity.Y)
}

// state returns the encoded control state.
func state(t testing.TB, o sim.Controllable) []byte {
	var w bitstream.Writer
	w.Reset(make([]byte, 1000))
	o.CodeControl(sim.Coder{Codec: &w.Codec})
	require.NoError(t, w.Err())
	return w.Bytes()
}

func restore(t testing.TB, o sim.Controllable, bits []byte) {
	var r bitstream.Reader
	r.Reset(bits)
	o.CodeControl(sim.Coder{Codec: &r.Codec})
	require.NoError(t, r.Err())
}

// clearance returns the height of the lowest point of the bottom above the ground.
func clearance(v *Vehicle) float64 {
	d, least := v.Data(), math.Inf(1)
	f := basisOf(sim.Turn(v.rotation.Yaw), sim.Turn(v.rotation.Pitch), sim.Turn(v.rotation.Roll))
	for _, at := range []sim.Vec3{{}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}} {
		p := v.position.Add(f.at(sim.Vec3{X: at.X * d.size.X / 2, Y: at.Y * d.size.Y / 2}))
		ground, _ := spaceOf(v.World()).ground(p.X, p.Y)
		least = min(least, p.Z-ground)
	}
	return least
}

var kinds = []string{wheeledKind, hoverKind, flyingKind}

// TestVehiclesDriveOverEdges checks the heights of edges in docs/game.md.
func TestVehiclesDriveOverEdges(t *testing.T) {
	for _, c := range []struct {
		kind     string
		data     values
		low      float64 // the highest edge that it drives over
		high     float64 // an edge that stops it
		carefree bool    // also slowly
	}{
		{wheeledKind, nil, 0.5, 1, true},
		{wheeledKind, nil, 0.7, 1, false},
		{wheeledKind, values{"wheelRadius": sim.Number(0.3)}, 0.3, 0.8, true},
		{wheeledKind, values{"wheelRadius": sim.Number(0.8)}, 0.8, 1.3, true},
		{wheeledKind, values{"springLength": sim.Number(0.2), "size": vec(3, 6, 2.5)}, 0.5, 0.6, true},
		{hoverKind, nil, 1.5, 1.6, true},
		{hoverKind, values{"hoverHeight": sim.Number(0.5), "size": vec(3, 6, 2.5)}, 1, 1.1, true},
		{flyingKind, nil, 1.5, 1.6, true}, // it flies 1 m above the ground
	} {
		for _, speed := range []float64{3, 12, 25} {
			if speed == 3 && !c.carefree {
				continue
			}
			for height, over := range map[float64]bool{c.low: true, c.high: false} {
				v := newVehicle(t, with(with(kindOf(c.kind), c.data), values{"maxSpeed": sim.Number(speed)}), values{"position": vec(0, 0, 1)})
				addBox(t, v.World(), sim.Vec3{Y: 16}, sim.Vec3{X: 100, Y: 20, Z: height})
				runVehicleMove(v, sim.Move{}, 60)
				runVehicleMove(v, fullAhead, 200)
				assert.Equal(t, over, v.position.Y > 8, "%s %v, speed %g, height %g: %v", c.kind, c.data, speed, height, v.position)
			}
		}
	}
}

// TestVehiclesReachTheirSpeed checks that vehicles reach maxSpeed, do not exceed it, and accelerate
// no faster than they can.
func TestVehiclesReachTheirSpeed(t *testing.T) {
	for _, kind := range kinds {
		for _, most := range []float64{5, 25, 60} {
			t.Run(kind, func(t *testing.T) {
				v := newVehicle(t, with(kindOf(kind), values{"maxSpeed": sim.Number(most)}), values{"position": vec(0, 0, 1)})
				runVehicleMove(v, sim.Move{}, 60)
				require.Less(t, speedOf(v), 0.01)
				last := speedOf(v)
				for range 400 {
					v.Control(fullAhead)
					require.LessOrEqual(t, speedOf(v)-last, 12*sim.TickSeconds+0.01)
					require.LessOrEqual(t, speedOf(v), most+0.01)
					last = speedOf(v)
				}
				assert.InDelta(t, most, last, most/50)
				assert.Greater(t, v.position.Y, most*5)
				assert.InDelta(t, 0, v.position.X, 0.1, "it goes straight on")
			})
		}
	}
}

func TestVehiclesBackUp(t *testing.T) {
	for _, kind := range []string{wheeledKind, hoverKind} {
		v := newVehicle(t, kindOf(kind), nil)
		runVehicleMove(v, sim.Move{Y: -sim.MoveFull}, 300)
		assert.InDelta(t, -25*reverse, v.velocity.Y, 0.2, kind)
	}
}

// TestWheelsTellTheirTurn: a client that first sees a vehicle needs the present angle of its
// wheels.
func TestWheelsTellTheirTurn(t *testing.T) {
	v := newVehicle(t, kindOf("wheeled"), values{"position": vec(0, 0, 1)})
	runVehicleMove(v, sim.Move{X: sim.MoveFull}, 1)
	told := uint32(0)
	v.World().TakePredicted(func(_ sim.Object, groups uint32) { told |= groups })
	assert.NotZero(t, told&(1<<driveGroup))
}

func TestVehiclesStop(t *testing.T) {
	for _, kind := range kinds {
		for name, stop := range map[string]func(*Vehicle){
			"without throttle": func(v *Vehicle) { runVehicleMove(v, sim.Move{}, 600) },
			"by the brake":     func(v *Vehicle) { runVehicleMove(v, sim.Move{Triggers: 1 << sim.CrouchTrigger}, 200) },
			"without a driver": func(v *Vehicle) {
				for n := range uint64(400) {
					v.Tick(n)
				}
			},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				v := newVehicle(t, kindOf(kind), values{"position": vec(0, 0, 1)})
				runVehicleMove(v, fullAhead, 200)
				require.Greater(t, speedOf(v), 20.0)
				stop(v)
				require.Equal(t, sim.Vec3{}, v.velocity)
				v.World().ClearMarks()
				for n := range uint64(50) {
					v.Tick(n)
				}
				if name == "without a driver" {
					assert.Zero(t, v.Dirty()&^(1<<driveGroup), "what stands costs nothing")
				}
			})
		}
	}
}

func TestVehiclesStandStillOnSlopes(t *testing.T) {
	for _, kind := range kinds {
		for seed := range testenv.Seeds(t, 5, 20) {
			w := newWorld(t)
			addHills(t, w, float64(seed), 20)
			v := addVehicle(t, w, "buggy", kindOf(kind), values{"position": vec(float64(seed%20*3), 5, 30), "rotation": sim.Rotation(sim.Rot{Yaw: float64(seed % 20 * 40)})})
			for n := range uint64(600) {
				v.Tick(n)
			}
			require.Equal(t, sim.Vec3{}, v.velocity, "%s %d", kind, seed)
			require.Equal(t, sim.Vec3{}, sim.Vec3{X: v.spin.X, Y: v.spin.Y}, "%s %d", kind, seed)
			require.GreaterOrEqual(t, clearance(v), -0.01, "%s %d", kind, seed)
		}
	}
}

func TestSteering(t *testing.T) {
	for _, kind := range kinds {
		for name, m := range map[string]sim.Move{
			"by keys":      {Y: sim.MoveFull, X: -sim.MoveFull},
			"by the mouse": {Y: sim.MoveFull, Yaw: 0x0400},
		} {
			v := newVehicle(t, kindOf(kind), values{"position": vec(0, 0, 1)})
			runVehicleMove(v, m, 40)
			yaw := v.rotation.Yaw
			assert.Greater(t, yaw, 10.0, "%s %s: to the left", kind, name)
			assert.Less(t, yaw, 90*40*sim.TickSeconds+1, "%s %s: no faster than it turns", kind, name)
			assert.Less(t, v.position.X, -1.0, "%s %s", kind, name)
		}
		v := newVehicle(t, kindOf(kind), values{"position": vec(0, 0, 1)})
		runVehicleMove(v, sim.Move{Y: sim.MoveFull, Yaw: 0x0400, FreeLook: true}, 40)
		assert.Zero(t, v.rotation.Yaw, "who looks about goes straight on")
	}
	still := newVehicle(t, nil, nil)
	runVehicleMove(still, sim.Move{X: sim.MoveFull}, 40)
	assert.Zero(t, still.rotation.Yaw, "wheels that do not roll turn nothing")
}

func TestBoost(t *testing.T) {
	data := with(kindOf(hoverKind), values{"boost": sim.Number(2), "boostDrain": sim.Number(20), "maxEnergy": sim.Number(100)})
	v := newVehicle(t, data, nil)
	jets := sim.Move{Y: sim.MoveFull, Triggers: 1 << sim.JetTrigger}
	runVehicleMove(v, jets, 120)
	assert.InDelta(t, 50, speedOf(v), 2)
	runVehicleMove(v, jets, 400)
	assert.Less(t, v.energy, 1.0)
	assert.InDelta(t, 25, speedOf(v), 1, "without energy there is none")
	none := newVehicle(t, kindOf(hoverKind), nil)
	runVehicleMove(none, jets, 300)
	assert.InDelta(t, 25, speedOf(none), 0.5)
}

func TestHoverKeepsItsHeight(t *testing.T) {
	for _, height := range []float64{0.5, 1, 4} {
		v := newVehicle(t, with(kindOf(hoverKind), values{"hoverHeight": sim.Number(height)}), values{"position": vec(0, 0, height+1)})
		runVehicleMove(v, fullAhead, 300)
		for range 200 {
			v.Control(fullAhead)
			require.InDelta(t, height, v.position.Z, 0.05)
		}
	}
	w := newWorld(t)
	addHills(t, w, 3, 20)
	v := addVehicle(t, w, "buggy", with(kindOf(hoverKind), values{"hoverHeight": sim.Number(2)}), values{"position": vec(0, 0, 20)})
	runVehicleMove(v, fullAhead, 200)
	for range 500 {
		v.Control(fullAhead)
		ground, _ := spaceOf(w).ground(v.position.X, v.position.Y)
		require.InDelta(t, 2, v.position.Z-ground, 2.5)
	}
}

func TestFlying(t *testing.T) {
	plane := with(kindOf(flyingKind), values{"stallSpeed": sim.Number(15)})
	up := values{"position": vec(0, 0, 100), "velocity": vec(0, 25, 0)}
	v := newVehicle(t, plane, up)
	runVehicleMove(v, fullAhead, 300)
	assert.InDelta(t, 100, v.position.Z, 2, "it keeps flying")
	runVehicleMove(v, sim.Move{}, 300)
	assert.Less(t, v.position.Z, 90.0, "without its engine it stalls")

	v = newVehicle(t, plane, up)
	runVehicleMove(v, sim.Move{Y: sim.MoveFull, Pitch: 0x0100}, 30)
	runVehicleMove(v, fullAhead, 60)
	assert.Greater(t, v.position.Z, 110.0, "the nose up, it climbs")

	v = newVehicle(t, kindOf(flyingKind), up)
	runVehicleMove(v, sim.Move{}, 300)
	assert.InDelta(t, 100, v.position.Z, 1, "what needs no speed hangs in the air")
	runVehicleMove(v, sim.Move{Triggers: 1 << sim.JumpTrigger}, 30)
	assert.Greater(t, v.position.Z, 105.0, "lift lifts it")
	for n := range uint64(2000) {
		v.Tick(n)
		require.GreaterOrEqual(t, v.velocity.Z, -sinkSpeed-26.0)
	}
	assert.InDelta(t, 0, v.position.Z, 0.01, "without a pilot it lands")
	assert.Zero(t, v.damageLevel)
}

func TestWheelsClimb(t *testing.T) {
	for seed := range testenv.Seeds(t, 2, 10) {
		w := newWorld(t)
		addHills(t, w, float64(seed), 25)
		v := addVehicle(t, w, "buggy", nil, values{"position": vec(0, 0, 30)})
		runVehicleMove(v, sim.Move{}, 100)
		was := v.position
		runVehicleMove(v, fullAhead, 400)
		assert.Greater(t, v.position.Sub(was).Len(), 80.0, "seed %d", seed)
	}
}

func TestRejectedNumbers(t *testing.T) {
	w := newWorld(t)
	c := w.Classes().Lookup("VehicleData")
	for field, bad := range map[string]sim.Value{
		"kind": sim.String("submarine"), "maxSpeed": sim.Number(1e9), "maxAcceleration": sim.Number(-1), "brake": sim.Number(math.NaN()),
		"turnRate": sim.Number(1e6), "maxSteer": sim.Number(90), "boost": sim.Number(0), "wheels": sim.Number(7), "wheel1": vec(1e9, 0, 0),
		"spring6": sim.Number(1e6), "damping1": sim.Number(-1), "wheelRadius": sim.Number(0), "springLength": sim.Number(math.Inf(1)),
		"hoverHeight": sim.Number(0), "lift": sim.Number(1e4), "stallSpeed": sim.Number(-1), "seats": sim.Number(9), "seat8": vec(0, 0, 100),
		"collisionDamage": sim.Number(-1), "minCollisionSpeed": sim.Number(-1), "elasticity": sim.Number(2), "mass": sim.Number(0),
	} {
		f, err := c.Field(field)
		require.NoError(t, err)
		_, _, err = w.Blocks.Declare("VehicleData", "wrong", "", func(o sim.Object) error { return f.Set(o, bad) })
		assert.ErrorContains(t, err, field+" must be ", field)
	}
	_, _, err := w.Blocks.Declare("VehicleData", "wrong", "", set(t, nil))
	require.NoError(t, err)
	f, _ := c.Field("kind")
	assert.EqualError(t, f.Set(w.Blocks.ByName("wrong"), sim.String("boat")), `kind must be one of wheeled, hover, flying, got "boat"`)
}

// wildMove returns a random move, and wildData a random datablock.
func wildMove(rng *rand.Rand) sim.Move {
	return sim.Move{X: int8(rng.IntN(33) - 16), Y: int8(rng.IntN(33) - 16), Z: int8(rng.IntN(33) - 16), Yaw: int16(rng.IntN(65536) - 32768),
		Pitch: int16(rng.IntN(65536) - 32768), Triggers: uint8(rng.IntN(64)), FreeLook: rng.IntN(4) == 0}
}

func wildData(rng *rand.Rand, c *sim.Class, kind string) values {
	data := kindOf(kind)
	for _, f := range c.AllFields() {
		between := func() float64 {
			lo, hi := f.Lo, min(f.Hi, 1e6)
			switch rng.IntN(4) {
			case 0:
				return lo
			case 1:
				return hi
			}
			return lo + (hi-lo)*rng.Float64()
		}
		switch {
		case rng.IntN(3) == 0:
		case f.Kind == sim.KindNumber && f.Whole:
			data[f.Name] = sim.Number(math.Trunc(between()))
		case f.Kind == sim.KindNumber:
			data[f.Name] = sim.Number(between())
		case f.Kind == sim.KindVec && f.Name == "size":
			data[f.Name] = vec(rng.Float64()*20, rng.Float64()*20, rng.Float64()*20)
		case f.Kind == sim.KindVec:
			data[f.Name] = vec(between(), between(), between())
		}
	}
	return data
}
