package scene_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
)

// hull has the names and fields of the game's classes.
type hull struct {
	sim.NetObject
	at             sim.Place
	block          sim.BlockRef
	team           int
	name, shape    string
	text           string
	mount          sim.ID
	damage, energy float64
	gone           bool
	destroyed      bool
	jets           bool
	state          string
	image          sim.BlockRef
	imageState     int
	skin           string
	fade           float64
}

func (h *hull) ShownFade() float64 { return h.fade }

func (h *hull) Place() sim.Place { return h.at }

type hullData struct {
	sim.Block
	damage, energy, reach float64
	shape, look           string
	size                  sim.Vec3
}

// classes are hulls with the class names of the game, and classes that the reader has never heard
// of.
func classes() []sim.Class {
	one := func(name, parent string) sim.Class {
		return sim.Class{Name: name, Parent: parent, Kind: sim.NetClass, New: func() sim.Object { return new(hull) }}
	}
	base := one("ShapeBase", "NetObject")
	base.Fields = []sim.Field{
		sim.BlockField("dataBlock", 0, "HullData", func(h *hull) *sim.BlockRef { return &h.block }),
		sim.IntField("team", 1, 0, 15, func(h *hull) *int { return &h.team }),
		sim.TextField("shapeName", 2, 24, func(h *hull) *string { return &h.name }),
		sim.RefField("mount", 3, "ShapeBase", func(h *hull) *sim.ID { return &h.mount }),
		sim.FloatField("damageLevel", 4, 0, 1e6, func(h *hull) *float64 { return &h.damage }),
		sim.FloatField("energy", 5, 0, 1e6, func(h *hull) *float64 { return &h.energy }),
		sim.BoolField("exploded", 6, func(h *hull) *bool { return &h.gone }),
		sim.TextField("shape", 7, 24, func(h *hull) *string { return &h.shape }),
		sim.TextField("text", 12, 24, func(h *hull) *string { return &h.text }),
		sim.TextField("state", 8, 24, func(h *hull) *string { return &h.state }),
		sim.BoolField("destroyed", 10, func(h *hull) *bool { return &h.destroyed }),
		sim.BoolField("jetting", 11, func(h *hull) *bool { return &h.jets }),
		sim.BlockField("image0", 9, "HullData", func(h *hull) *sim.BlockRef { return &h.image }),
		sim.IntField("imageState0", 13, 0, 7, func(h *hull) *int { return &h.imageState }),
	}
	data := sim.Class{Name: "HullData", Parent: "SimDataBlock", Kind: sim.BlockClass, New: func() sim.Object { return new(hullData) }, Fields: []sim.Field{
		sim.FloatField("maxDamage", 0, 0, 1e6, func(d *hullData) *float64 { return &d.damage }),
		sim.FloatField("maxEnergy", 0, 0, 1e6, func(d *hullData) *float64 { return &d.energy }),
		sim.FloatField("damageRadius", 0, 0, 1e6, func(d *hullData) *float64 { return &d.reach }),
		sim.TextField("shape", 0, 24, func(d *hullData) *string { return &d.shape }),
		sim.VecField("size", 0, 1e6, func(d *hullData) *sim.Vec3 { return &d.size }),
		sim.TextField("look", 0, look.MaxText, func(d *hullData) *string { return &d.look }),
	}}
	odd := sim.Class{Name: "Odd", Parent: "NetObject", Kind: sim.NetClass, New: func() sim.Object { return new(hull) }, Fields: []sim.Field{
		sim.TextField("dataBlock", 0, 24, func(h *hull) *string { return &h.name }),
		sim.TextField("team", 0, 24, func(h *hull) *string { return &h.name }),
		sim.IntField("shape", 0, 0, 15, func(h *hull) *int { return &h.team }),
	}}
	bare := one("Bare", "NetObject")
	bare.Fields = []sim.Field{
		sim.TextField("shape", 0, 24, func(h *hull) *string { return &h.shape }),
		sim.FloatField("damageLevel", 1, 0, 1e6, func(h *hull) *float64 { return &h.damage }),
	}
	list := []sim.Class{data, base, odd, bare}
	for _, name := range []string{"Player", "Vehicle", "Item", "Projectile", "Marker", "WayPoint", "Crystal"} {
		list = append(list, one(name, "ShapeBase"))
	}
	statue := one("StaticShape", "ShapeBase")
	statue.Fields = []sim.Field{sim.TextField("skin", 14, 16, func(h *hull) *string { return &h.skin })}
	return append(list, statue, one("Flag", "Item"), one("Medic", "Player"))
}

