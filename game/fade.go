package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// The limits of fades and skins.
const (
	maxFadeTicks = 127   // of a fade, about 4 s
	maxFadeDelay = 60000 // ms before a fade
	maxSkin      = 16    // bytes

	fadeBits = 4

	cloakFade  = 0.9 // of a cloaked shape
	cloakTicks = 16  // until it is cloaked, about 0.5 s
)

// fading is how far an object has faded, and what a ghost needs to show a change over some time.
type fading struct {
	fade  float64 // 0: visible, 1: invisible. During a fade, its end
	ticks int     // for which ghosts show a change of fade

	waits int     // ticks until next begins, only on the server; 0: none waits
	next  float64 // the fade after that
	span  int     // its ticks

	from, to float64 // of a ghost: the change that it shows
	changed  uint64  // the tick in which the change began
	takes    int     // the ticks that the change takes
}

// The groups of the fields of a fade, in classes that have no other group that changes as rarely. A
// group with the rotation or the size would take from these the short form of smooth numbers.
const (
	itemFadeGroup = turnGroup + 1
	boxFadeGroup  = sizeGroup + 1
)

// A fader is an object that can fade.
type fader interface {
	sceneObject
	fades() (f *fading, group uint8) // the group has the fields of the fade
}

func (s *ShapeBase) fades() (*fading, uint8) { return &s.fading, nameGroup }
func (i *Item) fades() (*fading, uint8)      { return &i.fading, itemFadeGroup }
func (b *Box) fades() (*fading, uint8)       { return &b.fading, boxFadeGroup }

// ShownFade returns how far the shape has faded to the eye, 0 (visible) to 1 (invisible).
func (s *ShapeBase) ShownFade() float64 { return s.fading.shown(&s.SceneObject) }

// ShownFade is that of a ShapeBase.
func (i *Item) ShownFade() float64 { return i.fading.shown(&i.SceneObject) }

// ShownFade is that of a ShapeBase.
func (b *Box) ShownFade() float64 { return b.fading.shown(&b.SceneObject) }

// setFade begins a fade to a value, 0 to 1, and forgets one that waits.
func setFade(o fader, to float64, ticks int) {
	f, group := o.fades()
	f.waits = 0
	if f.fade != to || f.ticks != ticks {
		f.fade, f.ticks = to, ticks
		o.scene().Mark(1 << group)
	}
}

// tickFade begins a fade whose delay is over.
func tickFade(o fader) {
	f, _ := o.fades()
	if f.waits == 0 {
		return
	}
	if f.waits--; f.waits == 0 {
		setFade(o, f.next, f.span)
	}
}

// entered shows an object that enters a world without a change.
func (f *fading) entered() { f.to, f.takes = f.fade, 0 }

// received notes on a ghost that a fade begins.
func (f *fading) received(of *SceneObject) {
	if f.fade != f.to {
		f.from = f.shown(of)
		f.to, f.takes = f.fade, f.ticks
		f.changed = of.World().TickNumber()
	}
}

// shown returns how far an object has faded to the eye.
func (f *fading) shown(of *SceneObject) float64 {
	now := of.World().TickNumber()
	switch {
	case !of.IsGhost():
		return f.fade
	case now < f.changed || now-f.changed >= uint64(f.takes): // a demo can go back
		return f.to
	}
	return f.from + float64(float64((f.to-f.from)*float64(now-f.changed))/float64(f.takes))
}

// fadeTicks returns the ticks of a number of ms.
func fadeTicks(ms float64) int { return int(math.Round(ms / sim.TickMs)) }

var fadeMethods = []sim.Method{
	{Name: "startFade", Params: "ms: number, delay: number, out: boolean", Doc: "fades the object out, or in again, within up to 4064 ms, after a delay of up to 60000 ms", Do: startFadeMethod},
	{Name: "setCloaked", Params: "on: boolean", Doc: "makes the object nearly invisible, or visible again, within half a second", Do: setCloakedMethod},
}

var skinMethods = []sim.Method{
	{Name: "setSkinName", Params: "skin: string", Doc: "chooses its skin: the elements of its look with this name as when are shown. A name has at most 16 bytes. An empty one is the skin base", Do: setSkinMethod},
}

func startFadeMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	span, delay := fadeTicks(a.number("ms", 0, maxFadeTicks*sim.TickMs)), fadeTicks(a.number("delay", 0, maxFadeDelay))
	to := a.flag("out")
	if a.err != nil {
		return nil, a.err
	}
	if delay == 0 {
		setFade(o.(fader), to, span)
		return nil, nil
	}
	f, _ := o.(fader).fades()
	f.waits, f.next, f.span = delay, to, span
	return nil, nil
}

func setCloakedMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	on := a.flag("on")
	if a.err == nil {
		setFade(o.(fader), float64(cloakFade*on), cloakTicks)
	}
	return nil, a.err
}

func setSkinMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	skin := a.text("skin", maxSkin)
	if a.err != nil {
		return nil, a.err
	}
	return nil, o.Ident().SetField("skin", sim.String(skin))
}

// flag reads a boolean, as 1 for true and 0 for false.
func (a *args) flag(name string) float64 {
	v := a.value()
	if v.Kind() != sim.KindBool {
		a.fail(name, "a boolean", v)
	}
	if v.Bool() {
		return 1
	}
	return 0
}

// In a ShapeBase, the fields of the appearance share the group of the name: they change as rarely,
// and a group of their own would cost every update a bit.

func fadeField(group uint8) sim.Field {
	return sim.FloatField("fade", group, 0, 1, func(o fader) *float64 { f, _ := o.fades(); return &f.fade }).
		WithBits(fadeBits).WithDoc("how far it has faded: 0 is visible, 1 is invisible. During a fade, the value at its end")
}

func fadeTicksField(group uint8) sim.Field {
	return sim.IntField("fadeTicks", group, 0, maxFadeTicks, func(o fader) *int { f, _ := o.fades(); return &f.ticks }).
		WithDoc("the ticks for which clients show a change of fade")
}

func skinField() sim.Field {
	return sim.TextField("skin", nameGroup, maxSkin, func(s shape) *string { return &s.base().skin }).
		WithDoc("its skin: the elements of its look with this name as when are shown. An empty name is the skin base")
}
