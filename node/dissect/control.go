package dissect

import "math/bits"

const (
	fineSteps  = 1024 // per unit
	blockBits  = 14
	maxAmmo    = 10_000
	leastWait  = -31
	mostWait   = 60_000
	mostState  = 3
	maxClip    = 1000
	maxRiding  = 4 // objects that one player drives
	maxEnergy  = 100_000
	maxSpin    = 720
	driveSpeed = 256
	maxSpeed   = 4096
	extent     = 65_536
)

// controlReader reads the control state of an object, by its class.
type controlReader struct {
	*trace
	flow  *flow
	known bool // the form of the state is known
}

// readObject reads the state of the ghost with a name. depth counts the mounts before.
func (c *controlReader) readObject(name uint64, depth int) {
	c.known = false
	g := c.flow.ghostNamed(name)
	if g == nil || depth == maxRiding {
		return
	}
	c.known = true
	switch g.class.nearest("Player", "Vehicle", "Turret", "Camera") {
	case "Player":
		c.readPlayer(depth)
	case "Vehicle":
		c.readVehicle()
	case "Turret":
		c.turns("yaw", "pitch")
		c.fine("energy", maxEnergy)
		c.flag("destroyed")
		c.readImages()
	case "Camera":
		if c.flag("flies") {
			c.readPlace(maxSpeed)
		}
		c.turns("yaw", "pitch")
	default:
		c.known = false
	}
}

func (c *controlReader) readPlayer(depth int) {
	if !c.flag("sits") {
		c.readPlace(maxSpeed)
	}
	c.fine("energy", maxEnergy)
	c.turns("yaw", "pitch", "head")
	c.bits("held", 6)
	c.ranged("nextJump", 0, 8)
	c.ranged("leaps", 0, 15)
	c.flag("jets")
	c.flag("destroyed")
	c.readImages()
	if !c.flag("mounted") {
		return
	}
	defer c.within("mount")()
	name := c.varint("name")
	c.ranged("seat", 0, 7)
	if c.flag("drives") {
		c.readObject(name, depth+1)
	}
}

func (c *controlReader) readVehicle() {
	c.readPlace(driveSpeed)
	c.fineVector("spin", maxSpin)
	c.turns("yaw", "pitch", "roll")
	c.fine("steer", 1)
	c.fine("energy", maxEnergy)
	c.bits("held", 6)
	c.flag("destroyed")
	c.readImages()
}

// readPlace reads position and velocity.
func (c *controlReader) readPlace(speed int) {
	c.fineVector("position", extent)
	c.fineVector("velocity", speed)
}

func (c *controlReader) readImages() {
	for i := range 2 {
		leave := c.within("image")
		inner := c.withinItem(i)
		if c.bits("block", blockBits+1) != 0 {
			c.ranged("ammunition", 0, maxAmmo)
			c.ranged("wait", leastWait, mostWait)
			c.ranged("state", 0, mostState)
			c.ranged("clip", 0, maxClip)
		}
		inner()
		leave()
	}
}

func (c *controlReader) fineVector(name string, most int) {
	defer c.within(name)()
	for _, part := range vectorParts {
		c.fine(part, most)
	}
}

// fine reads a number from -most to most on the grid of 1/1,024.
func (c *controlReader) fine(name string, most int) {
	from := c.pos()
	code := c.r.ReadBits(bits.Len(uint(2 * fineSteps * most)))
	c.add(name, from, code).Means = float64(int64(code)-int64(fineSteps*most)) / fineSteps
	if code > uint64(2*fineSteps*most) {
		c.fail(name, "the code %d is too high", code)
	}
}

// turns reads angles in 1/65,536 of a turn.
func (c *controlReader) turns(names ...string) {
	for _, name := range names {
		from, code := c.pos(), c.r.ReadBits(16)
		c.add(name, from, code).Means = float64(code) * 360 / 65_536
	}
}
