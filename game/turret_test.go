package game

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// newTurret adds a turret of team 1 at the origin.
func newTurret(t testing.TB, w *sim.World, data, shot values) *Turret {
	makeBlock(t, w, "ProjectileData", "bolt", with(values{"muzzleVelocity": sim.Number(100), "directDamage": sim.Number(5)}, shot))
	makeBlock(t, w, "ShapeBaseImageData", "barrel", values{"projectile": sim.String("bolt"), "muzzle": vec(0, 1, 0)})
	makeBlock(t, w, "TurretData", "turret", with(values{"image": sim.String("barrel"), "scanInterval": sim.Number(100), "turnRate": sim.Number(180)}, data))
	return makeObject(t, w, "Turret", "turret", values{"team": sim.Number(1)}).(*Turret)
}

func TestTurretTargets(t *testing.T) {
	type row struct {
		at        sim.Vec3
		team      float64
		wall, own bool // a wall, or a player of its own team, in front of it
		want      bool
	}
	for name, c := range map[string]row{
		"an enemy":             {sim.Vec3{X: 20, Y: 30}, 2, false, false, true},
		"one behind it":        {sim.Vec3{Y: -30}, 2, false, false, true},
		"its team":             {sim.Vec3{X: 20, Y: 30}, 1, false, false, false},
		"nobody's":             {sim.Vec3{X: 20, Y: 30}, 0, false, false, false},
		"out of range":         {sim.Vec3{Y: 140}, 2, false, false, false},
		"behind a wall":        {sim.Vec3{Y: 40}, 2, true, false, false},
		"with its own between": {sim.Vec3{Y: 40}, 2, false, true, false},
		"too high":             {sim.Vec3{Y: 1, Z: 60}, 2, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			turret := newTurret(t, w, nil, nil)
			p := addPlayer(t, w, "soldier", highHealth, values{"position": sim.Vec(c.at), "team": sim.Number(c.team)})
			p.SetController(1) // it does not fall
			if c.wall {
				addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 90, Y: 1, Z: 90})
			}
			friend := addPlayer(t, w, "soldier", highHealth, values{"position": vec(30, 30, 0), "team": sim.Number(1)})
			if c.own {
				friend.move(sim.Vec3{Y: 20}, sim.Vec3{})
				friend.updateSpace()
			}
			run(w, 150)
			assert.Equal(t, c.want, p.damageLevel > 0)
			assert.Equal(t, c.want, turret.target == p.ID())
			assert.Zero(t, friend.damageLevel)
			assert.Zero(t, turret.damageLevel)
			if !c.want {
				assert.Empty(t, shots(w))
			}
		})
	}
}

// TestTurretLeadsTarget checks that turrets hit a target in uniform motion, also with shots that
// fall.
func TestTurretLeadsTarget(t *testing.T) {
	for name, shot := range map[string]values{
		"straight": nil, "slow": {"muzzleVelocity": sim.Number(50)}, "falling": {"gravityMod": sim.Number(1)},
		"hitscan": {"hitscan": sim.Bool(true)},
	} {
		w := newWorld(t)
		newTurret(t, w, nil, shot)
		p := addPlayer(t, w, "runner", with(highHealth, values{"maxSideSpeed": sim.Number(12)}), values{"position": vec(-40, 40, 0), "team": sim.Number(2)})
		p.SetController(1)
		fired := 0
		for range 200 {
			p.Control(sim.Move{X: 16})
			run(w, 1)
		}
		for _, line := range deliveredEvents(w) {
			if len(line) > 13 && line[:13] == "Turret onFire" {
				fired++
			}
		}
		assert.Greater(t, fired, 5, name)
		assert.GreaterOrEqual(t, p.damageLevel/5, float64(fired)*0.7, "%s: %d shots", name, fired)
	}
}

