package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anew redeclares a class and converts its objects.
func anew(t testing.TB, w *World, spec ClassSpec) *Class {
	c := w.Begin()
	class, err := w.classes.Redeclare(spec)
	require.NoError(t, err)
	c.Commit()
	return class
}

// sessionWorld returns a world that accepts class declarations, with a datablock named "plain".
func sessionWorld(t testing.TB) *World {
	w := NewWorld(session(t))
	declare(t, w, "ThingData", "plain", "")
	return w
}

func make1(t testing.TB, w *World, class string, rows ...row) Object {
	o, err := w.New(class, setter(rows...))
	require.NoError(t, err)
	return o
}

func field(o Object, name string) Value { return o.Ident().Class().Lookup(name).Get(o) }

// TestRedeclareKeepsValidValues checks that fields keep their values by name and kind. A value that
// the new field does not accept becomes the default.
func TestRedeclareKeepsValidValues(t *testing.T) {
	w := sessionWorld(t)
	wider, narrow, word, style, float := teamSpec, teamSpec, teamSpec, dataSpec, heatSpec
	style.Name = "title"
	wider.Lo, wider.Hi = -100, 100
	narrow.Hi, narrow.Default = 2, Number(1)
	word.Kind, word.Max = KindString, 10
	float.Name = "team"
	float.Hi = 10
	joined, placed := teamSpec, placeSpec
	joined.Group, placed.Group = "state", "state"
	for name, c := range map[string]struct {
		fields []FieldSpec
		team   Value
		title  Value
	}{
		"other range":       {[]FieldSpec{wider, onSpec}, Number(5), Nil()},
		"too narrow":        {[]FieldSpec{narrow}, Number(1), Nil()},
		"another kind":      {[]FieldSpec{word}, String(""), Nil()},
		"a float":           {[]FieldSpec{float}, Number(5), Nil()},
		"reordered":         {[]FieldSpec{placeSpec, onSpec, teamSpec}, Number(5), Nil()},
		"in a group":        {[]FieldSpec{placed, onSpec, joined}, Number(5), Nil()},
		"a reference":       {[]FieldSpec{style}, Nil(), Nil()},
		"gone and one more": {[]FieldSpec{teamSpec, textSpec}, Number(5), String("plain")},
	} {
		t.Run(name, func(t *testing.T) {
			w := sessionWorld(t)
			declared(t, w.classes, flagSpec(teamSpec, placeSpec, textSpec))
			o := make1(t, w, "Flag", row{"team", Number(5)}, row{"place", Vec(Vec3{1, 2, 3})}, row{"title", String("plain")})
			o.Ident().SetNumber(9)
			id := o.Ident().ID()
			w.ClearMarks()
			class := anew(t, w, flagSpec(c.fields...))
			assert.Same(t, o, w.Find(id), "it is of the same Go")
			assert.Same(t, class, o.Ident().Class())
			for name, want := range map[string]Value{"team": c.team, "place": Vec(Vec3{1, 2, 3}), "title": c.title} {
				if f := class.Lookup(name); f != nil {
					assert.Equal(t, want, f.Get(o), name)
				}
			}
			assert.Equal(t, class.marks, o.Ident().Dirty(), "all of it is to be told")
			assert.Equal(t, []Object{o}, w.Marked())
		})
	}
	declared(t, w.classes, flagSpec(teamSpec))
	ghost := w.Make(w.classes.Lookup("Flag"))
	ghost.Ident().SetGhost(true)
	w.Add(ghost)
	old := ghost.Ident().Class()
	anew(t, w, flagSpec(wider))
	assert.Same(t, old, ghost.Ident().Class(), "ghosts are their peer's")
}

// TestRedeclareNumbers checks that a redeclared class gets the next wire id, and that the old one
// keeps its id.
func TestRedeclareNumbers(t *testing.T) {
	cs := session(t)
	first := declared(t, cs, flagSpec(teamSpec))
	same, err := cs.Redeclare(flagSpec(teamSpec))
	require.NoError(t, err)
	assert.Same(t, first, same)
	second, err := cs.Redeclare(flagSpec(onSpec))
	require.NoError(t, err)
	assert.Equal(t, cs.WireID(first)+1, cs.WireID(second))
	assert.Same(t, second, cs.Lookup("FLAG"))
	assert.Same(t, first, cs.ByWire(cs.WireID(first)))
	assert.Equal(t, []*Class{first, second}, cs.Declared())
	assert.NotContains(t, cs.List(), first)
	assert.Contains(t, cs.List(), second)
	back, err := cs.Redeclare(flagSpec(teamSpec))
	require.NoError(t, err)
	assert.NotSame(t, first, back, "numbers are never used again")
	for len(cs.wire) < 1<<classBits {
		_, err := cs.Redeclare(flagSpec(teamSpec, FieldSpec{Name: fmt.Sprint("f", len(cs.wire)), Kind: KindBool}))
		require.NoError(t, err)
	}
	_, err = cs.Redeclare(flagSpec(onSpec))
	require.EqualError(t, err, "class Flag: too many net and block classes: the maximum is 1024, and reloads count until the server restarts")
	cs.ClearDeclared()
	assert.Empty(t, cs.Declared())
	assert.Nil(t, cs.Lookup("Flag"))
	assert.Equal(t, session(t).names(), cs.names())
}

