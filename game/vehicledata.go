package game

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// maxVehicleSpeed is the maximum speed on each axis, in metres a second. It also limits falls.
const maxVehicleSpeed = 256

// maxWheels is the maximum number of wheels.
const maxWheels = 6

// The kinds of vehicles.
const (
	wheeledKind = "wheeled"
	hoverKind   = "hover"
	flyingKind  = "flying"
)

// VehicleData is the datablock of Vehicles: the values that all Vehicles of one kind share. The
// ranges of its fields keep a tick of TickMs stable in every combination.
type VehicleData struct {
	ShapeBaseData
	kind                      string
	maxSpeed, maxAcceleration float64
	brake, rolling, grip      float64
	turnRate, maxSteer        float64
	boost, boostDrain         float64

	wheels                    int
	wheel                     [maxWheels]sim.Vec3
	spring, damping           [maxWheels]float64
	wheelRadius, springLength float64

	hoverHeight, lift, stallSpeed float64

	seats int
	seat  [maxSeats]sim.Vec3

	collisionDamage, minCollisionSpeed, elasticity float64
}

// Kind returns "wheeled", "hover" or "flying".
func (d *VehicleData) Kind() string { return d.kind }

// Seats returns the number of seats.
func (d *VehicleData) Seats() int { return d.seats }

func newVehicleData() sim.Object {
	d := &VehicleData{
		ShapeBaseData: ShapeBaseData{radius: 3, size: sim.Vec3{X: 2.5, Y: 4, Z: 2}, mass: 200, maxDamage: 100},
		kind:          wheeledKind, maxSpeed: 25, maxAcceleration: 12,
		brake: 20, rolling: 3, grip: 20, turnRate: 90, maxSteer: 30, boost: 1,
		wheels: 4, wheelRadius: 0.5, springLength: 0.5,
		hoverHeight: 1, lift: 40,
		seats: 1, collisionDamage: 1, minCollisionSpeed: 10, elasticity: 0.2,
	}
	for i := range maxWheels {
		d.wheel[i] = sim.Vec3{X: 1, Y: 1.5}
		if i&1 == 0 {
			d.wheel[i].X = -1
		}
		if i&2 != 0 {
			d.wheel[i].Y = -1.5
		}
		if i >= 4 {
			d.wheel[i].Y = 0
		}
		d.spring[i], d.damping[i] = 80, 9
	}
	for i := range maxSeats {
		d.seat[i] = sim.Vec3{X: float64(i%2) - 0.5, Y: 0.5 - float64(i/2), Z: 1}
	}
	d.seat[0] = sim.Vec3{Y: 0.5, Z: 1}
	return d
}

var vehicleDataClass = sim.Class{
	Name: "VehicleData", Parent: "ShapeBaseData", New: newVehicleData,
	Doc:    "The data that Vehicles of one kind share.",
	Fields: append(append(driveFields(), wheelFields()...), seatFields()...),
}

func vehicleNumber(name string, lo, hi float64, doc string, at func(d *VehicleData) *float64) sim.Field {
	return sim.FloatField(name, constGroup, lo, hi, at).WithDoc(doc)
}

