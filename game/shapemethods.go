package game

import (
	"errors"

	"github.com/torc-engine/torc/engine/sim"
)

// maxPush is the maximum impulse of applyImpulse on each axis, in newton seconds.
const maxPush = 1e9

var shapeMethods = []sim.Method{
	{Name: "damage", Params: "source: Object?, position: vec, amount: number, [type: string?]", Doc: "damages the object", Do: damageMethod},
	{Name: "repair", Params: "amount: number", Doc: "reduces its damage", Do: repairMethod},
	{Name: "setEnergy", Params: "amount: number", Doc: "sets its energy, at most to maxEnergy", Do: setEnergyMethod},
	{Name: "applyImpulse", Params: "position: vec, impulse: vec", Doc: "applies an impulse at a position, in newton seconds", Do: applyImpulseMethod},
	{Name: "getEyePoint", Params: "-> vec", Doc: "returns the position of its eye", Ghosts: true, Do: eyePointMethod},
	{Name: "getEyeVector", Params: "-> vec", Doc: "returns the viewing direction, a vector of length 1", Ghosts: true, Do: eyeVectorMethod},
	{Name: "isDestroyed", Params: "-> boolean", Doc: "tells whether its damage has reached the maximum", Ghosts: true, Do: isDestroyedMethod},
	{Name: "setTransform", Params: "position: vec, rotation: rot", Doc: "teleports it and stops it; clients show it there without interpolation", Do: setTransformMethod},
}

// ApplyDamage damages the shape by 0 to 100,000. source is nil if there is none. kind is a text for
// scripts of at most 32 bytes. Scripts can change or refuse the damage. They get the events
// onDamage and onDestroyed after the tick.
func (s *ShapeBase) ApplyDamage(source sim.Object, amount float64, kind string) error {
	return s.call(damageMethod, handle(source), sim.Vec(s.position), sim.Number(amount), sim.String(kind))
}

// Repair reduces the damage by 0 to 100,000.
func (s *ShapeBase) Repair(amount float64) error { return s.call(repairMethod, sim.Number(amount)) }

// SetEnergy sets the energy to 0 to 100,000, at most to MaxEnergy of its datablock.
func (s *ShapeBase) SetEnergy(amount float64) error {
	return s.call(setEnergyMethod, sim.Number(amount))
}

// ApplyImpulse applies an impulse at a position, in newton seconds, to a shape that can move.
func (s *ShapeBase) ApplyImpulse(at, impulse sim.Vec3) error {
	return s.call(applyImpulseMethod, sim.Vec(at), sim.Vec(impulse))
}

// Teleport moves the shape and stops it. Ghosts show it there at once.
func (s *ShapeBase) Teleport(at sim.Vec3, r sim.Rot) error {
	return s.call(setTransformMethod, sim.Vec(at), sim.Rotation(r))
}

// call calls a method as a script does: with the same checks.
func (s *ShapeBase) call(do func(sim.Object, []sim.Value) ([]sim.Value, error), list ...sim.Value) error {
	if !s.Alive() || s.IsGhost() {
		return errors.New("the shape is not an object of the server's world")
	}
	_, err := do(s.Object(), list)
	return err
}

func damageMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	source := a.object("source", o.Ident().World())
	a.vec("position", Extent)
	amount, kind := a.number("amount", 0, maxDamage), a.text("type", maxDamageType)
	if a.err == nil {
		o.(shape).base().applyDamage(source, amount, kind)
	}
	return nil, a.err
}

func repairMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	if amount := a.number("amount", 0, maxDamage); a.err == nil {
		o.(shape).base().applyDamage(nil, -amount, "")
	}
	return nil, a.err
}

func setEnergyMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	amount := a.number("amount", 0, maxDamage)
	s := o.(shape).base()
	if d := s.shapeData(); a.err == nil && d != nil {
		s.setEnergy(min(amount, d.maxEnergy))
	}
	return nil, a.err
}

func applyImpulseMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	at, impulse := a.vec("position", Extent), a.vec("impulse", maxPush)
	if p, ok := o.(impulseTarget); ok && a.err == nil {
		p.push(at, impulse)
	}
	return nil, a.err
}

func eyePointMethod(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
	at, _ := eyeOf(o.(shape))
	return []sim.Value{sim.Vec(at)}, nil
}

func eyeVectorMethod(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
	_, look := eyeOf(o.(shape))
	return []sim.Value{sim.Vec(look)}, nil
}

func isDestroyedMethod(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
	return []sim.Value{sim.Bool(o.(shape).base().destroyed)}, nil
}

func setTransformMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	position, rotation := a.vec("position", Extent), a.rot("rotation")
	if a.err == nil {
		o.(shape).base().teleport(position, rotation)
	}
	return nil, a.err
}
