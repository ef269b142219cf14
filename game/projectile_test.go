package game

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// makeBlock declares a datablock.
func makeBlock(t testing.TB, w *sim.World, class, name string, vs values) sim.Object {
	o, _, err := w.Blocks.Declare(class, name, "", set(t, vs))
	require.NoError(t, err)
	return o
}

// makeObject makes an object with a datablock. A block of "" means none.
func makeObject(t testing.TB, w *sim.World, class, block string, vs values) sim.Object {
	o, err := w.New(class, func(o sim.Object) error {
		if block != "" {
			require.NoError(t, set(t, values{"dataBlock": sim.String(block)})(o))
		}
		return set(t, vs)(o)
	})
	require.NoError(t, err)
	return o
}

// makeShot makes a projectile with a new datablock.
func makeShot(t testing.TB, w *sim.World, data, own values) *Projectile {
	makeBlock(t, w, "ProjectileData", "shot", data)
	return makeObject(t, w, "Projectile", "shot", own).(*Projectile)
}

// run runs a world for some ticks.
func run(w *sim.World, ticks int) {
	for range ticks {
		w.Tick(runTick)
		runTick++
		w.Sweep()
	}
}

var runTick uint64

// deliveredEvents returns the emitted events with their arguments.
func deliveredEvents(w *sim.World) (lines []string) {
	w.Deliver(func(o sim.Object, name string, args []sim.Value) bool {
		line := fmt.Sprintf("%s %s", o.Ident().Class().Name, name)
		for _, a := range args {
			line += " " + a.Literal()
		}
		lines = append(lines, line)
		return true
	})
	return lines
}

func flight(seconds float64) values { return values{"lifetime": sim.Number(seconds * 1000)} }

func TestFlight(t *testing.T) {
	for name, c := range map[string]struct {
		data values
		v    sim.Vec3
		want func(time float64) sim.Vec3
		near float64
	}{
		"straight":  {nil, sim.Vec3{X: 50}, func(s float64) sim.Vec3 { return sim.Vec3{X: 50 * s} }, 1e-6},
		"ballistic": {values{"gravityMod": sim.Number(1)}, sim.Vec3{X: 30, Z: 30}, func(s float64) sim.Vec3 { return sim.Vec3{X: 30 * s, Z: 30*s - 10*s*s} }, 1},
		"lighter":   {values{"gravityMod": sim.Number(-0.5)}, sim.Vec3{X: 30}, func(s float64) sim.Vec3 { return sim.Vec3{X: 30 * s, Z: 5 * s * s} }, 1},
		"dragged":   {values{"drag": sim.Number(2)}, sim.Vec3{Y: 40}, func(s float64) sim.Vec3 { return sim.Vec3{Y: 20 * (1 - math.Exp(-2*s))} }, 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			start := sim.Vec3{Z: 100}
			p := makeShot(t, newWorld(t), with(flight(5), c.data), values{"position": sim.Vec(start), "velocity": sim.Vec(c.v)})
			for tick := 1; tick <= 80; tick++ {
				run(p.World(), 1)
				assert.InDelta(t, 0, p.Position().Sub(start).Sub(c.want(float64(tick)*sim.TickSeconds)).Len(), c.near, "tick %d", tick)
			}
			assert.False(t, p.Exploded())
		})
	}
}

