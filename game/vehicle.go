package game

import "github.com/torc-engine/torc/engine/sim"

// driveGroup is the field group of the driver's input. Ghosts extrapolate with it.
const driveGroup = ownGroup

// The limits of vehicle movement that datablocks cannot change.
const (
	steerRate         = 5.0    // change of steer per second; its full range is -1…1
	maxSpin           = 720.0  // degrees a second
	maxTilt           = 0x2800 // 56°: the maximum pitch and roll, so a vehicle never ends on its back
	calmSpeed         = 0.15   // metres a second; a vehicle below this and the next two limits can rest
	calmPush          = 1.0    // metres a second squared
	calmSpin          = 3.0    // degrees a second
	landedHeight      = 0.25   // metres above the ground up to which a flying vehicle is on the ground
	sinkSpeed         = 4.0    // metres a second; descent of a flying vehicle without a pilot
	reverse           = 0.4    // part of maximum speed and acceleration in reverse
	vehicleStepHeight = 0.5    // metres; maximum height of an edge that it drives over
)

const degreesPerRadian = 57.29577951308232

// A driverInput is the driver's input. The numbers are in -1…1.
type driverInput struct {
	throttle float64 // ahead
	turn     float64 // to the left
	dip      float64 // nose up
	rise     float64 // straight up
	brake    bool
	boost    bool
}

// Vehicle is an object that is driven: on wheels, hovering or flying. The rider in seat 0 drives
// it. Without a driver it comes to rest.
type Vehicle struct {
	ShapeBase
	drive driverInput
	steer float64  // how far its wheels are turned to the left, -1…1
	spin  sim.Vec3 // degrees a second: X of pitch, Y of roll, Z of yaw
}

// A drivable shape is a Vehicle.
type drivable interface {
	shape
	isDrivable()
}

// Data returns the datablock, or nil if it is missing.
func (v *Vehicle) Data() *VehicleData {
	d, _ := sim.Part[*VehicleData](v.World().Blocks.At(v.data))
	return d
}

// Control runs one tick with a move of the driver. Forward and back accelerate, right and yaw
// steer, and pitch moves the nose of a flying vehicle. The jet trigger boosts. The jump trigger
// lifts a flying vehicle and brakes any other. The crouch trigger brakes.
func (v *Vehicle) Control(m sim.Move) {
	d := v.Data()
	if d == nil {
		return
	}
	m = m.Clamped()
	v.tickShape(&d.ShapeBaseData)
	if v.setTriggers(m); v.destroyed {
		m = sim.Move{}
	}
	if v.tickMounted() {
		return
	}
	v.setInput(d.driveOf(m))
	v.step(d)
	v.tickImages(m.Triggers)
}

// Tick runs one tick without a driver. A ghost continues with the last known input of its driver.
func (v *Vehicle) Tick(uint64) {
	d := v.Data()
	if d == nil {
		return
	}
	v.tickShape(&d.ShapeBaseData)
	if !v.IsGhost() {
		v.setInput(driverInput{brake: true})
		v.tickImages(0)
	}
	if v.tickMounted() || v.IsGhost() && v.isParked() {
		return
	}
	v.step(d)
}

// isParked reports whether the vehicle is at rest and has no input. A ghost of such a vehicle stays
// at its received position. Its own springs would move it, and players who run into it would then
// be stopped at another place than on the server.
func (v *Vehicle) isParked() bool {
	w := &v.drive
	return v.blocks() && w.throttle == 0 && w.rise == 0 && w.dip == 0
}

// Driven ends a tick of a ghost that moves have driven.
func (v *Vehicle) Driven() { v.following().Interpolate(&v.Class().Motion, v.Place()) }

// setInput sets the driver's input.
func (v *Vehicle) setInput(w driverInput) {
	if w != v.drive {
		v.drive = w
		v.Mark(1 << driveGroup)
	}
}

// driveOf returns the input of a move for a vehicle of this kind.
func (d *VehicleData) driveOf(m sim.Move) driverInput {
	w := driverInput{throttle: m.Forward(), turn: -m.Right(), rise: m.Up(), boost: m.Trigger(sim.JetTrigger)}
	if !m.FreeLook {
		w.turn = clamp1(w.turn+d.rateOf(m.Yaw), 1)
		w.dip = d.rateOf(m.Pitch)
	}
	if held := m.Trigger(sim.JumpTrigger); d.kind == flyingKind && held {
		w.rise = 1
	} else {
		w.brake = held || m.Trigger(sim.CrouchTrigger)
	}
	return w
}

// rateOf converts the angle of a move to a part of the turn rate, -1…1, on the fine grid.
func (d *VehicleData) rateOf(turn int16) float64 {
	most := float64(d.turnRate * sim.TickSeconds)
	if most == 0 {
		return 0
	}
	return sim.Snap(clamp1(float64(float64(turn)*(360.0/65536))/most, 1))
}

// step moves the vehicle by one tick.
func (v *Vehicle) step(d *VehicleData) {
	c := v.beginTick(d)
	switch d.kind {
	case hoverKind:
		c.hover()
	case flyingKind:
		c.fly()
	default:
		c.onWheels()
	}
	c.advance()
	v.endTick(&c)
}

