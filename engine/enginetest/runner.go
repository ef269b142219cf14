package enginetest

import (
	"errors"

	"github.com/torc-engine/torc/engine/sim"
)

var errNoCart = errors.New("no cart of that name is here")

// The field groups of runners and carts, and the limits of their state.
const (
	runGroup   = 1
	nameGroup  = 2
	cartGroup  = 3
	runExtent  = 1024.0
	runFastest = 64.0
)

// A body is an object that moves drive. It has a position and a speed in the plane.
type body struct {
	sim.NetObject
	At, Speed sim.Vec3
	Yaw       uint16
	Label     string
	motion    sim.Motion
}

// A Runner is a body that runs, or drives the cart that it sits on. It shoots while trigger 0 is
// held.
type Runner struct {
	body
	Cart  sim.ID
	Shots int              // counts shots; not part of the state
	Side  int              // its team; not part of the state
	Done  func(m sim.Move) // called with each move, if set
}

// A Cart is a body that is faster and turns more slowly.
type Cart struct{ body }

func (b *body) get() *body { return b }

type hasBody interface{ get() *body }

// Place returns the position, velocity and rotation.
func (b *body) Place() sim.Place {
	return sim.Place{Position: b.At, Velocity: b.Speed, Rotation: sim.Rot{Yaw: sim.Degrees(b.Yaw)}, Radius: 1}
}

func (b *body) Received(before sim.Place) {
	b.motion.Received(b.rule(), before, b.Place(), b.World().Late())
}
func (b *body) Interpolate(uint64)           { b.motion.Interpolate(b.rule(), b.Place()) }
func (b *body) Driven()                      { b.motion.Driven(b.rule(), b.Place()) }
func (b *body) Shown(back float64) sim.Place { return b.motion.Shown(b.Place(), back) }
func (b *body) Tick(uint64)                  { b.Ident().Object().(sim.Controllable).Control(sim.Move{}) }
func (b *body) Push(by sim.Vec3)             { b.Speed = sim.SnapVec(b.Speed.Add(by)); b.Mark(1 << runGroup) }
func (b *body) PutTo(at sim.Vec3)            { b.At = sim.SnapVec(at); b.Mark(1 << runGroup) }

func (r *Runner) Team() int              { return r.Side }
func (r *Runner) EyePoint() sim.Vec3     { return r.At.Add(sim.Vec3{Z: 1.5}) }
func (c *Cart) CodeControl(in sim.Coder) { c.code(in) }
func (c *Cart) Control(m sim.Move)       { c.move(m, 20, 0.25) }

// Drives returns the cart that it sits on, or nil.
func (r *Runner) Drives() sim.Controllable {
	if c := r.cart(); c != nil {
		return c
	}
	return nil
}

// rule returns the motion rule. A ghost that this client controls is shown at its simulated
// position.
func (b *body) rule() *sim.MotionRule {
	if b.Controller() != 0 {
		return &drivenRule
	}
	return &b.Class().Motion
}

var drivenRule = sim.MotionRule{Predict: true}

// Control runs one tick with a move.
func (r *Runner) Control(m sim.Move) {
	if r.Done != nil {
		r.Done(m)
	}
	if cart := r.cart(); cart != nil {
		cart.Control(m)
		r.At, r.Speed, r.Yaw = cart.At, cart.Speed, cart.Yaw
		r.Mark(1 << runGroup)
		return
	}
	r.move(m, 6, 0.5)
	if m.Trigger(sim.FireTrigger) && !r.World().Replaying() {
		r.Shots++
		r.World().Emit(r, "onFire")
	}
}

func (r *Runner) cart() *Cart {
	if r.Cart == 0 {
		return nil
	}
	c, _ := r.World().Find(r.Cart).(*Cart)
	return c
}

// move moves the body by one tick.
func (b *body) move(m sim.Move, fastest, grip float64) {
	b.Yaw += uint16(m.Yaw)
	f := sim.Heading(b.Yaw)
	right, forward := float64(m.Right()*fastest), float64(m.Forward()*fastest)
	want := sim.Vec3{X: float64(f.Y*right) + float64(f.X*forward), Y: float64(f.Y*forward) - float64(f.X*right)}
	b.Speed.X += min(max(want.X-b.Speed.X, -grip), grip)
	b.Speed.Y += min(max(want.Y-b.Speed.Y, -grip), grip)
	b.Speed = sim.SnapVec(bounded(b.Speed, runFastest))
	b.At = sim.SnapVec(bounded(b.At.Add(b.Speed.Mul(sim.TickSeconds)), runExtent))
	b.Mark(1 << runGroup)
}

func bounded(v sim.Vec3, most float64) sim.Vec3 {
	return sim.Vec3{X: min(max(v.X, -most), most), Y: min(max(v.Y, -most), most), Z: min(max(v.Z, -most), most)}
}

func (b *body) code(c sim.Coder) {
	at, speed, yaw := b.At, b.Speed, b.Yaw
	c.FineVec(&at, runExtent)
	c.FineVec(&speed, runFastest)
	c.Turn(&yaw)
	if c.Err() == nil {
		b.At, b.Speed, b.Yaw = at, speed, yaw
	}
}

// CodeControl codes the runner's control state, or the cart's while it drives one.
func (r *Runner) CodeControl(c sim.Coder) {
	drives := r.cart() != nil
	if !c.Flag(&drives) {
		if r.code(c); c.Err() == nil && c.Reading() {
			r.Cart = 0
		}
		return
	}
	id := r.Cart
	if c.Ref(&id); c.Err() != nil {
		return
	}
	cart, ok := r.World().Find(id).(*Cart)
	if !ok {
		c.Fail(errNoCart)
		return
	}
	if cart.CodeControl(c); c.Err() == nil && c.Reading() {
		r.Cart, r.At, r.Speed, r.Yaw = id, cart.At, cart.Speed, cart.Yaw
	}
}

var bodyClass = sim.Class{
	Name: "Body", Parent: "NetObject", Abstract: true, Control: 1 << runGroup,
	Fields: []sim.Field{
		sim.VecField("at", runGroup, runExtent, func(b hasBody) *sim.Vec3 { return &b.get().At }).WithStep(sim.FineStep),
		sim.VecField("speed", runGroup, runFastest, func(b hasBody) *sim.Vec3 { return &b.get().Speed }).WithStep(sim.FineStep),
		sim.TextField("label", nameGroup, 64, func(b hasBody) *string { return &b.get().Label }),
	},
}

var runnerClass = sim.Class{
	Name: "Runner", Parent: "Body", New: func() sim.Object { return new(Runner) }, Control: 1<<runGroup | 1<<cartGroup,
	Fields: []sim.Field{
		sim.RefField("cart", cartGroup, "Cart", func(r *Runner) *sim.ID { return &r.Cart }),
	},
}

var cartClass = sim.Class{Name: "Cart", Parent: "Body", New: func() sim.Object { return new(Cart) }}
