package tui

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// FrameInterval is the time between two frames.
const FrameInterval = 40 * time.Millisecond

const (
	messageFor = 12 * time.Second // time that a message is visible
	noticeFor  = time.Minute      // time that a notice is visible
	maxInput   = 200              // bytes of a chat line

	// eyes is the assumed height of the eye above a body's place, and chest the height to aim at,
	// in metres.
	eyes, chest = 1.6, 1.0
	// near is the largest distance between the mouse and its target, in characters.
	near = 1.5
)

// A View connects a player to a client: it shows the world and makes moves. It belongs to the
// goroutine that owns the world. Only Print can be called from any goroutine.
type View struct {
	host   func() *engine.Host // whose world is shown
	send   func(command string, args ...sim.Value)
	survey *survey
	screen *Screen
	scene  Scene
	scale  int // index in scales
	hands  Hands
	due    time.Duration
	hold   bool // inside a paste: text is not treated as keys
	mouseX int  // mouse position
	mouseY int
	team   bool // the typed line goes to the own team
	notice popup
	form   formView
	forms  func() formSource // nil: there is no server
	binds  func() []engine.Bind

	// Reel is the demo that is shown, nil for a game. Set it before Show.
	Reel     Reel
	follower follower

	// Line returns the quality of the line to the server, 0…maxBars, and what is wrong with it, ""
	// if it works. It can be nil.
	Line func() (bars int, wrong string)

	mu       sync.Mutex
	messages []message
}

type message struct {
	text  string
	fresh bool // not shown yet
	since time.Duration
}

// scales are metres per column.
var scales = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16}

// New makes the view of a client. host returns what it plays, which is another one after the client
// has gone to another server. send sends a command to its server.
func New(host func() *engine.Host, send func(command string, args ...sim.Value)) *View {
	return &View{host: host, send: send, survey: newSurvey(host().World()), scale: 2, forms: func() formSource { return formsOf(host()) }, binds: func() []engine.Bind { return bindsOf(host()) }}
}

// bindsOf returns the keys that mods ask for.
func bindsOf(host *engine.Host) []engine.Bind {
	if c := host.Server(); c != nil {
		return c.Binds().Told()
	}
	return nil
}

// Show starts to show the view on a screen.
func (v *View) Show(s *Screen) {
	v.screen, v.due, v.hold = s, 0, false
	v.scene.Plain = s.plain
	v.mu.Lock()
	v.messages = v.messages[:0]
	v.mu.Unlock()
}

// Hide stops showing the view and returns its screen. It discards typed text and held keys.
func (v *View) Hide() *Screen {
	v.scene.Typing, v.scene.Input, v.scene.Help = false, "", false
	return v.Detach()
}

// Detach stops showing the view until the next Show and returns its screen. It keeps typed text.
func (v *View) Detach() *Screen {
	s := v.screen
	v.screen = nil
	v.hands.Release()
	return s
}

// Shown reports whether the view is on a screen.
func (v *View) Shown() bool { return v.screen != nil }

// Events returns the player's events, nil while the view is hidden.
func (v *View) Events() <-chan InputEvent {
	if v.screen == nil {
		return nil
	}
	return v.screen.events
}

// SetHud sets a line of the HUD, 1…HudLines. The text can contain any characters. A line end begins
// a new row.
func (v *View) SetHud(line int, text string) {
	if line >= 1 && line <= HudLines {
		v.scene.Hud[line] = plainRows(text)
	}
}

// Message shows a message of the server among the messages.
func (v *View) Message(_, text string) { v.Print(Indent(text)) }

// Notice shows a text of the program itself as a box of its own, among no messages. The box waits
// until the view is shown, and goes by Esc or after a minute.
func (v *View) Notice(text string) { v.notice.open(text) }

// Print adds the lines of a text to the messages.
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

// news appends the messages that are still visible to dst.
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

// Due returns the time of the next frame.
func (v *View) Due() time.Duration {
	if v.screen == nil {
		return math.MaxInt64
	}
	return v.due
}

// Frame draws a frame if it is due. back is the part of the last tick that has yet to pass, 0…1.
func (v *View) Frame(now time.Duration, back float64) {
	if v.screen == nil || now < v.due {
		return
	}
	v.due = max(v.due+FrameInterval, now+FrameInterval/2)
	cells := v.screen.freeFrame()
	if cells == nil {
		return // the last frame is still being shown
	}
	width, height := v.screen.Size()
	v.Draw(cells, width, height, now, back)
	v.screen.showFrame(cells)
}

// Draw draws a frame of width by height characters on cells. back is the part of the last tick that
// has yet to pass, 0…1. It needs no screen.
func (v *View) Draw(cells *Frame, width, height int, now time.Duration, back float64) {
	s := &v.scene
	s.Width, s.Height = width, height
	s.Scale = scales[v.scale]
	if w := v.host().World(); w != v.survey.world {
		v.survey = newSurvey(w)
	}
	v.survey.look(s, v.body(), back, now)
	s.setTerrain(v.host().World())
	if c := v.host().Server(); c != nil {
		s.Body.Ping = c.Line.Ping()
	}
	s.Bars, s.Line = -1, ""
	if v.Line != nil {
		s.Bars, s.Line = v.Line()
		s.Line = plainRows(s.Line)
	}
	if s.Reel = ""; v.Reel != nil {
		s.Reel = v.reelText()
	}
	s.Messages = v.news(s.Messages[:0], now)
	s.Elements = v.elements()
	s.Form = v.formLines(s.mapRows() - 2)
	if s.Asked = s.Asked[:0]; s.Help {
		s.Asked = v.asked(s.Asked)
	}
	s.Notice = v.notice.visible(now, noticeFor)
	cells.Draw(s)
}

// asked appends the keys that mods ask for. The terminal takes none of them, so they are commands.
func (v *View) asked(lines []string) []string {
	for _, b := range v.binds() {
		lines = append(lines, fmt.Sprintf("%-12s %s", "bind "+b.Name, Plain(b.Text)))
	}
	return lines
}

// body returns the object in the middle of the view, or nil: the one that this client controls, or
// that the camera over a demo follows.
func (v *View) body() sim.Object {
	if v.Reel != nil {
		return v.follower.body(v.host().World(), v.survey.things)
	}
	if c := v.host().Server(); c != nil {
		return c.Control.Object()
	}
	return nil
}

// Move returns the player's move for a tick.
func (v *View) Move(now time.Duration) sim.Move {
	body, ok := v.body().(sim.Placer)
	if !ok || v.screen == nil {
		return sim.Move{}
	}
	place := body.Place()
	if v.hands.aiming {
		v.hands.Aim(v.target(place.Position).Sub(eye(body)))
	}
	return v.hands.Move(now, sim.Turn(place.Rotation.Yaw), sim.Turn(place.Rotation.Pitch))
}

// eye returns the point from which a body looks.
func eye(body sim.Placer) sim.Vec3 {
	if e, ok := body.(engine.EyePointer); ok {
		return e.EyePoint()
	}
	return body.Place().Position.Add(sim.Vec3{Z: eyes})
}

// target returns the point under the mouse: a thing close to it, or the ground.
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
		if t.Own || t.Kind < scene.Gun || t.Kind > scene.Person {
			continue
		}
		dx, dy := (t.At.X-x)/p.dx, (t.At.Y-y)/p.dy
		if d := max(dx, -dx, dy, -dy); d < nearest {
			nearest, at = d, t.At
		}
	}
	return at.Add(sim.Vec3{Z: chest})
}