// endTick ends a tick. It rounds the state to the grids of the wire, so that the next tick starts
// from the same values on every machine.
func (v *Vehicle) endTick(c *vehicleTick) {
	v.spin = sim.SnapVec(clamp(c.spin, maxSpin))
	if steer := sim.Snap(c.steer); steer != v.steer {
		v.steer = steer
		v.MarkPredicted(1 << driveGroup)
	}
	v.setEnergy(v.energy)
	rotation := sim.Rot{Yaw: sim.Degrees(c.yaw), Pitch: sim.Degrees(c.pitch), Roll: sim.Degrees(c.roll)}
	if rotation != v.rotation {
		v.rotation = rotation
		v.Mark(1 << turnGroup)
	}
	wasAt, wasBlocking := v.position, v.blocks()
	v.move(sim.SnapVec(clamp(c.position, Extent)), sim.SnapVec(clamp(c.velocity, maxVehicleSpeed)))
	if v.position != wasAt || v.blocks() != wasBlocking {
		v.updateSpace()
	}
	if !v.IsGhost() {
		v.crash(c)
		v.touch()
	}
}

// isDrivable makes it a drivable shape.
func (v *Vehicle) isDrivable() {}

// touches reports that it checks for touches itself.
func (v *Vehicle) touches() bool { return true }

// blocks reports whether it is solid. It is while it stands and is not mounted.
func (v *Vehicle) blocks() bool { return v.velocity == sim.Vec3{} && v.mount == 0 }

// push applies an impulse, for example of an explosion.
func (v *Vehicle) push(_, impulse sim.Vec3) {
	if d := v.Data(); d != nil {
		v.move(v.position, sim.SnapVec(clamp(v.velocity.Add(impulse.Div(d.mass)), maxVehicleSpeed)))
	}
}

// CodeControl codes the control state: everything that moves act on.
func (v *Vehicle) CodeControl(c sim.Coder) {
	position, velocity, spin := v.position, v.velocity, v.spin
	steer, energy, held, destroyed := v.steer, v.energy, uint64(v.heldTriggers), v.destroyed
	yaw, pitch, roll := sim.Turn(v.rotation.Yaw), sim.Turn(v.rotation.Pitch), sim.Turn(v.rotation.Roll)
	c.FineVec(&position, Extent)
	c.FineVec(&velocity, maxVehicleSpeed)
	c.FineVec(&spin, maxSpin)
	c.Turn(&yaw)
	c.Turn(&pitch)
	c.Turn(&roll)
	c.Fine(&steer, 1)
	c.Fine(&energy, maxDamage)
	c.Bits(&held, sim.MoveTriggers)
	c.Flag(&destroyed)
	v.codeImages(c)
	if !c.Reading() || c.Err() != nil {
		return
	}
	v.position, v.velocity, v.spin = position, velocity, spin
	v.rotation = sim.Rot{Yaw: sim.Degrees(yaw), Pitch: sim.Degrees(pitch), Roll: sim.Degrees(roll)}
	v.steer, v.energy, v.heldTriggers, v.destroyed = steer, energy, uint8(held), destroyed
	v.updateSpace()
}

// seats returns the number of seats, and seatAt the position of one.
func (v *Vehicle) seats() int {
	if d := v.Data(); d != nil {
		return d.seats
	}
	return 0
}

func (v *Vehicle) seatAt(seat int) sim.Vec3 {
	if d := v.Data(); d != nil {
		return d.seat[seat]
	}
	return sim.Vec3{}
}

var vehicleClass = sim.Class{
	Name: "Vehicle", Parent: "ShapeBase", New: func() sim.Object { return &Vehicle{ShapeBase: ShapeBase{energy: fullEnergy}} },
	Doc:      "A wheeled, hovering or flying vehicle with a driver.",
	Motion:   sim.MotionRule{Predict: true},
	Interest: 0.75,
	Control:  1<<placeGroup | 1<<turnGroup | 1<<energyGroup | 1<<imageGroup | 1<<imageStateGroup | 1<<driveGroup,
	Events:   []sim.EventDoc{impactEvent},
	Fields: []sim.Field{
		dataField("VehicleData"),
		driveField("throttle", "the driver's input: 1 is forward, -1 is backward", func(v *Vehicle) *float64 { return &v.drive.throttle }),
		driveField("steering", "the driver's input: 1 is left", func(v *Vehicle) *float64 { return &v.drive.turn }),
		driveField("dip", "the driver's input: 1 is nose up", func(v *Vehicle) *float64 { return &v.drive.dip }),
		driveField("rise", "the driver's input: 1 is straight up", func(v *Vehicle) *float64 { return &v.drive.rise }),
		sim.BoolField("braking", driveGroup, func(v *Vehicle) *bool { return &v.drive.brake }).
			WithDoc("the driver brakes, or the vehicle has no driver"),
		sim.BoolField("boosting", driveGroup, func(v *Vehicle) *bool { return &v.drive.boost }).
			WithDoc("the driver asks for the boost of the jets"),
		driveField("wheelTurn", "the steering angle of its wheels, -1…1; 1 is fully left", func(v *Vehicle) *float64 { return &v.steer }),
	},
}

func driveField(name, doc string, at func(*Vehicle) *float64) sim.Field {
	return sim.FloatField(name, driveGroup, -1, 1, at).WithBits(8).WithDoc(doc)
}
