package game

import "github.com/torc-engine/torc/engine/sim"

var imageMethods = []sim.Method{
	{Name: "mountImage", Params: "image: ShapeBaseImageData|string, [slot: integer]", Doc: "mounts an image in slot 0 or 1. Its ammunition is that of its item, or none", Do: mountImageMethod},
	{Name: "unmountImage", Params: "[slot: integer]", Doc: "removes the image from a slot", Do: unmountImageMethod},
	{Name: "mountedImage", Params: "[slot: integer] -> ShapeBaseImageData?", Doc: "returns the image in a slot, nil if the slot is empty", Ghosts: true, Do: mountedImageMethod},
	{Name: "setImageAmmo", Params: "slot: integer, n: integer", Doc: "sets the ammunition of the image in a slot to n", Do: setImageAmmoMethod},
	{Name: "imageAmmo", Params: "[slot: integer] -> integer", Doc: "returns the ammunition of the image in a slot", Ghosts: true, Do: imageAmmoMethod},
	{Name: "imageState", Params: "[slot: integer] -> string?", Doc: "returns the state of the image in a slot: ready, fire, reload or prepare. nil if the slot is empty", Ghosts: true, Do: imageStateMethod},
	{Name: "setImageClip", Params: "slot: integer, n: integer", Doc: "sets the shots in the clip of the image in a slot to n, at most its clip. With 0 it reloads", Do: setImageClipMethod},
	{Name: "imageClip", Params: "[slot: integer] -> integer", Doc: "returns the shots that the image in a slot can fire before it reloads", Ghosts: true, Do: imageClipMethod},
	{Name: "getMuzzlePoint", Params: "[slot: integer] -> vec", Doc: "returns the point where shots of the image in a slot start", Ghosts: true, Do: muzzlePointMethod},
}

func mountImageMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	data := a.imageData(o.Ident().World())
	slot := a.slot()
	if a.err == nil {
		o.(shape).base().setImage(slot, data)
	}
	return nil, a.err
}

// imageData reads a ShapeBaseImageData datablock or its name.
func (a *args) imageData(w *sim.World) sim.BlockRef {
	v := a.value()
	if d, is := sim.Part[*ShapeBaseImageData](blockOf(w, v)); is {
		return d.Ref()
	}
	a.fail("image", "a datablock of class ShapeBaseImageData", v)
	return 0
}

// blockOf returns the datablock that a value refers to by name or as an object, or nil.
func blockOf(w *sim.World, v sim.Value) sim.Object {
	block := w.Find(v.Object())
	if v.Kind() == sim.KindString {
		block = w.Blocks.ByName(v.Text())
	}
	if d, is := block.(sim.Datablock); is && w.Blocks.At(d.Data().Ref()) == block {
		return block
	}
	return nil
}

// slot reads a slot number. A missing or nil argument reads as 0.
func (a *args) slot() int {
	if a.next < len(a.list) && a.list[a.next].IsNil() || a.next >= len(a.list) {
		a.value()
		return 0
	}
	return a.integer("slot", 0, maxImages-1)
}

func unmountImageMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	if slot := a.slot(); a.err == nil {
		o.(shape).base().setImage(slot, 0)
	}
	return nil, a.err
}

func mountedImageMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	if a.err != nil {
		return nil, a.err
	}
	if d := o.(shape).base().imageAt(slot); d != nil {
		return []sim.Value{sim.Handle(d.ID())}, nil
	}
	return []sim.Value{sim.Nil()}, nil
}

func setImageAmmoMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	if n := a.integer("n", 0, maxAmmo); a.err == nil {
		o.(shape).base().images[slot].ammo = n
	}
	return nil, a.err
}

func imageAmmoMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	return []sim.Value{sim.Number(float64(o.(shape).base().images[slot].ammo))}, a.err
}

func imageStateMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	if a.err != nil {
		return nil, a.err
	}
	if s := o.(shape).base(); s.imageAt(slot) != nil {
		return []sim.Value{sim.String(imageStateNames[s.images[slot].state])}, nil
	}
	return []sim.Value{sim.Nil()}, nil
}

func setImageClipMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	n := a.integer("n", 0, maxClip)
	s := o.(shape).base()
	if a.err != nil {
		return nil, a.err
	}
	if d := s.imageAt(slot); d != nil {
		s.images[slot].clip = min(n, d.clip)
	}
	return nil, nil
}

func imageClipMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	s := o.(shape).base()
	if a.err != nil {
		return nil, a.err
	}
	n := s.images[slot].clip
	if d := s.imageAt(slot); d != nil && d.usesAmmo && d.ammoPerShot > 0 {
		n = min(n, s.images[slot].ammo/d.ammoPerShot)
	}
	return []sim.Value{sim.Number(float64(n))}, nil
}

func muzzlePointMethod(o sim.Object, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	slot := a.slot()
	if a.err != nil {
		return nil, a.err
	}
	eye, look := eyeOf(o.(shape))
	s := o.(shape).base()
	if d := s.imageAt(slot); d != nil {
		eye = s.muzzle(eye, look, d.muzzle)
	}
	return []sim.Value{sim.Vec(eye)}, nil
}
