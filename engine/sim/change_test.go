package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// worldState returns everything that a Rollback restores, as text: the classes, the datablocks, and
// parts of the objects up to an id.
func worldState(w *World, upTo ID) string {
	var b strings.Builder
	cs := w.classes
	for _, c := range cs.List() {
		fmt.Fprintf(&b, "class %s %p %d %s\n", c.Name, c, cs.WireID(c), fieldNames(c))
	}
	for i, c := range cs.wire {
		fmt.Fprintf(&b, "wire %d %p\n", i, c)
	}
	for _, c := range cs.Declared() {
		fmt.Fprintf(&b, "declared %s %p found %p\n", c.Name, c, cs.Lookup(c.Name))
	}
	for _, o := range w.Blocks.Newer(0) {
		d := o.(Datablock).Data()
		fmt.Fprintf(&b, "block %s %d key %d from %q %v, by name %t, by index %t\n", o.Ident(), d.Index(), d.Key(), d.Parent(), fieldValues(o),
			w.Blocks.ByName(o.Ident().Name()) == o, w.Blocks.ByIndex(int(d.Index())) == o)
	}
	fmt.Fprintf(&b, "newest %d, next %d, %d\n", w.Blocks.Newest(), w.Blocks.next, len(w.Blocks.list))
	w.Each(nil, func(o Object) bool {
		i := o.Ident()
		if i.ID() < upTo {
			fmt.Fprintf(&b, "object %s %d %p %p in %v\n", i, i.ID(), o, i.Class(), i.Group())
		}
		return true
	})
	return b.String()
}

func TestOnlyOneOpenChange(t *testing.T) {
	w := sessionWorld(t)
	c := w.Begin()
	assert.PanicsWithValue(t, "BUG: a world change begins while another is open", func() { w.Begin() })
	c.Commit()
	assert.PanicsWithValue(t, "BUG: a world change ends that is not open", c.Rollback)
	next := w.Begin()
	assert.Panics(t, c.Commit)
	next.Rollback()
}

// TestRollback checks that declarations are as before and that new objects are gone. Only
// OnRolledBack is called for them.
func TestRollback(t *testing.T) {
	w := guestWorld(t)
	declared(t, w.classes, spec("Flag", "", teamSpec))
	base := declare(t, w, "ThingData", "base", "", row{"mass", Number(5)})
	declare(t, w, "ThingData", "heir", "base")
	flag, guests := make1(t, w, "Flag", row{"team", Number(3)}), make1(t, w, "SimGroup").(*Group)
	before := worldState(w, w.next)
	var heard []string
	w.OnRemoved = func(o Object) { heard = append(heard, "removed "+o.Ident().String()) }
	w.OnRolledBack = func(o Object) {
		assert.True(t, o.Ident().Dead())
		heard = append(heard, "undone "+o.Ident().String())
	}

	c := w.Begin()
	declare(t, w, "ThingData", "heir", "plain", row{"heat", Number(.5)})
	declare(t, w, "BigData", "new", "base", row{"other", String("heir")})
	require.NoError(t, setter(row{"mass", Number(9)})(base))
	_, err := w.classes.Redeclare(spec("Flag", "Guest", onSpec))
	require.NoError(t, err)
	declared(t, w.classes, spec("Banner", "Flag", textSpec))
	banner := make1(t, w, "Banner", row{"on", Bool(true)})
	gone := make1(t, w, "Banner")
	require.NoError(t, w.Delete(gone))
	make1(t, w, "Clock")
	g := make1(t, w, "SimGroup").(*Group)
	require.NoError(t, g.Add(flag))
	require.NoError(t, guests.Add(banner))
	assert.Equal(t, []ID{banner.Ident().ID(), g.ID() - 1, g.ID()}, c.Made())
	w.Emit(banner, "onCollision")
	ids := w.next
	c.Rollback()

	assert.Equal(t, before, worldState(w, ids))
	assert.Equal(t, []string{"undone BigData \"new\"", "undone Banner 11", "undone Banner 12", "undone Clock 13", "undone SimGroup 14"}, heard)
	assert.Equal(t, []int{1, 1, 1, 1}, []int{banner.(*lifecycleObject).entered, banner.(*lifecycleObject).left, gone.(*lifecycleObject).entered, gone.(*lifecycleObject).left})
	assert.Equal(t, w.Root, flag.Ident().Group(), "where it was before")
	assert.Zero(t, guests.Len())
	assert.Zero(t, w.Sweep())
	assert.Len(t, w.objects, w.Len())
	assert.Empty(t, w.tickers)
	w.Deliver(func(Object, string, []Value) bool { return assert.Fail(t, "of what never was") })
	w.TakeMarks(func(o Object, _ uint32) { assert.False(t, o.Ident().Dead()) })
	assert.Equal(t, Number(3), field(flag, "team"))
	assert.Equal(t, ids, make1(t, w, "Flag").Ident().ID(), "ids are never used again")
	assert.Equal(t, uint64(4), declare(t, w, "ThingData", "next", "").(Datablock).Data().Key(), "keys nobody heard of are")
}

