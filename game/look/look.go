package look

import "github.com/torc-engine/torc/engine/sim"

// The limits of a look.
const (
	MaxElements = 64
	MaxText     = 4096 // bytes of its text on the wire
	maxString   = 32   // bytes of a text in an element
)

// A Look is a list of elements.
type Look struct {
	Elements []Element
	text     string
}

// Text returns the form in which the look travels. Equal looks have equal texts.
func (l *Look) Text() string { return l.text }

// An Element is a part, an effect or a sound. Lengths are in metres, times in seconds and angles in
// degrees. Z is up, and an object looks along Y. Attributes that do not belong to its kind are
// unused.
type Element struct {
	Kind Kind
	When string // the state in which it is shown; "" is always
	At   sim.Vec3

	// Parts.
	Size     sim.Vec3 // in m
	Width    float64  // the size of labels, sprites and effects, in m
	Rotation sim.Rot
	Color    Color
	Glow     float64 // the strength of its own light, 0..4
	Spin     float64 // turns around Z per second, in degrees
	Bob      float64 // the height of its motion up and down, in m
	Motion   string  // "aim", "stride" or "counterstride"
	Pivot    sim.Vec3
	Near     bool // left out far away
	Fixed    bool // does not turn towards the viewer
	Text     string
	Image    string

	// Effects.
	Life     float64 // how long a particle or a trail is visible, in s
	Velocity sim.Vec3
	Spread   float64 // how much the velocities differ, in m/s
	Rate     float64 // particles per second
	Fall     float64 // acceleration downwards, in m/s²
	Light    float64 // the strength of the light on its surroundings, 0..4
	Smoke    bool

	// Sounds.
	Wave    string
	Pitch   float64 // in hertz
	Slide   float64 // the factor of the pitch at the end
	Attack  float64 // the time to full volume, in s
	Hold    float64 // the time at full volume, in s
	Release float64 // the time to silence, in s
	Volume  float64 // 10 m away, 0..1
	Bend    float64 // added to the factor of the pitch per 10 m/s
	Loop    bool
	Reach   float64 // the distance at which it is silent, in m
}

// New makes a look of elements. Values beyond their ranges are limited to them.
func New(elements ...Element) *Look {
	l := &Look{Elements: elements}
	l.text = l.encode()
	l, _ = Decode(l.text)
	return l
}