func spec(name, parent string, fields ...FieldSpec) ClassSpec {
	return ClassSpec{Name: name, Parent: parent, Source: strings.ToLower(name) + ".lua:1", Fields: fields}
}

func TestRedeclareErrors(t *testing.T) {
	cs := session(t)
	declared(t, cs, spec("Flag", "", teamSpec))
	declared(t, cs, spec("Banner", "Flag", textSpec))
	declared(t, cs, spec("Pennant", "Banner", onSpec))
	declared(t, cs, spec("Tool", "Thing"))
	long := textSpec
	long.Name, long.Max = "verse", 900
	before, names, list := len(cs.wire), cs.names(), cs.Lookup("Flag")
	for want, s := range map[string]ClassSpec{
		"class Nothing is not declared, so nothing.lua:1 cannot redeclare it":                                                         spec("Nothing", ""),
		"class Thing cannot be declared at thing.lua:1: the engine has a class Thing":                                                 spec("Thing", ""),
		"class Flag: it cannot inherit from Flag, because that is itself or a subclass":                                               spec("Flag", "Flag"),
		"class Flag: it cannot inherit from Pennant, because that is itself or a subclass":                                            spec("Flag", "pennant"),
		`class Flag: unknown class "Thign", did you mean "Thing"?`:                                                                    spec("Flag", "Thign"),
		`class Flag at flag.lua:1 conflicts with its subclass at banner.lua:1: class Banner: duplicate field "title"`:                 spec("Flag", "", textSpec),
		`class Flag at flag.lua:1 conflicts with its subclass at pennant.lua:1: class Pennant: duplicate field "on"`:                  spec("Flag", "", onSpec),
		"class Flag: its objects have no dataBlock but would need one of class ThingData; use another class name":                     spec("Flag", "Thing", teamSpec),
		"class Tool: its objects have a dataBlock of class ThingData but would need one of class BigData; use another class name":     spec("Tool", "", FieldSpec{Name: "dataBlock", Kind: KindObject, Class: "BigData"}),
		"class Banner: an object can take 1184 bytes of a packet, the maximum is 1100: shorten its texts or give its numbers a width": spec("Banner", "Flag", textSpec, long),
	} {
		_, err := cs.Redeclare(s)
		require.EqualError(t, err, want)
		require.Len(t, cs.wire, before, want)
		require.Equal(t, names, cs.names())
		require.Same(t, list, cs.Lookup("Flag"))
	}
}

// TestMarksOfAnotherClass checks that marks of groups missing in the new class become marks of its
// existing groups, once.
func TestMarksOfAnotherClass(t *testing.T) {
	w := sessionWorld(t)
	declared(t, w.classes, flagSpec(teamSpec, heatSpec, onSpec))
	o := make1(t, w, "Flag")
	w.ClearMarks()
	require.NoError(t, setter(row{"on", Bool(true)})(o))
	o.Ident().MarkPredicted(1 << 3)
	class := anew(t, w, flagSpec(teamSpec))
	assert.Equal(t, 2, class.Groups())
	w.TakeMarks(func(marked Object, groups uint32) { assert.Equal(t, []any{o, uint32(1<<2 - 1)}, []any{marked, groups}) })
	w.TakePredicted(func(_ Object, groups uint32) { assert.Zero(t, groups) })
}

