package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// reel is a demo of 30 minutes.
type reel struct {
	paused bool
	speed  int
	at     time.Duration
}

func (r *reel) Pause(on bool)           { r.paused = on }
func (r *reel) Paused() bool            { return r.paused }
func (r *reel) Speed() int              { return r.speed }
func (r *reel) SetSpeed(percent int)    { r.speed = percent }
func (r *reel) Position() time.Duration { return r.at }
func (r *reel) Length() time.Duration   { return 30 * time.Minute }
func (r *reel) Seek(at time.Duration)   { r.at = at }

// TestReelKeys: over a demo, keys pause, seek and change the speed, and nothing goes to a server.
func TestReelKeys(t *testing.T) {
	v, sent := viewOf(t)
	r := &reel{speed: 100, at: time.Minute}
	v.Reel = r
	v.types(" ")
	assert.True(t, r.paused)
	v.types(" ")
	assert.False(t, r.paused)
	for key, want := range map[KeyPress]time.Duration{ArrowLeft: 50 * time.Second, ArrowRight: 70 * time.Second} {
		r.at = time.Minute
		v.Handle(InputEvent{Key: key}, 0)
		assert.Equal(t, want, r.at)
	}
	v.Handle(InputEvent{Key: ArrowUp}, 0)
	assert.Equal(t, 200, r.speed)
	v.Handle(InputEvent{Key: ArrowDown}, 0)
	assert.Equal(t, 100, r.speed)
	v.Handle(InputEvent{Key: Tab}, 0)
	assert.True(t, v.scene.Scores)
	v.types("wdt1e")
	assert.False(t, v.scene.Typing)
	assert.Equal(t, sim.Vec3{X: flyStep * scales[v.scale], Y: flyStep * scales[v.scale]}, v.survey.centre, "the camera flies")
	assert.Empty(t, *sent)
	assert.True(t, v.types("`"), "back to the console")

	r.at = 12*time.Minute + 30*time.Second
	var frame Frame
	v.Draw(&frame, 80, 24, 0, 0)
	assert.Contains(t, rows(&frame), "▶ 12:30 / 30:00  1x  free camera")
}

// rows returns the text of a frame.
func rows(c *Frame) string {
	var b strings.Builder
	for i, cell := range c.cells {
		if i%c.Width == 0 {
			b.WriteByte('\n')
		}
		if cell.Rune != 0 {
			b.WriteRune(cell.Rune)
		}
	}
	return b.String()
}

// TestFollower goes through the players, and finds a player again who has got another body.
func TestFollower(t *testing.T) {
	w := sim.NewWorld(sim.NewClasses())
	things := make([]scene.Thing, 3)
	for i, name := range []string{"Ann", "Bob", "Eve"} {
		things[i] = scene.Thing{ID: w.Add(new(sim.Group)), Kind: scene.Person, Name: name}
	}
	var f follower
	assert.Equal(t, w.Find(things[0].ID), f.body(w, things))
	f.next(things, 1)
	assert.Equal(t, "Bob", f.name)
	f.next(things, -1)
	f.next(things, -1)
	assert.Equal(t, "Eve", f.name)
	was := things[2].ID
	assert.NoError(t, w.Delete(w.Find(was)))
	things[2].ID = w.Add(new(sim.Group))
	assert.Equal(t, w.Find(things[2].ID), f.body(w, things), "a new body")
	f.free = true
	assert.Nil(t, f.body(w, things))
	f.free = false
	assert.Nil(t, new(follower).body(w, nil))
}

// TestFadedThingsAreNotDrawn checks that the map shows only objects that are more than half visible,
// and always the own one.
func TestFadedThingsAreNotDrawn(t *testing.T) {
	var s Scene
	for _, thing := range []scene.Thing{{Fade: 0.4, Team: 1}, {Fade: 0.6, Team: 2}, {Fade: 1, Team: 3, Own: true}} {
		thing.Kind = scene.Person
		s.add(&thing)
	}
	assert.Len(t, s.Things, 2)
	assert.Equal(t, 3, s.Things[1].Team)
}
