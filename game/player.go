package game

import "github.com/torc-engine/torc/engine/sim"

// moveGroup is the field group of the last move. Ghosts repeat that move.
const moveGroup = ownGroup

const (
	maxPitch  = 0x3f4a // 89° up or down, in 1/65,536 of a turn
	jumpTicks = 8      // minimum time between two jumps
)

// Player is a character on foot. It runs, jumps, skis and flies with jets, as the moves of its
// controller say. Players pass through each other, but get collision events.
type Player struct {
	ShapeBase
	moveX, moveY int  // last move, in the units of sim.Move
	jumping      bool // its last move held jump
	jetting      bool // its jets burn
	wait         int  // ticks until it can jump again
	head         int16
}

// Data returns the datablock, or nil if it is missing.
func (p *Player) Data() *PlayerData {
	d, _ := sim.Part[*PlayerData](p.World().Blocks.At(p.data))
	return d
}

// Tick runs one tick without a controller. A ghost repeats the last known move.
func (p *Player) Tick(uint64) {
	if p.IsGhost() {
		p.tickWithMove(p.lastKnownMove())
		return
	}
	p.tickWithMove(sim.Move{})
}

// Control runs one tick with a move.
func (p *Player) Control(m sim.Move) { p.tickWithMove(m.Clamped()) }

// lastKnownMove returns the last move that a ghost received.
func (p *Player) lastKnownMove() sim.Move {
	m := sim.Move{X: int8(p.moveX), Y: int8(p.moveY)}
	m.SetTrigger(sim.JumpTrigger, p.jumping)
	m.SetTrigger(sim.JetTrigger, p.jetting)
	return m
}

// tickWithMove runs one tick with a move.
func (p *Player) tickWithMove(m sim.Move) {
	d := p.Data()
	if d == nil {
		return
	}
	p.tickShape(&d.ShapeBaseData)
	if p.destroyed {
		m = sim.Move{}
	}
	pressed := p.setTriggers(m)
	p.turn(m)
	if p.mount != 0 && !p.controlMounted(m, pressed) {
		return
	}
	p.storeMove(m)
	p.walk(d, m, pressed)
	p.updateSpace()
	p.touch()
	p.tickImages(m.Triggers)
}

// controlMounted runs a move of a mounted player. The move drives the mount, or fires the player's
// weapons. It reports whether the player is no longer mounted.
func (p *Player) controlMounted(m sim.Move, pressed uint8) (off bool) {
	p.storeMove(sim.Move{})
	if pressed>>sim.JumpTrigger&1 != 0 && p.simulatedHere() {
		p.unmount()
		return false
	}
	c := p.drivenMount()
	if c != nil && p.controlsMount(c) { // otherwise the vehicle runs its own tick
		c.Control(m)
	}
	if !p.tickMounted() {
		return true
	}
	triggers := m.Triggers
	if c != nil {
		triggers = 0 // the vehicle has them
	}
	p.tickImages(triggers)
	return false
}

// simulatedHere reports whether this machine runs its moves: the server does, and so does the
// client that controls it.
func (p *Player) simulatedHere() bool { return !p.IsGhost() || p.Controller() != 0 }

// controlsMount reports whether the vehicle takes the moves of this player's controller. It does
// not if another controller drives the vehicle.
func (p *Player) controlsMount(c sim.Controllable) bool {
	mine, its := p.Controller(), c.Ident().Controller()
	return mine != 0 && (its == mine || its == 0)
}

// storeMove stores the part of a move that ghosts receive.
func (p *Player) storeMove(m sim.Move) {
	x, y, jumping := int(m.X), int(m.Y), m.Trigger(sim.JumpTrigger)
	if x != p.moveX || y != p.moveY || jumping != p.jumping {
		p.moveX, p.moveY, p.jumping = x, y, jumping
		p.Mark(1 << moveGroup)
	}
}

// turn turns body and head. With free look it turns only the head.
func (p *Player) turn(m sim.Move) {
	yaw, pitch := sim.Turn(p.rotation.Yaw), int(int16(sim.Turn(p.rotation.Pitch)))
	if m.FreeLook {
		p.head += m.Yaw
	} else {
		yaw += uint16(m.Yaw)
		p.head = 0
	}
	pitch = min(max(pitch+int(m.Pitch), -maxPitch), maxPitch)
	if is := (sim.Rot{Yaw: sim.Degrees(yaw), Pitch: degreesOfTurn(pitch)}); is != p.rotation {
		p.rotation = is
		p.Mark(1 << turnGroup)
	}
}

