package game

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// countEvents counts the script events with the given words.
func countEvents(w *sim.World, words string) (n int) {
	for _, line := range deliveredEvents(w) {
		if strings.Contains(line, words) {
			n++
		}
	}
	return n
}

// TestDriverDoesNotFire checks that a driver does not fire, and that a passenger does.
func TestDriverDoesNotFire(t *testing.T) {
	for seat, want := range []int{0, 1} {
		w := newWorld(t)
		p := newArmedPlayer(t, w, values{"fireTimeout": sim.Number(60000)}, nil)
		v := addVehicle(t, w, "bus", values{"seats": sim.Number(2)}, values{"position": vec(0, 0, 1)})
		require.NoError(t, p.sit(v, seat))
		runDriving(p, fires, 20)
		assert.Len(t, shots(w), want, "seat %d", seat)
	}
}

// TestVehicleHasOneController checks that a rider does not drive a vehicle with another controller.
func TestVehicleHasOneController(t *testing.T) {
	v, players := newVehicleWithPlayers(t, hoverKind, 1)
	p := players[0]
	require.NoError(t, p.sit(v, 0))
	runDriving(p, fullAhead, 20)
	p.SetController(1)
	v.SetController(2)
	for range 200 {
		p.Control(fullAhead)
		v.Control(sim.Move{})
	}
	assert.Less(t, speedOf(v), 1.0)
	v.SetController(0)
	runDriving(p, fullAhead, 50)
	assert.Greater(t, speedOf(v), 5.0)
}

// TestImpulseDoesNotMoveRider checks that impulses do not move a rider, and that a teleport
// unmounts it.
func TestImpulseDoesNotMoveRider(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	p := players[0]
	require.NoError(t, p.sit(v, 0))
	p.push(sim.Vec3{}, sim.Vec3{X: 9000})
	assert.Zero(t, p.velocity)
	_, err := callMethod(p, "setTransform", vec(50, 0, 0), sim.Rotation(sim.Rot{}))
	require.NoError(t, err)
	assert.Nil(t, p.Mount())
	assert.Equal(t, 50.0, p.position.X)
}

// TestGhostDoesNotUnmountItself checks that a ghost stays mounted although its last known move
// jumped. Only the server decides that.
func TestGhostDoesNotUnmountItself(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	p := players[0]
	require.NoError(t, p.sit(v, 0))
	p.SetGhost(true)
	p.jumping = true
	p.Tick(1)
	assert.Equal(t, sim.Object(v), p.Mount())
}

// TestRiderAndMountDoNotCollide checks that a rider and its mount get no onCollision.
func TestRiderAndMountDoNotCollide(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	require.NoError(t, players[0].sit(v, 0))
	runDriving(players[0], fullAhead, 30)
	assert.Zero(t, countEvents(v.World(), "onCollision"))
}

// TestTruncatedControlStateChangesNoImages checks that truncated control state changes nothing,
// including images.
func TestTruncatedControlStateChangesNoImages(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"usesAmmo": sim.Bool(true)}, nil)
	require.NoError(t, p.sit(addVehicle(t, w, "bus", nil, nil), 0))
	p.images[0].ammo = 7
	bits := state(t, p)
	p.images[0].ammo = 9
	for n := range len(bits) {
		var r bitstream.Reader
		r.Reset(bits[:n])
		if p.CodeControl(sim.Coder{Codec: &r.Codec}); r.Err() != nil {
			require.Equal(t, 9, p.images[0].ammo, "%d bytes", n)
		}
	}
	restore(t, p, bits)
	assert.Equal(t, 7, p.images[0].ammo)
}

// TestPassengerStateOfUnknownMount checks that control state of a passenger is refused if its mount
// does not exist.
func TestPassengerStateOfUnknownMount(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 2)
	require.NoError(t, players[0].sit(v, 1))
	var r bitstream.Reader
	r.Reset(stateFor(t, players[0], idView{uint32(v.ID()): 5}))
	was := *players[1]
	players[1].CodeControl(sim.Coder{Codec: &r.Codec, View: idView{}})
	require.ErrorIs(t, r.Err(), errNoMount)
	assert.Equal(t, was, *players[1])
}

