package game

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
)

// The limits of inventories.
const (
	maxItemKinds  = 64   // kinds of items that a shape has, and that its datablock names
	maxItemName   = 64   // bytes
	maxCountsText = 4096 // bytes of maxInventory on the wire
)

// itemCount is the number of an item that a shape has.
type itemCount struct {
	item  sim.BlockRef
	count int
}

// itemCount returns the number of an item that the shape has. The ammunition of a mounted image is
// in its slot.
func (s *ShapeBase) itemCount(item sim.BlockRef) int {
	if i := s.slotWithAmmo(item); i != nil {
		return i.ammo
	}
	if n := s.itemAt(item); n >= 0 {
		return s.items[n].count
	}
	return 0
}

// setItemCount sets the number of an item. It fails if the shape would have too many kinds of
// items.
func (s *ShapeBase) setItemCount(item sim.BlockRef, count int) error {
	if i := s.slotWithAmmo(item); i != nil {
		i.ammo = count
		return nil
	}
	n := s.itemAt(item)
	switch {
	case n >= 0 && count > 0:
		s.items[n].count = count
	case n >= 0:
		s.items = slices.Delete(s.items, n, n+1)
	case count > 0 && len(s.items) >= maxItemKinds:
		return fmt.Errorf("an object can have at most %d kinds of items", maxItemKinds)
	case count > 0:
		s.items = append(s.items, itemCount{item, count})
	}
	return nil
}

// itemAt returns the index of an item in items, or -1.
func (s *ShapeBase) itemAt(item sim.BlockRef) int {
	return slices.IndexFunc(s.items, func(c itemCount) bool { return c.item == item })
}

// slotWithAmmo returns the first slot with an image that fires an item, or nil.
func (s *ShapeBase) slotWithAmmo(item sim.BlockRef) *imageSlot {
	for slot := range s.images {
		if d := s.imageAt(slot); d != nil && d.ammo == item && item != 0 {
			return &s.images[slot]
		}
	}
	return nil
}

// takeAmmo takes the ammunition of an image that is mounted now out of items.
func (s *ShapeBase) takeAmmo(d *ShapeBaseImageData) (count int) {
	if n := s.itemAt(d.ammo); d.ammo != 0 && n >= 0 {
		count = min(s.items[n].count, maxAmmo)
		s.items = slices.Delete(s.items, n, n+1)
	}
	return count
}

// giveAmmo adds the rounds of an image that is no longer mounted to the item that they are. item 0
// is none. A shape with too many kinds of items loses them.
func (s *ShapeBase) giveAmmo(item sim.BlockRef, rounds int) {
	if item != 0 && rounds > 0 {
		_ = s.setItemCount(item, min(s.itemCount(item)+rounds, maxAmmo))
	}
}

// countsForm stores numbers by the names of items: a line for each, sorted by name.
type countsForm struct{}

// Pack returns the text of a table such as { DiscAmmo = 15 }.
func (countsForm) Pack(t *sim.Tree) (string, error) {
	if len(t.List) > 0 || len(t.Named) > maxItemKinds {
		return "", fmt.Errorf("maxInventory must be a table of at most %d numbers by the names of items, as in { Discs = 15 }", maxItemKinds)
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t.Named)) {
		v, _ := t.Named[name].(sim.Value)
		n := v.Number()
		if v.Kind() != sim.KindNumber || !(n >= 0 && n <= maxAmmo) || n != float64(int(n)) {
			return "", fmt.Errorf("maxInventory: %s must be a whole number from 0 to %d", sim.String(name).Literal(), maxAmmo)
		}
		if !isItemName(name) {
			return "", fmt.Errorf("maxInventory: %s must be a name of 1 to %d bytes in one line", sim.String(name).Literal(), maxItemName)
		}
		fmt.Fprintf(&text, "%d %s\n", int(n), name)
	}
	return text.String(), nil
}

func isItemName(name string) bool {
	return name != "" && len(name) <= maxItemName && !strings.Contains(name, "\n")
}

// Unpack returns the table of a text.
func (countsForm) Unpack(text string) (*sim.Tree, bool) {
	t := &sim.Tree{Named: map[string]any{}}
	for line := range strings.Lines(text) {
		number, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > maxAmmo || !isItemName(name) || len(t.Named) >= maxItemKinds {
			return nil, false
		}
		t.Named[name] = sim.Number(float64(n))
	}
	return t, true
}

var inventoryMethods = []sim.Method{
	{Name: "itemCount", Params: "item: ItemData|string -> integer", Doc: "returns the number of an item that the object has. The ammunition of a mounted image counts. The functions of base know limits: base.getInventory", Do: itemCountMethod},
	{Name: "setItemCount", Params: "item: ItemData|string, n: integer", Doc: "sets the number of an item that the object has, also in the mounted image that fires it. base.setInventory keeps to maxInventory", Do: setItemCountMethod},
}

func itemCountMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	item := a.itemData(o.Ident().World())
	if a.err != nil {
		return nil, a.err
	}
	return []sim.Value{sim.Number(float64(o.(shape).base().itemCount(item)))}, nil
}

func setItemCountMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	item := a.itemData(o.Ident().World())
	n := a.integer("n", 0, maxAmmo)
	if a.err != nil {
		return nil, a.err
	}
	return nil, o.(shape).base().setItemCount(item, n)
}

// itemData reads an ItemData datablock or its name.
func (a *args) itemData(w *sim.World) sim.BlockRef {
	v := a.value()
	if d, is := sim.Part[*ItemData](blockOf(w, v)); is {
		return d.Ref()
	}
	a.fail("item", "a datablock of class ItemData", v)
	return 0
}