// TestFieldMovesToParent checks that a mod can move a field from a class to its parent without
// a redeclaration of the class. It cannot if another mod declared the class.
func TestFieldMovesToParent(t *testing.T) {
	for _, mods := range [][]string{{"m", "m"}, {"m", "n"}} {
		w := sessionWorld(t)
		of := func(s ClassSpec, mod string) ClassSpec { s.Mod = mod; return s }
		declared(t, w.classes, of(spec("Flag", "", teamSpec), mods[0]))
		declared(t, w.classes, of(spec("Banner", "Flag", textSpec, onSpec), mods[1]))
		o := make1(t, w, "Banner", row{"title", String("red")}, row{"on", Bool(true)})
		c := w.Begin()
		_, err := w.classes.Redeclare(of(spec("Flag", "", textSpec), mods[0]))
		c.Commit()
		if mods[0] != mods[1] {
			require.ErrorContains(t, err, `class Banner: duplicate field "title"`)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []Value{String("red"), Bool(true)}, []Value{field(o, "title"), field(o, "on")})
		assert.Len(t, o.Ident().Class().Fields, 1)
		assert.Equal(t, 1, len(w.classes.Lookup("Banner").Spec().Fields))
	}
}

// TestSubclassesAreRedeclared checks that derived classes also get the new fields, in one change.
func TestSubclassesAreRedeclared(t *testing.T) {
	w := sessionWorld(t)
	cs := w.classes
	flag, banner := declared(t, cs, spec("Flag", "", teamSpec)), declared(t, cs, spec("Banner", "Flag", textSpec))
	declared(t, cs, spec("Pennant", "Banner", onSpec))
	other := declared(t, cs, spec("Other", "", onSpec))
	o := make1(t, w, "Pennant", row{"team", Number(3)}, row{"title", String("north")}, row{"on", Bool(true)})
	change := w.Begin()
	assert.True(t, w.CanRedeclare(flag))
	c, err := cs.Redeclare(spec("Flag", "", placeSpec, teamSpec))
	require.NoError(t, err)
	assert.False(t, w.CanRedeclare(c), "once in a change")
	assert.True(t, w.CanRedeclare(cs.Lookup("Banner")), "its own mod may still change it")
	assert.NotSame(t, banner, cs.Lookup("Banner"))
	assert.Same(t, flag, o.Ident().Class().ParentClass().ParentClass(), "objects move when all is declared")
	change.Commit()
	assert.False(t, w.CanRedeclare(cs.Lookup("Banner")), "only in a change")
	assert.Same(t, c, o.Ident().Class().ParentClass().ParentClass())
	assert.Same(t, other, cs.Lookup("Other"))
	assert.Equal(t, "place team title on", fieldNames(o.Ident().Class()))
	assert.Equal(t, []Value{Number(3), String("north"), Bool(true)}, []Value{field(o, "team"), field(o, "title"), field(o, "on")})
}