// TestRayHitsCorrectedPlayer checks that rays find a corrected player at the new position.
func TestRayHitsCorrectedPlayer(t *testing.T) {
	p, q := newPlayer(t, nil, nil), newPlayer(t, nil, values{"position": vec(500, 0, 0)})
	restore(t, p, state(t, q))
	h, is := spaceOf(p.World()).ray(sim.Vec3{X: 490, Z: 1}, sim.Vec3{X: 510, Z: 1}, nil, 0)
	require.True(t, is)
	assert.Equal(t, sim.Object(p), h.object)
}

// TestWallStopsHugeAcceleration checks that a wall stops a tick that begins at rest with a huge
// acceleration.
func TestWallStopsHugeAcceleration(t *testing.T) {
	p := newPlayer(t, values{"runForce": sim.Number(maxForce), "maxForwardSpeed": sim.Number(400), "maxSpeed": sim.Number(500), "maxStepHeight": sim.Number(0)}, nil)
	addBox(t, p.World(), sim.Vec3{Y: 1.1}, sim.Vec3{X: 10, Y: 0.2, Z: 10})
	p.Control(fullAhead)
	assert.LessOrEqual(t, p.position.Y, 0.5)
}

// TestPlayerInsideSolidGetsOut checks that a player inside a wall can walk out on any side, and
// that a player below the ground is lifted at once.
func TestPlayerInsideSolidGetsOut(t *testing.T) {
	for _, yaw := range []float64{0, 90, 180, 270} {
		p := newPlayer(t, nil, values{"rotation": sim.Rotation(sim.Rot{Yaw: yaw})})
		addBox(t, p.World(), sim.Vec3{X: 0.2, Y: 0.2, Z: -1}, sim.Vec3{X: 2, Y: 2, Z: 5})
		runMove(p, fullAhead, 40)
		assert.Greater(t, p.position.Len(), 3.0, "yaw %v", yaw)
	}
	p := newPlayer(t, nil, nil)
	addHills(t, p.World(), 5, 60)
	ground, _ := spaceOf(p.World()).ground(0, 0)
	p.move(sim.Vec3{Z: ground - 3}, sim.Vec3{})
	p.Control(fullAhead)
	assert.Positive(t, p.position.Y)
	ground, _ = spaceOf(p.World()).ground(0, p.position.Y)
	assert.InDelta(t, ground, p.position.Z, 0.01)
}

// TestRoofsAreNotSteppedDown checks that a player who runs off a roof falls to a lower roof and
// does not snap down to it.
func TestRoofsAreNotSteppedDown(t *testing.T) {
	p := newPlayer(t, nil, values{"position": vec(0, 0, 6)})
	addBox(t, p.World(), sim.Vec3{}, sim.Vec3{X: 4, Y: 4, Z: 6})
	addBox(t, p.World(), sim.Vec3{Y: 7}, sim.Vec3{X: 4, Y: 10, Z: 5})
	for tick := 0; p.position.Z == 6; tick++ {
		require.Less(t, tick, 100)
		p.Control(fullAhead)
	}
	assert.Greater(t, p.position.Z, 5.5)
	runMove(p, fullAhead, 12)
	assert.Equal(t, 5.0, p.position.Z)
}

// TestStandingVehicleIsSolid checks that a vehicle is solid only while it stands, and
// only at its current position.
func TestStandingVehicleIsSolid(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	for n := range uint64(100) {
		v.Tick(n)
	}
	across := func() bool {
		_, is := spaceOf(v.World()).sweep(sim.Vec3{X: 1, Y: 1, Z: 1}, sim.Vec3{X: -9, Z: 0.5}, sim.Vec3{X: 9, Z: 0.5})
		return is
	}
	require.True(t, v.blocks())
	require.True(t, across())
	require.NoError(t, players[0].sit(v, 0))
	runDriving(players[0], fullAhead, 2)
	require.Less(t, v.position.Y, 1.0)
	assert.False(t, across(), "it drives")
	runDriving(players[0], fullAhead, 60)
	assert.False(t, across(), "it has gone")
}

