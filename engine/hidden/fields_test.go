package hidden

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestFields checks precedence, undo, and that no rule is left over.
func TestFields(t *testing.T) {
	type card struct {
		sim.Identity
		value, face int
	}
	cs := sim.NewClasses()
	field := func(name string, group uint8, at func(*card) *int) sim.Field {
		return sim.IntField(name, group, 0, 9, at)
	}
	require.NoError(t, cs.Register(sim.Class{Name: "Card", Parent: "NetObject", New: func() sim.Object { return &card{} }, Fields: []sim.Field{
		field("fixed", 0, func(c *card) *int { return &c.value }),
		field("value", 1, func(c *card) *int { return &c.value }),
		field("face", 2, func(c *card) *int { return &c.face }),
	}}))
	w := sim.NewWorld(cs)
	o, err := w.New("Card", nil)
	require.NoError(t, err)
	var f Fields
	set := func(client sim.ID, name string, hide bool) func() {
		undo, err := f.Set(o, client, name, hide)
		require.NoError(t, err)
		return undo
	}
	masks := func() [2]uint32 { return [2]uint32{f.Groups(o, 7, 1), f.Groups(o, 8, 2)} }

	assert.Zero(t, masks())
	set(Everybody, "Value", true)
	assert.Equal(t, [2]uint32{2, 2}, masks())
	undo := set(7, "value", false)
	assert.Equal(t, [2]uint32{0, 2}, masks(), "the rule for a client comes first")
	set(Everybody, "value", false)
	set(8, "face", true)
	assert.Equal(t, [2]uint32{0, 4}, masks())
	set(Everybody, "value", true)()
	assert.Equal(t, [2]uint32{0, 4}, masks(), "undone")
	undo()
	set(Everybody, "value", true)
	assert.Equal(t, [2]uint32{2, 6}, masks())

	_, err = f.ShowTo(o, 2, "value")
	require.NoError(t, err)
	assert.Equal(t, [2]uint32{2, 4}, masks(), "shown to the groups of 8 only")
	assert.Equal(t, uint32(2), f.Groups(o, 9, 0))
	assert.Equal(t, uint32(6), f.Secret(o), "what any client does not see")
	for id := range f.ByGroups {
		assert.Equal(t, o.Ident().ID(), id)
	}
	set(Everybody, "value", true)
	for range f.ByGroups {
		assert.Fail(t, "no rule has groups any more")
	}

	f.Forget(8, true)
	assert.Equal(t, [2]uint32{2, 2}, masks())
	assert.Len(t, f.rules[o.Ident().ID()], 1)
	f.Forget(o.Ident().ID(), false)
	assert.Empty(t, f.rules)

	_, err = f.Set(o, 7, "fixed", true)
	assert.EqualError(t, err, "field fixed of class Card cannot be hidden: clients need it to create the object")
	_, err = f.Set(o, 7, "valeu", true)
	assert.ErrorContains(t, err, `did you mean "value"?`)
}
