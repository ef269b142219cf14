package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// A Reel is a demo that a view shows instead of a game.
type Reel interface {
	Pause(on bool)
	Paused() bool
	Speed() int // in percent
	SetSpeed(percent int)
	Position() time.Duration
	Length() time.Duration
	Seek(at time.Duration)
}

const (
	seekStep = 10 * time.Second
	flyStep  = 6 // columns that a key moves the camera
)

// A follower is the camera over a demo: it follows a player, or is free.
type follower struct {
	free bool
	id   sim.ID
	name string // of the player, who can get another body
}

// people returns the players among the things.
func people(things []scene.Thing) (found []*scene.Thing) {
	for i := range things {
		if things[i].Kind == scene.Person {
			found = append(found, &things[i])
		}
	}
	return found
}

// body returns the body to follow, nil if the camera is free or there is no player.
func (f *follower) body(w *sim.World, things []scene.Thing) sim.Object {
	if f.free {
		return nil
	}
	if o := w.Find(f.id); o != nil {
		return o
	}
	all := people(things)
	for _, t := range all {
		if t.Name == f.name && w.Find(t.ID) != nil {
			f.id = t.ID
			return w.Find(t.ID)
		}
	}
	for _, t := range all {
		if o := w.Find(t.ID); o != nil {
			f.id, f.name = t.ID, t.Name
			return o
		}
	}
	return nil
}

// next follows the next player, or with a negative step the one before.
func (f *follower) next(things []scene.Thing, step int) {
	all := people(things)
	if len(all) == 0 {
		return
	}
	now := 0
	for i, t := range all {
		if t.ID == f.id {
			now = i + step
		}
	}
	t := all[(now+len(all))%len(all)]
	*f = follower{id: t.ID, name: t.Name}
}

// flights are the keys that move the camera, in columns and rows.
var flights = map[rune][2]float64{'w': {0, 1}, 's': {0, -1}, 'a': {-1, 0}, 'd': {1, 0}}

// reelKey handles a key over a demo.
func (v *View) reelKey(e InputEvent) {
	switch e.Key {
	case ArrowLeft:
		v.Reel.Seek(v.Reel.Position() - seekStep)
	case ArrowRight:
		v.Reel.Seek(v.Reel.Position() + seekStep)
	case ArrowUp:
		v.Reel.SetSpeed(v.Reel.Speed() * 2)
	case ArrowDown:
		v.Reel.SetSpeed(v.Reel.Speed() / 2)
	case Tab:
		v.scene.Scores = !v.scene.Scores
	case Redraw:
		v.screen.redraw()
	}
	if way, ok := flights[e.Rune]; ok {
		v.follower.free = true
		step := flyStep * scales[v.scale]
		v.survey.centre = v.survey.centre.Add(sim.Vec3{X: way[0] * step, Y: way[1] * step})
	}
	switch e.Rune {
	case ' ':
		v.Reel.Pause(!v.Reel.Paused())
	case 'n':
		v.follower.next(v.survey.things, 1)
	case 'p':
		v.follower.next(v.survey.things, -1)
	case 'f':
		v.follower.free = !v.follower.free
	case '+', '=':
		v.zoom(-1)
	case '-':
		v.zoom(1)
	case '?', 'h':
		v.scene.Help = !v.scene.Help
	}
}

// reelText describes what is shown of a demo.
func (v *View) reelText() string {
	r := v.Reel
	sign, who := "▶", "free camera"
	if r.Paused() {
		sign = "‖"
	}
	if !v.follower.free {
		who = "following " + v.follower.name
	}
	return fmt.Sprintf("%s %s / %s  %gx  %s", sign, clockText(r.Position()), clockText(r.Length()), float64(r.Speed())/100, Plain(who))
}

// clockText formats a time as 12:30.
func clockText(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

var reelHelp = strings.Split(`space        pause, or go on
← →          10 s back, 10 s on      ↑ ↓  faster, slower
n p          follow the next player, the one before
f            free camera             w a s d  move it
Tab          scores                  + -  scale   Ctrl-L  redraw
Esc  `+"`"+`  F1    return to the console`, "\n")