func (p *Player) touches() bool { return true }

// Drives returns the vehicle that its moves drive, or nil.
func (p *Player) Drives() sim.Controllable { return p.drivenMount() }

// eye returns the eye position and the view direction.
func (p *Player) eye() (at, look sim.Vec3) {
	at = p.position
	if d := p.Data(); d != nil {
		at.Z += d.eyeHeight
	}
	return at, sim.Look(sim.Turn(p.rotation.Yaw)+uint16(p.head), sim.Turn(p.rotation.Pitch))
}

// push applies an impulse. The point of impact makes no difference. The player leaves the ground
// only if the impulse has an upward part.
func (p *Player) push(_, impulse sim.Vec3) {
	if d := p.Data(); d != nil && p.mount == 0 {
		p.move(p.position, sim.SnapVec(limit(p.velocity.Add(impulse.Div(d.mass)), d.maxSpeed)))
	}
}

// CodeControl codes the control state: everything that moves act on. A mounted player sends no
// position, because the position follows from the mount.
func (p *Player) CodeControl(c sim.Coder) {
	s := p.state()
	sits := p.mount != 0 && (c.View == nil || c.Reading() || c.View.ToWire(uint32(p.mount)) != 0)
	if !c.Flag(&sits) {
		c.FineVec(&s.position, Extent)
		c.FineVec(&s.velocity, MaxSpeed)
	}
	c.Fine(&s.energy, maxDamage)
	c.Turn(&s.yaw)
	c.Turn(&s.pitch)
	c.Turn(&s.head)
	c.Bits(&s.held, sim.MoveTriggers)
	c.Int(&s.wait, 0, jumpTicks)
	c.Int(&s.leaps, 0, maxLeaps-1)
	c.Flag(&s.jetting)
	c.Flag(&s.destroyed)
	images := p.images
	p.codeImages(c)
	p.codeMount(c)
	switch {
	case !c.Reading():
	case c.Err() == nil:
		p.setState(&s)
	default:
		p.images = images
	}
}

// playerState is the state that moves act on, without the mount.
type playerState struct {
	position, velocity sim.Vec3
	energy             float64
	yaw, pitch, head   uint16
	held               uint64
	wait, leaps        int
	jetting, destroyed bool
}

func (p *Player) state() playerState {
	return playerState{
		sim.SnapVec(p.position), sim.SnapVec(p.velocity), sim.Snap(p.energy),
		sim.Turn(p.rotation.Yaw), sim.Turn(p.rotation.Pitch), uint16(p.head),
		uint64(p.heldTriggers), p.wait, p.leaps, p.jetting, p.destroyed,
	}
}

func (p *Player) setState(s *playerState) {
	p.position, p.velocity, p.energy = s.position, s.velocity, s.energy
	p.rotation = sim.Rot{Yaw: sim.Degrees(s.yaw), Pitch: signedDegrees(s.pitch)}
	p.head, p.heldTriggers, p.wait, p.leaps = int16(s.head), uint8(s.held), s.wait, s.leaps
	p.jetting, p.destroyed = s.jetting, s.destroyed
	p.updateSpace()
}

var playerClass = sim.Class{
	Name: "Player", Parent: "ShapeBase", New: func() sim.Object { return &Player{ShapeBase: ShapeBase{energy: fullEnergy}} },
	Doc:      "A person on foot. Players run, jump, ski and fly with jets.",
	Motion:   sim.MotionRule{Predict: true},
	Interest: 0.75,
	Control:  1<<placeGroup | 1<<turnGroup | 1<<energyGroup | 1<<mountGroup | 1<<leapGroup | 1<<imageGroup | 1<<imageStateGroup | 1<<moveGroup,
	Events:   []sim.EventDoc{impactEvent},
	Fields: []sim.Field{
		dataField("PlayerData"),
		sim.IntField("moveX", moveGroup, -sim.MoveFull, sim.MoveFull, func(p *Player) *int { return &p.moveX }).
			WithDoc("the sideways part of its last move in steps of 1/16; right is positive"),
		sim.IntField("moveY", moveGroup, -sim.MoveFull, sim.MoveFull, func(p *Player) *int { return &p.moveY }).
			WithDoc("the forward part of its last move in steps of 1/16"),
		sim.BoolField("jumping", moveGroup, func(p *Player) *bool { return &p.jumping }).
			WithDoc("it jumped or skied in its last move"),
		sim.BoolField("jetting", moveGroup, func(p *Player) *bool { return &p.jetting }).
			WithDoc("its jets are on"),
	},
}
