package game

import "github.com/torc-engine/torc/engine/sim"

// The limits of the fields of PlayerData.
const (
	maxPlayerSpeed = 500  // metres a second
	maxForce       = 1000 // metres a second squared
)

// PlayerData is the datablock of Players. It holds all parameters of a move.
type PlayerData struct {
	ShapeBaseData
	maxForwardSpeed, maxBackwardSpeed, maxSideSpeed float64
	runForce, groundFriction, airControl            float64
	jumpSpeed                                       float64
	jetForce, jetDrain, minJetEnergy, maxJetSpeed   float64
	runSurfaceAngle, maxStepHeight                  float64
	minImpactSpeed, maxSpeed, eyeHeight             float64
	canSki                                          bool
}

// newPlayerData returns the defaults: a soldier of medium weight.
func newPlayerData() sim.Object {
	return &PlayerData{
		ShapeBaseData: ShapeBaseData{
			radius: 1.2, size: sim.Vec3{X: 1, Y: 1, Z: 2}, mass: 90, drag: 0.02,
			maxDamage: 100, maxEnergy: 60, rechargeRate: 8,
		},
		maxForwardSpeed: 11, maxBackwardSpeed: 9, maxSideSpeed: 9,
		runForce: 60, groundFriction: 60, airControl: 0.25,
		jumpSpeed: 8, jetForce: 34, jetDrain: 24, minJetEnergy: 3, maxJetSpeed: 24,
		runSurfaceAngle: 50, maxStepHeight: 0.6, minImpactSpeed: 20, maxSpeed: 90, eyeHeight: 1.8, canSki: true,
	}
}

// playerNumber makes a number field of PlayerData.
func playerNumber(name string, lo, hi float64, at func(*PlayerData) *float64, doc string) sim.Field {
	return sim.FloatField(name, constGroup, lo, hi, at).WithDoc(doc)
}

var playerDataClass = sim.Class{
	Name: "PlayerData", Parent: "ShapeBaseData", New: newPlayerData,
	Doc: "The data that Players of one kind share.",
	Fields: []sim.Field{
		playerNumber("maxForwardSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxForwardSpeed },
			"the speed of running forward, in metres per second"),
		playerNumber("maxBackwardSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxBackwardSpeed },
			"the speed of running backwards, in metres per second"),
		playerNumber("maxSideSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxSideSpeed },
			"the speed of running sideways, in metres per second"),
		playerNumber("runForce", 0, maxForce, func(d *PlayerData) *float64 { return &d.runForce },
			"the acceleration on the ground, in metres per second squared"),
		playerNumber("groundFriction", 0, maxForce, func(d *PlayerData) *float64 { return &d.groundFriction },
			"the deceleration on the ground, in metres per second squared"),
		playerNumber("airControl", 0, 1, func(d *PlayerData) *float64 { return &d.airControl },
			"the share of runForce that acts in the air and while skiing"),
		playerNumber("jumpSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.jumpSpeed },
			"the upward speed of a jump, in metres per second"),
		playerNumber("jetForce", 0, maxForce, func(d *PlayerData) *float64 { return &d.jetForce },
			"the acceleration of its jets, in metres per second squared; gravity is 20"),
		playerNumber("jetDrain", 0, maxDamage, func(d *PlayerData) *float64 { return &d.jetDrain },
			"the energy that its jets use per second"),
		playerNumber("minJetEnergy", 0, maxDamage, func(d *PlayerData) *float64 { return &d.minJetEnergy },
			"the energy needed to start the jets"),
		playerNumber("maxJetSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxJetSpeed },
			"the largest speed that jets reach, upward and forward, in metres per second"),
		playerNumber("runSurfaceAngle", 0, 89, func(d *PlayerData) *float64 { return &d.runSurfaceAngle },
			"the steepest ground to run and stand on, in degrees"),
		playerNumber("maxStepHeight", 0, 10, func(d *PlayerData) *float64 { return &d.maxStepHeight },
			"the highest step to climb without a jump, in metres"),
		playerNumber("minImpactSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.minImpactSpeed },
			"the smallest impact speed that calls onImpact, in metres per second"),
		playerNumber("maxSpeed", 1, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxSpeed },
			"the largest speed of all, in metres per second"),
		playerNumber("eyeHeight", 0, 100, func(d *PlayerData) *float64 { return &d.eyeHeight },
			"the height of its eyes above its feet, in metres"),
		sim.BoolField("canSki", constGroup, func(d *PlayerData) *bool { return &d.canSki }).
			WithDoc("holding jump makes it ski instead of jumping again"),
	},
}
