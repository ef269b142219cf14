package tui

import (
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
)

// HudLines is the number of lines that a server can show. The first four are at the top. Lines 5 to
// 14 appear on the score board, with line 4 as their heading.
const HudLines = 16

const (
	topLines   = 4  // 1…4
	centreLine = 15 // in the middle, for important text
	bottomLine = 16 // above the bars
)

// A Scene is the input of Draw.
type Scene struct {
	Width, Height int      // of the screen, in characters
	Centre        sim.Vec3 // middle of the view, in metres
	Scale         float64  // metres per column; a row is two columns high

	Ground    func(x, y float64) float64 // height in metres; nil: no terrain
	Low, High float64                    // range of heights, for the shades

	Things []Marker
	Body   Body

	Hud      [HudLines + 1]string  // each can have several rows
	Scores   bool                  // show the score board
	Help     bool                  // show the keys
	Asked    []string              // the keys that mods ask for, for the help
	Bars     int                   // quality of the line to the server, 0…maxBars; below 0: unknown
	Line     string                // what is wrong with that line; "": nothing
	Reel     string                // state of the demo; "": it is a game
	Plain    bool                  // the terminal has no colours: signs mark teams and the Body
	Messages []string              // the newest last
	Elements [form.Places][]string // the HUD at places of the screen, as text
	Form     []string              // the open form; empty: there is none
	Notice   []string              // what the program itself has to say; empty: nothing
	Typing   bool
	Label    string // before the typed line
	Input    string
}

// maxShown is the number of messages that are visible at once.
const maxShown = 8

// barRows returns the number of rows of the bars.
func (s *Scene) barRows() int {
	if s.Height < 3 {
		return 0
	}
	return 1
}

// messageRows returns the number of rows between the map and the bars. They are kept for messages,
// so messages cover neither the map nor the scores.
func (s *Scene) messageRows() int { return min(max(s.Height, 0)/5, maxShown) }

// mapRows returns the number of rows of the map.
func (s *Scene) mapRows() int { return min(max(s.Height, 0), most) - s.barRows() - s.messageRows() }

// A Body is the object that this client controls.
type Body struct {
	Known          bool // a body exists
	At             sim.Vec3
	Yaw            float64 // degrees, counter-clockwise from north
	Speed          float64 // metres per second
	Health, Energy float64 // 0…1; below 0: not available
	Ride           float64 // health of the vehicle, likewise
	Ping           int     // milliseconds
	Team           int
}

// A Marker is a visible object.
type Marker struct {
	Kind scene.Kind
	At   sim.Vec3
	Size sim.Vec3 // size of a Building; X is the radius of a Burst
	Yaw  float64  // degrees, counter-clockwise from north
	Team int      // 0 is none
	Name string   // plain
	Own  bool     // it is the Body
	Down bool     // destroyed

	Look   *look.Look // nil: none
	States look.State
	State  string // of its own
}