func TestProjectileExplodesOnHit(t *testing.T) {
	for name, c := range map[string]struct {
		from, v sim.Vec3
		at      sim.Vec3
		what    string
	}{
		"the ground":        {sim.Vec3{Z: 10}, sim.Vec3{X: 10, Z: -10}, sim.Vec3{X: 10}, "ground"},
		"a wall":            {sim.Vec3{Z: 1}, sim.Vec3{X: 500}, sim.Vec3{X: 20, Z: 1}, "Box"},
		"somebody":          {sim.Vec3{Z: 1}, sim.Vec3{Y: 100}, sim.Vec3{Y: 9.5, Z: 1}, "Player"},
		"what stands":       {sim.Vec3{Z: 1}, sim.Vec3{Y: -100}, sim.Vec3{Y: -9, Z: 1}, "StaticShape"},
		"nothing in time":   {sim.Vec3{Z: 1}, sim.Vec3{X: -10}, sim.Vec3{X: -10.24, Z: 1}, "nothing"},
		"no item that lies": {sim.Vec3{Z: 0.2}, sim.Vec3{X: -50}, sim.Vec3{X: -51.2, Z: 0.2}, "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			addBox(t, w, sim.Vec3{X: 21}, sim.Vec3{X: 2, Y: 20, Z: 20})
			addPlayer(t, w, "soldier", nil, values{"position": vec(0, 10, 0)})
			makeBlock(t, w, "StaticShapeData", "tower", values{"size": vec(2, 2, 5)})
			makeObject(t, w, "StaticShape", "tower", values{"position": vec(0, -10, 0)})
			makeBlock(t, w, "ItemData", "pack", nil)
			makeObject(t, w, "Item", "pack", values{"position": vec(-10, 0, 0)})
			p := makeShot(t, w, flight(1.024), values{"position": sim.Vec(c.from), "velocity": sim.Vec(c.v)})
			for range 33 {
				if run(w, 1); p.Exploded() {
					break
				}
			}
			require.True(t, p.Exploded())
			assert.InDelta(t, 0, p.Position().Sub(c.at).Len(), 0.1, "%v", p.Position())
			lines := deliveredEvents(w)
			if c.what == "nothing" {
				assert.Len(t, lines, 1)
			} else {
				require.Len(t, lines, 2)
				assert.Contains(t, lines[0], "Projectile onCollision")
				w.Each(w.Classes().Lookup("SceneObject"), func(o sim.Object) bool {
					if o.Ident().Class().Name == c.what {
						assert.Contains(t, lines[0], handle(o).Literal())
					}
					return true
				})
			}
			assert.Contains(t, lines[len(lines)-1], "Projectile onExplode")
			assert.Zero(t, p.Velocity())
			run(w, lingerTicks)
			assert.True(t, p.Dead(), "when its ghosts have heard, it goes")
			assert.Zero(t, spaceOf(w).projectiles)
			assert.Empty(t, deliveredEvents(w))
		})
	}
}

func TestUnarmedProjectileBounces(t *testing.T) {
	w := newWorld(t)
	data := with(flight(10), values{"gravityMod": sim.Number(1), "armingDelay": sim.Number(2000), "bounce": sim.Number(0.5)})
	p := makeShot(t, w, data, values{"position": vec(0, 0, 5), "velocity": vec(8, 0, 0)})
	highest, ups := 0.0, 0
	for range 2000/sim.TickMs - 1 {
		before := p.velocity.Z
		run(w, 1)
		if before < 0 && p.velocity.Z > 0 {
			ups++
			highest = p.velocity.Z
		}
		require.False(t, p.Exploded())
		require.GreaterOrEqual(t, p.position.Z, 0.0)
	}
	assert.GreaterOrEqual(t, ups, 2)
	assert.Less(t, highest, 5.0, "each time it keeps half")
	run(w, 60)
	assert.True(t, p.Exploded(), "armed, it explodes where it touches the ground")
	assert.Less(t, p.velocity.X, 8*0.8, "it has lost speed along the ground")
}

func TestRestingProjectileNeedsNoUpdates(t *testing.T) {
	w := newWorld(t)
	p := makeShot(t, w, with(flight(60), values{"gravityMod": sim.Number(1), "armingDelay": sim.Number(60000)}),
		values{"position": vec(0, 0, 5), "velocity": vec(8, 3, 0)})
	w.ClearMarks()
	run(w, 600)
	assert.Empty(t, w.Marked(), "its ghosts bounce and roll as it does")
	assert.Zero(t, p.velocity)
	at := p.position
	run(w, 100)
	assert.Equal(t, at, p.position)
}

// TestProjectilesTellTheirAge: a client that first sees a projectile in flight needs its present
// age, because it decides whether a hit is a bounce.
func TestProjectilesTellTheirAge(t *testing.T) {
	w := newWorld(t)
	p := makeShot(t, w, flight(60), values{"velocity": vec(1, 0, 0)})
	w.ClearMarks()
	run(w, 10)
	told := uint32(0)
	w.TakePredicted(func(_ sim.Object, groups uint32) { told |= groups })
	age, err := p.Class().Field("age")
	require.NoError(t, err)
	assert.NotZero(t, told&(1<<age.Group))
}

