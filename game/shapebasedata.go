package game

import "github.com/torc-engine/torc/engine/sim"

// The limits of the fields of ShapeBaseData.
const (
	maxSize   = 1000   // metres, each side
	maxDamage = 100000 // also the limit of energy
	maxMass   = 1e6    // kilograms
)

// ShapeBaseData is the common part of the datablocks of shapes.
type ShapeBaseData struct {
	sim.Block
	shape                   string
	radius                  float64
	size                    sim.Vec3
	mass, drag              float64
	maxDamage, repairRate   float64
	maxEnergy, rechargeRate float64
}

// Shape names the model of the shape.
func (d *ShapeBaseData) Shape() string { return d.shape }

// Radius returns the radius of the bounding sphere, in metres.
func (d *ShapeBaseData) Radius() float64 { return d.radius }

// Size returns the size of the axis-aligned box that others hit, in metres. The shape's position is
// the middle of the bottom of that box.
func (d *ShapeBaseData) Size() sim.Vec3 { return d.size }

// MaxDamage returns the damage that destroys the shape. 0 makes it invulnerable.
func (d *ShapeBaseData) MaxDamage() float64 { return d.maxDamage }

// MaxEnergy returns the maximum energy.
func (d *ShapeBaseData) MaxEnergy() float64 { return d.maxEnergy }

func (d *ShapeBaseData) shapeData() *ShapeBaseData { return d }

// shapeDataBlock is implemented by every type that embeds a ShapeBaseData.
type shapeDataBlock interface {
	sim.Object
	shapeData() *ShapeBaseData
}

// shapeNumber makes a number field of ShapeBaseData.
func shapeNumber(name string, lo, hi float64, at func(d *ShapeBaseData) *float64, doc string) sim.Field {
	return sim.FloatField(name, constGroup, lo, hi, func(d shapeDataBlock) *float64 { return at(d.shapeData()) }).WithDoc(doc)
}

var shapeBaseDataClass = sim.Class{
	Name: "ShapeBaseData", Parent: "SimDataBlock", Abstract: true,
	Doc: "What the shapes of one kind share.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d shapeDataBlock) *string { return &d.shapeData().shape }).
			WithDoc("what it looks like"),
		shapeNumber("radius", 0, Extent, func(d *ShapeBaseData) *float64 { return &d.radius },
			"of the sphere that holds it, in metres"),
		sim.VecField("size", constGroup, maxSize, func(d shapeDataBlock) *sim.Vec3 { return &d.shapeData().size }).
			WithDoc("of the upright box that others hit, in metres; it stands on the middle of its bottom"),
		shapeNumber("mass", 0.001, maxMass, func(d *ShapeBaseData) *float64 { return &d.mass },
			"in kilograms"),
		shapeNumber("drag", 0, 30, func(d *ShapeBaseData) *float64 { return &d.drag },
			"how much of its speed the air takes in a second"),
		shapeNumber("maxDamage", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.maxDamage },
			"how much damage destroys it; 0 is that nothing does"),
		shapeNumber("repairRate", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.repairRate },
			"how much damage it repairs by itself in a second, until it is destroyed"),
		shapeNumber("maxEnergy", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.maxEnergy },
			"the most energy it holds"),
		shapeNumber("rechargeRate", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.rechargeRate },
			"how much energy it gains in a second"),
	},
}
