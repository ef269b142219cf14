package look

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/torc-engine/torc/engine/sim"
)

// An attribute is a value that elements can have. Its number is its place in rows, and part of the
// format.
type attribute struct {
	name    string
	lo, hi  float64 // of a number, and of the components of a vector
	per     float64 // the precision: multiples in a unit
	unit    string
	choices []string
	at      func(*Element) any // *float64, *sim.Vec3, *sim.Rot, *bool, *string or *Color
	doc     string
}

// Images are the pictures of sprites. Waves are those of sounds. Motions are those of parts.
var (
	Images  = []string{"glow", "ring", "star", "flare", "cross", "arrow", "smoke", "dot"}
	Waves   = []string{"sine", "triangle", "square", "saw", "noise"}
	Motions = []string{"", "aim", "stride", "counterstride"}
)

// rows are all attributes. New ones come at the end.
var rows = []attribute{
	{name: "when", at: func(e *Element) any { return &e.When }, doc: "the state in which it is shown. Without one it is always shown"},
	{name: "at", lo: -100, hi: 100, per: 100, unit: "m", at: func(e *Element) any { return &e.At }, doc: "its place, from the object's position"},
	{name: "size", lo: 0.01, hi: 200, per: 100, unit: "m", at: func(e *Element) any { return &e.Size }, doc: "its size along X, Y and Z. One number is a size in all directions"},
	{name: "rotation", lo: -360, hi: 360, per: 10, unit: "degrees", at: func(e *Element) any { return &e.Rotation }, doc: "its rotation"},
	{name: "color", at: func(e *Element) any { return &e.Color }, doc: "its colour"},
	{name: "glow", lo: 0, hi: 4, per: 20, at: func(e *Element) any { return &e.Glow }, doc: "the strength of its own light. Above 0 it has no shadows"},
	{name: "spin", lo: -3600, hi: 3600, per: 1, unit: "degrees per second", at: func(e *Element) any { return &e.Spin }, doc: "how fast it turns around Z"},
	{name: "bob", lo: 0, hi: 10, per: 100, unit: "m", at: func(e *Element) any { return &e.Bob }, doc: "how far it moves up and down"},
	{name: "motion", choices: Motions, at: func(e *Element) any { return &e.Motion }, doc: "aim follows the pitch of the view; stride and counterstride swing with the steps"},
	{name: "pivot", lo: -100, hi: 100, per: 100, unit: "m", at: func(e *Element) any { return &e.Pivot }, doc: "the point around which its motion turns"},
	{name: "near", at: func(e *Element) any { return &e.Near }, doc: "left out further than 55 m away"},
	{name: "text", at: func(e *Element) any { return &e.Text }, doc: "its text"},
	{name: "size", lo: 0.01, hi: 50, per: 100, unit: "m", at: func(e *Element) any { return &e.Width }, doc: "its height or width. That of an explosion is a factor of the radius"},
	{name: "fixed", at: func(e *Element) any { return &e.Fixed }, doc: "it keeps its rotation instead of facing the viewer"},
	{name: "image", choices: Images, at: func(e *Element) any { return &e.Image }, doc: "its picture"},
	{name: "life", lo: 0.05, hi: 10, per: 20, unit: "s", at: func(e *Element) any { return &e.Life }, doc: "how long it is visible"},
	{name: "velocity", lo: -100, hi: 100, per: 10, unit: "m/s", at: func(e *Element) any { return &e.Velocity }, doc: "the velocity at the beginning, relative to the object"},
	{name: "spread", lo: 0, hi: 50, per: 10, unit: "m/s", at: func(e *Element) any { return &e.Spread }, doc: "how much the velocities differ"},
	{name: "rate", lo: 0, hi: 100, per: 1, unit: "per second", at: func(e *Element) any { return &e.Rate }, doc: "the number of particles"},
	{name: "fall", lo: -50, hi: 50, per: 10, unit: "m/s²", at: func(e *Element) any { return &e.Fall }, doc: "the acceleration downwards"},
	{name: "light", lo: 0, hi: 4, per: 20, at: func(e *Element) any { return &e.Light }, doc: "the strength of the light on its surroundings"},
	{name: "smoke", at: func(e *Element) any { return &e.Smoke }, doc: "smoke instead of light; an explosion has both"},
	{name: "wave", choices: Waves, at: func(e *Element) any { return &e.Wave }, doc: "the oscillator"},
	{name: "pitch", lo: 20, hi: 12000, per: 1, unit: "Hz", at: func(e *Element) any { return &e.Pitch }, doc: "the frequency. That of noise is the limit of a low-pass filter"},
	{name: "slide", lo: 0.05, hi: 20, per: 20, at: func(e *Element) any { return &e.Slide }, doc: "the factor of the frequency at the end"},
	{name: "attack", lo: 0, hi: 5, per: 100, unit: "s", at: func(e *Element) any { return &e.Attack }, doc: "the time to full volume"},
	{name: "hold", lo: 0, hi: 5, per: 100, unit: "s", at: func(e *Element) any { return &e.Hold }, doc: "the time at full volume"},
	{name: "release", lo: 0, hi: 5, per: 100, unit: "s", at: func(e *Element) any { return &e.Release }, doc: "the time to silence"},
	{name: "volume", lo: 0, hi: 1, per: 20, at: func(e *Element) any { return &e.Volume }, doc: "the volume 10 m away"},
	{name: "bend", lo: -4, hi: 4, per: 20, at: func(e *Element) any { return &e.Bend }, doc: "how much 10 m/s of speed add to the factor of the frequency"},
	{name: "loop", at: func(e *Element) any { return &e.Loop }, doc: "it sounds as long as its state holds, instead of once at its beginning"},
	{name: "reach", lo: 5, hi: 500, per: 0.2, unit: "m", at: func(e *Element) any { return &e.Reach }, doc: "where it becomes silent"},
}