type world struct {
	*sim.World
	t     testing.TB
	block sim.Object
}

func newWorld(t testing.TB) *world {
	t.Helper()
	all := sim.NewClasses()
	for _, c := range classes() {
		require.NoError(t, all.Register(c))
	}
	w := &world{World: sim.NewWorld(all), t: t}
	block, _, err := w.Blocks.Declare("HullData", "Hull", "", func(o sim.Object) error {
		*o.(*hullData) = hullData{Block: o.(*hullData).Block, damage: 100, energy: 50, reach: 8, shape: "hull", size: sim.Vec3{X: 1, Y: 2, Z: 3}}
		return nil
	})
	require.NoError(t, err)
	w.block = block
	return w
}

// adds makes an object of a class, with a datablock if the class has one.
func (w *world) adds(class string, change func(h *hull)) *hull {
	w.t.Helper()
	o, err := w.New(class, func(o sim.Object) error {
		if f := o.Ident().Class().Lookup("dataBlock"); f != nil && f.Kind == sim.KindObject {
			require.NoError(w.t, f.Set(o, sim.Handle(w.block.Ident().ID())))
		}
		change(o.(*hull))
		return nil
	})
	require.NoError(w.t, err)
	return o.(*hull)
}

func none(*hull) {}

func TestThingHasTheValuesOfObjectAndDatablock(t *testing.T) {
	w := newWorld(t)
	ride := w.adds("Vehicle", none)
	own := w.adds("Medic", func(h *hull) {
		h.at = sim.Place{Position: sim.Vec3{X: 5}, Velocity: sim.Vec3{Y: 2}, Rotation: sim.Rot{Yaw: 90}}
		h.team, h.damage, h.energy, h.name, h.mount = 3, 40, 25, "Me\x1b", ride.ID()
	})
	things := scene.NewReader(w.World).Read(nil, own, 0, 0)
	require.Len(t, things, 2)
	assert.Equal(t, look.Stock("Player"), things[1].Look)
	things[1].Look = nil
	assert.Equal(t, scene.Thing{
		ID: own.ID(), Kind: scene.Person, Place: own.at, Size: sim.Vec3{X: 1, Y: 2, Z: 3}, Team: 3, Name: "Me\x1b", Shape: "hull",
		Health: 0.6, Energy: 0.5, Mount: ride.ID(), Own: true, States: look.Up | look.Moving,
	}, things[1])
	assert.False(t, things[0].Own)
}

func TestKindsFollowAncestorsAndShapes(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		class string
		shape string
		want  scene.Kind
	}{
		{"Player", "", scene.Person}, {"Medic", "", scene.Person}, {"Flag", "", scene.Banner}, {"Marker", "post", scene.Unseen}, {"WayPoint", "post", scene.Waypoint},
		{"Crystal", "", scene.Structure}, {"Bare", "crystal", scene.Structure}, {"Bare", "", scene.Unseen},
	} {
		o := w.adds(c.class, func(h *hull) { h.shape = c.shape })
		things := scene.NewReader(w.World).Read(nil, nil, 0, 0)
		if c.want == scene.Unseen {
			assert.Empty(t, things, "%+v", c)
		} else if assert.Len(t, things, 1, "%+v", c) {
			assert.Equal(t, c.want, things[0].Kind, "%+v", c)
		}
		require.NoError(t, w.Delete(o))
	}
}

