package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The limits of weapons.
const (
	maxImages = 2      // mounted images of a shape, one per slot
	maxAmmo   = 10_000 // for each image
	maxClip   = 1000   // shots between two reloads
	maxMuzzle = 16     // metres from the eye
	maxShots  = 32     // projectiles of one shot
	maxClips  = 8      // images whose clips a shape remembers
	blockBits = 15     // width of a datablock reference; 0 is none
)

// The states of an image slot. An empty slot is ready.
const (
	imageReady     = iota
	imageFiring    // from a shot until fireTimeout has passed
	imageReloading // from the last shot of a clip until reloadTime has passed
	imagePreparing // from mounting until prepareTime has passed
	imageStates    // the number of states
)

// imageStateNames are the names of the states for scripts and looks.
var imageStateNames = [imageStates]string{"ready", "fire", "reload", "prepare"}

// ShapeBaseImageData describes something that a shape holds, such as a weapon: its projectile, its
// rate of fire, its clip, and the energy and ammunition of a shot.
type ShapeBaseImageData struct {
	sim.Block
	shape, look     string
	projectile      sim.BlockRef
	ammo            sim.BlockRef // the item that it fires; 0 for none
	fireTimeout     int          // milliseconds, like the next two
	prepareTime     int
	reloadTime      int
	clip            int // shots between two reloads; 0 means that it never reloads
	energyPerShot   float64
	usesAmmo        bool
	ammoPerShot     int
	muzzle          sim.Vec3
	spread          float64
	projectileCount int
	trigger         int
}

// Shape names the model of the image.
func (d *ShapeBaseImageData) Shape() string { return d.shape }

// imageSlot is the state of one image slot of a shape.
type imageSlot struct {
	data        sim.BlockRef // 0: the slot is empty
	state       int          // one of imageReady and so on
	ammo        int
	clip        int    // shots until it reloads, if the image has a clip
	wait        int    // milliseconds until the state ends; below 0 is the lateness of the last shot
	randomState uint32 // state of the random generator for the spread
}

// partialClip is a clip from which an image that is no longer mounted has fired.
type partialClip struct {
	data sim.BlockRef
	left int // shots
}

// imageAt returns the image in a slot, or nil if the slot is empty.
func (s *ShapeBase) imageAt(slot int) *ShapeBaseImageData {
	d, _ := sim.Part[*ShapeBaseImageData](s.World().Blocks.At(s.images[slot].data))
	return d
}

// setImage puts an image into a slot, with the ammunition that the shape has for it. data 0 empties
// the slot. Ammunition without an item is lost. Swapping weapons neither raises the rate of fire
// nor reloads: the slot keeps its remaining wait, and the shape remembers the clips. A reload that
// is interrupted begins again later.
func (s *ShapeBase) setImage(slot int, data sim.BlockRef) {
	was := s.images[slot]
	if data == was.data {
		return
	}
	s.keepClip(slot)
	ammo, left := sim.BlockRef(0), was.ammo
	if d := s.imageAt(slot); d != nil {
		ammo = d.ammo
	}
	wait := max(was.wait, 0)
	if was.state == imageReloading {
		wait = 0
	}
	i := &s.images[slot]
	*i = imageSlot{data: data, wait: wait, randomState: was.randomState}
	s.giveAmmo(ammo, left)
	if d := s.imageAt(slot); d != nil {
		i.wait, i.clip = max(wait, d.prepareTime), s.takeClip(d)
		i.ammo += s.takeAmmo(d) // giveAmmo can have put some there
	}
	if i.wait > 0 {
		i.state = imagePreparing
	}
	s.Mark(1<<imageGroup | 1<<imageStateGroup)
}

// keepClip remembers the clip of the image in a slot, if it has fired from it.
func (s *ShapeBase) keepClip(slot int) {
	i := &s.images[slot]
	d := s.imageAt(slot)
	if d == nil || i.clip >= d.clip {
		return
	}
	if len(s.clips) == maxClips {
		s.clips = slices.Delete(s.clips, 0, 1)
	}
	s.clips = append(s.clips, partialClip{i.data, i.clip})
}

// takeClip returns the shots in the clip of an image that is mounted now.
func (s *ShapeBase) takeClip(d *ShapeBaseImageData) int {
	n := slices.IndexFunc(s.clips, func(c partialClip) bool { return c.data == d.Ref() })
	if n < 0 {
		return d.clip
	}
	left := s.clips[n].left
	s.clips = slices.Delete(s.clips, n, n+1)
	return left
}

