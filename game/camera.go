package game

import "github.com/torc-engine/torc/engine/sim"

// viewGroup is the field group of the mode, orbit target, distance and speed of a camera.
const viewGroup = turnGroup + 1

// The modes of a camera.
const (
	flyMode   = "fly"
	orbitMode = "orbit"
)

// Camera is a viewpoint without a body. It flies through everything, or orbits an object.
type Camera struct {
	SceneObject
	mode     string
	orbit    sim.ID
	distance float64
	speed    float64
}

// Tick keeps an orbiting camera at its distance. A ghost stays where updates put it.
func (c *Camera) Tick(uint64) {
	if !c.IsGhost() {
		c.follow()
	}
}

// Control runs one tick with a move.
func (c *Camera) Control(m sim.Move) {
	m = m.Clamped()
	yaw := sim.Turn(c.rotation.Yaw) + uint16(m.Yaw)
	pitch := int(int16(sim.Turn(c.rotation.Pitch))) + int(m.Pitch)
	pitch = min(max(pitch, -maxPitch), maxPitch)
	if is := (sim.Rot{Yaw: sim.Degrees(yaw), Pitch: degreesOfTurn(pitch)}); is != c.rotation {
		c.rotation = is
		c.Mark(1 << turnGroup)
	}
	if c.mode == orbitMode {
		c.follow()
		return
	}
	c.fly(m)
}

// fly moves the camera along its view direction, sideways and up.
func (c *Camera) fly(m sim.Move) {
	yaw := sim.Turn(c.rotation.Yaw)
	ahead, heading := sim.Look(yaw, sim.Turn(c.rotation.Pitch)), sim.Heading(yaw)
	side := sim.Vec3{X: heading.Y, Y: -heading.X}
	way := ahead.Mul(m.Forward()).Add(side.Mul(m.Right())).Add(sim.Vec3{Z: m.Up()})
	if long := way.Len(); long > 1 {
		way = way.Div(long)
	}
	v := sim.SnapVec(way.Mul(c.speed))
	c.move(sim.SnapVec(clamp(sim.SnapVec(c.position).Add(v.Mul(sim.TickSeconds)), Extent)), v)
}

// follow puts an orbiting camera at its distance from the middle of its target.
func (c *Camera) follow() {
	if c.mode != orbitMode || c.orbit == 0 {
		return
	}
	target, ok := c.World().Find(c.orbit).(sim.Interpolator)
	if !ok {
		return
	}
	p := target.Place()
	if b, ok := target.(body); ok {
		lo, hi := b.box()
		p.Position = p.Position.Add(lo.Add(hi).Mul(0.5))
	}
	look := sim.Look(sim.Turn(c.rotation.Yaw), sim.Turn(c.rotation.Pitch))
	c.move(sim.SnapVec(clamp(p.Position.Sub(look.Mul(c.distance)), Extent)), p.Velocity)
}

// eye returns the position of the camera and its view direction.
func (c *Camera) eye() (at, look sim.Vec3) {
	return c.position, sim.Look(sim.Turn(c.rotation.Yaw), sim.Turn(c.rotation.Pitch))
}

// CodeControl codes the control state: everything that moves act on. An orbiting camera sends no
// position, because the position follows from its target and its rotation.
func (c *Camera) CodeControl(k sim.Coder) {
	at, v := sim.SnapVec(c.position), sim.SnapVec(c.velocity)
	yaw, pitch := sim.Turn(c.rotation.Yaw), sim.Turn(c.rotation.Pitch)
	flies := c.mode != orbitMode
	if k.Flag(&flies) {
		k.FineVec(&at, Extent)
		k.FineVec(&v, MaxSpeed)
	}
	k.Turn(&yaw)
	k.Turn(&pitch)
	if !k.Reading() || k.Err() != nil {
		return
	}
	c.position, c.velocity, c.mode = at, v, orbitMode
	if flies {
		c.mode = flyMode
	}
	c.rotation = sim.Rot{Yaw: sim.Degrees(yaw), Pitch: signedDegrees(pitch)}
}

var cameraClass = sim.Class{
	Name: "Camera", Parent: "SceneObject",
	New:     func() sim.Object { return &Camera{mode: flyMode, distance: 8, speed: 20} },
	Doc:     "A free viewpoint. It flies through everything or orbits an object.",
	Control: 1<<placeGroup | 1<<turnGroup,
	Fields: []sim.Field{
		sim.TextField("mode", viewGroup, 8, func(c *Camera) *string { return &c.mode }).WithChoices(flyMode, orbitMode).
			WithDoc(`"fly" moves freely, "orbit" circles around an object`),
		sim.RefField("orbit", viewGroup, "SceneObject", func(c *Camera) *sim.ID { return &c.orbit }).
			WithDoc("the object to orbit"),
		sim.FloatField("distance", viewGroup, 0, 1000, func(c *Camera) *float64 { return &c.distance }).
			WithDoc("the distance from the centre of the orbited object, in metres"),
		sim.FloatField("speed", viewGroup, 0, maxPlayerSpeed, func(c *Camera) *float64 { return &c.speed }).
			WithDoc("its flying speed, in metres per second"),
	},
	Methods: []sim.Method{
		{Name: "getEyePoint", Params: "-> vec", Doc: "returns the camera's position", Ghosts: true, Do: func(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
			at, _ := o.(eyeOwner).eye()
			return []sim.Value{sim.Vec(at)}, nil
		}},
		{Name: "getEyeVector", Params: "-> vec", Doc: "returns the viewing direction, a vector of length 1", Ghosts: true, Do: func(o sim.Object, _ []sim.Value) ([]sim.Value, error) {
			_, look := o.(eyeOwner).eye()
			return []sim.Value{sim.Vec(look)}, nil
		}},
	},
}
