package tui

import "github.com/torc-engine/torc/engine/sim"

// HudLines is the number of lines that a server can show: the first four stand
// at the top, those up to the fourteenth are for who looks at the score, of which
// the fourth is the head.
const HudLines = 16

const (
	topLines   = 4  // 1…4
	centreLine = 15 // in the middle, for what is important
	bottomLine = 16 // above the bars
)

// A Scene is all that there is to draw.
type Scene struct {
	Width, Height int      // of the screen, in characters
	Centre        sim.Vec3 // what is in the middle, in metres
	Scale         float64  // metres in a column; a row has two columns

	Ground    func(x, y float64) float64 // height, in metres; nil: there is no terrain
	Low, High float64                    // of the ground, to tell how dark it is

	Things []Thing
	Body   Body

	Hud      [HudLines + 1]string
	Scores   bool     // the whole of Hud is wanted
	Help     bool     // so are the keys
	Messages []string // the newest last
	Typing   bool
	Label    string // of what is typed
	Input    string
}

// A Body is what this client controls.
type Body struct {
	Known          bool // there is one
	At             sim.Vec3
	Yaw            float64 // degrees, counter-clockwise from north
	Speed          float64 // metres a second
	Health, Energy float64 // 0…1; below 0 it has none
	Ride           float64 // health of what it sits in, likewise
	Ping           int     // milliseconds
	Team           int
}

// A Kind is what a thing looks like. Later ones are drawn over earlier.
type Kind uint8

const (
	Unseen Kind = iota
	Building
	Structure
	Pickup
	Gun
	Ride
	Person
	Shot
	Burst
	Banner // a flag
	kinds
)

// A Thing is something to be seen.
type Thing struct {
	Kind Kind
	At   sim.Vec3
	Size sim.Vec3 // of a Building, and X of a Burst: its radius
	Yaw  float64  // degrees, counter-clockwise from north
	Team int      // 0 is none
	Name string   // plain
	Own  bool     // it is the Body
	Down bool     // destroyed
}
