package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// TriggerData is the datablock of Triggers: the values that all Triggers of one kind share.
type TriggerData struct {
	sim.Block
	tickPeriod int // milliseconds
}

// Trigger is an axis-aligned box that emits events when moving objects enter or leave it.
type Trigger struct {
	SceneObject
	data   sim.BlockRef
	size   sim.Vec3
	inside []sim.ID // ids of the objects inside, sorted
	found  []sim.ID // ids of the objects found in this tick
	wait   int      // milliseconds until the next onTickTrigger
}

// Data returns the datablock, or nil if it is missing.
func (t *Trigger) Data() *TriggerData {
	d, _ := sim.Part[*TriggerData](t.World().Blocks.At(t.data))
	return d
}

// Place returns the position and a radius that covers the box.
func (t *Trigger) Place() sim.Place {
	p := t.SceneObject.Place()
	p.Radius = t.size.Len()
	return p
}

// Tick finds the objects inside and emits onEnterTrigger and onLeaveTrigger for the changes. An
// object that was deleted inside also leaves.
func (t *Trigger) Tick(uint64) {
	d := t.Data()
	if d == nil {
		return
	}
	t.look()
	t.tell()
	t.inside, t.found = t.found, t.inside
	if t.wait -= sim.TickMs; t.wait <= 0 {
		t.wait = max(t.wait+d.tickPeriod, 0)
		if len(t.inside) > 0 {
			t.World().Emit(t, "onTickTrigger")
		}
	}
}

// look finds the objects inside.
func (t *Trigger) look() {
	t.found = t.found[:0]
	lo, hi := boxOnGround(t.size)
	lo, hi = t.position.Add(lo), t.position.Add(hi)
	half := hi.Sub(lo).Mul(0.5)
	s := spaceOf(t.World())
	for _, n := range s.near(lo.Add(half), half.Len()) {
		b := s.body(n)
		low, high := b.box()
		at := b.scene().position
		k := solidBox{lo: at.Add(low), hi: at.Add(high)}
		if isMoving(b) && b.Ident().Alive() && k.overlaps(lo, hi) {
			t.found = append(t.found, b.Ident().ID())
		}
	}
	slices.Sort(t.found)
}

// tell emits an event for each object that is in only one of the lists.
func (t *Trigger) tell() {
	was, is := t.inside, t.found
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0] < is[0]:
			t.World().Emit(t, "onLeaveTrigger", sim.Handle(was[0]))
			was = was[1:]
		case len(was) == 0 || is[0] < was[0]:
			t.World().Emit(t, "onEnterTrigger", sim.Handle(is[0]))
			is = is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
}

var triggerDataClass = sim.Class{
	Name: "TriggerData", Parent: "SimDataBlock", New: func() sim.Object { return &TriggerData{tickPeriod: 100} },
	Doc: "The data that Triggers of one kind share.",
	Fields: []sim.Field{
		sim.IntField("tickPeriod", constGroup, sim.TickMs, maxLifetime, func(d *TriggerData) *int { return &d.tickPeriod }).
			WithDoc("the time between two calls of onTickTrigger while an object is inside, in milliseconds"),
	},
}

var triggerClass = sim.Class{
	Name: "Trigger", Parent: "SceneObject", New: func() sim.Object { return &Trigger{size: sim.Vec3{X: 1, Y: 1, Z: 1}} },
	Doc: "An upright box that detects objects inside it. Its position is the centre of its base.",
	Events: []sim.EventDoc{
		{Name: "onEnterTrigger", Params: "obj: Object?", Doc: "an object has entered the trigger"},
		{Name: "onLeaveTrigger", Params: "obj: Object?", Doc: "an object has left the trigger"},
		{Name: "onTickTrigger", Doc: "runs every tickPeriod while an object is inside"},
	},
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "TriggerData", func(t *Trigger) *sim.BlockRef { return &t.data }).
			WithDoc("the datablock with the values shared by all objects of its kind"),
		sim.VecField("size", sizeGroup, maxBox, func(t *Trigger) *sim.Vec3 { return &t.size }).
			WithStep(1.0 / 64).WithDoc("width, depth and height in metres; a value below 0 counts as 0"),
	},
}
