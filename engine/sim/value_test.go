package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrint(t *testing.T) {
	w := testWorld(t)
	named, nameless := newThing(t, w), newThing(t, w)
	require.NoError(t, named.SetName("door"))
	for _, c := range []struct {
		value         Value
		kind          ValueKind
		print, quoted string
	}{
		{Nil(), KindNil, "", "nil"},
		{Bool(true), KindBool, "true", "true"},
		{Bool(false), KindBool, "false", "false"},
		{Number(1), KindNumber, "1", "1"},
		{Number(0.1), KindNumber, "0.1", "0.1"},
		{Number(1e20), KindNumber, "1e+20", "1e+20"},
		{Number(math.Pi), KindNumber, "3.1415926535898", "3.1415926535898"},
		{String("a\"b"), KindString, "a\"b", `"a\"b"`},
		{Tag("t"), KindTag, "t", `"t"`},
		{Expanded("%1"), KindTag, "%1", `"%1"`},
		{Vec(Vec3{1, 2.5, -3}), KindVec, "1 2.5 -3", "vec(1 2.5 -3)"},
		{Rotation(Rot{90, 0, -45}), KindRot, "90 0 -45", "rot(90 0 -45)"},
		{Handle(named.ID()), KindObject, "door", "object " + Number(float64(named.ID())).String()},
		{Handle(nameless.ID()), KindObject, Number(float64(nameless.ID())).String(), "object " + Number(float64(nameless.ID())).String()},
		{Handle(0), KindNil, "", "nil"},
	} {
		assert.Equal(t, c.kind, c.value.Kind(), c.quoted)
		assert.Equal(t, c.print, c.value.Print(w))
		assert.Equal(t, c.quoted, c.value.Literal())
	}
}

func TestValueAnswersOnlyForItsKind(t *testing.T) {
	n := Number(3)
	assert.False(t, n.Bool())
	assert.Zero(t, n.Object())
	assert.Zero(t, n.Vec())
	assert.Zero(t, n.Rot())
	assert.Empty(t, n.Text())
	assert.Zero(t, Bool(true).Number())
	assert.Equal(t, ID(math.MaxUint32), Handle(math.MaxUint32).Object())
	assert.True(t, Expanded("x").Expanded())
	assert.NotEqual(t, Expanded("x"), Tag("x"))
	assert.Equal(t, Vec(Vec3{1, 2, 3}), Vec(Vec3{1, 2, 3}))
}

func TestVectors(t *testing.T) {
	a, b := Vec3{1, 2, 3}, Vec3{-2, 0.5, 4}
	assert.Equal(t, Vec3{-1, 2.5, 7}, a.Add(b))
	assert.Equal(t, Vec3{3, 1.5, -1}, a.Sub(b))
	assert.Equal(t, Vec3{2, 4, 6}, a.Mul(2))
	assert.Equal(t, Vec3{0.5, 1, 1.5}, a.Div(2))
	assert.Equal(t, Vec3{-1, -2, -3}, a.Neg())
	assert.Equal(t, 11.0, a.Dot(b))
	assert.Equal(t, Vec3{6.5, -10, 4.5}, a.Cross(b))
	assert.Equal(t, 5.0, Vec3{3, 0, 4}.Len())
	assert.Equal(t, Vec3{0.6, 0, 0.8}, Vec3{3, 0, 4}.Normalized())
	assert.Equal(t, Vec3{}, Vec3{}.Normalized())
}
