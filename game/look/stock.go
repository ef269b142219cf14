package look

import (
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// The colours of the stock looks.
const (
	metal = Color(0x767f88)
	steel = Color(0x454c54)
	glass = Color(0x35d6ff)
	amber = Color(0xffc658)
)

// stock are the looks of objects whose datablocks declare none, by the names of classes.
var stock = map[string]*Look{
	"Player": New(
		leg(-0.17, "stride"), leg(0.17, "counterstride"),
		part(Capsule, at(0, 0, 1.2), size(0.74, 0.58, 0.98), Team),
		near(part(Box, at(0, 0.22, 1.3), size(0.5, 0.2, 0.36), Dark)),
		near(part(Sphere, at(-0.4, 0, 1.5), size(0.34, 0.36, 0.34), Dark)),
		near(part(Sphere, at(0.4, 0, 1.5), size(0.34, 0.36, 0.34), Dark)),
		near(pitched(part(Capsule, at(-0.44, 0.12, 1.2), size(0.2, 0.2, 0.62), steel), 42)),
		near(pitched(part(Capsule, at(0.44, 0.18, 1.22), size(0.2, 0.2, 0.62), steel), 58)),
		moving(part(Sphere, at(0, 0.03, 1.83), size(0.46, 0.5, 0.48), Team), "aim", 1.75),
		moving(glowing(part(Sphere, at(0, 0.13, 1.85), size(0.4, 0.36, 0.22), glass), 0.9), "aim", 1.75),
		part(Box, at(0, -0.36, 1.3), size(0.52, 0.24, 0.58), metal),
		nozzle(-0.17), nozzle(0.17), flame(-0.17), flame(0.17),
		Element{Kind: Jet, When: "jets", At: at(0, -0.3, 0.6), Width: 0.4, Color: 0xffa850, Life: 0.5, Velocity: at(0, 0, -4), Spread: 0.5, Rate: 30},
		Element{Kind: Smoke, When: "jets", At: at(0, -0.3, 0.3), Width: 0.45, Color: 0x9a958c, Life: 0.9, Velocity: at(0, 0, -3), Spread: 0.5, Rate: 30},
		Element{Kind: Sound, When: "jets", Wave: "noise", Pitch: 700, Slide: 1, Attack: 0.08, Release: 0.2, Volume: 0.35, Loop: true, Reach: 90},
	),
	"Turret": New(
		part(Cylinder, at(0, 0, 0.35), size(1.7, 1.7, 0.7), metal),
		part(Cylinder, at(0, 0, 0.78), size(1.3, 1.3, 0.2), steel),
		part(Sphere, at(0, 0, 1.15), size(1.25, 1.25, 1.1), Team),
		moving(part(Box, at(0, 0.2, 1.25), size(0.8, 0.7, 0.5), Dark), "aim", 1.25),
		moving(pitched(part(Cylinder, at(0, 1.1, 1.25), size(0.22, 0.22, 1.5), steel), 90), "aim", 1.25),
		smoking(1, "down"),
	),
	"StaticShape": New(
		part(Cylinder, at(0, 0, 0.5), size(0.7, 0.7, 1), metal),
		glowing(part(Sphere, at(0, 0, 1.15), size(0.5, 0.5, 0.5), Team), 0.7),
		smoking(1.5, "down"),
	),
	"Vehicle": New(
		pitched(part(Capsule, at(0, 0, 0.7), size(1, 0.7, 3.6), Team), 90),
		part(Box, at(0, -0.9, 0.7), size(2.6, 0.8, 0.14), Dark),
		glowing(part(Sphere, at(0, 0.5, 1), size(0.6, 1, 0.5), glass), 0.5),
		smoking(1, "down"), smoking(1, "hurt"),
	),
	"Item": New(
		turning(part(Box, at(0, 0, 0.35), size(0.55, 0.55, 0.55), 0x3f4a2f), 92),
		turning(glowing(part(Box, at(0, 0, 0.35), size(0.6, 0.6, 0.16), amber), 0.8), 92),
	),
	"Flag": New(
		part(Cylinder, at(0, 0, 0.06), size(0.9, 0.9, 0.12), metal),
		part(Cylinder, at(0, 0, 1.4), size(0.09, 0.09, 2.8), 0xcfd6dc),
		glowing(part(Sphere, at(0, 0, 2.85), size(0.2, 0.2, 0.2), Team), 1),
		part(Cloth, at(0, 0, 2.25), size(1.5, 1, 0.8), Team),
	),
	"Projectile": New(
		glowing(part(Sphere, at(0, 0, 0), size(0.3, 0.3, 0.3), 0xffe08a), 2),
		Element{Kind: Trail, Width: 0.3, Color: 0xffe08a, Life: 0.4},
		Element{Kind: Explosion, Width: 1, Color: 0xff9a40, Light: 1, Smoke: true},
		Element{Kind: Sound, When: "explodes", Wave: "noise", Pitch: 900, Slide: 0.1, Attack: 0.01, Hold: 0.08, Release: 0.9, Volume: 0.8, Reach: 300},
	),
	"ShapeBaseImageData": New(
		part(Box, at(0, 0.3, 0), size(0.1, 0.8, 0.13), metal),
		part(Box, at(0, 0.2, 0.07), size(0.07, 0.4, 0.07), Dark),
		pitched(part(Cylinder, at(0, 0.75, 0.01), size(0.08, 0.08, 0.3), steel), 90),
		near(pitched(glowing(part(Torus, at(0, 0.65, 0.01), size(0.14, 0.14, 0.3), glass), 0.9), 90)),
	),
}

// Stock returns the look of a class whose datablock declares none, or nil.
func Stock(class string) *Look { return stock[class] }

func at(x, y, z float64) sim.Vec3   { return sim.Vec3{X: x, Y: y, Z: z} }
func size(x, y, z float64) sim.Vec3 { return sim.Vec3{X: x, Y: y, Z: z} }

func part(k Kind, at, size sim.Vec3, c Color) Element {
	return Element{Kind: k, At: at, Size: size, Color: c}
}

func near(e Element) Element                     { e.Near = true; return e }
func glowing(e Element, glow float64) Element    { e.Glow = glow; return e }
func turning(e Element, spin float64) Element    { e.Spin, e.Bob = spin, 0.12; return e }
func pitched(e Element, degrees float64) Element { e.Rotation.Pitch = degrees; return e }

// moving adds a motion around a height.
func moving(e Element, motion string, height float64) Element {
	e.Motion, e.Pivot.Z = motion, height
	return e
}

func leg(x float64, motion string) Element {
	return moving(part(Capsule, at(x, 0, 0.45), size(0.27, 0.3, 0.9), steel), motion, 0.85)
}

func nozzle(x float64) Element {
	return near(part(Cylinder, at(x, -0.42, 0.98), size(0.2, 0.2, 0.26), steel))
}

func flame(x float64) Element {
	return Element{Kind: Flame, When: "jets", At: at(x, -0.44, 0.5), Size: size(0.26, 0.26, 0.9), Rotation: sim.Rot{Pitch: 180}, Color: 0xffa040}
}

func smoking(height float64, when string) Element {
	e := kinds[Smoke].standard
	e.Kind, e.When, e.At = Smoke, when, at(0, 0, height)
	return e
}

// StockClasses returns the classes that have a stock look, in order.
func StockClasses() []string { return slices.Sorted(maps.Keys(stock)) }
