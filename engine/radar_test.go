package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

func TestRadar(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(100)
	viewer.place.Rotation.Yaw = -90 // to the right
	r.object("Car", sim.Place{Position: sim.Vec3{X: 20}})
	r.object("Car", sim.Place{Position: sim.Vec3{X: -20, Y: 20}})
	r.object("Loot", sim.Place{Position: sim.Vec3{X: 20}}) // hidden by the car in front
	r.object("Walker", sim.Place{Position: sim.Vec3{Y: -20}})
	r.object("Score", sim.Place{})
	r.host.Rules.SetAlways(r.object("Walker", sim.Place{Position: sim.Vec3{X: 5000}}))
	r.run(1)
	assert.Equal(t, []string{
		"...........",
		".C.........",
		"...........",
		".....>...C.",
		"...........",
		".....W.....",
		"...........",
		"> is at 0 0 0; a character is 5 m wide and 10 m high",
		"1 are too far away to draw",
		"C Car 2",
		"L Loot 1",
		"W Walker 2",
	}, r.host.Inspector.Radar(r.conn(), 11, 7))
	assert.Len(t, r.host.Inspector.Radar(r.conn(), 0, -5), 3+5, "never smaller than 3 by 3")
	for yaw, want := range map[float64]string{0: "^", 180: "v", 90: "<", -90: ">", 270: ">"} {
		viewer.place.Rotation.Yaw = yaw
		r.run(1)
		assert.Equal(t, want, r.host.Inspector.Radar(r.conn(), 11, 7)[3][5:6], "yaw %v", yaw)
	}
}

// TestRadarOfAnything checks that the radar accepts any position, and more classes than there are
// letters.
func TestRadarOfAnything(t *testing.T) {
	r := newScopeRig(t, newTestSink(1000))
	assert.Len(t, r.host.Inspector.Radar(r.conn(), 5, 5), 6, "an empty world")
	for i, x := range notNumbers {
		r.object("Car", sim.Place{Position: sim.Vec3{X: x, Y: notNumbers[len(notNumbers)-1-i], Z: x}})
	}
	r.run(1)
	lines := r.host.Inspector.Radar(r.conn(), 21, 11)
	assert.Len(t, lines, 13)
	var blips []blip
	for i := range 80 {
		blips = append(blips, blip{class: &sim.Class{Name: "C" + strings.Repeat("c", i)}})
	}
	letters := classLetters(blips)
	used := map[rune]int{}
	for _, b := range blips {
		used[letters[b.class]]++
	}
	for letter, n := range used {
		assert.True(t, n == 1 || letter == '*', "%c is used %d times", letter, n)
	}
	assert.Equal(t, 'C', letters[blips[0].class])
}

// TestScopeLines checks that the console tells why an object is not in scope.
func TestScopeLines(t *testing.T) {
	d := newTestSink(3)
	r := newScopeRig(t, d)
	r.viewer(100)
	r.conn().Visible.SetGroups(6)
	denied := r.object("Loot", sim.Place{})
	r.scripts.answer = func(o sim.Object, _ *Connection) (bool, bool) { return o != denied, o == denied }
	for range 5 {
		r.thing(9, 9)
	}
	r.run(1)
	assert.Equal(t, []string{
		"from Thing 6, at 0.0 0.0 0.0, looking 0.00 1.00 0.00",
		"view 100 m, 90 degrees, groups 0x6",
		"in scope 3, hidden by scripts 1, not evaluated yet 0, without room 3",
		"Thing 3",
	}, r.host.Inspector.ScopeLines(r.conn()))
	r.conn().Visible.SetView(ScopeView{Distance: 9, ViewOnly: true})
	assert.Equal(t, "view 9 m, 90 degrees, nothing outside of it, groups 0x6", r.host.Inspector.ScopeLines(r.conn())[1])
	r.conn().Visible.reset()
	assert.Equal(t, []string{"nothing: this side sends the peer no objects"}, r.host.Inspector.ScopeLines(r.conn()))
	r.conn().Visible.begin()
	assert.Contains(t, r.host.Inspector.ScopeLines(r.conn())[0], "still joining")
}

// TestGhostCommands checks how the ghost commands resolve the id or name of a connection.
func TestGhostCommands(t *testing.T) {
	r := newScopeRig(t, newTestSink(9), newTestSink(9), newTestSink(9))
	c := console.New(nil)
	require.NoError(t, r.host.Inspector.bind(c))
	for i, name := range []string{"Ann", "Bob \x1b[1m", "Ann Two"} {
		r.host.conns[i].PlayerName = name
	}
	r.run(1)
	for line, want := range map[string]string{
		"scope Ann":       "no scope object",
		"scope ann_two":   "no scope object",
		`radar "ann two"`: "is at 0 0 0",
		"net Ann":         "not connected yet",
		"ghosts 6":        "no ghosts yet",
		"radar":           `ambiguous connection: use one of Ann, Bob_\x1b[1m, Ann_Two`,
		"ghosts Eve":      `no connection has the id or name "Eve"`,
		"net Ann Bob":     "usage: net [ID|NAME]",
	} {
		out, err := c.Exec(line)
		if err != nil {
			out = err.Error()
		}
		assert.Contains(t, out, want, line)
	}
	r.host.conns = nil
	_, err := c.Exec("radar")
	assert.ErrorContains(t, err, "no connection")
}