func TestTurretsTurnAtTheirRate(t *testing.T) {
	w := newWorld(t)
	turret := newTurret(t, w, values{"turnRate": sim.Number(30)}, nil)
	addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, -30, 0), "team": sim.Number(2)})
	const most = uint16(30 * sim.TickMs * 65536 / 360 / 1000) // rounded down
	ticks := 0
	for ; len(shots(w)) == 0 && ticks < 1000; ticks++ {
		before := sim.Turn(turret.rotation.Yaw)
		run(w, 1)
		require.LessOrEqual(t, angleDifference(before, sim.Turn(turret.rotation.Yaw)), most)
	}
	assert.InDelta(t, 6/sim.TickSeconds, ticks, 8, "half a turn takes it six seconds")
}

func TestControlledTurrets(t *testing.T) {
	w := newWorld(t)
	turret := newTurret(t, w, nil, nil)
	enemy := addPlayer(t, w, "soldier", highHealth, values{"position": vec(30, 0, 0), "team": sim.Number(2)})
	turret.SetController(1)
	for range 20 {
		turret.Control(sim.Move{Yaw: 500, Pitch: 100})
		run(w, 1)
	}
	assert.InDelta(t, sim.Degrees(10000), turret.rotation.Yaw, 0.01, "it goes where it is steered, not where enemies are")
	assert.InDelta(t, sim.Degrees(2000), turret.rotation.Pitch, 0.01)
	for range 200 {
		turret.Control(holding(sim.Move{Pitch: 32767, Yaw: 32767}, sim.FireTrigger))
	}
	assert.LessOrEqual(t, turret.rotation.Pitch, 80.01)
	assert.NotEmpty(t, shots(w))
	assert.Zero(t, enemy.damageLevel)
	turret.applyDamage(nil, 1000, "")
	before := len(shots(w))
	for range 100 {
		turret.Control(fires)
	}
	assert.Len(t, shots(w), before, "what is destroyed does not fire")
}

func TestTurretControlState(t *testing.T) {
	here, there := newWorld(t), newWorld(t)
	p, g := newTurret(t, here, nil, nil), newTurret(t, there, nil, nil)
	for _, w := range []*sim.World{here, there} {
		makeBlock(t, w, "ShapeBaseImageData", "barrel", values{"projectile": sim.String("bolt"), "energyPerShot": sim.Number(20)})
	}
	m := holding(sim.Move{Yaw: 333, Pitch: -77}, sim.FireTrigger)
	for n := range 100 {
		p.Control(m)
		if n == 20 {
			restore(t, g, state(t, p))
		}
		if n > 20 {
			there.Replay(func() { g.Control(m) })
			require.Equal(t, state(t, p), state(t, g))
		}
	}
}

func TestExtremeTurretData(t *testing.T) {
	for _, data := range []values{
		{"minElevation": sim.Number(90), "maxElevation": sim.Number(-90)},
		{"turnRate": sim.Number(3600), "range": sim.Number(maxRange), "eyeHeight": sim.Number(100)},
		{"range": sim.Number(0)}, {"image": sim.Nil()}, {"size": vec(-1, 0, 1000)},
	} {
		w := newWorld(t)
		turret := newTurret(t, w, data, values{"muzzleVelocity": sim.Number(0), "gravityMod": sim.Number(100)})
		addPlayer(t, w, "soldier", highHealth, values{"team": sim.Number(2)})
		run(w, 100)
		assert.False(t, math.IsNaN(turret.rotation.Yaw+turret.rotation.Pitch))
		w.Blocks.Clear()
		run(w, 5)
	}
}

func TestIdleTurretsAllocateNothing(t *testing.T) {
	w := newWorld(t)
	newTurret(t, w, values{"scanInterval": sim.Number(32)}, nil)
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 90, Y: 1, Z: 90})
	addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 40, 0), "team": sim.Number(2)}).SetController(1)
	run(w, 10)
	assert.Zero(t, testing.AllocsPerRun(100, func() { w.Tick(1); w.ClearMarks() }))
	assert.Empty(t, shots(w))
}

func BenchmarkIdleTurret(b *testing.B) {
	w := newWorld(b)
	turret := newTurret(b, w, nil, nil)
	for n := range 64 {
		addPlayer(b, w, "soldier", nil, values{"position": vec(float64(n), 30, 0), "team": sim.Number(1)})
	}
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		turret.Tick(n)
	}
}