// TestGhostsOfShotsFlyByThemselves checks that a ghost follows the same path to the same wall, bit
// for bit. It starts from the state on the wire and gets no further update.
func TestGhostsOfShotsFlyByThemselves(t *testing.T) {
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		spread := func(most float64) float64 { return float64((rng.Float64()*2 - 1) * most) }
		data := with(flight(8), values{
			"gravityMod": sim.Number(float64(rng.IntN(3)) / 2), "drag": sim.Number(float64(rng.IntN(2))),
			"armingDelay": sim.Number(float64(rng.IntN(2) * 3000)), "bounce": sim.Number(rng.Float64()),
		})
		worlds := [2]*sim.World{newWorld(t), newWorld(t)}
		for range 30 {
			at, size := sim.Vec3{X: spread(60), Y: spread(60), Z: spread(10)}, sim.Vec3{X: 1 + spread(1), Y: 6 + spread(5), Z: 12}
			for _, w := range worlds {
				addBox(t, w, at, size)
			}
		}
		for _, w := range worlds {
			addHills(t, w, float64(seed), 8)
		}
		p := makeShot(t, worlds[0], data, values{"position": vec(0, 0, 15), "velocity": vec(spread(60), spread(60), spread(20))})
		makeBlock(t, worlds[1], "ProjectileData", "shot", data)
		run(worlds[0], rng.IntN(5)) // the shot has already flown a few ticks
		if p.Exploded() {
			continue // before a client could have its ghost
		}
		g := worlds[1].Make(worlds[1].Classes().Lookup("Projectile")).(*Projectile)
		g.SetGhost(true)
		require.NoError(t, set(t, values{"dataBlock": sim.String("shot")})(g))
		send(t, p, g, placeGroup, ageGroup)
		worlds[1].Add(g)
		for tick := range 260 {
			run(worlds[0], 1)
			run(worlds[1], 1)
			if p.Exploded() {
				if !p.Data().expired(p.age) { // a ghost waits for the update about the end of the lifetime
					require.True(t, g.awaitsUpdate, "seed %d tick %d", seed, tick)
				}
				require.Equal(t, p.Position(), g.Position(), "seed %d tick %d", seed, tick)
				break
			}
			require.Equal(t, p.Place(), g.Place(), "seed %d tick %d", seed, tick)
		}
		assert.False(t, g.Exploded())
		update(t, p, g, endGroup, placeGroup)
		assert.True(t, g.Exploded())
		assert.Empty(t, deliveredEvents(worlds[1]), "nothing happens to ghosts")
	}
}

// TestProjectileGhostPassesMovingBodies checks that only the server decides about hits on moving
// bodies.
func TestProjectileGhostPassesMovingBodies(t *testing.T) {
	w := newWorld(t)
	addPlayer(t, w, "soldier", nil, values{"position": vec(0, 10, 0)})
	addBox(t, w, sim.Vec3{Y: 21}, sim.Vec3{X: 9, Y: 2, Z: 9})
	makeBlock(t, w, "ProjectileData", "shot", nil)
	g := w.Make(w.Classes().Lookup("Projectile")).(*Projectile)
	g.SetGhost(true)
	require.NoError(t, set(t, values{"dataBlock": sim.String("shot"), "position": vec(0, 0, 1), "velocity": vec(0, 50, 0)})(g))
	w.Add(g)
	run(w, 30)
	assert.True(t, g.awaitsUpdate)
	assert.InDelta(t, 20, g.Position().Y, 0.1)
	g.Received(g.Place())
	assert.False(t, g.awaitsUpdate, "the owner may have seen it otherwise")
}

