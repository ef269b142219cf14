package game

import "github.com/torc-engine/torc/engine/sim"

// maxShape is the longest name of a shape, in bytes.
const maxShape = 256

// StaticShapeData is what the StaticShapes of one kind share.
type StaticShapeData struct {
	ShapeBaseData
}

// StaticShape is a thing that stands where it is.
type StaticShape struct {
	ShapeBase
}

// Data is what it shares with its kind, nil if that is not here.
func (s *StaticShape) Data() *StaticShapeData {
	d, _ := s.World().Blocks.At(s.data).(*StaticShapeData)
	return d
}

// blocks says that it is in the way, unless it has no size.
func (s *StaticShape) blocks() bool {
	d := s.Data()
	return d != nil && d.size != sim.Vec3{}
}

// Tick is what every shape does.
func (s *StaticShape) Tick(uint64) {
	if d := s.Data(); d != nil {
		s.stand(&d.ShapeBaseData)
	}
}

// stand is the tick of what stands where it was put.
func (s *ShapeBase) stand(d *ShapeBaseData) {
	if !s.ride() {
		s.settle()
	}
	s.tickShape(d)
}

// Marker is a place to go by: where to spawn, where a camera stands.
type Marker struct {
	SceneObject
}

var staticShapeDataClass = sim.Class{
	Name: "StaticShapeData", Parent: "ShapeBaseData",
	New: func() sim.Object { return &StaticShapeData{ShapeBaseData{radius: 1, mass: 1}} },
	Doc: "What the StaticShapes of one kind share.",
}

var staticShapeClass = sim.Class{
	Name: "StaticShape", Parent: "ShapeBase", New: func() sim.Object { return &StaticShape{ShapeBase{energy: fullEnergy}} },
	Doc:    "A thing that stands where it is.",
	Fields: []sim.Field{dataField("StaticShapeData")},
}

var markerClass = sim.Class{
	Name: "Marker", Parent: "SceneObject", New: func() sim.Object { return new(Marker) },
	Doc: "A place to go by.",
}