func driveFields() []sim.Field {
	return []sim.Field{
		sim.TextField("kind", constGroup, 8, func(d *VehicleData) *string { return &d.kind }).
			WithChoices(wheeledKind, hoverKind, flyingKind).WithDoc("how it moves"),
		vehicleNumber("maxSpeed", 0, 200, "the largest speed its engine reaches, in metres per second",
			func(d *VehicleData) *float64 { return &d.maxSpeed }),
		vehicleNumber("maxAcceleration", 0, 100, "the acceleration of its engine, in metres per second squared",
			func(d *VehicleData) *float64 { return &d.maxAcceleration }),
		vehicleNumber("brake", 0, 100, "the deceleration of its brake, in metres per second squared",
			func(d *VehicleData) *float64 { return &d.brake }),
		vehicleNumber("rolling", 0, 100, "the deceleration without engine and brake, in metres per second squared",
			func(d *VehicleData) *float64 { return &d.rolling }),
		vehicleNumber("grip", 0, 200, "the deceleration of sideways motion, in metres per second squared",
			func(d *VehicleData) *float64 { return &d.grip }),
		vehicleNumber("turnRate", 0, 360, "its largest turning speed, in degrees per second",
			func(d *VehicleData) *float64 { return &d.turnRate }),
		vehicleNumber("maxSteer", 0, 60, "the largest steering angle of its wheels, in degrees",
			func(d *VehicleData) *float64 { return &d.maxSteer }),
		vehicleNumber("boost", 1, 4, "the factor by which jets raise its speed and acceleration",
			func(d *VehicleData) *float64 { return &d.boost }),
		vehicleNumber("boostDrain", 0, 1000, "the energy that the boost uses per second",
			func(d *VehicleData) *float64 { return &d.boostDrain }),
		vehicleNumber("hoverHeight", 0.1, 20, "its hovering height, in metres",
			func(d *VehicleData) *float64 { return &d.hoverHeight }),
		vehicleNumber("lift", 0, 200, "its largest upward acceleration, in metres per second squared; gravity is 20",
			func(d *VehicleData) *float64 { return &d.lift }),
		vehicleNumber("stallSpeed", 0, 200, "the lowest speed at which its wings carry it, in metres per second; 0 means they always do",
			func(d *VehicleData) *float64 { return &d.stallSpeed }),
		vehicleNumber("collisionDamage", 0, 1000, "the damage for each metre per second above minCollisionSpeed",
			func(d *VehicleData) *float64 { return &d.collisionDamage }),
		vehicleNumber("minCollisionSpeed", 0, 200, "the largest impact speed without damage, in metres per second",
			func(d *VehicleData) *float64 { return &d.minCollisionSpeed }),
		vehicleNumber("elasticity", 0, 1, "the share of its speed that a bounce keeps",
			func(d *VehicleData) *float64 { return &d.elasticity }),
	}
}

// wheelFields returns the fields for the positions and the suspension of the wheels.
func wheelFields() []sim.Field {
	fields := []sim.Field{
		sim.IntField("wheels", constGroup, 3, maxWheels, func(d *VehicleData) *int { return &d.wheels }).
			WithDoc("the number of wheels"),
		vehicleNumber("wheelRadius", 0.1, 3, "the radius of a wheel, in metres", func(d *VehicleData) *float64 { return &d.wheelRadius }),
		vehicleNumber("springLength", 0.05, 3, "the travel of a spring, in metres",
			func(d *VehicleData) *float64 { return &d.springLength }),
	}
	for i := range maxWheels {
		fields = append(fields, sim.VecField(fmt.Sprintf("wheel%d", i+1), constGroup, 20,
			func(d *VehicleData) *sim.Vec3 { return &d.wheel[i] }).
			WithDoc("the position of the unloaded wheel, in metres right of, in front of and above the vehicle's position"))
	}
	for i := range maxWheels {
		fields = append(fields, vehicleNumber(fmt.Sprintf("spring%d", i+1), 1, 500,
			"the stiffness of the spring, in newtons per metre and per kilogram of load",
			func(d *VehicleData) *float64 { return &d.spring[i] }))
	}
	for i := range maxWheels {
		fields = append(fields, vehicleNumber(fmt.Sprintf("damping%d", i+1), 2, 30,
			"the damping of the spring, in newtons per metre per second and per kilogram of load",
			func(d *VehicleData) *float64 { return &d.damping[i] }))
	}
	return fields
}

// seatFields returns the fields for the positions of the seats.
func seatFields() []sim.Field {
	fields := []sim.Field{
		sim.IntField("seats", constGroup, 1, maxSeats, func(d *VehicleData) *int { return &d.seats }).
			WithDoc("the number of seats; the driver sits in seat 0"),
	}
	for i := range maxSeats {
		fields = append(fields, sim.VecField(fmt.Sprintf("seat%d", i+1), constGroup, 20,
			func(d *VehicleData) *sim.Vec3 { return &d.seat[i] }).
			WithDoc("the position of the passenger's feet, in metres right of, in front of and above the vehicle's position"))
	}
	return fields
}