func TestProjectilePassesSourceAtFirst(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", values{"size": vec(4, 4, 4)}, nil)
	shot := makeShot(t, w, nil, values{"position": vec(0, 0, 1), "velocity": vec(0, 30, 0), "source": handle(p)})
	run(w, 20)
	assert.False(t, shot.Exploded())
	addBox(t, w, sim.Vec3{Y: 40}, sim.Vec3{X: 9, Y: 2, Z: 9})
	back := makeShot(t, w, values{"armingDelay": sim.Number(1000), "bounce": sim.Number(1)},
		values{"position": vec(0, 5, 1), "velocity": vec(0, 60, 0), "source": handle(p)})
	for range 100 {
		if run(w, 1); back.Exploded() {
			break
		}
	}
	require.True(t, back.Exploded())
	assert.InDelta(t, 2, back.position.Y, 0.1, "later it does")
}

func TestBounceOffMovingBodyIsSent(t *testing.T) {
	w := newWorld(t)
	addPlayer(t, w, "soldier", nil, values{"position": vec(0, 5, 0)})
	p := makeShot(t, w, values{"armingDelay": sim.Number(5000), "bounce": sim.Number(0.5)}, values{"position": vec(0, 0, 1), "velocity": vec(0, 40, 0)})
	run(w, 1)
	marks := 0
	for range 20 {
		w.ClearMarks()
		run(w, 1)
		marks += int(p.Dirty() >> placeGroup & 1)
	}
	assert.Less(t, p.velocity.Y, 0.0)
	assert.Equal(t, 1, marks)
}

func TestProjectilePassesSourceMount(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", values{"size": vec(4, 4, 4)}, nil)
	shot := makeShot(t, w, nil, values{"position": vec(0, 2.5, 1), "velocity": vec(0, -100, 0), "source": handle(p)})
	run(w, 20)
	assert.False(t, shot.Exploded())
}

func TestProjectilePassesDestroyed(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 10, 0)})
	p.applyDamage(nil, 1000, "")
	shot := makeShot(t, w, nil, values{"position": vec(0, 0, 1), "velocity": vec(0, 100, 0)})
	run(w, 20)
	assert.False(t, shot.Exploded())
}

func TestSeekerLosesTarget(t *testing.T) {
	w := newWorld(t)
	target := addPlayer(t, w, "soldier", nil, values{"position": vec(40, 30, 0)})
	p := makeShot(t, w, values{"turnRate": sim.Number(90), "seekAngle": sim.Number(20)},
		values{"position": vec(0, 0, 1), "velocity": vec(0, 30, 0), "target": handle(target)})
	run(w, 20)
	assert.Zero(t, p.velocity.X, "it sees only ahead")
	target.move(sim.Vec3{X: 5, Y: 60}, sim.Vec3{})
	target.updateSpace()
	run(w, 5)
	assert.NotZero(t, p.velocity.X)
	target.applyDamage(nil, 1000, "")
	run(w, 1)
	v := p.velocity
	run(w, 5)
	assert.Zero(t, p.target)
	assert.Equal(t, v, p.velocity)
}

// TestHomingTurnsNoFasterThanItsRate checks the turn rate with targets that move randomly.
func TestHomingTurnsNoFasterThanItsRate(t *testing.T) {
	for seed := range testenv.Seeds(t, 10, 40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := newWorld(t)
		rate := 1 + rng.Float64()*200
		target := addPlayer(t, w, "soldier", nil, values{"position": vec(rng.Float64()*80-40, 60, 20)})
		p := makeShot(t, w, with(flight(10), values{"turnRate": sim.Number(rate), "seekAngle": sim.Number(180)}),
			values{"position": vec(0, 0, 30), "velocity": vec(0, 40, 0), "target": handle(target)})
		most := rate * sim.TickSeconds * math.Pi / 180
		for tick := range 250 {
			target.move(sim.Vec3{X: rng.Float64()*80 - 40, Y: rng.Float64()*80 - 40, Z: rng.Float64() * 60}, sim.Vec3{})
			target.updateSpace()
			before := p.velocity
			if run(w, 1); p.Exploded() {
				break
			}
			cos := before.Dot(p.velocity) / before.Len() / p.velocity.Len()
			require.LessOrEqual(t, math.Acos(min(cos, 1)), most+1e-6, "seed %d tick %d", seed, tick)
			require.InDelta(t, 40, p.velocity.Len(), 1e-6, "it keeps its speed")
		}
	}
}