func fieldNames(c *Class) string {
	var names []string
	for _, f := range c.AllFields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// lifecycleObject is a Lifecycle that counts its visits.
type lifecycleObject struct {
	NetObject
	entered, left int
	mood          int
}

func (g *lifecycleObject) Entered() { g.entered++ }
func (g *lifecycleObject) Left()    { g.left++ }

// guestWorld returns a world with a class of another Go type than Thing, with a field of the same
// name.
func guestWorld(t testing.TB) *World {
	cs := testClasses(t)
	require.NoError(t, cs.Register(Class{Name: "Guest", Parent: "NetObject", New: func() Object { return new(lifecycleObject) }, Fields: []Field{
		IntField("slot", 1, 0, 31, func(g *lifecycleObject) *int { return &g.mood }),
	}}))
	require.NoError(t, cs.Register(Class{Name: "Clock", Parent: "NetObject", New: func() Object { return new(tickerA) }}))
	require.NoError(t, cs.Register(Class{Name: "Alarm", Parent: "NetObject", New: func() Object { return new(tickerB) }}))
	w := NewWorld(cs.Session())
	declare(t, w, "ThingData", "plain", "")
	return w
}

// TestRedeclareWithOtherGoType checks a class with a new parent of another Go type. Its object
// keeps id, name and groups.
func TestRedeclareWithOtherGoType(t *testing.T) {
	w := guestWorld(t)
	declared(t, w.classes, spec("Flag", "Thing", teamSpec))
	declared(t, w.classes, spec("Watcher", "", carrierSpec, FieldSpec{Name: "flag", Kind: KindObject, Class: "Thing"}))
	was := make1(t, w, "Flag", row{"dataBlock", String("plain")}, row{"slot", Number(7)}, row{"team", Number(3)}, row{"label", String("x")})
	was.Ident().SetNumber(4)
	require.NoError(t, was.Ident().SetName("red"))
	before, after := make1(t, w, "SimObject").(*SimObject), make1(t, w, "SimSet").(*Set)
	g := make1(t, w, "SimGroup").(*Group)
	for _, o := range []Object{before, was, after} {
		require.NoError(t, g.Add(o))
	}
	require.NoError(t, after.Add(was))
	watcher := make1(t, w, "Watcher", row{"carrier", Handle(was.Ident().ID())}, row{"flag", Handle(was.Ident().ID())})
	w.Emit(was, "onCollision")
	var moves []Object
	w.OnClassChanged = func(was, is Object) { moves = append(moves, was, is) }
	w.OnRemoved = func(o Object) { assert.Fail(t, "removed", o.Ident()) }

	anew(t, w, spec("Flag", "Guest", teamSpec))
	is := w.Find(was.Ident().ID())
	require.IsType(t, new(lifecycleObject), is)
	assert.Equal(t, []Object{was, is}, moves)
	assert.True(t, was.Ident().Dead())
	assert.Equal(t, []int{1, 0, 7}, []int{is.(*lifecycleObject).entered, is.(*lifecycleObject).left, is.(*lifecycleObject).mood})
	assert.Equal(t, Number(3), field(is, "team"))
	assert.Equal(t, uint32(4), is.Ident().Number())
	assert.Zero(t, was.Ident().Number())
	assert.Same(t, is, w.FindName("RED"))
	assert.Equal(t, []Object{before, is, after}, g.Members(nil))
	assert.True(t, after.Has(is))
	assert.False(t, after.Has(was))
	assert.Equal(t, []Value{Handle(is.Ident().ID()), Nil()}, []Value{field(watcher, "carrier"), field(watcher, "flag")}, "a Guest is no Thing")
	told := 0
	w.Deliver(func(o Object, name string, _ []Value) bool {
		told++
		return assert.Same(t, is, o)
	})
	assert.Equal(t, 1, told)
	w.Tick(1)
	assert.Empty(t, was.(*testObject).ticks, "it ticks no more")
	seen := 0
	w.Each(nil, func(o Object) bool {
		seen++
		assert.NotSame(t, was, o)
		return true
	})
	assert.Equal(t, w.Len(), seen)

	w.OnClassChanged = nil
	anew(t, w, spec("Flag", "NetObject", teamSpec))
	assert.Equal(t, 1, is.(*lifecycleObject).left)
	assert.Equal(t, Number(3), field(w.Find(is.Ident().ID()), "team"))
	w.OnRemoved = nil
	require.NoError(t, w.Delete(g))
	w.Sweep()
	assert.Nil(t, w.FindName("red"))
	w.TakeMarks(func(o Object, _ uint32) { assert.False(t, o.Ident().Dead()) })
}

// TestRedeclareTicks checks that an object whose new Go type has ticks gets them, in the order of
// ids.
func TestRedeclareTicks(t *testing.T) {
	w := guestWorld(t)
	declared(t, w.classes, spec("Flag", "Guest"))
	first, flag, last := make1(t, w, "Clock"), make1(t, w, "Flag"), make1(t, w, "Clock")
	id := flag.Ident().ID()
	tick := func() (order []ID) {
		ticked = nil
		w.Tick(1)
		for _, c := range ticked {
			order = append(order, c.Ident().ID())
		}
		return order
	}
	assert.Equal(t, []ID{first.Ident().ID(), last.Ident().ID()}, tick())
	anew(t, w, spec("Flag", "Clock", teamSpec))
	assert.Equal(t, []ID{first.Ident().ID(), id, last.Ident().ID()}, tick())
	anew(t, w, spec("Flag", "Alarm", teamSpec))
	require.IsType(t, new(tickerB), w.Find(id))
	assert.Equal(t, []ID{first.Ident().ID(), id, last.Ident().ID()}, tick())
	anew(t, w, spec("Flag", "", teamSpec))
	assert.Equal(t, []ID{first.Ident().ID(), last.Ident().ID()}, tick())
}

// tickerA and alarm have ticks.
type tickerA struct{ NetObject }
type tickerB struct{ NetObject }

var ticked []Object

func (c *tickerA) Tick(uint64) { ticked = append(ticked, c) }
func (a *tickerB) Tick(uint64) { ticked = append(ticked, a) }

// TestObjectWithoutRequiredDatablockIsDeleted checks a class description by a peer that adds a
// required datablock. Local objects without one are deleted.
func TestObjectWithoutRequiredDatablockIsDeleted(t *testing.T) {
	far, w := session(t), NewWorld(session(t))
	describe := func(c *Class) {
		require.NoError(t, func() error { _, err := unpackClass(w.classes, packClass(t, far, c)); return err }())
	}
	describe(declared(t, far, spec("Flag", "", teamSpec)))
	o := make1(t, w, "Flag")
	far.Lookup("Flag").DataBlock = "ThingData" // lets Redeclare accept it
	c, err := far.Redeclare(spec("Flag", "Thing", teamSpec))
	require.NoError(t, err)
	describe(c)
	w.Begin().Commit()
	assert.Nil(t, w.Find(o.Ident().ID()))
}

// TestRedescribedClass checks that a client has the classes of its server by wire id, and the last
// described one by name.
func TestRedescribedClass(t *testing.T) {
	far, near := session(t), session(t)
	w := NewWorld(near)
	tell := func(c *Class, err error) *Class {
		require.NoError(t, err)
		got, err := unpackClass(near, packClass(t, far, c))
		require.NoError(t, err)
		requireSameClass(t, c, got)
		require.Same(t, got, near.Lookup(c.Name))
		return got
	}
	first := tell(far.Declare(spec("Flag", "", teamSpec)))
	tell(far.Declare(spec("Banner", "Flag", textSpec)))
	ghost := w.Make(first)
	ghost.Ident().SetGhost(true)
	w.Add(ghost)
	second := tell(far.Redeclare(spec("Flag", "", onSpec, teamSpec)))
	banner := tell(far.Lookup("Banner"), nil)
	assert.Same(t, second, banner.ParentClass(), "heirs are described after what they inherit from")
	assert.Same(t, first, ghost.Ident().Class(), "until its kill comes")
	require.NoError(t, setter(row{"team", Number(2)})(ghost))
	for i := 0; len(near.wire)+2 <= 1<<classBits; i++ {
		tell(far.Redeclare(spec("Flag", "", []FieldSpec{teamSpec, onSpec}[i%2], exactSpec)))
		tell(far.Lookup("Banner"), nil)
	}
	if len(near.wire) < 1<<classBits {
		tell(far.Redeclare(spec("Banner", "Flag", onSpec)))
	}
	_, err := unpackClass(near, packClass(t, far, far.Lookup("Banner")))
	require.Error(t, err)
	require.Len(t, near.wire, 1<<classBits)

	near.ClearDeclared()
	assert.Equal(t, session(t).names(), near.names())
	own, err := near.Declare(spec("Flag", "", textSpec))
	require.NoError(t, err)
	before := len(near.wire)
	next := session(t)
	declared(t, next, spec("Other", ""))
	c, err := next.Declare(spec("Flag", "", teamSpec))
	require.NoError(t, err)
	_, err = unpackClass(near, packClass(t, next, c))
	require.EqualError(t, err, "class Flag cannot be declared at the server: it is already declared at flag.lua:1", "what is declared here no peer changes")
	require.Len(t, near.wire, before)
	require.Same(t, own, near.Lookup("Flag"))
}

// FuzzUnpackClassAnew decodes random descriptions on a client that already has a class and a
// derived class.
func FuzzUnpackClassAnew(f *testing.F) {
	far := session(f)
	known := [][]byte{
		packClass(f, far, declared(f, far, spec("Flag", "", teamSpec, carrierSpec))),
		packClass(f, far, declared(f, far, spec("Banner", "Flag", textSpec))),
	}
	for _, s := range []ClassSpec{spec("Flag", "", onSpec), spec("Banner", "", onSpec), spec("Banner", "Thing", teamSpec), everyKind()} {
		next := session(f)
		declared(f, next, spec("Flag", "", teamSpec, carrierSpec))
		declared(f, next, spec("Banner", "Flag"))
		c, err := next.Redeclare(s)
		if err == nil {
			f.Add(packClass(f, next, c))
		}
	}
	base := testClasses(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		w := NewWorld(base.Session())
		for _, d := range known {
			_, err := unpackClass(w.classes, d)
			require.NoError(t, err)
		}
		old := make1(t, w, "Banner", row{"team", Number(2)}, row{"title", String("x")})
		before := worldState(w, w.next)
		c, err := unpackClass(w.classes, b)
		if err != nil {
			require.Equal(t, before, worldState(w, w.next))
			return
		}
		require.Same(t, c, w.classes.Lookup(c.Name))
		require.Equal(t, len(w.classes.wire)-1, c.wire)
		require.Equal(t, Number(2), field(old, "team"))
		w.Begin().Commit()
		if o := w.Find(old.Ident().ID()); o != nil {
			require.Same(t, w.classes.Lookup("Banner"), o.Ident().Class())
			for _, f := range o.Ident().Class().AllFields() {
				_, err := f.accept(o, f.Get(o))
				require.NoError(t, err)
			}
		}
	})
}
