package game

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestControlGroups checks Class.Control: the groups that control state or a move sets. A missing
// group would arrive late as an update and undo predicted changes. An extra group would never be
// sent.
func TestControlGroups(t *testing.T) {
	for _, class := range []string{"Player", "Vehicle", "Turret", "Camera"} {
		rng := rand.New(rand.NewPCG(4, 2))
		var set, moved, control uint32
		for range testenv.Length(10, 20) {
			o, g := randomState(t, class, rng), randomState(t, class, rng)
			g.Ident().SetGhost(true)
			control = g.Ident().Class().Control
			set |= changedGroups(g, func() {
				var r bitstream.Reader
				r.Reset(state(t, o)) // ids are the same in both worlds
				g.CodeControl(sim.Coder{Codec: &r.Codec})
				require.NoError(t, r.Err())
			})
			moved |= changedGroups(g, func() { g.Control(wildMove(rng)) })
		}
		set &^= 1 << damageGroup // destruction is also sent as damage
		assert.Zero(t, set&^control, "%s sets what comes as updates, too: group %d", class, bits.TrailingZeros32(set&^control))
		assert.Zero(t, control&^(set|moved), "%s withholds what nothing sets: group %d", class, bits.TrailingZeros32(control&^(set|moved)))
	}
}

// randomState returns an object of a class in a new world, in a random state.
func randomState(t *testing.T, class string, rng *rand.Rand) sim.Controllable {
	w := newWorld(t)
	makeBlock(t, w, "ShapeBaseImageData", "gun", nil)
	block := ""
	if data := w.Classes().Lookup(class).DataBlock; data != "" {
		block = "its"
		makeBlock(t, w, data, block, nil)
	}
	makeBlock(t, w, "VehicleData", "bus", nil)
	bus := makeObject(t, w, "Vehicle", "bus", nil).(*Vehicle)
	c := makeObject(t, w, class, block, values{"position": vec(rng.Float64(), 0, 5)}).(sim.Controllable)
	for range 20 {
		c.Control(wildMove(rng))
	}
	if s, is := c.(shape); is {
		s.base().setEnergy(rng.Float64() * 50)
		for range rng.IntN(4) {
			s.base().teleport(sim.Vec3{X: rng.Float64(), Z: 5}, sim.Rot{Yaw: rng.Float64() * 360})
		}
		if rng.IntN(2) == 0 {
			s.base().setImage(0, w.Blocks.ByName("gun").(*ShapeBaseImageData).Ref())
			for range 20 {
				c.Control(wildMove(rng))
			}
		}
	}
	if p, is := c.(*Player); is && rng.IntN(2) == 0 {
		require.NoError(t, p.sit(bus, 0))
	}
	return c
}

// changedGroups returns the groups that do changes.
func changedGroups(o sim.Object, do func()) (groups uint32) {
	class := o.Ident().Class()
	was := make([]sim.Values, class.Groups())
	for g := range was {
		class.Quantise(o, g, &was[g])
	}
	do()
	for g := range was {
		var is sim.Values
		class.Quantise(o, g, &is)
		if !slices.Equal(is.Cells, was[g].Cells) || !slices.Equal(is.Texts, was[g].Texts) {
			groups |= 1 << g
		}
	}
	return groups
}
