package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	// Boat is exported, because reflection reaches through exported structs only.
	Boat struct {
		NetObject
		knots int
	}
	Ferry struct {
		Boat
		cars int
	}
	Liner struct {
		Ferry
		decks int
	}
	towed struct {
		NetObject
		*Boat
	}
)

func (t *towed) Ident() *Identity { return t.NetObject.Ident() }

func boatClasses(t *testing.T) *Classes {
	cs := NewClasses()
	for _, c := range []Class{
		{Name: "Boat", Parent: "NetObject", New: func() Object { return &Boat{knots: 1} }, Fields: []Field{IntField("knots", 1, 0, 99, func(b *Boat) *int { return &b.knots })}},
		{Name: "Ferry", Parent: "Boat", New: func() Object { return &Ferry{Boat: Boat{knots: 2}} }, Fields: []Field{IntField("cars", 2, 0, 99, func(f *Ferry) *int { return &f.cars })}},
		{Name: "Liner", Parent: "Ferry", New: func() Object { return &Liner{} }, Fields: []Field{IntField("decks", 3, 0, 99, func(l *Liner) *int { return &l.decks })}},
	} {
		require.NoError(t, cs.Register(c))
	}
	return cs
}

// TestPart finds the struct of a parent class at any depth, and nothing where there is none.
func TestPart(t *testing.T) {
	b, l := &Boat{knots: 1}, &Liner{}
	part, ok := Part[*Boat](b)
	assert.True(t, ok)
	assert.Same(t, b, part)
	part, ok = Part[*Boat](l)
	require.True(t, ok)
	assert.Same(t, &l.Boat, part)
	for _, o := range []Object{nil, (*Boat)(nil), b} {
		_, ok := Part[*Liner](o)
		assert.False(t, ok, "%T", o)
	}
	_, ok = Part[*Boat](&towed{Boat: b})
	assert.False(t, ok, "a struct behind a pointer can be missing")
	_, ok = Part[Ticker](l)
	assert.False(t, ok, "an interface is one of the whole object")
}

// TestGoClassesDerive checks an object of a Go class whose parents have fields of concrete structs:
// it has their fields and their defaults, and the world knows it by its parts.
func TestGoClassesDerive(t *testing.T) {
	w := NewWorld(boatClasses(t))
	before := w.Root.Len()
	o, err := w.New("Liner", nil)
	require.NoError(t, err)
	l := o.(*Liner)
	for n, name := range []string{"knots", "cars", "DECKS"} {
		require.NoError(t, l.SetField(name, Number(float64(n+1))))
		got, err := l.GetField(name)
		require.NoError(t, err)
		assert.Equal(t, Number(float64(n+1)), got)
	}
	assert.Equal(t, []int{1, 2, 3}, []int{l.knots, l.cars, l.decks})
	assert.Equal(t, uint32(1<<1|1<<2|1<<3), l.Dirty()&^1)
	assert.EqualError(t, l.SetField("knots", Number(100)), "knots must be a whole number from 0 to 99, got 100")
	assert.EqualError(t, l.SetField("knot", Number(1)), `unknown field "knot" of Liner, did you mean "knots"?`)
	_, err = l.GetField("knot")
	assert.Error(t, err)

	w.Emit(&l.Boat, "onHorn")
	w.Deliver(func(o Object, name string, _ []Value) bool { assert.Same(t, l, o, name); return true })
	require.NoError(t, w.Delete(&l.Ferry))
	assert.Equal(t, before, w.Root.Len())
	assert.Equal(t, 1, w.Sweep())

	assert.ErrorIs(t, (&Liner{}).SetField("knots", Number(1)), errNoClass)
	_, err = (&Liner{}).GetField("knots")
	assert.ErrorIs(t, err, errNoClass)
}
