package game

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// maxShape is the maximum length of a shape name, in bytes.
const maxShape = 256

// lookField returns the field look of a datablock.
func lookField[T any](at func(T) *string) sim.Field {
	return sim.TextField("look", constGroup, look.MaxText, at).WithForm(look.Form).
		WithDoc("how it looks and sounds: a list of elements (docs/looks.md); nil is the look of its class")
}

// StaticShapeData is the datablock of StaticShapes: the values that all StaticShapes of one kind
// share.
type StaticShapeData struct {
	ShapeBaseData
}

// StaticShape is an object that does not move.
type StaticShape struct {
	ShapeBase
}

// Data returns the datablock, or nil if it is missing.
func (s *StaticShape) Data() *StaticShapeData {
	d, _ := sim.Part[*StaticShapeData](s.World().Blocks.At(s.data))
	return d
}

// blocks reports whether it is solid. It is, unless it has no size.
func (s *StaticShape) blocks() bool {
	d := s.Data()
	return d != nil && d.size != sim.Vec3{}
}

// Tick runs the tick of every shape.
func (s *StaticShape) Tick(uint64) {
	if d := s.Data(); d != nil {
		s.tickStatic(&d.ShapeBaseData)
	}
}

// tickStatic is the tick of a shape that does not move by itself.
func (s *ShapeBase) tickStatic(d *ShapeBaseData) {
	if !s.tickMounted() {
		s.updateSpace()
	}
	s.tickShape(d)
}

// Marker is a named place, for example for spawning or for a camera.
type Marker struct {
	SceneObject
}

var staticShapeDataClass = sim.Class{
	Name: "StaticShapeData", Parent: "ShapeBaseData",
	New: func() sim.Object { return &StaticShapeData{ShapeBaseData{radius: 1, mass: 1}} },
	Doc: "The data that StaticShapes of one kind share.",
}

var staticShapeClass = sim.Class{
	Name: "StaticShape", Parent: "ShapeBase", New: func() sim.Object { return &StaticShape{ShapeBase{energy: fullEnergy}} },
	Doc:    "A shape that stays in place.",
	Fields: []sim.Field{dataField("StaticShapeData")},
}

var markerClass = sim.Class{
	Name: "Marker", Parent: "SceneObject", New: func() sim.Object { return new(Marker) },
	Doc: "A marked place.",
}