func TestSeekers(t *testing.T) {
	type row struct {
		seekAngle, seekRange float64
		at                   sim.Vec3
		team                 float64
		wall                 bool
		want                 bool
	}
	for name, c := range map[string]row{
		"an enemy ahead":       {30, 100, sim.Vec3{X: 10, Y: 60}, 2, false, true},
		"one to the side":      {30, 100, sim.Vec3{X: 60, Y: 10}, 2, false, false},
		"one far away":         {30, 100, sim.Vec3{X: 10, Y: 500}, 2, false, false},
		"one of its team":      {30, 100, sim.Vec3{X: 10, Y: 60}, 1, false, false},
		"one of no team":       {30, 100, sim.Vec3{X: 10, Y: 60}, 0, false, false},
		"one behind a wall":    {30, 100, sim.Vec3{X: 10, Y: 60}, 2, true, false},
		"nobody is looked for": {30, 0, sim.Vec3{X: 10, Y: 60}, 2, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := addPlayer(t, w, "shooter", nil, values{"team": sim.Number(1), "position": vec(0, -20, 0)})
			enemy := addPlayer(t, w, "soldier", nil, values{"team": sim.Number(c.team), "position": sim.Vec(c.at)})
			if c.wall {
				addBox(t, w, sim.Vec3{Y: 40}, sim.Vec3{X: 60, Y: 1, Z: 30})
			}
			p := makeShot(t, w, values{"turnRate": sim.Number(90), "seekAngle": sim.Number(c.seekAngle), "seekRange": sim.Number(c.seekRange)},
				values{"position": vec(0, 0, 1), "velocity": vec(0, 30, 0), "source": handle(source)})
			run(w, 10)
			assert.Equal(t, c.want, p.target == enemy.ID())
			run(w, 60)
			assert.Equal(t, c.want, p.Exploded() && p.position.Sub(boxCenter(enemy)).Len() < 2)
		})
	}
}

// TestAbsurdProjectiles checks that no datablock causes a panic, a hang or a field out of range.
func TestAbsurdProjectiles(t *testing.T) {
	class := newWorld(t).Classes().Lookup("ProjectileData")
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 8))
		extreme := func(lo, hi float64) float64 {
			return [...]float64{lo, hi, lo + (hi-lo)*rng.Float64()}[rng.IntN(3)]
		}
		data := values{}
		for _, f := range class.AllFields() {
			switch {
			case f.Kind == sim.KindBool:
				data[f.Name] = sim.Bool(rng.IntN(2) == 0)
			case f.Kind == sim.KindNumber && f.Whole:
				data[f.Name] = sim.Number(math.Round(extreme(f.Lo, f.Hi)))
			case f.Kind == sim.KindNumber:
				data[f.Name] = sim.Number(extreme(f.Lo, f.Hi))
			}
		}
		w := newWorld(t)
		target := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 20, 0)})
		addBox(t, w, sim.Vec3{Y: 5, Z: -1}, sim.Vec3{X: 4, Y: 4, Z: 4})
		for range 4 {
			p := makeShot(t, w, data, values{
				"position": vec(extreme(-Extent, Extent), extreme(-30, 30), extreme(-5, 30)),
				"velocity": vec(extreme(-MaxSpeed, MaxSpeed), extreme(-100, 100), extreme(-MaxSpeed, MaxSpeed)), "target": handle(target)})
			for range 60 {
				run(w, 1)
				for _, name := range []string{"position", "velocity", "age"} {
					f := p.Class().Lookup(name)
					require.NoError(t, f.Set(p, f.Get(p)), "seed %d", seed)
				}
			}
		}
	}
}