// TestGhostsOfVehiclesPushNothing checks that the ghost of a vehicle pushes nothing. Only the
// server applies collisions.
func TestGhostsOfVehiclesPushNothing(t *testing.T) {
	v, players := newVehicleWithPlayers(t, hoverKind, 1)
	p := players[1]
	for _, o := range []sim.Object{v, p} {
		o.Ident().SetGhost(true)
	}
	p.teleport(sim.Vec3{Y: 6}, sim.Rot{})
	p.SetController(1)
	runVehicleMove(v, fullAhead, 60)
	require.Greater(t, v.position.Y, 6.0)
	assert.Zero(t, p.velocity)
}

// TestVehicleMoveIsClamped checks that moves are limited to the valid range.
func TestVehicleMoveIsClamped(t *testing.T) {
	v := newVehicle(t, nil, nil)
	v.Control(sim.Move{X: -128, Y: 127, Z: 99})
	assert.Equal(t, driverInput{throttle: 1, turn: 1, rise: 1}, v.drive)
}

// TestSpringForceLimit checks that the push of a spring is limited by springLength.
func TestSpringForceLimit(t *testing.T) {
	v := newVehicle(t, values{"springLength": sim.Number(0.25), "wheelRadius": sim.Number(0.5)}, values{"position": vec(0, 0, 0.1)})
	c := v.beginTick(v.Data())
	c.turn()
	force, _ := c.spring(0)
	assert.Equal(t, 80*0.25, force)
}

// TestOlderTerrainIsNotTheGround checks that changes of an older terrain do not affect the ground.
func TestOlderTerrainIsNotTheGround(t *testing.T) {
	w := newWorld(t)
	old, err := w.New("TerrainBlock", set(t, values{"height": sim.Number(0), "position": vec(0, 0, 40)}))
	require.NoError(t, err)
	_, err = w.New("TerrainBlock", set(t, values{"height": sim.Number(0), "position": vec(0, 0, 8)}))
	require.NoError(t, err)
	require.NoError(t, set(t, values{"position": vec(0, 0, 50)})(old))
	old.(*TerrainBlock).Tick(1)
	z, _ := spaceOf(w).ground(0, 0)
	assert.InDelta(t, 8, z, 0.004)
}

// TestCastRayPassesExcept checks that castRay passes through except, also if it is a solid.
func TestCastRayPassesExcept(t *testing.T) {
	w := newWorld(t)
	wall, err := w.New("Box", set(t, values{"position": vec(0, 5, 0), "size": vec(4, 1, 4)}))
	require.NoError(t, err)
	found, err := callFunction(w, "castRay", vec(0, 0, 1), vec(0, 10, 1), sim.Handle(wall.Ident().ID()))
	require.NoError(t, err)
	assert.Empty(t, found)
}

// TestDestroyedDoesNotRecharge checks that a destroyed player does not recharge.
func TestDestroyedDoesNotRecharge(t *testing.T) {
	p := newPlayer(t, nil, nil)
	p.setEnergy(5)
	p.applyDamage(nil, 1000, "")
	run(p.World(), 50)
	assert.Equal(t, 5.0, p.energy)
}

// TestHeavyItemsArePushedLess checks that the same impulse moves a heavier item less.
func TestHeavyItemsArePushedLess(t *testing.T) {
	for _, mass := range []float64{1, 4} {
		i := newItem(t, values{"mass": sim.Number(mass)}, nil)
		i.push(sim.Vec3{}, sim.Vec3{X: 8})
		assert.Equal(t, 8/mass, i.velocity.X)
	}
}