// tickImages runs one tick of the images with the held triggers. The server and the client of the
// controller both run it, so that this client predicts states, energy and ammunition. Other clients
// receive the state. Only the server creates projectiles.
func (s *ShapeBase) tickImages(triggers uint8) {
	if s.IsGhost() && s.Controller() == 0 {
		return
	}
	for slot := range s.images {
		i := &s.images[slot]
		before := i.state
		i.wait = max(i.wait-sim.TickMs, 1-sim.TickMs)
		d := s.imageAt(slot)
		i.advance(d)
		switch held := d != nil && triggers>>(d.trigger+slot)&1 != 0; {
		case !held:
			i.wait = max(i.wait, 0)
		case i.state == imageReady && i.wait <= 0 && s.takeShotCost(d, i):
			i.state = imageFiring
			i.wait += d.fireTimeout
			s.shoot(d, slot)
		}
		if i.state != before {
			s.Mark(1 << imageStateGroup)
		}
	}
}

// advance ends a state whose time has passed. An empty clip then begins to reload, as soon as there
// is ammunition. d is nil for an empty slot.
func (i *imageSlot) advance(d *ShapeBaseImageData) {
	if i.wait > 0 {
		return
	}
	reloaded := i.state == imageReloading
	i.state = imageReady
	switch {
	case d == nil || d.clip == 0:
		i.clip = 0
	case reloaded || i.clip > d.clip: // a changed datablock can have a smaller clip
		i.clip = d.clip
	case i.clip == 0 && i.hasAmmo(d):
		i.state = imageReloading
		i.wait += d.reloadTime
	}
}

// hasAmmo reports whether the ammunition is enough for a shot.
func (i *imageSlot) hasAmmo(d *ShapeBaseImageData) bool {
	return !d.usesAmmo || i.ammo >= d.ammoPerShot
}

// takeShotCost takes the energy and ammunition of a shot, also from the clip. It reports false, and
// takes nothing, if there is too little.
func (s *ShapeBase) takeShotCost(d *ShapeBaseImageData, i *imageSlot) bool {
	if !i.hasAmmo(d) || d.clip > 0 && i.clip == 0 || s.energy < d.energyPerShot {
		return false
	}
	if d.usesAmmo {
		i.ammo -= d.ammoPerShot
	}
	if d.clip > 0 {
		i.clip--
	}
	s.setEnergy(s.energy - d.energyPerShot)
	return true
}

// shoot creates the projectiles of one shot.
func (s *ShapeBase) shoot(d *ShapeBaseImageData, slot int) {
	w := s.World()
	data, is := sim.Part[*ProjectileData](w.Blocks.At(d.projectile))
	if !is || s.IsGhost() || w.Replaying() {
		return
	}
	eye, look := eyeOf(s.Object().(shape))
	from := s.muzzle(eye, look, d.muzzle)
	if data.hitscan {
		from = eye
	}
	for range d.projectileCount {
		shot := shotParams{data: data, ref: d.projectile, source: s, from: from, way: s.spread(look, d.spread, &s.images[slot].randomState)}
		if p := shot.fire(); p != nil {
			w.Emit(s.Object(), "onFire", sim.Handle(d.ID()), sim.Handle(p.ID()))
		}
	}
}

// muzzle returns the start point of shots, given in eye space. It returns the eye if a wall is
// between.
func (s *ShapeBase) muzzle(eye, look, at sim.Vec3) sim.Vec3 {
	right := look.Cross(sim.Vec3{Z: 1}).Normalized()
	if right == (sim.Vec3{}) {
		right = sim.Vec3{X: 1}
	}
	up := right.Cross(look)
	to := eye.Add(right.Mul(at.X)).Add(look.Mul(at.Y)).Add(up.Mul(at.Z))
	if _, wall := spaceOf(s.World()).rayThrough(eye, to, 0, func(o sim.Object) bool { return o == s.Object() || isMoving(o) }); wall {
		return eye
	}
	return to
}

// spread returns a random direction within most degrees of look.
func (s *ShapeBase) spread(look sim.Vec3, most float64, chance *uint32) sim.Vec3 {
	if most == 0 {
		return look
	}
	if *chance == 0 {
		*chance = uint32(s.ID())*2654435761 | 1
	}
	turn, part := uint16(next(chance)>>16), float64(next(chance)>>16)/65536
	side := perpendicular(look)
	sin, cos := sim.SinCos(turn)
	side = side.Mul(cos).Add(look.Cross(side).Mul(sin))
	return rotateTowards(look, side, turnOfDegrees(most*part))
}

// next returns the next pseudo-random number (xorshift32). It is the same on every machine.
func next(chance *uint32) uint32 {
	c := *chance
	c ^= c << 13
	c ^= c >> 17
	c ^= c << 5
	*chance = c
	return c
}