// TestWayPointsShowTheirText: the text of any other class is not its name.
func TestWayPointsShowTheirText(t *testing.T) {
	w := newWorld(t)
	for _, class := range []string{"WayPoint", "Item"} {
		w.adds(class, func(h *hull) { h.text, h.name, h.shape = "the ford", "", "post" })
	}
	things := scene.NewReader(w.World).Read(nil, nil, 0, 0)
	require.Len(t, things, 2)
	assert.Equal(t, []string{"the ford", ""}, []string{things[0].Name, things[1].Name})
}

// TestFieldsOfOtherTypesAreIgnored: a server can describe a field of any type under any name.
func TestFieldsOfOtherTypesAreIgnored(t *testing.T) {
	w := newWorld(t)
	odd := w.adds("Odd", func(h *hull) { h.name, h.team = "text", 7 })
	thing, ok := scene.NewReader(w.World).Thing(odd, 0)
	require.True(t, ok)
	assert.Equal(t, scene.Thing{ID: odd.ID(), Health: -1, Energy: -1, States: look.Up | look.Still}, thing)
}

func TestDestroyedThingIsDown(t *testing.T) {
	w := newWorld(t)
	o := w.adds("Player", func(h *hull) { h.damage = 100 })
	thing, _ := scene.NewReader(w.World).Thing(o, 0)
	assert.True(t, thing.Down())
	o.damage = 99
	thing, _ = scene.NewReader(w.World).Thing(o, 0)
	assert.False(t, thing.Down())
	without, _ := scene.NewReader(w.World).Thing(w.adds("Bare", none), 0)
	assert.False(t, without.Down(), "without a datablock nothing is known about its health")
}

func TestBurstIsShownOnceFromBeginningToEnd(t *testing.T) {
	w := newWorld(t)
	shot := w.adds("Projectile", func(h *hull) { h.gone, h.at.Position.X = true, 4 })
	r := scene.NewReader(w.World)
	see := func(at time.Duration) []scene.Thing { return r.Read(nil, nil, 0, at) }
	want := scene.Thing{ID: shot.ID(), Kind: scene.Burst, Place: sim.Place{Position: sim.Vec3{X: 4}}, Size: sim.Vec3{X: 8}, Health: -1, Energy: -1,
		Look: look.Stock("Projectile"), States: look.Explodes}
	assert.Equal(t, []scene.Thing{want}, see(0))
	want.Age = 0.5
	assert.Equal(t, []scene.Thing{want}, see(scene.BurstTime/2))
	assert.Empty(t, see(scene.BurstTime))
	assert.Empty(t, see(scene.BurstTime+1), "its projectile is still there")
}

func TestMoveUpdatesPlacesAndBursts(t *testing.T) {
	w := newWorld(t)
	w.adds("Projectile", func(h *hull) { h.gone = true })
	o := w.adds("Player", func(h *hull) { h.name = "Ann" })
	gone := w.adds("Player", none)
	r := scene.NewReader(w.World)
	things := r.Read(nil, o, 0, 0)
	o.at.Position.X = 7
	require.NoError(t, w.Delete(gone))
	things = r.Move(things, 0, scene.BurstTime/2)
	require.Len(t, things, 3, "what is gone stays until the next tick")
	assert.Equal(t, 7.0, things[0].Position.X)
	assert.True(t, things[0].Own && things[0].Name == "Ann")
	assert.Equal(t, 0.5, things[2].Age)
	assert.Len(t, r.Move(things, 0, scene.BurstTime), 2)
	assert.Len(t, r.Read(things[:0], o, 0, scene.BurstTime), 1)
}

