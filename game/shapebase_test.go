package game

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

func TestDamage(t *testing.T) {
	p := newPlayer(t, values{"maxDamage": sim.Number(100), "repairRate": sim.Number(0)}, nil)
	attacker := addPlayer(t, p.World(), "other", nil, values{"position": vec(0, 9, 0)})
	hurt := func(amount float64) []string {
		_, err := callMethod(p, "damage", sim.Handle(attacker.ID()), vec(0, 0, 0), sim.Number(amount), sim.String("blaster"))
		require.NoError(t, err)
		return eventNames(p.World())
	}
	assert.Equal(t, []string{"onDamage"}, hurt(60))
	assert.Equal(t, 60.0, p.damageLevel)
	assert.False(t, p.IsDestroyed())
	_, err := callMethod(p, "repair", sim.Number(20))
	require.NoError(t, err)
	assert.Equal(t, 40.0, p.damageLevel)
	assert.Empty(t, eventNames(p.World()), "repairs are not told")
	assert.Equal(t, []string{"onDamage", "onDestroyed"}, hurt(500))
	assert.Equal(t, 100.0, p.damageLevel, "no more than it can take")
	assert.Empty(t, hurt(5), "what is destroyed cannot be hurt")
	got, err := callMethod(p, "isDestroyed")
	require.NoError(t, err)
	assert.Equal(t, []sim.Value{sim.Bool(true)}, got)
	_, err = callMethod(p, "repair", sim.Number(1))
	require.NoError(t, err)
	assert.False(t, p.IsDestroyed(), "repaired, it is there again")

	require.NoError(t, set(t, values{"damageLevel": sim.Number(100)})(p))
	p.Tick(1)
	assert.True(t, p.IsDestroyed(), "a script may set the field, too")
	assert.Equal(t, []string{"onDestroyed"}, eventNames(p.World()))

	for name, args := range map[string][]sim.Value{
		"source must be an object or nil, got 3":                               {sim.Number(3)},
		"position must be a vec with components from -65536 to 65536, got nil": {sim.Nil()},
		"amount must be a number from 0 to 100000, got -1":                     {sim.Nil(), vec(0, 0, 0), sim.Number(-1)},
		`type must be a string of at most 32 bytes, got true`:                  {sim.Nil(), vec(0, 0, 0), sim.Number(1), sim.Bool(true)},
	} {
		_, err := callMethod(p, "damage", args...)
		assert.EqualError(t, err, name)
	}
}

func TestMaxDamageZeroIsInvulnerable(t *testing.T) {
	p := newPlayer(t, values{"maxDamage": sim.Number(0)}, nil)
	p.applyDamage(nil, 1e5, "")
	p.Tick(1)
	assert.Zero(t, p.damageLevel)
	assert.False(t, p.IsDestroyed())
	assert.Empty(t, eventNames(p.World()))
}

func TestRepair(t *testing.T) {
	p := newPlayer(t, values{"maxDamage": sim.Number(100), "repairRate": sim.Number(10)}, nil)
	p.applyDamage(nil, 50, "")
	runMove(p, sim.Move{}, 31)
	assert.InDelta(t, 40, p.damageLevel, 0.2)
	runMove(p, sim.Move{}, 310)
	assert.Zero(t, p.damageLevel)
	p.applyDamage(nil, 100, "")
	runMove(p, sim.Move{}, 31)
	assert.Equal(t, 100.0, p.damageLevel, "what is destroyed does not repair itself")
}

func TestEnergy(t *testing.T) {
	p := newPlayer(t, values{"maxEnergy": sim.Number(60), "rechargeRate": sim.Number(0)}, values{"energy": sim.Number(30)})
	assert.Equal(t, 30.0, p.energy)
	_, err := callMethod(p, "setEnergy", sim.Number(500))
	require.NoError(t, err)
	assert.Equal(t, 60.0, p.energy)
	assert.True(t, p.takeEnergy(60))
	assert.False(t, p.takeEnergy(0.5))
	assert.Zero(t, p.energy)
	_, err = callMethod(p, "setEnergy", sim.Number(-1))
	assert.EqualError(t, err, "amount must be a number from 0 to 100000, got -1")
}

// TestPredictedEnergyNeedsNoUpdates checks that recharging causes no updates, and that setEnergy
// causes one.
func TestPredictedEnergyNeedsNoUpdates(t *testing.T) {
	p := newPlayer(t, values{"rechargeRate": sim.Number(5)}, nil)
	p.setEnergy(10)
	p.World().ClearMarks()
	runMove(p, sim.Move{}, 20)
	assert.Greater(t, p.energy, 12.0)
	assert.Zero(t, p.Dirty())
	p.setEnergy(1)
	assert.Equal(t, uint32(1<<energyGroup), p.Dirty())
}