func TestProjectileDataRanges(t *testing.T) {
	w := newWorld(t)
	for field, c := range map[string]struct {
		v    sim.Value
		want string
	}{
		"lifetime":        {sim.Number(1e9), "lifetime must be a whole number from 32 to 60000, got 1000000000"},
		"lagCompensation": {sim.Number(251), "lagCompensation must be a whole number from 0 to 250, got 251"},
		"muzzleVelocity":  {sim.Number(math.NaN()), "muzzleVelocity must be a number from 0 to 4096, got nan"},
		"turnRate":        {sim.Number(math.Inf(1)), "turnRate must be a number from 0 to 3600, got inf"},
		"damageRadius":    {sim.Number(-1), "damageRadius must be a number from 0 to 256, got -1"},
	} {
		o := makeBlock(t, w, "ProjectileData", "shot", nil)
		f, err := o.Ident().Class().Field(field)
		require.NoError(t, err)
		assert.EqualError(t, f.Set(o, c.v), c.want)
	}
}

// TestProjectileHashIsPinned pins the hash of the final states of many shots.
func TestProjectileHashIsPinned(t *testing.T) {
	h, rng := fnv.New64a(), rand.New(rand.NewPCG(7, 9))
	spread := func(most float64) float64 { return float64(float64(rng.Float64()*2-1) * most) }
	w := newWorld(t)
	addHills(t, w, 3, 20)
	target := addPlayer(t, w, "soldier", nil, nil)
	for range 100 {
		makeBlock(t, w, "ProjectileData", "shot", with(flight(4), values{
			"gravityMod": sim.Number(spread(1)), "drag": sim.Number(1 + spread(1)), "bounce": sim.Number(0.6),
			"armingDelay": sim.Number(4000), "turnRate": sim.Number(90 + spread(90)), "seekAngle": sim.Number(120),
		}))
		p := makeObject(t, w, "Projectile", "shot", values{
			"position": vec(spread(50), spread(50), 40), "velocity": vec(spread(50), spread(50), spread(20)), "target": handle(target)}).(*Projectile)
		run(w, 100)
		fmt.Fprintf(h, "%x %x", p.position, p.velocity)
	}
	assert.Equal(t, uint64(0xd7125352dae6e57a), h.Sum64())
}

func TestFlyingAllocatesNothing(t *testing.T) {
	for name, data := range map[string]values{
		"straight": nil, "ballistic": {"gravityMod": sim.Number(1)},
		"homing": {"turnRate": sim.Number(10), "seekAngle": sim.Number(180), "seekRange": sim.Number(500)},
		"lying":  {"gravityMod": sim.Number(1), "armingDelay": sim.Number(60000)},
	} {
		w := newWorld(t)
		addPlayer(t, w, "soldier", nil, values{"position": vec(0, 400, 0)})
		p := makeShot(t, w, with(flight(60), data), values{"position": vec(0, 0, 900), "velocity": vec(0, 1, 0)})
		if name == "lying" {
			p.position.Z = 0
		}
		run(w, 10)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			w.Tick(1)
			w.ClearMarks()
			w.TakePredicted(func(sim.Object, uint32) {})
		}), name)
		assert.False(t, p.Exploded())
	}
}

// BenchmarkProjectiles measures a tick of 200 projectiles among 128 players, with and without
// rewind.
func BenchmarkProjectiles(b *testing.B) {
	for _, lag := range []int{0, 6} {
		b.Run(fmt.Sprintf("lag=%d", lag), func(b *testing.B) {
			w := newWorld(b)
			addHills(b, w, 1, 20)
			for n := range 128 {
				p := addPlayer(b, w, "soldier", nil, values{"position": vec(float64(n%16)*12-96, float64(n/16)*12-48, 60), "team": sim.Number(1)})
				p.velocity.X = 10
			}
			makeBlock(b, w, "ProjectileData", "shot", flight(60))
			var shots []*Projectile
			for n := range 200 {
				p := makeObject(b, w, "Projectile", "shot", values{"position": vec(float64(n)-100, -100, 100)}).(*Projectile)
				p.lag = lag
				shots = append(shots, p)
			}
			b.ReportAllocs()
			for n := uint64(0); b.Loop(); n++ {
				for i, p := range shots {
					if n%64 == 0 {
						p.position, p.age = sim.Vec3{X: float64(i) - 100, Y: -100, Z: 75 + float64(i%30)}, 0
					}
					p.velocity = sim.Vec3{Y: 80}
					p.Tick(n)
				}
			}
		})
	}
}
