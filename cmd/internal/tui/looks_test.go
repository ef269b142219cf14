package tui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
)

// drawn draws a thing in the middle of a small screen, with 1 m per column.
func drawn(t Marker) *Frame {
	c := &Frame{}
	c.Draw(&Scene{Width: 12, Height: 6, Scale: 1, Things: []Marker{t}, Bars: -1, Body: Body{Health: -1, Energy: -1, Ride: -1}})
	return c
}

// signsIn returns the characters of a frame that belong to looks.
func signsIn(c *Frame) (text string) {
	for y := range c.Height {
		for x := range c.Width {
			if r := c.At(x, y).Rune; strings.ContainsRune("■●◉▲◎▬⚑▓&ohi", r) {
				text += string(r)
			}
		}
	}
	return text
}

func box(x, y float64, more ...look.Element) *look.Look {
	return look.New(append([]look.Element{{Kind: look.Box, Size: sim.Vec3{X: x, Y: y, Z: 1}, Color: 0xff0000}}, more...)...)
}

func TestLookIsDrawnFromAbove(t *testing.T) {
	at := sim.Vec3{X: 0.5, Y: 1}
	for _, c := range []struct {
		name string
		t    Marker
		want string
	}{
		{"a small box is one character", Marker{Kind: scene.Structure, At: at, Look: box(0.3, 0.3)}, "■"},
		{"a large box covers characters", Marker{Kind: scene.Structure, At: at, Look: box(5, 2)}, "▓▓▓▓▓"},
		{"it turns with its object", Marker{Kind: scene.Structure, At: at, Look: box(5, 1), Yaw: 90}, "▓▓▓"},
		{"a hidden part is not drawn", Marker{Kind: scene.Structure, At: at, Look: look.New(look.Element{Kind: look.Cone, When: "open", Size: sim.Vec3{X: 1, Y: 1, Z: 1}})}, "&"},
		{"its state shows it", Marker{Kind: scene.Structure, At: at, State: "open", Look: look.New(look.Element{Kind: look.Cone, When: "open", Size: sim.Vec3{X: 0.5, Y: 0.5, Z: 1}})}, "▲"},
		{"a label is text", Marker{Kind: scene.Structure, At: at, Look: look.New(look.Element{Kind: look.Label, Width: 1, Text: "hi\x1b"})}, "hi"},
		{"without a look it is its kind", Marker{Kind: scene.Pickup, At: at}, "o"},
	} {
		assert.Contains(t, signsIn(drawn(c.t)), c.want, c.name)
	}
}

func TestLookHasItsColor(t *testing.T) {
	f := drawn(Marker{Kind: scene.Structure, At: sim.Vec3{X: 0.5, Y: 1}, Look: box(5, 2)})
	x, y := project(&Scene{Width: 12, Height: 6, Scale: 1}).cell(sim.Vec3{X: 0.5, Y: 1})
	assert.EqualValues(t, 196, f.At(x, y).Style.Fg)
	f = drawn(Marker{Kind: scene.Structure, At: sim.Vec3{X: 0.5, Y: 1}, Team: 2, Look: box(0.5, 0.5, look.Element{Kind: look.Sphere, Size: sim.Vec3{X: 0.1, Y: 0.1, Z: 0.1}, Color: look.Team})})
	assert.Equal(t, team(2), f.At(x, y).Style.Fg, "the team is more important than the largest part")
}
