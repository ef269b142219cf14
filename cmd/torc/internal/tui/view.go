package tui

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// FrameTime is the time between two pictures.
const FrameTime = 40 * time.Millisecond

const (
	maxShown   = 8                // messages at a time
	messageFor = 12 * time.Second // for so long a message is seen
	maxInput   = 200              // bytes of a chat line

	// eyes are how high above its place a body is supposed to look from, and
	// chest how high it is to be hit, in metres.
	eyes, chest = 1.6, 1.0
	// near is how far from the mouse a thing is aimed at, in characters.
	near = 1.5
)

// A View is what a person sees and does of a client. It belongs to the
// goroutine that owns the world; only Print may be called from any.
type View struct {
	host   *engine.Host
	send   func(command string, args ...sim.Value)
	survey *survey
	screen *Screen
	scene  Scene
	scale  int // of scales
	hands  Hands
	due    time.Duration
	hold   bool // pasted text is no key
	mouseX int  // where it points
	mouseY int
	team   bool // what is typed is for the own team

	mu       sync.Mutex
	messages []message
}

type message struct {
	text  string
	fresh bool // not seen yet
	since time.Duration
}

// scales are metres in a column.
var scales = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16}

// New makes the view of a client. send passes a command on to its server.
func New(host *engine.Host, send func(command string, args ...sim.Value)) *View {
	return &View{host: host, send: send, survey: newSurvey(host.World()), scale: 2}
}

// Show begins to show itself on a screen.
func (v *View) Show(s *Screen) {
	v.screen, v.due, v.hold = s, 0, false
	v.mu.Lock()
	v.messages = v.messages[:0]
	v.mu.Unlock()
}

// Hide ends that. What was typed and held is forgotten.
func (v *View) Hide() *Screen {
	s := v.screen
	v.screen = nil
	v.hands.Release()
	v.scene.Typing, v.scene.Input, v.scene.Help = false, "", false
	return s
}

// Shown reports whether it is on a screen.
func (v *View) Shown() bool { return v.screen != nil }

// Events are what the person does, nil while nobody looks.
func (v *View) Events() <-chan Event {
	if v.screen == nil {
		return nil
	}
	return v.screen.events
}

// SetHud sets a line of the HUD, 1…HudLines. The text may hold anything.
func (v *View) SetHud(line int, text string) {
	if line >= 1 && line <= HudLines {
		v.scene.Hud[line] = Plain(text)
	}
}

// Print shows a text of one or more lines among the messages.
func (v *View) Print(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for line := range strings.SplitSeq(text, "\n") {
		if len(v.messages) == maxShown {
			v.messages = v.messages[:copy(v.messages, v.messages[1:])]
		}
		v.messages = append(v.messages, message{text: Plain(line), fresh: true})
	}
}

// news are the messages that are not too old to be shown.
func (v *View) news(dst []string, now time.Duration) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.messages {
		m := &v.messages[i]
		if m.fresh {
			m.fresh, m.since = false, now
		}
		if now-m.since < messageFor || v.scene.Typing {
			dst = append(dst, m.text)
		}
	}
	return dst
}

// Due is when the next picture is wanted.
func (v *View) Due() time.Duration {
	if v.screen == nil {
		return math.MaxInt64
	}
	return v.due
}

// Frame makes a picture if it is time for one. back is how much of a tick has
// yet to pass until the newest state of the world is to be seen, 0…1.
func (v *View) Frame(now time.Duration, back float64) {
	if v.screen == nil || now < v.due {
		return
	}
	v.due = max(v.due+FrameTime, now+FrameTime/2)
	cells := v.screen.spare()
	if cells == nil {
		return // the one before is still being drawn
	}
	s := &v.scene
	s.Width, s.Height = v.screen.Size()
	s.Scale = scales[v.scale]
	v.survey.look(s, v.body(), back, now)
	s.land(v.host.World())
	if c := v.host.Server(); c != nil {
		s.Body.Ping = c.Ping()
	}
	s.Messages = v.news(s.Messages[:0], now)
	cells.Draw(s)
	v.screen.show(cells)
}

// body is what this client controls, nil if nothing.
func (v *View) body() sim.Object {
	if c := v.host.Server(); c != nil {
		return c.ControlObject()
	}
	return nil
}

// Move is what the person wants of a tick.
func (v *View) Move(now time.Duration) sim.Move {
	body, ok := v.body().(sim.Placed)
	if !ok || v.screen == nil {
		return sim.Move{}
	}
	place := body.Place()
	if v.hands.aiming {
		v.hands.Aim(v.target(place.Position).Sub(eye(body)))
	}
	return v.hands.Move(now, sim.Turn(place.Rotation.Yaw), sim.Turn(place.Rotation.Pitch))
}

// eye is where it looks from.
func eye(body sim.Placed) sim.Vec3 {
	if e, ok := body.(engine.Eyes); ok {
		return e.EyePoint()
	}
	return body.Place().Position.Add(sim.Vec3{Z: eyes})
}

// target is what the mouse points at: a thing that is near, or the ground.
func (v *View) target(from sim.Vec3) sim.Vec3 {
	s := &v.scene
	p := project(s)
	x, y := p.point(v.mouseX, v.mouseY)
	at := sim.Vec3{X: x, Y: y, Z: from.Z}
	if s.Ground != nil {
		at.Z = s.Ground(x, y)
	}
	nearest := near
	for i := range s.Things {
		t := &s.Things[i]
		if t.Own || t.Kind < Gun || t.Kind > Person {
			continue
		}
		dx, dy := (t.At.X-x)/p.dx, (t.At.Y-y)/p.dy
		if d := max(dx, -dx, dy, -dy); d < nearest {
			nearest, at = d, t.At
		}
	}
	return at.Add(sim.Vec3{Z: chest})
}
