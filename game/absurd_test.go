package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// A numberPicker chooses a value in lo…hi for a number field of a datablock.
type numberPicker func(rng *rand.Rand, lo, hi float64) float64

func least(_ *rand.Rand, lo, _ float64) float64   { return lo }
func middle(_ *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)/2 }
func most(_ *rand.Rand, _, hi float64) float64    { return hi }
func oneOfThem(rng *rand.Rand, lo, hi float64) float64 {
	return [...]numberPicker{least, middle, most}[rng.IntN(3)](rng, lo, hi)
}

// declareExtremeBlock declares a datablock with every number chosen by a pick, and with references
// to other datablocks.
func declareExtremeBlock(t *testing.T, w *sim.World, rng *rand.Rand, class string, by numberPicker, name string) {
	_, _, err := w.Blocks.Declare(class, name, "", func(o sim.Object) error {
		for _, f := range o.Ident().Class().AllFields() {
			v, is := absurdValue(w, rng, f, by)
			if !is {
				continue
			}
			require.NoError(t, f.Set(o, v), "%s.%s", class, f.Name)
		}
		return nil
	})
	require.NoError(t, err)
}

// absurdValue returns a valid value for a field.
func absurdValue(w *sim.World, rng *rand.Rand, f *sim.Field, by numberPicker) (sim.Value, bool) {
	switch f.Kind {
	case sim.KindNumber:
		n := by(rng, f.Lo, f.Hi)
		if f.Whole {
			n = math.Trunc(n)
		}
		return sim.Number(n), true
	case sim.KindVec:
		return vec(by(rng, f.Lo, f.Hi), by(rng, f.Lo, f.Hi), by(rng, f.Lo, f.Hi)), true
	case sim.KindBool:
		return sim.Bool(rng.IntN(2) == 0), true
	case sim.KindString:
		if len(f.Choices) > 0 {
			return sim.String(f.Choices[rng.IntN(len(f.Choices))]), true
		}
	case sim.KindObject:
		return sim.String("absurd " + f.Class), w.Blocks.ByName("absurd "+f.Class) != nil
	}
	return sim.Nil(), false
}

// blockClasses are the datablock classes. A class comes after the classes that it refers to.
var blockClasses = []string{"ProjectileData", "ShapeBaseImageData", "ItemData", "StaticShapeData", "TurretData", "TriggerData", "PlayerData", "VehicleData"}

// absurdWorld returns a world of objects with absurd datablocks. Some of the objects have a
// controller.
func absurdWorld(t *testing.T, rng *rand.Rand, by map[string]numberPicker, usual numberPicker) (*sim.World, []sim.Object) {
	w := newWorld(t)
	addTerrainAndBoxes(t, w, rng)
	for _, class := range blockClasses {
		p := usual
		if own, is := by[class]; is {
			p = own
		}
		if p == nil {
			_, _, err := w.Blocks.Declare(class, "absurd "+class, "", nil)
			require.NoError(t, err)
			continue
		}
		declareExtremeBlock(t, w, rng, class, p, "absurd "+class)
	}
	var all []sim.Object
	for _, class := range []string{"Player", "Vehicle", "Turret", "StaticShape", "Item", "Trigger", "Projectile", "Camera", "Player", "Vehicle"} {
		o, err := w.New(class, func(o sim.Object) error {
			if block := o.Ident().Class().DataBlock; block != "" {
				require.NoError(t, set(t, values{"dataBlock": sim.String("absurd " + block)})(o))
			}
			return set(t, values{"position": vec(spread(rng, 20), spread(rng, 20), 10+spread(rng, 40)),
				"velocity": vec(spread(rng, 90), spread(rng, 90), spread(rng, 90))})(o)
		})
		require.NoError(t, err)
		all = append(all, o)
		if s, is := o.(shape); is {
			s.base().team = 1 + len(all)%2
			_, err := callMethod(o, "mountImage", sim.String("absurd ShapeBaseImageData"), sim.Number(0))
			require.NoError(t, err)
			_, err = callMethod(o, "setImageAmmo", sim.Number(0), sim.Number(maxAmmo))
			require.NoError(t, err)
		}
		if _, is := o.(sim.Controllable); is && len(all) < 9 {
			o.Ident().SetController(1)
		}
	}
	return w, all
}

// checkFieldValues checks that every field of an object holds a value that Set accepts.
func checkFieldValues(t *testing.T, o sim.Object, where string) {
	for _, f := range o.Ident().Class().AllFields() {
		if v := f.Get(o); f.Kind != sim.KindObject {
			require.NoError(t, f.Set(o, v), "%s: %s", where, o.Ident())
		}
	}
}

// runRandomTicks runs ticks with random moves and disturbances. A tick that does not end runs into
// the time limit of the package.
func runRandomTicks(t *testing.T, rng *rand.Rand, w *sim.World, all []sim.Object, ticks int, where string) {
	for tick := range ticks {
		for _, o := range all {
			if c, is := o.(sim.Controllable); is && o.Ident().Alive() && o.Ident().Controller() != 0 {
				c.Control(wildMove(rng))
			}
		}
		run(w, 1)
		w.Deliver(func(sim.Object, string, []sim.Value) bool { return true })
		if rng.IntN(16) == 0 {
			disturb(rng, all)
		}
		if tick%4 != 0 {
			continue
		}
		w.Each(nil, func(o sim.Object) bool {
			if _, is := o.(sceneObject); is {
				checkFieldValues(t, o, fmt.Sprintf("%s, tick %d", where, tick))
			}
			return true
		})
	}
}

// disturb applies a random script call or explosion.
func disturb(rng *rand.Rand, all []sim.Object) {
	o, other := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
	s, is := o.(shape)
	if !is || !o.Ident().Alive() || !other.Ident().Alive() {
		return
	}
	switch rng.IntN(6) {
	case 0:
		_, _ = callMethod(o, "mountObject", sim.Handle(other.Ident().ID()), sim.Number(float64(rng.IntN(maxSeats))))
	case 1:
		_, _ = callMethod(o, "applyImpulse", vec(0, 0, 0), vec(spread(rng, maxPush), spread(rng, maxPush), spread(rng, maxPush)))
	case 2:
		_, _ = callMethod(o, "setTransform", vec(spread(rng, 60), spread(rng, 60), spread(rng, 60)), sim.Rotation(sim.Rot{Yaw: spread(rng, 1e300)}))
	case 3:
		_, _ = callMethod(o, "damage", sim.Nil(), vec(0, 0, 0), sim.Number(rng.Float64()*maxDamage))
	case 4:
		_, _ = callMethod(o, "repair", sim.Number(maxDamage))
	case 5:
		s.base().setEnergy(maxDamage)
	}
}

// TestExtremeDatablocks runs worlds with datablock numbers at the minimum, the middle or the
// maximum of their ranges.
func TestExtremeDatablocks(t *testing.T) {
	for name, by := range map[string]numberPicker{"least": least, "middle": middle, "most": most} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			w, all := absurdWorld(t, rng, nil, by)
			runRandomTicks(t, rng, w, all, testenv.Length(200, 2000), name)
		})
		for _, class := range blockClasses {
			t.Run(name+" "+class, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 1))
				w, all := absurdWorld(t, rng, map[string]numberPicker{class: by}, nil)
				runRandomTicks(t, rng, w, all, testenv.Length(40, 200), name+" "+class)
			})
		}
	}
	for seed := range testenv.Seeds(t, 2, 8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		w, all := absurdWorld(t, rng, nil, oneOfThem)
		runRandomTicks(t, rng, w, all, 300, fmt.Sprintf("seed %d", seed))
	}
}
