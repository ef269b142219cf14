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
	shape, look             string
	maxInventory            string // in the form of countsForm
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
	Name: "ShapeBaseData", Parent: "SimDataBlock", Abstract: true, Bare: func() sim.Object { return new(StaticShapeData) },
	Doc: "The data that shapes of one kind share.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d shapeDataBlock) *string { return &d.shapeData().shape }).
			WithDoc("the name of its shape"),
		lookField(func(d shapeDataBlock) *string { return &d.shapeData().look }),
		shapeNumber("radius", 0, Extent, func(d *ShapeBaseData) *float64 { return &d.radius },
			"the radius of its bounding sphere, in metres"),
		sim.VecField("size", constGroup, maxSize, func(d shapeDataBlock) *sim.Vec3 { return &d.shapeData().size }).
			WithDoc("the size of its upright collision box in metres; its position is the centre of the base"),
		shapeNumber("mass", 0.001, maxMass, func(d *ShapeBaseData) *float64 { return &d.mass },
			"its mass, in kilograms"),
		shapeNumber("drag", 0, 30, func(d *ShapeBaseData) *float64 { return &d.drag },
			"the share of its speed lost to the air per second"),
		shapeNumber("maxDamage", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.maxDamage },
			"the damage that destroys it; 0 makes it invulnerable"),
		shapeNumber("repairRate", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.repairRate },
			"the damage it repairs by itself per second, until it is destroyed"),
		shapeNumber("maxEnergy", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.maxEnergy },
			"its energy when full"),
		shapeNumber("rechargeRate", 0, maxDamage, func(d *ShapeBaseData) *float64 { return &d.rechargeRate },
			"the energy it gains per second"),
		sim.TextField("maxInventory", constGroup, maxCountsText, func(d shapeDataBlock) *string { return &d.shapeData().maxInventory }).WithForm(countsForm{}).
			WithDoc("the numbers of items that it can have, by their names, for base.setInventory"),
	},
}
