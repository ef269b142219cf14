package tui

import (
	"math"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// A Want is something that a key means for as long as it is held.
type Want uint8

const (
	Forward Want = iota
	Back
	Left
	Right
	TurnLeft
	TurnRight
	LookUp
	LookDown
	Jump
	Jet
	Crouch
	Fire
	Alt
	wants
)

// A terminal tells that a key is pressed, and again and again while it is held,
// but not that it is let go. So a key counts as held for a while: after it is
// pressed until the terminal is sure to have begun repeating it, where walking
// on is better than stumbling; and after each repetition for a little more than
// the time between two.
const (
	again = 150 * time.Millisecond
	walk  = 500 * time.Millisecond
	tap   = 120 * time.Millisecond
)

// first is for how long a key that is pressed counts as held.
var first = [wants]time.Duration{
	Forward: walk, Back: walk, Left: walk, Right: walk, Jet: walk, Crouch: walk,
	TurnLeft: tap, TurnRight: tap, LookUp: tap, LookDown: tap, Jump: tap, Fire: 2 * tap, Alt: 2 * tap,
}

// against is the want that ends one.
var against = [wants]Want{
	Forward: Back, Back: Forward, Left: Right, Right: Left, TurnLeft: TurnRight, TurnRight: TurnLeft,
	LookUp: LookDown, LookDown: LookUp, Jump: wants, Jet: Crouch, Crouch: Jet, Fire: wants, Alt: wants,
}

// How far a tick of a turning key turns, in 1/65,536 of a turn: 120 and 60
// degrees a second.
const (
	turnStep  = 65536 * 120 / 360 * sim.TickMs / 1000
	pitchStep = 65536 * 60 / 360 * sim.TickMs / 1000
)

// steepest is how far up and down keys look, in 1/65,536 of a turn: 85 degrees.
const steepest = 65536 * 85 / 360

// Hands are the keys and mouse buttons that are held. The zero value holds
// nothing. Time is given: that since the process began.
type Hands struct {
	until  [wants]time.Duration
	run    bool // forward, until something else is wanted
	button [wants]bool
	level  bool     // look level, once
	aiming bool     // the mouse says where to look, and not the keys
	way    sim.Vec3 // relative to the eye
}

// Press is a key that was pressed or has repeated. Whoever walks and presses
// another key still walks: the terminal repeats only the newest of the keys
// that are held, so the others last as long as that one.
func (h *Hands) Press(w Want, now time.Duration) {
	held := h.until[w] > now
	h.release(against[w])
	switch w {
	case Forward, Back:
		h.run = false
	case TurnLeft, TurnRight, LookUp, LookDown:
		h.aiming = false
	}
	if end := now + again; held {
		h.until[w] = max(h.until[w], end)
	} else {
		h.until[w] = now + first[w]
	}
	for other := range h.until {
		if h.until[other] > now {
			h.until[other] = max(h.until[other], min(h.until[w], now+walk))
		}
	}
}

func (h *Hands) release(w Want) {
	if w < wants {
		h.until[w] = 0
	}
}

// Run goes forward until Forward or Back is pressed, or Run again.
func (h *Hands) Run() { h.run = !h.run }

// Level looks straight ahead.
func (h *Hands) Level() { h.level, h.aiming = true, false }

// Hold holds a mouse button or lets it go: these are told of.
func (h *Hands) Hold(w Want, down bool) { h.button[w] = down }

// Aim looks along a way from the eye, in metres, until a key turns.
func (h *Hands) Aim(way sim.Vec3) { h.way, h.aiming = way, true }

// Release lets go of everything.
func (h *Hands) Release() { *h = Hands{} }

func (h *Hands) held(w Want, now time.Duration) bool { return h.until[w] > now || h.button[w] }

// axis is how much of one way and of its opposite is wanted, from -1 to 1.
func (h *Hands) axis(plus, minus Want, now time.Duration) int {
	n := 0
	if h.held(plus, now) {
		n++
	}
	if h.held(minus, now) {
		n--
	}
	return n
}

// Move is what the hands want of a tick, of a body that looks along yaw and
// pitch.
func (h *Hands) Move(now time.Duration, yaw, pitch uint16) sim.Move {
	forward := h.axis(Forward, Back, now)
	if h.run {
		forward = 1
	}
	m := sim.Move{
		X: int8(sim.MoveFull * h.axis(Right, Left, now)),
		Y: int8(sim.MoveFull * forward),
	}
	m.Yaw = int16(turnStep * h.axis(TurnLeft, TurnRight, now))
	m.Pitch = int16(pitchStep * h.axis(LookUp, LookDown, now))
	for _, t := range triggers {
		m.SetTrigger(t.number, h.held(t.want, now))
	}
	switch {
	case h.aiming:
		m.Yaw = int16(heading(h.way) - yaw)
		m.Pitch = limited(int(int16(elevation(h.way))), pitch)
	case h.level:
		m.Pitch = limited(0, pitch)
	default:
		m.Pitch = limited(int(int16(pitch))+int(m.Pitch), pitch)
	}
	h.level = false
	return m
}

// limited is the turn from pitch to another one that is not too steep.
func limited(to int, pitch uint16) int16 {
	return int16(min(max(to, -steepest), steepest) - int(int16(pitch)))
}

// triggers are the triggers that keys hold.
var triggers = [...]struct {
	want   Want
	number int
}{{Fire, sim.FireTrigger}, {Alt, sim.AltTrigger}, {Jump, sim.JumpTrigger}, {Jet, sim.JetTrigger}, {Crouch, sim.CrouchTrigger}}

// heading and elevation are the angles of a way.
func heading(way sim.Vec3) uint16 { return sim.Turn(math.Atan2(-way.X, way.Y) * (180 / math.Pi)) }

func elevation(way sim.Vec3) uint16 {
	return sim.Turn(math.Atan2(way.Z, math.Hypot(way.X, way.Y)) * (180 / math.Pi))
}
