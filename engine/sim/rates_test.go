package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type ratedThing struct {
	Identity
	at, speed Vec3
}

func (r *ratedThing) Ident() *Identity { return &r.Identity }

func registerRated(at, speed Field) (*Class, error) {
	cs := NewClasses()
	err := cs.Register(Class{
		Name: "Rated", Parent: "NetObject", New: func() Object { return new(ratedThing) },
		Fields: []Field{at, speed},
	})
	return cs.Lookup("Rated"), err
}

func atField(group uint8) Field {
	return VecField("at", group, 1024, func(r *ratedThing) *Vec3 { return &r.at }).WithBits(21).WithRate("speed")
}

func speedField(group uint8) Field {
	return VecField("speed", group, 64, func(r *ratedThing) *Vec3 { return &r.speed })
}

// TestRatesOfParts checks the numbers that a peer calculates with: a speed of one code moves the
// body by Scale / 2^20 codes per tick.
func TestRatesOfParts(t *testing.T) {
	c, err := registerRated(atField(1), speedField(1).WithBits(12))
	require.NoError(t, err)
	cells := c.Cells(1)
	for i := range 3 {
		rate := cells[i].Rate
		require.NotNil(t, rate)
		assert.Equal(t, cells[i].Part, cells[rate.Cell].Part)
		assert.EqualValues(t, cells[rate.Cell].Field.scale.code(0), rate.Zero)
		perCode := 64.0 / 2047 * TickSeconds / (1024.0 / (1<<20 - 1))
		assert.InDelta(t, perCode*(1<<20), float64(rate.Scale), 0.5)
		assert.Nil(t, cells[rate.Cell].Rate)
	}
}

func TestBadRates(t *testing.T) {
	for name, speed := range map[string]Field{
		"another group": speedField(2).WithBits(12),
		"exact":         speedField(1),
		"too wide":      speedField(1).WithBits(25),
		"a rate itself": speedField(1).WithBits(12).WithRate("speed"),
		"another name":  VecField("pace", 1, 64, func(r *ratedThing) *Vec3 { return &r.speed }).WithBits(12),
		"too coarse":    VecField("speed", 1, 1e9, func(r *ratedThing) *Vec3 { return &r.speed }).WithBits(12),
	} {
		_, err := registerRated(atField(1), speed)
		assert.ErrorContains(t, err, `its rate "speed" must be`, name)
	}
}
