package game

import "github.com/torc-engine/torc/engine/sim"

// maxShape is the longest name of a shape, in bytes.
const maxShape = 256

// StaticShapeData is what the StaticShapes of one kind share.
type StaticShapeData struct {
	sim.Block
	shape  string
	radius float64
}

// Shape names what the thing looks like.
func (d *StaticShapeData) Shape() string { return d.shape }

// Radius is of the sphere that holds the thing, in metres.
func (d *StaticShapeData) Radius() float64 { return d.radius }

// StaticShape is a thing that stands where it is.
type StaticShape struct {
	SceneObject
	data sim.BlockRef
}

// Data is what it shares with its kind, nil if that is not here.
func (s *StaticShape) Data() *StaticShapeData {
	d, _ := s.World().Blocks.At(s.data).(*StaticShapeData)
	return d
}

// Place is where it is, and its size.
func (s *StaticShape) Place() sim.Place {
	p := s.SceneObject.Place()
	if d := s.Data(); d != nil {
		p.Radius = d.radius
	}
	return p
}

// Marker is a place to go by: where to spawn, where a camera stands.
type Marker struct {
	SceneObject
}

var staticShapeDataClass = sim.Class{
	Name: "StaticShapeData", Parent: "SimDataBlock", New: func() sim.Object { return &StaticShapeData{radius: 1} },
	Doc: "What the StaticShapes of one kind share.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d *StaticShapeData) *string { return &d.shape }).
			WithDoc("what it looks like"),
		sim.FloatField("radius", constGroup, 0, Extent, func(d *StaticShapeData) *float64 { return &d.radius }).
			WithDoc("of the sphere that holds it, in metres"),
	},
}

var staticShapeClass = sim.Class{
	Name: "StaticShape", Parent: "SceneObject", New: func() sim.Object { return new(StaticShape) },
	Doc: "A thing that stands where it is.",
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "StaticShapeData", func(s *StaticShape) *sim.BlockRef { return &s.data }).
			WithDoc("what it is one of"),
	},
}

var markerClass = sim.Class{
	Name: "Marker", Parent: "SceneObject", New: func() sim.Object { return new(Marker) },
	Doc: "A place to go by.",
}