func TestBurstsAreBounded(t *testing.T) {
	w := newWorld(t)
	for range 1000 {
		w.adds("Projectile", func(h *hull) { h.gone = true })
	}
	assert.Len(t, scene.NewReader(w.World).Read(nil, nil, 0, 0), 64)
}

// pyramid is a look that no class has by itself.
var pyramid = look.New(look.Element{Kind: look.Cone, Size: sim.Vec3{X: 2, Y: 2, Z: 3}, Color: 0xff00c8})

// redesign gives the datablock of w another look.
func (w *world) redesign(text string) {
	_, _, err := w.Blocks.Declare("HullData", "Hull", "", func(o sim.Object) error { o.(*hullData).look = text; return nil })
	require.NoError(w.t, err)
}

// TestLooksComeFromDatablocks: a thing has the look of its datablock, from the next Read after a
// change.
func TestLooksComeFromDatablocks(t *testing.T) {
	w := newWorld(t)
	w.adds("Player", none)
	w.adds("Crystal", none)
	r := scene.NewReader(w.World)
	read := func() []scene.Thing { return r.Read(nil, nil, 0, 0) }
	assert.Equal(t, look.Stock("StaticShape"), read()[1].Look, "the class is unknown")
	for _, text := range []string{pyramid.Text(), look.New().Text()} {
		w.redesign(text)
		for _, thing := range read() {
			assert.Equal(t, text, thing.Look.Text())
		}
	}
	w.redesign("no look")
	assert.Equal(t, look.Stock("Player"), read()[0].Look)
}

// TestUnknownClassIsDrawnByItsLook: it has no stock class and no shape.
func TestUnknownClassIsDrawnByItsLook(t *testing.T) {
	w := newWorld(t)
	w.redesign(pyramid.Text())
	w.block.(*hullData).shape = ""
	w.adds("Crystal", none)
	things := scene.NewReader(w.World).Read(nil, nil, 0, 0)
	require.Len(t, things, 1)
	assert.Equal(t, scene.Structure, things[0].Kind)
	assert.Equal(t, pyramid, things[0].Look)
}

func TestPlayerHoldsTheLookOfItsImage(t *testing.T) {
	w := newWorld(t)
	w.redesign(pyramid.Text())
	w.adds("Player", func(h *hull) { h.image = w.block.(sim.Datablock).Data().Ref() })
	w.adds("Vehicle", func(h *hull) { h.image = w.block.(sim.Datablock).Data().Ref() })
	things := scene.NewReader(w.World).Read(nil, nil, 0, 0)
	assert.Equal(t, pyramid, things[0].Held)
	assert.Nil(t, things[1].Held)
}

func TestStates(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		class  string
		change func(h *hull)
		want   look.State
	}{
		{"Player", none, look.Up | look.Still},
		{"Player", func(h *hull) { h.at.Velocity.X = 3 }, look.Up | look.Moving},
		{"Player", func(h *hull) { h.jets = true }, look.Up | look.Still | look.Jets},
		{"Player", func(h *hull) { h.jets, h.destroyed = true, true }, look.Down | look.Still},
		{"Player", func(h *hull) { h.damage = 70 }, look.Up | look.Still | look.Hurt},
		{"Player", func(h *hull) { h.damage, h.at.Velocity.Z = 100, 3 }, look.Down | look.Moving},
		{"Vehicle", func(h *hull) { h.at.Velocity.Z = 3 }, look.Up | look.Moving},
	} {
		o := w.adds(c.class, c.change)
		o.state = "open"
		thing, ok := scene.NewReader(w.World).Thing(o, 0)
		require.True(t, ok)
		assert.Equal(t, c.want, thing.States, "%+v", o)
		assert.Equal(t, "open", thing.State)
	}
}

