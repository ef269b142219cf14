package look

import "github.com/torc-engine/torc/engine/sim"

// A Kind is the kind of an element. The numbers are part of the format.
type Kind uint8

// The kinds of elements.
const (
	Box Kind = 1 + iota
	Sphere
	Capsule
	Cylinder
	Cone
	Torus
	Plane
	Cloth
	Flame
	Label
	Sprite
	Trail
	Beam
	Jet
	Smoke
	Sparks
	Explosion
	Sound
	endOfKinds
)

// A kindRow describes a kind: its attributes by name, and the values of an element that names none.
type kindRow struct {
	name       string
	attributes string
	standard   Element
	doc        string
}

// The attributes that several kinds share.
const (
	anywhere = "when at "
	solid    = anywhere + "size rotation color glow spin bob motion pivot near"
	flying   = anywhere + "width color life velocity spread rate fall"
)

var one = sim.Vec3{X: 1, Y: 1, Z: 1}

// kinds are the rows of the kinds. Their order is that of the constants.
var kinds = [endOfKinds]kindRow{
	Box:      {"box", solid, Element{Size: one, Color: Team}, "a box"},
	Sphere:   {"sphere", solid, Element{Size: one, Color: Team}, "a sphere, or an ellipsoid"},
	Capsule:  {"capsule", solid, Element{Size: one, Color: Team}, "a cylinder along Z with round ends"},
	Cylinder: {"cylinder", solid, Element{Size: one, Color: Team}, "a cylinder along Z"},
	Cone:     {"cone", solid, Element{Size: one, Color: Team}, "a cone with its tip at the top"},
	Torus:    {"torus", solid, Element{Size: one, Color: Team}, "a ring that lies flat"},
	Plane:    {"plane", solid, Element{Size: one, Color: Team}, "a flat rectangle that lies flat, with two sides"},
	Cloth:    {"cloth", solid, Element{Size: one, Color: Team}, "a cloth that waves. It begins at its place and extends along X"},
	Flame:    {"flame", solid, Element{Size: one, Color: 0xffa040}, "a cone of light that flickers"},
	Label:    {"label", anywhere + "text width rotation color glow spin bob fixed near", Element{Width: 0.5, Color: 0xffffff}, "a text"},
	Sprite:   {"sprite", anywhere + "image width rotation color glow spin bob fixed near", Element{Width: 1, Color: 0xffffff, Image: "glow"}, "a small picture of light"},
	Trail:    {"trail", anywhere + "width color life smoke", Element{Width: 0.3, Color: 0xffe08a, Life: 0.4}, "what a moving object leaves behind"},
	Beam:     {"beam", "when width color life", Element{Width: 0.08, Color: 0xff5050, Life: 0.25}, "a line from the shooter to the place where the shot ends"},
	Jet:      {"jet", flying, Element{Width: 0.4, Color: 0xffa850, Life: 0.5, Velocity: sim.Vec3{Z: -4}, Spread: 0.5, Rate: 30}, "particles of light"},
	Smoke:    {"smoke", flying, Element{Width: 0.9, Color: 0x2c2a28, Life: 2.2, Velocity: sim.Vec3{Z: 1.5}, Spread: 0.3, Rate: 9, Fall: -0.5}, "particles that grow and fade"},
	Sparks:   {"sparks", flying, Element{Width: 0.14, Color: 0xffd080, Life: 0.7, Velocity: sim.Vec3{Z: 3}, Spread: 3, Rate: 20, Fall: 12}, "particles of light that fall"},
	Explosion: {"explosion", "when width color light smoke", Element{Width: 1, Color: 0xff9a40, Light: 1, Smoke: true},
		"a fireball with sparks and light, where a projectile explodes"},
	Sound: {"sound", "when wave pitch slide attack hold release volume bend loop reach",
		Element{Wave: "sine", Pitch: 440, Slide: 1, Attack: 0.01, Hold: 0.1, Release: 0.1, Volume: 0.5, Reach: 120}, "a synthesised sound"},
}

// String returns the name of a kind, as Lua writes it.
func (k Kind) String() string {
	if k == 0 || k >= endOfKinds {
		return ""
	}
	return kinds[k].name
}

// Solid reports whether an element of this kind has a size and a place in the world.
func (k Kind) Solid() bool { return k >= Box && k <= Cloth }

// kindOf returns the kind with a name, 0 for none.
func kindOf(name string) Kind {
	for k := Box; k < endOfKinds; k++ {
		if kinds[k].name == name {
			return k
		}
	}
	return 0
}
