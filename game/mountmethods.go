package game

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// mountMethods are the script methods for mounting.
var mountMethods = []sim.Method{
	{Name: "mountObject", Params: "obj: ShapeBase, seat: integer", Doc: "puts obj into a seat of this object; seats count from 0", Do: mountObjectMethod},
	{Name: "unmountObject", Params: "obj: ShapeBase", Doc: "takes obj out of its seat and puts it beside this object", Do: unmountObjectMethod},
	{Name: "mountedObject", Params: "seat: integer -> ShapeBase?", Doc: "returns the object in a seat, or nil", Ghosts: true, Do: mountedObjectMethod},
}

func mountObjectMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	r, seat := a.shape("obj", o.Ident().World()), a.integer("seat", 0, maxSeats-1)
	if a.err != nil {
		return nil, a.err
	}
	return nil, r.sit(o.(shape), seat)
}

func unmountObjectMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	r := a.shape("obj", o.Ident().World())
	if a.err != nil {
		return nil, a.err
	}
	if r.mount != o.Ident().ID() {
		return nil, fmt.Errorf("%s is not mounted on %s", &r.Identity, o.Ident())
	}
	r.unmount()
	return nil, nil
}

func mountedObjectMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	seat := a.integer("seat", 0, maxSeats-1)
	if a.err != nil {
		return nil, a.err
	}
	if r := o.(shape).base().rider(seat); r != nil {
		return []sim.Value{sim.Handle(r.ID())}, nil
	}
	return []sim.Value{sim.Nil()}, nil
}

// shape reads a living object of class ShapeBase.
func (a *args) shape(name string, w *sim.World) *ShapeBase {
	v := a.value()
	if s, ok := w.Find(v.Object()).(shape); ok && v.Kind() == sim.KindObject {
		return s.base()
	}
	a.fail(name, "an object of class ShapeBase", v)
	return nil
}
