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

// fadeState is the skin of a shape, how far it has faded, and what a ghost needs to show a change
// over some time.
type fadeState struct {
	fade  float64 // 0: visible, 1: invisible. During a fade, its end
	ticks int     // for which ghosts show a change of fade
	skin  string

	waits int     // ticks until next begins, only on the server; 0: none waits
	next  float64 // the fade after that
	span  int     // its ticks

	from, to float64 // of a ghost: the change that it shows
	changed  uint64  // the tick in which the change began
	takes    int     // the ticks that the change takes
}

// setFade begins a fade to a value, 0 to 1, and forgets one that waits.
func (s *ShapeBase) setFade(to float64, ticks int) {
	s.appearance.waits = 0
	if s.appearance.fade != to || s.appearance.ticks != ticks {
		s.appearance.fade, s.appearance.ticks = to, ticks
		s.Mark(1 << nameGroup)
	}
}

// tickFade begins a fade whose delay is over.
func (s *ShapeBase) tickFade() {
	f := &s.appearance
	if f.waits == 0 {
		return
	}
	if f.waits--; f.waits == 0 {
		s.setFade(f.next, f.span)
	}
}

// receivedFade notes on a ghost that a fade begins.
func (s *ShapeBase) receivedFade() {
	f := &s.appearance
	if f.fade != f.to {
		f.from = s.ShownFade()
		f.to, f.takes = f.fade, f.ticks
		f.changed = s.World().TickNumber()
	}
}

// ShownFade returns how far the shape has faded to the eye, 0 (visible) to 1 (invisible).
func (s *ShapeBase) ShownFade() float64 {
	f, now := &s.appearance, s.World().TickNumber()
	switch {
	case !s.IsGhost():
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
	{Name: "setSkinName", Params: "skin: string", Doc: "chooses its skin: the elements of its look with this name as when are shown. A name has at most 16 bytes. An empty one is the skin base", Do: setSkinMethod},
}

func startFadeMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	span, delay := fadeTicks(a.number("ms", 0, maxFadeTicks*sim.TickMs)), fadeTicks(a.number("delay", 0, maxFadeDelay))
	to := a.flag("out")
	if a.err != nil {
		return nil, a.err
	}
	s := o.(shape).base()
	if delay == 0 {
		s.setFade(to, span)
		return nil, nil
	}
	f := &s.appearance
	f.waits, f.next, f.span = delay, to, span
	return nil, nil
}

func setCloakedMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	on := a.flag("on")
	if a.err == nil {
		o.(shape).base().setFade(float64(cloakFade*on), cloakTicks)
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

// The fields of the appearance share the group of the name: they change as rarely, and a group of
// their own would cost every update a bit.

func fadeField() sim.Field {
	return sim.FloatField("fade", nameGroup, 0, 1, func(s shape) *float64 { return &s.base().appearance.fade }).
		WithBits(fadeBits).WithDoc("how far it has faded: 0 is visible, 1 is invisible. During a fade, the value at its end")
}

func fadeTicksField() sim.Field {
	return sim.IntField("fadeTicks", nameGroup, 0, maxFadeTicks, func(s shape) *int { return &s.base().appearance.ticks }).
		WithDoc("the ticks for which clients show a change of fade")
}

func skinField() sim.Field {
	return sim.TextField("skin", nameGroup, maxSkin, func(s shape) *string { return &s.base().appearance.skin }).
		WithDoc("its skin: the elements of its look with this name as when are shown. An empty name is the skin base")
}