// TestRollbackKeepsEarlierDeletes checks that an object deleted before a change is still reported.
func TestRollbackKeepsEarlierDeletes(t *testing.T) {
	w := guestWorld(t)
	o := make1(t, w, "Guest")
	require.NoError(t, w.Delete(o))
	c := w.Begin()
	make1(t, w, "Guest")
	c.Rollback()
	assert.Zero(t, o.(*lifecycleObject).left)
	assert.Equal(t, 1, w.Sweep())
	assert.Equal(t, 1, o.(*lifecycleObject).left)
}

// TestRollbackRestoresDatablocks checks that an object gets its old datablock back if its new one
// is rolled back. An object deleted during the change is alive again.
func TestRollbackRestoresDatablocks(t *testing.T) {
	w := testWorld(t)
	declare(t, w, "ThingData", "other", "")
	o, dead := newThing(t, w), newThing(t, w)
	w.ClearMarks()
	assert.False(t, w.InTransaction())
	c := w.Begin()
	assert.True(t, w.InTransaction())
	declare(t, w, "ThingData", "new", "")
	for _, thing := range []*testObject{o, dead, newThing(t, w)} {
		require.NoError(t, setter(row{"dataBlock", String("other")}, row{"dataBlock", String("new")})(thing))
	}
	require.NoError(t, setter(row{"other", String("new")})(w.Blocks.ByName("other")))
	require.NoError(t, w.Delete(dead))
	w.ClearMarks()
	c.Rollback()
	assert.Equal(t, w.Blocks.ByName("plain"), BlockOf(o))
	assert.Equal(t, w.Blocks.ByName("plain"), BlockOf(dead))
	assert.Equal(t, []Object{dead, o}, w.Marked(), "peers are told, if they have heard of another")
	assert.Equal(t, Nil(), field(w.Blocks.ByName("other"), "other"))
	assert.False(t, w.InTransaction())
	c = w.Begin()
	require.NoError(t, setter(row{"dataBlock", String("other")})(o))
	c.Commit()
	w.Begin().Rollback()
	assert.Equal(t, w.Blocks.ByName("other"), BlockOf(o))
}