// TestStatesOfTheImage: an object without an image has none of these states, and neither has one
// with a state that a newer server knows.
func TestStatesOfTheImage(t *testing.T) {
	w := newWorld(t)
	data := w.block.(sim.Datablock).Data().Ref()
	for state, want := range []look.State{look.Ready, look.Fire, look.Reload, look.Prepare, 0} {
		for _, class := range []string{"Player", "Vehicle"} {
			armed := w.adds(class, func(h *hull) { h.image, h.imageState = data, state })
			thing, ok := scene.NewReader(w.World).Thing(armed, 0)
			require.True(t, ok)
			assert.Equal(t, look.Up|look.Still|want, thing.States)
		}
		bare := w.adds("Player", func(h *hull) { h.imageState = state })
		thing, ok := scene.NewReader(w.World).Thing(bare, 0)
		require.True(t, ok)
		assert.Equal(t, look.Up|look.Still, thing.States)
	}
}

// TestSkinIsAState checks that the skin of an object is its state for looks, unless its class has a
// state of its own, and that a thing has the fade of its object.
func TestSkinIsAState(t *testing.T) {
	w := newWorld(t)
	plain := w.adds("StaticShape", none)
	gold := w.adds("StaticShape", func(h *hull) { h.skin, h.fade = "gold", 0.25 })
	open := w.adds("StaticShape", func(h *hull) { h.skin, h.state = "gold", "open" })
	player := w.adds("Player", none)
	states := map[sim.ID]string{}
	for _, thing := range scene.NewReader(w.World).Read(nil, nil, 0, 0) {
		states[thing.ID] = thing.State
		if thing.ID == gold.ID() {
			assert.InDelta(t, 0.25, thing.Fade, 0)
		}
	}
	assert.Equal(t, map[sim.ID]string{plain.ID(): "base", gold.ID(): "gold", open.ID(): "open", player.ID(): ""}, states)
}

// TestDifferentLooksAreBounded: a server can change a look as often as it likes.
func TestDifferentLooksAreBounded(t *testing.T) {
	w := newWorld(t)
	w.adds("Player", none)
	r := scene.NewReader(w.World)
	for i := range 3000 {
		text := look.New(look.Element{Kind: look.Label, Width: 1, Text: strconv.Itoa(i)}).Text()
		w.redesign(text)
		require.Equal(t, text, r.Read(nil, nil, 0, 0)[0].Look.Text())
	}
	assert.LessOrEqual(t, scene.Decoded(r), 1024)
}

func float(w uint32) float64 { return float64(math.Float32frombits(w)) }

func TestSlabHasEveryValueInItsWord(t *testing.T) {
	s := scene.NewSlab()
	s.Fill([]scene.Thing{{}, {
		ID: 7, Kind: scene.Ride, Team: 2, Mount: 9, Own: true, Name: "Bob", Shape: "tank", Age: 0.5, Fade: 0.75, Health: 0, Energy: 0.25,
		Size: sim.Vec3{X: 13, Y: 14, Z: 15}, States: look.Up | look.Moving, State: "open", Look: pyramid, Held: look.Stock("Item"),
		Place: sim.Place{Position: sim.Vec3{X: 4, Y: 5, Z: 6}, Rotation: sim.Rot{Yaw: 7, Pitch: 8, Roll: 9},
			Velocity: sim.Vec3{X: 10, Y: 11, Z: 12}},
	}})
	require.Equal(t, 2, s.Rows)
	row := s.Words[scene.RowWords : 2*scene.RowWords]
	for i, want := range []uint32{7, uint32(scene.Ride), scene.FlagOwn | scene.FlagDown, 2} {
		assert.Equal(t, want, row[i])
	}
	for i := scene.WordPosition; i < scene.WordHealth; i++ {
		assert.Equal(t, float64(i), float(row[i]))
	}
	assert.Equal(t, []float64{0, 0.25, 0.5}, []float64{float(row[scene.WordHealth]), float(row[scene.WordEnergy]), float(row[scene.WordAge])})
	assert.InDelta(t, 0.75, float(row[scene.WordFade]), 0)
	assert.EqualValues(t, 9, row[scene.WordMount])
	assert.Equal(t, "Bob", s.Text(row[scene.WordName]))
	assert.Equal(t, "tank", s.Text(row[scene.WordShape]))
	assert.EqualValues(t, look.Up|look.Moving, row[scene.WordStates])
	assert.Equal(t, "open", s.Text(row[scene.WordState]))
	assert.Equal(t, pyramid.Text(), s.Text(row[scene.WordLook]))
	assert.Equal(t, look.Stock("Item").Text(), s.Text(row[scene.WordHeld]))
	assert.Zero(t, s.Words[scene.WordName])
	assert.Empty(t, s.Text(0)+s.Text(99))
}