// codeImages codes the image slots as a part of the control state.
func (s *ShapeBase) codeImages(c sim.Coder) {
	images := s.images
	for slot := range images {
		i := &images[slot]
		data := uint64(i.data)
		c.Bits(&data, blockBits)
		if data > sim.MaxBlocks {
			c.Fail(bitstream.ErrRange)
		}
		i.data = sim.BlockRef(data)
		if data != 0 {
			c.Int(&i.ammo, 0, maxAmmo)
			c.Int(&i.wait, 1-sim.TickMs, maxLifetime)
			c.Int(&i.state, 0, imageStates-1)
			c.Int(&i.clip, 0, maxClip)
		}
	}
	if c.Err() == nil {
		s.images = images
	}
}

// imageField returns the field for the content of a slot.
func imageField(name string, slot int) sim.Field {
	return sim.BlockField(name, imageGroup, "ShapeBaseImageData", func(s shape) *sim.BlockRef { return &s.base().images[slot].data }).
		WithDoc("the image in this slot")
}

// imageStateField returns the field for the state of the image in slot 0, for the looks of the
// shape and of the image.
func imageStateField() sim.Field {
	return sim.IntField("imageState0", imageStateGroup, 0, imageStates-1, func(s shape) *int { return &s.base().images[0].state }).
		WithDoc("the state of image0: 0 ready, 1 fire, 2 reload, 3 prepare; follows the shots")
}

var shapeBaseImageDataClass = sim.Class{
	Name: "ShapeBaseImageData", Parent: "SimDataBlock",
	New: func() sim.Object {
		return &ShapeBaseImageData{fireTimeout: 500, ammoPerShot: 1, projectileCount: 1}
	},
	Doc: "An image: an item that a shape holds, such as a weapon.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d *ShapeBaseImageData) *string { return &d.shape }).
			WithDoc("the name of its shape"),
		lookField(func(d *ShapeBaseImageData) *string { return &d.look }),
		sim.BlockField("projectile", constGroup, "ProjectileData", func(d *ShapeBaseImageData) *sim.BlockRef { return &d.projectile }).
			WithDoc("the projectile it fires"),
		sim.BlockField("ammo", constGroup, "ItemData", func(d *ShapeBaseImageData) *sim.BlockRef { return &d.ammo }).
			WithDoc("the item that is its ammunition: each one is a round"),
		sim.IntField("fireTimeout", constGroup, sim.TickMs, maxLifetime, func(d *ShapeBaseImageData) *int { return &d.fireTimeout }).
			WithDoc("the time between two shots, in milliseconds"),
		sim.IntField("prepareTime", constGroup, 0, maxLifetime, func(d *ShapeBaseImageData) *int { return &d.prepareTime }).
			WithDoc("the time from mounting until it can fire, in milliseconds"),
		sim.IntField("reloadTime", constGroup, 0, maxLifetime, func(d *ShapeBaseImageData) *int { return &d.reloadTime }).
			WithDoc("the time that an empty clip takes to reload, in milliseconds"),
		sim.IntField("clip", constGroup, 0, maxClip, func(d *ShapeBaseImageData) *int { return &d.clip }).
			WithDoc("the number of shots between two reloads; 0 means that it never reloads"),
		sim.FloatField("energyPerShot", constGroup, 0, maxDamage, func(d *ShapeBaseImageData) *float64 { return &d.energyPerShot }).
			WithDoc("the energy of the shape that one shot uses"),
		sim.BoolField("usesAmmo", constGroup, func(d *ShapeBaseImageData) *bool { return &d.usesAmmo }).
			WithDoc("it fires only with ammunition"),
		sim.IntField("ammoPerShot", constGroup, 0, maxAmmo, func(d *ShapeBaseImageData) *int { return &d.ammoPerShot }).
			WithDoc("the ammunition that one shot uses"),
		sim.VecField("muzzle", constGroup, maxMuzzle, func(d *ShapeBaseImageData) *sim.Vec3 { return &d.muzzle }).
			WithDoc("the point where shots start, in metres right of, in front of and above the eye"),
		sim.FloatField("spread", constGroup, 0, 90, func(d *ShapeBaseImageData) *float64 { return &d.spread }).
			WithDoc("the largest deviation of a shot, in degrees"),
		sim.IntField("projectileCount", constGroup, 1, maxShots, func(d *ShapeBaseImageData) *int { return &d.projectileCount }).
			WithDoc("the number of projectiles in a shot"),
		sim.IntField("trigger", constGroup, 0, sim.MoveTriggers-maxImages, func(d *ShapeBaseImageData) *int { return &d.trigger }).
			WithDoc("the trigger that fires it in slot 0; slot 1 uses the next trigger"),
	},
}