// TestRollbackRestoresObjects checks that fields, names, groups and sets are as before, in the
// same order. Deletions and held actions of the change have no effect.
func TestRollbackRestoresObjects(t *testing.T) {
	story := func(end func(*Transaction)) string {
		w := testWorld(t)
		a, b := newThing(t, w), newThing(t, w)
		set, group := make1(t, w, "SimSet").(*Set), make1(t, w, "SimGroup").(*Group)
		require.NoError(t, set.Add(a))
		require.NoError(t, set.Add(b))
		require.NoError(t, group.Add(b))
		require.NoError(t, b.SetName("B"))
		var told strings.Builder
		c := w.Begin()
		if end == nil {
			c.Rollback()
		} else {
			made := make1(t, w, "SimGroup").(*Group)
			require.NoError(t, setter(row{"energy", Number(7)}, row{"friend", Handle(b.ID())})(a))
			require.NoError(t, setter(row{"energy", Number(8)})(a))
			require.NoError(t, made.Add(b))
			require.NoError(t, made.Add(group))
			assert.True(t, set.Remove(a))
			require.NoError(t, set.Add(newThing(t, w)))
			require.NoError(t, set.Add(a))
			require.NoError(t, b.SetName("other"))
			require.NoError(t, w.Delete(group))
			require.NoError(t, w.Delete(made), "with b and the group in it")
			w.OnCommit(func() { fmt.Fprint(&told, "held ", group.Alive(), b.Alive()) })
			w.OnCommit(func() { told.WriteString(" ") })
			assert.Equal(t, []bool{true, true, false}, []bool{group.Alive(), b.Alive(), made.Alive()}, "until it holds")
			end(c)
		}
		w.OnCommit(func() { told.WriteString("at once\n") })
		for _, g := range []*Set{&w.Root.Set, &group.Set, set} {
			fmt.Fprintln(&told, "members", g.Len())
			g.Each(func(o Object) bool {
				if o.Ident().ID() <= group.ID() {
					fmt.Fprintln(&told, o.Ident(), o.Ident().Group(), len(o.Ident().sets), g.Has(o))
				}
				return true
			})
		}
		fmt.Fprintln(&told, fieldValues(a), w.FindName("B") == Object(b), w.FindName("other") != nil, group.Alive(), w.Sweep())
		return told.String()
	}
	assert.Contains(t, story((*Transaction).Commit), "held false false at once\n")
	assert.Equal(t, story(nil), story((*Transaction).Rollback))
}

// TestRollbackWithoutIDs checks a rollback in a world without free ids. No object is removed.
func TestRollbackWithoutIDs(t *testing.T) {
	w := testWorld(t)
	o := newThing(t, w)
	w.next = 0
	c := w.Begin()
	require.NoError(t, setter(row{"energy", Number(7)})(o))
	c.Rollback()
	assert.Same(t, o, w.Find(o.ID()))
	assert.NotEqual(t, Number(7), field(o, "energy"))
	assert.Empty(t, w.Begin().Made())
}

// TestCommitKeepsAll checks that everything declared and made stays.
func TestCommitKeepsAll(t *testing.T) {
	w := guestWorld(t)
	c := w.Begin()
	declared(t, w.classes, spec("Flag", "Guest", teamSpec))
	o := make1(t, w, "Flag", row{"team", Number(2)})
	key := declare(t, w, "ThingData", "new", "plain").(Datablock).Data().Key()
	c.Commit()
	assert.Equal(t, []any{o, Number(2), key}, []any{w.Find(o.Ident().ID()), field(o, "team"), w.Blocks.Newest()})
	w.Begin().Rollback()
	assert.Same(t, o, w.Find(o.Ident().ID()))
}

func BenchmarkCommitMovesThousand(b *testing.B) {
	w := NewWorld(session(b))
	fields := []FieldSpec{teamSpec, heatSpec, onSpec, carrierSpec, placeSpec, textSpec, turnSpec, exactSpec}
	declared(b, w.classes, flagSpec(fields...))
	for range 1000 {
		make1(b, w, "Flag", row{"team", Number(3)}, row{"title", String("red")})
	}
	before := w.classes.state()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if len(w.classes.wire) == 1<<classBits { // reset the wire ids, but keep the current class
			c := w.classes.Lookup("Flag")
			w.classes.restore(before)
			before = w.classes.state()
			w.classes.byName["flag"] = c
		}
		spec := flagSpec(fields[i%2:]...)
		c := w.Begin()
		if _, err := w.classes.Redeclare(spec); err != nil {
			b.Fatal(err)
		}
		c.Commit()
	}
}