func TestFullSlabKeepsTheOwnObject(t *testing.T) {
	things := make([]scene.Thing, scene.MaxRows+10)
	things[len(things)-2] = scene.Thing{ID: 42, Own: true}
	s := scene.NewSlab()
	s.Fill(things)
	assert.Equal(t, scene.MaxRows, s.Rows)
	assert.EqualValues(t, 42, s.Words[(scene.MaxRows-1)*scene.RowWords+scene.WordID])
}

// TestTextsAreBounded: a server that renames its objects all the time fills no memory.
func TestTextsAreBounded(t *testing.T) {
	s := scene.NewSlab()
	first := s.Edition
	for i := range 100_000 {
		s.Fill([]scene.Thing{{Name: strconv.Itoa(i)}})
		require.Equal(t, strconv.Itoa(i), s.Text(s.Words[scene.WordName]))
		require.LessOrEqual(t, s.Words[scene.WordName], uint32(8193))
	}
	assert.Greater(t, s.Edition, first)
}

func TestFramesDoNotAllocate(t *testing.T) {
	w := newWorld(t)
	for i := range 200 {
		w.adds("Player", func(h *hull) { h.at.Position.X, h.name = float64(i), "player "+strconv.Itoa(i%20) })
	}
	r, s := scene.NewReader(w.World), scene.NewSlab()
	things := r.Read(nil, nil, 0, 0)
	assert.Zero(t, testing.AllocsPerRun(50, func() {
		things = r.Read(things[:0], nil, 0.5, 0)
		s.Fill(things)
	}))
}

func TestSlabFollowsMoves(t *testing.T) {
	s := scene.NewSlab()
	things := []scene.Thing{{ID: 1, Name: "Bob", Health: 1}, {ID: 2, Kind: scene.Burst}}
	s.Fill(things)
	things[0].Position.X, things[1].Age = 7, 0.5
	s.Move(things)
	assert.Equal(t, 7.0, float(s.Words[scene.WordPosition]))
	assert.Equal(t, "Bob", s.Text(s.Words[scene.WordName]))
	assert.Equal(t, 0.5, float(s.Words[scene.RowWords+scene.WordAge]))
	s.Move(things[:1])
	assert.Equal(t, 1, s.Rows, "an explosion has ended")
}

func BenchmarkMove1000Things(b *testing.B) {
	w := newWorld(b)
	for i := range 1000 {
		w.adds("Player", func(h *hull) { h.at.Position.X = float64(i) })
	}
	r, s := scene.NewReader(w.World), scene.NewSlab()
	things := r.Read(nil, nil, 0, 0)
	for b.Loop() {
		things = r.Move(things, 0.5, 0)
		s.Move(things)
	}
}

func BenchmarkFrameOf1000Things(b *testing.B) {
	w := newWorld(b)
	for i := range 1000 {
		w.adds("Player", func(h *hull) { h.at.Position.X, h.name = float64(i), "player "+strconv.Itoa(i%64) })
	}
	r, s := scene.NewReader(w.World), scene.NewSlab()
	var things []scene.Thing
	for b.Loop() {
		things = r.Read(things[:0], nil, 0.5, 0)
		s.Fill(things)
	}
}
