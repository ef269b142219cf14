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
	Doc: "What the Players of one kind share.",
	Fields: []sim.Field{
		playerNumber("maxForwardSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxForwardSpeed },
			"how fast it runs ahead, in metres a second"),
		playerNumber("maxBackwardSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxBackwardSpeed },
			"how fast it runs backwards"),
		playerNumber("maxSideSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxSideSpeed },
			"how fast it runs to the side"),
		playerNumber("runForce", 0, maxForce, func(d *PlayerData) *float64 { return &d.runForce },
			"how fast it gains speed on the ground, in metres a second squared"),
		playerNumber("groundFriction", 0, maxForce, func(d *PlayerData) *float64 { return &d.groundFriction },
			"how fast it stops there, in metres a second squared"),
		playerNumber("airControl", 0, 1, func(d *PlayerData) *float64 { return &d.airControl },
			"the part of runForce that it has in the air and while it skis"),
		playerNumber("jumpSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.jumpSpeed },
			"how fast it leaves the ground when it jumps, in metres a second"),
		playerNumber("jetForce", 0, maxForce, func(d *PlayerData) *float64 { return &d.jetForce },
			"how its jets push, in metres a second squared; gravity is 20"),
		playerNumber("jetDrain", 0, maxDamage, func(d *PlayerData) *float64 { return &d.jetDrain },
			"the energy its jets use in a second"),
		playerNumber("minJetEnergy", 0, maxDamage, func(d *PlayerData) *float64 { return &d.minJetEnergy },
			"the energy it takes to start them"),
		playerNumber("maxJetSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxJetSpeed },
			"how fast they make it, upward and ahead, in metres a second"),
		playerNumber("runSurfaceAngle", 0, 89, func(d *PlayerData) *float64 { return &d.runSurfaceAngle },
			"the steepest ground it can run and stand on, in degrees"),
		playerNumber("maxStepHeight", 0, 10, func(d *PlayerData) *float64 { return &d.maxStepHeight },
			"the highest step it takes without a jump, in metres"),
		playerNumber("minImpactSpeed", 0, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.minImpactSpeed },
			"how fast it hits something to be told of it (onImpact), in metres a second"),
		playerNumber("maxSpeed", 1, maxPlayerSpeed, func(d *PlayerData) *float64 { return &d.maxSpeed },
			"the most it ever moves, in metres a second"),
		playerNumber("eyeHeight", 0, 100, func(d *PlayerData) *float64 { return &d.eyeHeight },
			"where its eyes are, in metres above its feet"),
		sim.BoolField("canSki", constGroup, func(d *PlayerData) *bool { return &d.canSki }).
			WithDoc("it slides while it holds jump, instead of jumping again"),
	},
}