// TestArmingDelayAndSourceTicks checks that a projectile arms after armingDelay, and passes through
// its source and the source's mount for five ticks.
func TestArmingDelayAndSourceTicks(t *testing.T) {
	d := ProjectileData{armingDelay: 64}
	assert.False(t, d.armed(1))
	assert.True(t, d.armed(2))
	v, players := newVehicleWithPlayers(t, hoverKind, 1)
	p := players[0]
	require.NoError(t, p.sit(v, 0))
	shot := makeShot(t, v.World(), nil, values{"source": handle(p)})
	for _, o := range []sim.Object{p, v} {
		shot.age = 5
		assert.True(t, shot.passes(o), "%s", o.Ident())
		shot.age = 6
		assert.False(t, shot.passes(o), "%s", o.Ident())
	}
}

// TestExplodedProjectileLingers checks that an exploded projectile exists for half a second. Its
// ghosts then receive the explosion in spite of packet loss.
func TestExplodedProjectileLingers(t *testing.T) {
	w := newWorld(t)
	shot := makeShot(t, w, flight(0.032), nil)
	run(w, 1)
	require.True(t, shot.Exploded())
	run(w, 15)
	assert.True(t, shot.Alive())
	run(w, 1)
	assert.False(t, shot.Alive())
}

// TestExplosionDamagesNearWall checks that an explosion next to a destructible wall damages the
// wall.
func TestExplosionDamagesNearWall(t *testing.T) {
	w := newWorld(t)
	makeBlock(t, w, "StaticShapeData", "gate", values{"size": vec(6, 1, 4), "maxDamage": sim.Number(100)})
	gate := makeObject(t, w, "StaticShape", "gate", nil).(*StaticShape)
	_, err := callFunction(w, "radiusDamage", sim.Nil(), vec(0, 2, 1), sim.Number(5), sim.Number(10), sim.String("bomb"))
	require.NoError(t, err)
	assert.Positive(t, gate.damageLevel)
}

// TestTurretElevationLimit checks that a controlled turret stops at its maximum elevation.
func TestTurretElevationLimit(t *testing.T) {
	w := newWorld(t)
	turret := newTurret(t, w, values{"turnRate": sim.Number(3600)}, nil)
	for range 200 {
		turret.Control(sim.Move{Pitch: 32767})
		require.GreaterOrEqual(t, int16(sim.Turn(turret.rotation.Pitch)), int16(0))
	}
	assert.InDelta(t, 80, turret.rotation.Pitch, 0.01)
}

// TestControlledTurretLosesTarget checks that a turret has no target after a client controlled it.
func TestControlledTurretLosesTarget(t *testing.T) {
	w := newWorld(t)
	turret := newTurret(t, w, nil, nil)
	p := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 30, 0), "team": sim.Number(2)})
	run(w, 20)
	require.Equal(t, p.ID(), turret.target)
	turret.Control(sim.Move{})
	assert.Zero(t, turret.target)
}

// TestTurretControlStateDestroyed checks that control state contains the destruction of a turret.
func TestTurretControlStateDestroyed(t *testing.T) {
	a, b := newTurret(t, newWorld(t), nil, nil), newTurret(t, newWorld(t), nil, nil)
	a.applyDamage(nil, 1000, "")
	restore(t, b, state(t, a))
	assert.True(t, b.IsDestroyed())
}

// TestTriggerAveragePeriod checks the average period of onTickTrigger for a period that is not a
// multiple of a tick.
func TestTriggerAveragePeriod(t *testing.T) {
	w := newWorld(t)
	newTrigger(t, w, nil)
	moveTo(addPlayer(t, w, "soldier", nil, nil), 0)
	run(w, 1000) // 32 s, at 100 ms
	assert.InDelta(t, 320, countEvents(w, "onTickTrigger"), 1)
}

// TestCameraPitchLimit checks that a camera has the same pitch limits as a player.
func TestCameraPitchLimit(t *testing.T) {
	c := makeObject(t, newWorld(t), "Camera", "", nil).(*Camera)
	for _, pitch := range []int16{32767, -32768} {
		var seen []float64
		for range 4 {
			c.Control(sim.Move{Pitch: pitch})
			seen = append(seen, c.rotation.Pitch)
		}
		assert.InDelta(t, 89, max(slices.Max(seen), -slices.Min(seen)), 0.1)
		assert.Equal(t, pitch > 0, seen[3] > 0)
	}
}
