package tui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
)

const ms = time.Millisecond

// forward returns how many ticks a key walks if it is repeated at these moments, up to the end.
func forward(h *Hands, want Action, pressed ...time.Duration) (ticks int) {
	for now := time.Duration(0); now < 3*time.Second; now += 32 * ms {
		for len(pressed) > 0 && pressed[0] <= now {
			h.Press(want, pressed[0])
			pressed = pressed[1:]
		}
		if h.Move(now, 0, 0) != (sim.Move{}) {
			ticks++
		}
	}
	return ticks
}

func TestKeysCountAsHeldUntilTheirRepetitionsEnd(t *testing.T) {
	assert.Equal(t, 16, forward(new(Hands), Forward, 0), "a tap is half a second")
	held := []time.Duration{0}
	for at := 450 * ms; at < 2*time.Second; at += 33 * ms {
		held = append(held, at)
	}
	assert.InDelta(t, (2000+150)/32, forward(new(Hands), Forward, held...), 2, "held for 2 s it is so for these, without a gap")
	assert.Equal(t, 4, forward(new(Hands), TurnLeft, 0), "who taps to turn turns a little")
}

func TestOppositesAndChords(t *testing.T) {
	var h Hands
	h.Press(Forward, 0)
	h.Press(Back, 100*ms)
	assert.EqualValues(t, -16, h.Move(110*ms, 0, 0).Y, "the newer one counts")

	h = Hands{}
	h.Press(Forward, 0)
	for at := 400 * ms; at < 2*time.Second; at += 40 * ms {
		h.Press(Right, at)
		m := h.Move(at, 0, 0)
		assert.EqualValues(t, [2]int8{16, 16}, [2]int8{m.X, m.Y}, "at %v: the terminal repeats only the newest key", at)
	}
	assert.Equal(t, sim.Move{}, h.Move(3*time.Second, 0, 0))

	h.Press(Forward, 4*time.Second)
	h.Release()
	assert.Equal(t, sim.Move{}, h.Move(4*time.Second, 0, 0))
}

func TestKeepRunning(t *testing.T) {
	var h Hands
	h.Run()
	assert.EqualValues(t, 16, h.Move(time.Hour, 0, 0).Y)
	h.Press(Back, time.Hour)
	h.Press(Left, time.Hour)
	assert.EqualValues(t, -16, h.Move(time.Hour, 0, 0).Y)
	assert.Equal(t, sim.Move{}, h.Move(2*time.Hour, 0, 0))
	h.Run()
	h.Run()
	assert.Equal(t, sim.Move{}, h.Move(2*time.Hour, 0, 0))
}

func TestTriggers(t *testing.T) {
	for want, trigger := range map[Action]int{Fire: sim.FireTrigger, Alt: sim.AltTrigger, Jump: sim.JumpTrigger, Jet: sim.JetTrigger, Crouch: sim.CrouchTrigger} {
		var h Hands
		h.Press(want, 0)
		assert.Equal(t, sim.Move{Triggers: 1 << trigger}, h.Move(0, 0, 0))
	}
	var h Hands
	h.Hold(Fire, true)
	assert.True(t, h.Move(time.Hour, 0, 0).Trigger(sim.FireTrigger), "a button tells when it is let go")
	h.Hold(Fire, false)
	assert.Equal(t, sim.Move{}, h.Move(time.Hour, 0, 0))
}

func TestTurning(t *testing.T) {
	var h Hands
	h.Press(TurnLeft, 0)
	assert.InDelta(t, 120*0.032, sim.Degrees(uint16(h.Move(0, 0, 0).Yaw)), 0.05, "left is counter-clockwise")
	h.Press(LookUp, 0)
	up := sim.Turn(84.9)
	assert.InDelta(t, 85, sim.Degrees(up+uint16(h.Move(0, 0, up).Pitch)), 0.1, "not over the top")
	h.Level()
	assert.Equal(t, uint16(0), up+uint16(h.Move(time.Second, 0, up).Pitch))
	assert.Equal(t, sim.Move{}, h.Move(time.Second, 0, up-500), "once")
}

func TestAiming(t *testing.T) {
	for _, way := range []sim.Vec3{{X: 1}, {X: -1}, {Y: -1}, {X: 3, Y: 4, Z: 5}, {X: -3, Y: 4, Z: -2}} {
		for _, yaw := range []uint16{0, 0x4000, 0x9000, 0xffff} {
			var h Hands
			h.Aim(way)
			m := h.Move(0, yaw, 0x100)
			look := sim.Look(yaw+uint16(m.Yaw), 0x100+uint16(m.Pitch))
			assert.InDelta(t, 1, look.Dot(way)/way.Len(), 1e-6, "%v from %d", way, yaw)
		}
	}
	var h Hands
	h.Aim(sim.Vec3{Z: 1})
	assert.InDelta(t, 85, sim.Degrees(uint16(h.Move(0, 0, 0).Pitch)), 0.1)
	h.Aim(sim.Vec3{})
	assert.Equal(t, sim.Move{}, h.Move(0, 0, 0))
	h.Aim(sim.Vec3{X: 1})
	h.Press(TurnLeft, 0)
	assert.EqualValues(t, turnStep, h.Move(0, 0, 0).Yaw, "a key that turns takes over from the mouse")
}
