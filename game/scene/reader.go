package scene

import (
	"cmp"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// A Reader reads the things of one world. It caches its knowledge about classes and keeps the
// current explosions.
type Reader struct {
	world      *sim.World
	classes    map[*sim.Class]*traits
	lastClass  *sim.Class
	lastTraits *traits
	bursts     []burst
	looks      map[string]*look.Look // by their texts
	objects    []sim.Object          // those of the last Read, in the order of the things
	each       func(sim.Object) bool // visit, made once
	frame                            // of the present Read
	blocks     [64]block             // those of the present Read, by the lowest bits of their ids
}

// frame has the arguments and the result of a Read.
type frame struct {
	own    sim.Object
	back   float64
	now    time.Duration
	things []Thing
}

// NewReader returns a reader of w.
func NewReader(w *sim.World) *Reader {
	r := &Reader{world: w, classes: map[*sim.Class]*traits{}, looks: map[string]*look.Look{}}
	r.each = r.visit
	return r
}

// Read appends the visible things to dst. own is the object that this client controls, or nil. back
// is the part of the last tick that has yet to pass, 0…1. now measures the age of explosions.
func (r *Reader) Read(dst []Thing, own sim.Object, back float64, now time.Duration) []Thing {
	r.frame = frame{own, back, now, dst}
	r.blocks = [len(r.blocks)]block{}
	clear(r.objects)
	r.objects = r.objects[:0]
	r.world.Each(nil, r.each)
	r.explode()
	things := r.things
	r.frame = frame{}
	return things
}

// Move updates the things of the last Read, which began at things[0], for another frame before the
// next tick: their places, and the explosions. Everything else changes only in a tick.
func (r *Reader) Move(things []Thing, back float64, now time.Duration) []Thing {
	r.frame = frame{now: now, things: things[:len(r.objects)]}
	for i, o := range r.objects {
		if o.Ident().Alive() {
			r.things[i].Place, _ = shown(o, back)
		}
	}
	r.explode()
	things = r.things
	r.frame = frame{}
	return things
}

// visit adds o to the things of the frame if it is visible.
func (r *Reader) visit(o sim.Object) bool {
	t := r.traitsOf(o.Ident().Class())
	if t.known && t.kind == Unseen {
		return true
	}
	place, ok := shown(o, r.back)
	switch {
	case !ok:
	case get(t.gone, o).Bool():
		r.burst(o, place.Position)
	default:
		r.things = append(r.things, Thing{})
		if r.fill(&r.things[len(r.things)-1], t, o, place) {
			r.objects = append(r.objects, o)
		} else {
			r.things = r.things[:len(r.things)-1]
		}
	}
	return true
}

// Thing returns an object as a thing, also one that is Unseen. ok is false if o has no place.
func (r *Reader) Thing(o sim.Object, back float64) (thing Thing, ok bool) {
	place, ok := shown(o, back)
	if ok {
		r.blocks = [len(r.blocks)]block{}
		r.fill(&thing, r.traitsOf(o.Ident().Class()), o, place)
	}
	return thing, ok
}

// fill sets all values of a thing. It reports whether the thing is visible.
func (r *Reader) fill(thing *Thing, t *traits, o sim.Object, place sim.Place) bool {
	thing.ID, thing.Kind, thing.Place, thing.Own = o.Ident().ID(), t.kind, place, o == r.own
	thing.Team = int(get(t.team, o).Number())
	thing.Name = cmp.Or(get(t.name, o).Text(), o.Ident().Name())
	thing.Mount = get(t.mount, o).Object()
	thing.Size, thing.Shape = get(t.size, o).Vec(), get(t.shape, o).Text()
	thing.Health, thing.Energy = -1, -1
	thing.State, thing.Look = get(t.state, o).Text(), t.stock
	if t.skin != nil {
		thing.State = cmp.Or(thing.State, get(t.skin, o).Text(), baseSkin)
	}
	if f, fades := o.(fader); fades {
		thing.Fade = f.ShownFade()
	}
	b := r.block(get(t.block, o).Object())
	if b.known {
		thing.Health = 1 - fraction(get(t.damage, o).Number(), b.maxDamage, 2)
		thing.Energy = fraction(get(t.energy, o).Number(), b.maxEnergy, -1)
		thing.Shape = cmp.Or(thing.Shape, b.shape)
		if t.size == nil {
			thing.Size = b.size
		}
	}
	if !t.known && (thing.Shape != "" || b.look != nil) {
		thing.Kind, thing.Look = Structure, look.Stock("StaticShape")
	}
	thing.Look = cmp.Or(b.look, thing.Look)
	if get(t.destroyed, o).Bool() {
		thing.Health = 0 // the damage can be hidden from this client
	}
	thing.States = states(thing)
	if get(t.jets, o).Bool() && !thing.Down() {
		thing.States |= look.Jets
	}
	if id := get(t.image, o).Object(); id != 0 {
		thing.States |= imageState(get(t.imageState, o).Number())
		if thing.Kind == Person {
			thing.Held = cmp.Or(r.block(id).look, look.Stock("ShapeBaseImageData"))
		}
	}
	return thing.Kind != Unseen
}

// baseSkin is the name in looks of the skin of objects without a named one.
const baseSkin = "base"

// A fader is an object that can fade.
type fader interface{ ShownFade() float64 }

// The limits of states.
const (
	movingSpeed = 0.5  // metres per second
	hurtHealth  = 0.35 // of 1
)

// states returns the states that follow from the other values of a thing.
func states(t *Thing) look.State {
	s := look.Up
	switch {
	case t.Down():
		s = look.Down
	case t.Health >= 0 && t.Health < hurtHealth:
		s |= look.Hurt
	}
	if t.Velocity.Dot(t.Velocity) > movingSpeed*movingSpeed {
		return s | look.Moving
	}
	return s | look.Still
}

// imageStates are the states for looks by the value of imageState0.
var imageStates = [...]look.State{look.Ready, look.Fire, look.Reload, look.Prepare}

// imageState returns the state for looks of the image in slot 0. n is any value of imageState0.
func imageState(n float64) look.State {
	if n >= 0 && n < float64(len(imageStates)) {
		return imageStates[int(n)]
	}
	return 0
}

// shown returns the place to draw o at, and whether o has a place.
func shown(o sim.Object, back float64) (sim.Place, bool) {
	switch o := o.(type) {
	case sim.Interpolator:
		return o.Shown(back), true
	case sim.Placer:
		return o.Place(), true
	}
	return sim.Place{}, false
}