// uses has for each kind the numbers of its attributes, in order.
var uses = func() (all [endOfKinds][]int) {
	for k := Box; k < endOfKinds; k++ {
		kinds[k].standard.Kind = k
		names := strings.Fields(kinds[k].attributes)
		for n, a := range rows {
			if _, wide := a.at(&Element{}).(*float64); a.name == "size" && wide {
				a.name = "width"
			}
			if slices.Contains(names, a.name) {
				all[k] = append(all[k], n)
			}
		}
	}
	return all
}()

// set sets the value in e, or says which values are valid.
func (a *attribute) set(e *Element, value any) error {
	v, _ := value.(sim.Value)
	ok := false
	switch p := a.at(e).(type) {
	case *float64:
		*p, ok = a.number(v.Number()), v.Kind() == sim.KindNumber && a.holds(v.Number())
	case *sim.Vec3:
		w := v.Vec()
		if v.Kind() == sim.KindNumber && a.name == "size" {
			w = sim.Vec3{X: v.Number(), Y: v.Number(), Z: v.Number()}
			v = sim.Vec(w)
		}
		*p, ok = a.vec(w), v.Kind() == sim.KindVec && a.holds(w.X) && a.holds(w.Y) && a.holds(w.Z)
	case *sim.Rot:
		r := v.Rot()
		*p, ok = a.rot(r), v.Kind() == sim.KindRot && a.holds(r.Yaw) && a.holds(r.Pitch) && a.holds(r.Roll)
	case *bool:
		*p, ok = v.Bool(), v.Kind() == sim.KindBool
	case *string:
		*p, ok = v.Text(), v.Kind() == sim.KindString && a.holdsText(v.Text())
	case *Color:
		if *p, ok = parseColor(v.Text()); v.Kind() != sim.KindString {
			ok = false
		}
	}
	if !ok {
		return fmt.Errorf("%s must be %s, got %s", a.name, a.wanted(e), literal(value))
	}
	return nil
}

// literal returns a value for a message.
func literal(value any) string {
	if v, ok := value.(sim.Value); ok {
		return v.Literal()
	}
	return "a table"
}

func (a *attribute) holds(x float64) bool { return x >= a.lo && x <= a.hi }

func (a *attribute) holdsText(text string) bool {
	if a.choices != nil {
		return slices.Contains(a.choices, text)
	}
	return len(text) <= maxString && utf8.ValidString(text)
}

// wanted describes the valid values.
func (a *attribute) wanted(e *Element) string {
	span := fmt.Sprintf("%g to %g", a.lo, a.hi)
	if a.unit != "" {
		span += " " + a.unit
	}
	switch a.at(e).(type) {
	case *sim.Vec3:
		if a.name == "size" {
			return "a number or a vec of " + span
		}
		return "a vec of " + span
	case *sim.Rot:
		return "a rot of " + span
	case *bool:
		return "true or false"
	case *Color:
		return colorWanted
	case *string:
		if a.choices == nil {
			return "a string of at most " + strconv.Itoa(maxString) + " bytes"
		}
		return "one of " + strings.TrimPrefix(strings.Join(a.choices, ", "), ", ")
	}
	return "a number from " + span
}

// number limits a number to the range, and rounds it to the precision. NaN becomes the lowest
// value.
func (a *attribute) number(x float64) float64 {
	if !(x >= a.lo) {
		x = a.lo
	}
	return math.Round(min(x, a.hi)*a.per) / a.per
}

func (a *attribute) vec(v sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: a.number(v.X), Y: a.number(v.Y), Z: a.number(v.Z)}
}

func (a *attribute) rot(r sim.Rot) sim.Rot {
	return sim.Rot{Yaw: a.number(r.Yaw), Pitch: a.number(r.Pitch), Roll: a.number(r.Roll)}
}

// same reports whether two elements have the same value.
func (a *attribute) same(x, y *Element) bool {
	switch p := a.at(x).(type) {
	case *float64:
		return *p == *a.at(y).(*float64)
	case *sim.Vec3:
		return *p == *a.at(y).(*sim.Vec3)
	case *sim.Rot:
		return *p == *a.at(y).(*sim.Rot)
	case *bool:
		return *p == *a.at(y).(*bool)
	case *string:
		return *p == *a.at(y).(*string)
	}
	return *a.at(x).(*Color) == *a.at(y).(*Color)
}
