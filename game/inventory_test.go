package game

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// newArsenal returns a player, two items and three images: two of them fire the first item.
func newArsenal(t *testing.T) *Player {
	w := newWorld(t)
	makeBlock(t, w, "ItemData", "discs", nil)
	makeBlock(t, w, "ItemData", "shells", nil)
	for image, item := range map[string]string{"launcher": "discs", "thrower": "discs", "mortar": "shells"} {
		makeBlock(t, w, "ShapeBaseImageData", image, values{"usesAmmo": sim.Bool(true), "ammo": sim.String(item), "fireTimeout": sim.Number(32)})
	}
	p := addPlayer(t, w, "soldier", nil, nil)
	p.SetController(1)
	return p
}

func countOf(t testing.TB, o sim.Object, item string) int {
	t.Helper()
	got, err := callMethod(o, "itemCount", sim.String(item))
	require.NoError(t, err)
	return int(got[0].Number())
}

// TestAmmunitionIsAnItem: the rounds of a mounted image count, and come back from it.
func TestAmmunitionIsAnItem(t *testing.T) {
	p := newArsenal(t)
	hold := func(image string, slot float64) { call(t, p, "mountImage", sim.String(image), sim.Number(slot)) }
	call(t, p, "setItemCount", sim.String("discs"), sim.Number(10))
	call(t, p, "setItemCount", handle(p.World().Blocks.ByName("shells")), sim.Number(3))
	hold("launcher", 0)
	assert.Equal(t, 10.0, ask(t, p, "imageAmmo").Number())
	runMove(p, fires, 4)
	assert.Equal(t, 6, countOf(t, p, "discs"))
	hold("mortar", 0)
	assert.Equal(t, 3.0, ask(t, p, "imageAmmo").Number())
	assert.Equal(t, 6, countOf(t, p, "discs"))
	hold("launcher", 0)
	hold("thrower", 0)
	assert.Equal(t, 6.0, ask(t, p, "imageAmmo").Number(), "both fire discs")
	call(t, p, "setItemCount", sim.String("discs"), sim.Number(8))
	assert.Equal(t, 8.0, ask(t, p, "imageAmmo").Number())
	hold("launcher", 1)
	assert.Equal(t, 8, countOf(t, p, "discs"), "each disc is in one weapon only")
	call(t, p, "unmountImage", sim.Number(0))
	call(t, p, "unmountImage", sim.Number(1))
	assert.Equal(t, 8, countOf(t, p, "discs"))
	assert.Equal(t, 3, countOf(t, p, "shells"))
	call(t, p, "setItemCount", sim.String("discs"), sim.Number(0))
	assert.Zero(t, countOf(t, p, "discs"))
	assert.Len(t, p.items, 1, "none of an item needs no memory")
}

// TestImageWithoutItem: its ammunition is lost with it, as before.
func TestImageWithoutItem(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), values{"usesAmmo": sim.Bool(true)}, nil)
	call(t, p, "setImageAmmo", sim.Number(0), sim.Number(5))
	call(t, p, "unmountImage", sim.Number(0))
	assert.Empty(t, p.items)
	call(t, p, "mountImage", sim.String("rifle"), sim.Number(0))
	assert.Zero(t, ask(t, p, "imageAmmo").Number())
}

func TestInventoryErrors(t *testing.T) {
	p := newArsenal(t)
	for want, list := range map[string][]sim.Value{
		`item must be a datablock of class ItemData, got "launcher"`: {sim.String("launcher"), sim.Number(1)},
		`item must be a datablock of class ItemData, got nil`:        nil,
		`n must be a whole number from 0 to 10000, got 10001`:        {sim.String("discs"), sim.Number(maxAmmo + 1)},
		`n must be a whole number from 0 to 10000, got 0.5`:          {sim.String("discs"), sim.Number(0.5)},
	} {
		_, err := callMethod(p, "setItemCount", list...)
		assert.EqualError(t, err, want)
	}
	_, err := callMethod(p, "itemCount", sim.Bool(true))
	assert.EqualError(t, err, "item must be a datablock of class ItemData, got true")
	for i := range maxItemKinds + 1 {
		name := fmt.Sprint("thing", i)
		makeBlock(t, p.World(), "ItemData", name, nil)
		_, err = callMethod(p, "setItemCount", sim.String(name), sim.Number(1))
	}
	assert.EqualError(t, err, "an object can have at most 64 kinds of items")
}

func TestMaxInventory(t *testing.T) {
	named := func(list map[string]any) *sim.Tree { return &sim.Tree{Named: list} }
	text, err := countsForm{}.Pack(named(map[string]any{"Shells": sim.Number(10), "Big Discs": sim.Number(15)}))
	require.NoError(t, err)
	assert.Equal(t, "15 Big Discs\n10 Shells\n", text)
	tree, ok := countsForm{}.Unpack(text)
	require.True(t, ok)
	assert.Equal(t, named(map[string]any{"Shells": sim.Number(10), "Big Discs": sim.Number(15)}), tree)
	for want, wrong := range map[string]*sim.Tree{
		`maxInventory: "Discs" must be a whole number from 0 to 10000`:                                   named(map[string]any{"Discs": sim.Number(1.5)}),
		`maxInventory: "Shells" must be a whole number from 0 to 10000`:                                  named(map[string]any{"Shells": sim.String("3")}),
		`maxInventory: "Mines" must be a whole number from 0 to 10000`:                                   named(map[string]any{"Mines": &sim.Tree{}}),
		`maxInventory: "" must be a name of 1 to 64 bytes in one line`:                                   named(map[string]any{"": sim.Number(1)}),
		`maxInventory: "a\nb" must be a name of 1 to 64 bytes in one line`:                               named(map[string]any{"a\nb": sim.Number(1)}),
		`maxInventory must be a table of at most 64 numbers by the names of items, as in { Discs = 15 }`: {List: []any{sim.Number(1)}},
	} {
		_, err := countsForm{}.Pack(wrong)
		assert.EqualError(t, err, want)
	}
	many := map[string]any{}
	for i := range maxItemKinds + 1 {
		many[fmt.Sprint(i)] = sim.Number(1)
	}
	_, err = countsForm{}.Pack(named(many))
	assert.ErrorContains(t, err, "at most 64 numbers")
	for _, wrong := range []string{"x Discs\n", "-1 Discs\n", "10001 Discs\n", "5\n", "5 \n"} {
		_, ok := countsForm{}.Unpack(wrong)
		assert.False(t, ok, wrong)
	}
}
