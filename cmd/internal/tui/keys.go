package tui

import (
	"time"
	"unicode/utf8"

	"github.com/torc-engine/torc/engine/sim"
)

// An InputEvent is an action of the player at the terminal. Exactly one of Key, Rune, Mouse and
// Paste is set.
type InputEvent struct {
	Key   KeyPress // a key without a character
	Rune  rune     // a typed character
	Mouse Mouse    // X, Y count from the upper left corner
	Paste Paste
}

// A KeyPress is a key without a character.
type KeyPress uint8

const (
	NoKey KeyPress = iota
	Escape
	Enter
	Tab
	Backspace
	ArrowUp
	ArrowDown
	ArrowLeft
	ArrowRight
	Redraw    // Ctrl-L
	Interrupt // Ctrl-C
	Clear     // Ctrl-U
	Suspend   // Ctrl-Z
	F1
	F2
	F3
)

// A Mouse is the position of the mouse and its buttons.
type Mouse struct {
	On           bool // the event is a mouse event
	X, Y         int
	Fire, Jet    bool // buttons held
	Nearer, Away bool // the wheel
}

// A Paste is the start or the end of pasted text.
type Paste uint8

const (
	NoPaste Paste = iota
	PasteBegin
	PasteEnd
)

// heldKeys are the keys with an effect while they are held.
var heldKeys = map[rune]Action{
	'w': Forward, 's': Back, 'a': Left, 'd': Right, ' ': Jump, 'j': Jet, 'c': Crouch, 'f': Fire, 'v': Alt,
}

// shiftKeys are the keys that, with shift, also hold the jets.
var shiftKeys = map[rune]Action{'W': Forward, 'S': Back, 'A': Left, 'D': Right, 'J': Jet}

var arrowWants = map[KeyPress]Action{ArrowLeft: TurnLeft, ArrowRight: TurnRight, ArrowUp: LookUp, ArrowDown: LookDown}

// serverKeys are the keys that the server handles. The command Key sends them.
var serverKeys = map[rune]string{
	'e': "use", 'g': "drop", 'l': "loadout", '1': "slot1", '2': "slot2", '3': "slot3", '4': "slot4", '5': "slot5",
	'6': "slot6", '7': "slot7", '8': "slot8", '9': "slot9",
}

// Handle processes an event. It reports whether the event leaves the view.
func (v *View) Handle(e InputEvent, now time.Duration) (leave bool) {
	switch {
	case e.Paste != NoPaste:
		v.hold = e.Paste == PasteBegin
	case e.Mouse.On && v.Reel == nil:
		v.mouse(e.Mouse)
	case e.Mouse.On:
		v.wheel(e.Mouse)
	case v.scene.Typing:
		v.typed(e)
	case v.hold:
	case v.formKey(e):
	case e.Key == Escape && v.notice.isOpen():
		v.notice.close()
	case e.Key == Escape, e.Key == F1, e.Key == Interrupt, e.Rune == '`':
		return true
	case v.Reel != nil:
		v.reelKey(e)
	case e.Key != NoKey:
		v.key(e, now)
	default:
		v.rune(e.Rune, now)
	}
	return false
}

// Suspends reports whether an event suspends the process.
func (v *View) Suspends(e InputEvent) bool { return e.Key == Suspend && !v.hold }

func (v *View) key(e InputEvent, now time.Duration) {
	if want, ok := arrowWants[e.Key]; ok {
		v.hands.Press(want, now)
	}
	switch e.Key {
	case Tab:
		v.scene.Scores = !v.scene.Scores
		v.ask("scores") // some servers send scores only to viewers of the board
	case Redraw:
		v.screen.redraw()
	case F2:
		v.ask("vote yes")
	case F3:
		v.ask("vote no")
	}
}

func (v *View) rune(r rune, now time.Duration) {
	if want, ok := heldKeys[r]; ok {
		v.hands.Press(want, now)
	}
	if want, ok := shiftKeys[r]; ok {
		v.hands.Press(want, now)
		v.hands.Press(Jet, now)
	}
	if name, ok := serverKeys[r]; ok {
		v.ask(name)
	}
	switch r {
	case 'r':
		v.hands.Run()
	case 'x':
		v.hands.Level()
	case 't', 'y':
		v.hands.Release()
		v.scene.Typing, v.team, v.scene.Label = true, r == 'y', "say"
		if v.team {
			v.scene.Label = "say to the team"
		}
	case '+', '=':
		v.zoom(-1)
	case '-':
		v.zoom(1)
	case '?', 'h':
		v.scene.Help = !v.scene.Help
	}
}

func (v *View) zoom(by int) { v.scale = min(max(v.scale+by, 0), len(scales)-1) }

// ask sends a key to the server.
func (v *View) ask(name string) { v.send("Key", sim.String(name)) }

// wheel changes the scale by the wheel of the mouse.
func (v *View) wheel(m Mouse) {
	switch {
	case m.Nearer:
		v.zoom(-1)
	case m.Away:
		v.zoom(1)
	}
}

func (v *View) mouse(m Mouse) {
	v.wheel(m)
	v.mouseX, v.mouseY = m.X, m.Y
	v.hands.aiming = true
	v.hands.Hold(Fire, m.Fire)
	v.hands.Hold(Jet, m.Jet)
}

// typed handles a key while a chat line is typed.
func (v *View) typed(e InputEvent) {
	s := &v.scene
	switch {
	case e.Key == Escape, e.Key == Interrupt:
		s.Typing, s.Input, v.form.typing = false, "", -1
	case e.Key == Clear:
		s.Input = ""
	case e.Key == Backspace:
		_, size := utf8.DecodeLastRuneInString(s.Input)
		s.Input, v.form.whole = s.Input[:len(s.Input)-size], false
	case e.Key == Enter && v.hold: // inside a paste
		v.insert(' ')
	case e.Key == Enter:
		v.say()
	case e.Rune != 0:
		v.insert(e.Rune)
	}
}

func (v *View) insert(r rune) {
	if r = plain(r); r > 0 && v.form.whole {
		v.scene.Input, v.form.whole = "", false
	}
	if r > 0 && len(v.scene.Input)+utf8.RuneLen(r) <= maxInput {
		v.scene.Input += string(r)
	}
}

// say sends the typed line.
func (v *View) say() {
	s := &v.scene
	switch {
	case s.Label == formLabel:
		v.fill()
	case s.Input != "":
		command := "MessageSent"
		if v.team {
			command = "TeamMessageSent"
		}
		v.send(command, sim.String(s.Input))
	}
	s.Typing, s.Input = false, ""
}
