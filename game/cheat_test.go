package game

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestChangingWeaponsFiresNoFaster checks that swapping or unmounting the weapon after each shot
// does not raise the rate of fire.
func TestChangingWeaponsFiresNoFaster(t *testing.T) {
	for name, away := range map[string]sim.Value{"another": sim.String("pistol"), "none": sim.Nil()} {
		w := newWorld(t)
		p := newArmedPlayer(t, w, values{"fireTimeout": sim.Number(960)}, nil)
		makeBlock(t, w, "ShapeBaseImageData", "pistol", nil)
		for tick := range 100 {
			p.Control(fires)
			if tick%2 == 0 {
				var err error
				if away.IsNil() {
					_, err = callMethod(p, "unmountImage", sim.Number(0))
				} else {
					_, err = callMethod(p, "mountImage", away, sim.Number(0))
				}
				require.NoError(t, err)
			} else {
				_, err := callMethod(p, "mountImage", sim.String("rifle"), sim.Number(0))
				require.NoError(t, err)
			}
		}
		assert.LessOrEqual(t, len(shots(w)), 4, "%s: in 3.2 s", name)
		assert.NotEmpty(t, shots(w))
	}
}

// TestInvalidSeatsFromServer checks a client when its server mounts its player on an object that
// cannot be driven or mounted.
func TestInvalidSeatsFromServer(t *testing.T) {
	for _, class := range []string{"Camera", "Marker", "Item", "TerrainBlock"} {
		v, players := newVehicleWithPlayers(t, wheeledKind, 2)
		a := players[0]
		require.NoError(t, a.sit(v, 0))
		state := stateFor(t, a, idView{uint32(v.ID()): 5})
		o := a.World().Make(a.World().Classes().Lookup(class))
		require.NotZero(t, a.World().Add(o))
		var r bitstream.Reader
		r.Reset(state)
		a.CodeControl(sim.Coder{Codec: &r.Codec, View: idView{uint32(o.Ident().ID()): 5}})
		require.ErrorIs(t, r.Err(), errNoMount, class)
		a.mount = o.Ident().ID() // an update can do this, too
		runMove(a, fullAhead, 50)
		assert.Nil(t, a.Drives(), class)
		assert.Zero(t, a.mount, class)
	}
}

// TestBounceSpeedLimit checks that no bounce raises the speed above the limit on any axis.
func TestBounceSpeedLimit(t *testing.T) {
	fast := sim.Vec3{X: MaxSpeed, Y: MaxSpeed, Z: -MaxSpeed}
	normal := sim.Vec3{X: -0.6, Z: 0.8}
	for name, v := range map[string]sim.Vec3{
		"projectile": (&ProjectileData{bounce: 1}).bounceOff(fast, normal),
		"item":       (&ItemData{elasticity: 1}).land(fast, normal),
	} {
		require.Greater(t, v.Z, float64(MaxSpeed), name)
	}
	w := newWorld(t)
	addHills(t, w, 3, 60)
	for seed := range 40 {
		at := sim.Vec3{X: float64(seed * 37), Y: float64(seed * 53)}
		z, _ := spaceOf(w).ground(at.X, at.Y)
		at.Z = z + 30
		p := makeShot(t, w, values{"bounce": sim.Number(1), "friction": sim.Number(0), "armingDelay": sim.Number(60000), "lifetime": sim.Number(60000)},
			values{"position": sim.Vec(at), "velocity": sim.Vec(fast)})
		makeBlock(t, w, "ItemData", "disc", values{"elasticity": sim.Number(1), "friction": sim.Number(0)})
		i := makeObject(t, w, "Item", "disc", values{"position": sim.Vec(at), "velocity": sim.Vec(fast)}).(*Item)
		for range 4 {
			run(w, 1)
			assert.True(t, within(p.velocity, MaxSpeed), "%v", p.velocity)
			assert.True(t, within(i.velocity, MaxSpeed), "%v", i.velocity)
		}
	}
}

// TestClientOfMaliciousServer checks a client of a malicious server. The fields and control states
// contain wrong references, mount cycles and missing datablocks. The client must still run.
func TestClientOfMaliciousServer(t *testing.T) {
	for seed := range testenv.Seeds(t, 10, 40) {
		rng := rand.New(rand.NewPCG(seed, 11))
		w, all := absurdWorld(t, rng, nil, oneOfThem)
		for _, o := range all {
			o.Ident().SetGhost(true)
		}
		for tick := range uint64(60) {
			o := all[rng.IntN(len(all))]
			before := o.(sim.Interpolator).Place()
			bits := make([]byte, 64)
			for i := range bits {
				bits[i] = byte(rng.Uint32())
			}
			var r bitstream.Reader
			r.Reset(bits)
			view := randomView{rng, all}
			if c, is := o.(sim.Controllable); is && rng.IntN(3) == 0 {
				c.CodeControl(sim.Coder{Codec: &r.Codec, View: view})
			} else {
				f := o.Ident().Class().AllFields()
				f[rng.IntN(len(f))].Code(sim.Coder{Codec: &r.Codec, View: view}, o)
				o.(interface{ Received(sim.Place) }).Received(before)
			}
			for _, o := range all {
				i := o.(sim.Interpolator)
				if c, is := o.(sim.Controllable); is && rng.IntN(2) == 0 {
					c.Control(wildMove(rng))
					c.Driven()
				} else {
					i.Interpolate(tick)
				}
				at := i.Shown(rng.Float64()).Position
				require.True(t, within(at, 4*Extent), "seed %d, tick %d, %s: %v", seed, tick, o.Ident(), at)
				if c, is := o.(sim.Controllable); is {
					state(t, c)
				}
				if d, is := o.(sim.Driver); is {
					d.Drives()
				}
			}
			eventNames(w)
		}
	}
}

// randomView is a view that maps every wire id to some object.
type randomView struct {
	rng *rand.Rand
	all []sim.Object
}

func (randomView) ToWire(obj uint32) uint32 { return obj }
func (a randomView) FromWire(uint32) uint32 {
	return uint32(a.all[a.rng.IntN(len(a.all))].Ident().ID())
}
