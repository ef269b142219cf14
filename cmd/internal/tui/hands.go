package tui

import (
	"math"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// An Action is the meaning of a key while it is held.
type Action uint8

const (
	Forward Action = iota
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
	numActions
)

// A terminal reports a key press and its repetitions, but no release. A key therefore counts as
// held for some time. After the first press, movement keys last until the terminal's repetition has
// surely begun: walking on is better than stumbling. Each repetition adds a little more than the
// time between two repetitions.
const (
	again = 150 * time.Millisecond
	walk  = 500 * time.Millisecond
	tap   = 120 * time.Millisecond
)

// first is the time that a key counts as held after its first press.
var first = [numActions]time.Duration{
	Forward: walk, Back: walk, Left: walk, Right: walk, Jet: walk, Crouch: walk,
	TurnLeft: tap, TurnRight: tap, LookUp: tap, LookDown: tap, Jump: tap, Fire: 2 * tap, Alt: 2 * tap,
}

// opposite is the want that cancels another.
var opposite = [numActions]Action{
	Forward: Back, Back: Forward, Left: Right, Right: Left, TurnLeft: TurnRight, TurnRight: TurnLeft,
	LookUp: LookDown, LookDown: LookUp, Jump: numActions, Jet: Crouch, Crouch: Jet, Fire: numActions, Alt: numActions,
}

// The turn per tick of a turning key, in 1/65,536 of a turn: 120 and 60 degrees per second.
const (
	turnStep  = 65536 * 120 / 360 * sim.TickMs / 1000
	pitchStep = 65536 * 60 / 360 * sim.TickMs / 1000
)

// steepest is the limit of looking up and down with keys, in 1/65,536 of a turn: 85 degrees.
const steepest = 65536 * 85 / 360

// Hands are the keys and mouse buttons that are held. The zero value holds none. Times are
// durations since the process started.
type Hands struct {
	until  [numActions]time.Duration
	run    bool // walk forward, see Run
	button [numActions]bool
	level  bool     // look level, once
	aiming bool     // the mouse sets the view direction, not the keys
	way    sim.Vec3 // relative to the eye
}

// Press handles a key press or repetition. A player who walks and presses another key keeps
// walking: the terminal repeats only the newest held key, so this key extends the time of all
// others.
func (h *Hands) Press(w Action, now time.Duration) {
	held := h.until[w] > now
	h.release(opposite[w])
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

func (h *Hands) release(w Action) {
	if w < numActions {
		h.until[w] = 0
	}
}

// Run toggles walking forward. Forward and Back also end it.
func (h *Hands) Run() { h.run = !h.run }

// Level turns the view to the horizon.
func (h *Hands) Level() { h.level, h.aiming = true, false }

// Hold presses or releases a mouse button. The terminal reports both.
func (h *Hands) Hold(w Action, down bool) { h.button[w] = down }

// Aim sets the view direction, relative to the eye in metres. A turning key ends it.
func (h *Hands) Aim(way sim.Vec3) { h.way, h.aiming = way, true }

// Release releases all keys and buttons.
func (h *Hands) Release() { *h = Hands{} }

func (h *Hands) held(w Action, now time.Duration) bool { return h.until[w] > now || h.button[w] }

// axis returns the balance of two opposite wants, from -1 to 1.
func (h *Hands) axis(plus, minus Action, now time.Duration) int {
	n := 0
	if h.held(plus, now) {
		n++
	}
	if h.held(minus, now) {
		n--
	}
	return n
}

// Move returns the move of a tick for a body that looks along yaw and pitch.
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

// limited returns the turn from pitch to the angle to, limited to steepest.
func limited(to int, pitch uint16) int16 {
	return int16(min(max(to, -steepest), steepest) - int(int16(pitch)))
}

// triggers maps wants to triggers.
var triggers = [...]struct {
	want   Action
	number int
}{{Fire, sim.FireTrigger}, {Alt, sim.AltTrigger}, {Jump, sim.JumpTrigger}, {Jet, sim.JetTrigger}, {Crouch, sim.CrouchTrigger}}

// heading and elevation return the angles of a direction.
func heading(way sim.Vec3) uint16 { return sim.Turn(math.Atan2(-way.X, way.Y) * (180 / math.Pi)) }

func elevation(way sim.Vec3) uint16 {
	return sim.Turn(math.Atan2(way.Z, math.Hypot(way.X, way.Y)) * (180 / math.Pi))
}