// TestTeleportIsShownAtOnce checks that a teleport is shown at once, however short it is.
func TestTeleportIsShownAtOnce(t *testing.T) {
	p := newPlayer(t, nil, nil)
	p.Tick(1)
	g := p.World().Make(p.Class()).(*Player)
	g.SetGhost(true)
	there := newWorld(t)
	ghost := addPlayer(t, there, "soldier", nil, nil)
	ghost.SetGhost(true)
	for range 3 {
		ghost.Interpolate(1)
	}
	_, err := callMethod(p, "setTransform", vec(3, 4, 0), sim.Rotation(sim.Rot{Yaw: 90}))
	require.NoError(t, err)
	assert.Equal(t, sim.Vec3{X: 3, Y: 4}, p.position)
	assert.Equal(t, 90.0, p.rotation.Yaw)
	update(t, p, ghost, placeGroup, turnGroup, leapGroup)
	ghost.Interpolate(2)
	assert.InDelta(t, 0, ghost.Shown(0.9).Position.Sub(p.position).Len(), 0.01)

	require.NoError(t, set(t, values{"position": vec(6, 4, 0)})(p))
	update(t, p, ghost, placeGroup, turnGroup, leapGroup)
	ghost.Interpolate(3)
	assert.Greater(t, ghost.Shown(0).Position.Sub(p.position).Len(), 0.5, "without, it goes there")
	_, err = callMethod(p, "setTransform", vec(3, 4, 0), sim.Number(1))
	assert.EqualError(t, err, "rotation must be a rot, got 1")
}

// TestGhostsRepeatTheLastMove checks that ghosts stay near their originals without updates.
func TestGhostsRepeatTheLastMove(t *testing.T) {
	p := newPlayer(t, nil, nil)
	ghost := addPlayer(t, newWorld(t), "soldier", nil, nil)
	ghost.SetGhost(true)
	runMove(p, sim.Move{Y: 16, X: 4}, 20)
	update(t, p, ghost, placeGroup, turnGroup, moveGroup, energyGroup)
	p.World().ClearMarks()
	for n := range uint64(25) {
		p.Control(sim.Move{Y: 16, X: 4})
		ghost.Interpolate(n)
	}
	assert.Zero(t, p.Dirty()&(1<<moveGroup|1<<energyGroup))
	assert.InDelta(t, 0, ghost.position.Sub(p.position).Len(), 0.05)
	runMove(p, holding(sim.Move{}, sim.JetTrigger), 3)
	assert.NotZero(t, p.Dirty()&(1<<moveGroup))
	update(t, p, ghost, placeGroup, moveGroup, energyGroup)
	for n := range uint64(25) {
		p.Control(holding(sim.Move{}, sim.JetTrigger))
		ghost.Interpolate(n)
	}
	assert.Greater(t, ghost.position.Z, 1.0)
	assert.InDelta(t, 0, ghost.position.Sub(p.position).Len(), 0.1)
}

func TestShapeEvents(t *testing.T) {
	w := newWorld(t)
	for _, class := range []string{"Player", "Camera", "TerrainBlock", "Box"} {
		c := w.Classes().Lookup(class)
		require.NotNil(t, c, class)
		for _, f := range c.AllFields() {
			assert.NotEmpty(t, f.Doc, "%s.%s", class, f.Name)
		}
	}
	c := w.Classes().Lookup("Player")
	for _, name := range []string{"damage", "repair", "setEnergy", "applyImpulse", "getEyePoint", "getEyeVector", "isDestroyed", "setTransform"} {
		m := c.Method(name)
		require.NotNil(t, m, name)
		assert.NotEmpty(t, m.Doc)
	}
}

// TestSparedShapes: while the world spares a shape, neither damage nor a higher damageLevel reaches
// it, and it is not destroyed. A lower damageLevel and repair help it. Another shape is as ever,
// and so is this one afterwards.
func TestSparedShapes(t *testing.T) {
	p := newPlayer(t, values{"maxDamage": sim.Number(100), "repairRate": sim.Number(0)}, nil)
	other := addPlayer(t, p.World(), "other", nil, values{"position": vec(0, 9, 0)})
	set := func(o *Player, level float64) float64 {
		require.NoError(t, o.SetField("damageLevel", sim.Number(level)))
		run(o.World(), 1)
		return o.damageLevel
	}
	assert.Equal(t, 40.0, set(p, 40))
	p.World().Spares = func(o sim.Object) bool { return o == sim.Object(p) }
	require.NoError(t, p.ApplyDamage(nil, 50, "bite"))
	assert.Equal(t, 40.0, set(p, 100))
	assert.False(t, p.destroyed)
	assert.Error(t, p.SetField("damageLevel", sim.Number(-1)), "a wrong value is still a mistake")
	assert.Equal(t, 30.0, set(p, 30))
	require.NoError(t, p.Repair(10))
	assert.Equal(t, 20.0, p.damageLevel)
	assert.Equal(t, 60.0, set(other, 60))
	p.World().Spares = nil
	assert.Equal(t, 100.0, set(p, 100))
	assert.True(t, p.destroyed)
}
