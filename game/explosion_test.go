package game

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// callFunction calls a function as a script does.
func callFunction(w *sim.World, name string, args ...sim.Value) ([]sim.Value, error) {
	for _, f := range w.Classes().Functions() {
		if f.Name == name {
			return f.Do(w, args)
		}
	}
	panic(name)
}

// callMethod calls a method as a script does.
func callMethod(o sim.Object, name string, args ...sim.Value) ([]sim.Value, error) {
	return o.Ident().Class().Method(name).Do(o, args)
}

var highHealth = values{"maxDamage": sim.Number(1000)}

func TestExplosionsFallOff(t *testing.T) {
	for name, c := range map[string]struct {
		at         sim.Vec3 // of a player one metre wide and two metres high
		damage, up float64
		pushed     bool
	}{
		"in the middle":     {sim.Vec3{Z: -1}, 100, 0, true},
		"half way":          {sim.Vec3{X: 5.5, Z: -1}, 50, 0, true},
		"at nine tenths":    {sim.Vec3{Y: 9.5, Z: -1}, 10, 0, true},
		"just outside":      {sim.Vec3{Y: 10.6, Z: -1}, 0, 0, false},
		"straight above it": {sim.Vec3{Z: 5}, 50, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := addPlayer(t, w, "soldier", with(highHealth, values{"mass": sim.Number(100), "drag": sim.Number(0)}),
				values{"position": sim.Vec(c.at.Add(sim.Vec3{Z: 20}))})
			_, err := callFunction(w, "radiusDamage", sim.Nil(), sim.Vec(sim.Vec3{Z: 20}), sim.Number(10), sim.Number(100), sim.String("blast"), sim.Number(1000))
			require.NoError(t, err)
			assert.InDelta(t, c.damage, p.damageLevel, 0.01)
			assert.Equal(t, c.pushed, p.velocity != sim.Vec3{})
			if c.pushed {
				want := directionOrUp(boxCenter(p).Sub(sim.Vec3{Z: 20})).Mul(c.damage / 10)
				assert.InDelta(t, 0, p.velocity.Sub(want).Len(), 0.01, "%v", p.velocity)
			}
		})
	}
}

func TestWallsShield(t *testing.T) {
	for name, c := range map[string]struct {
		wall sim.Vec3 // its size, at y = 2
		hurt bool
	}{
		"no wall":      {sim.Vec3{}, true},
		"a wall":       {sim.Vec3{X: 20, Y: 1, Z: 20}, false},
		"a low wall":   {sim.Vec3{X: 20, Y: 1, Z: 1.2}, true},
		"a narrow one": {sim.Vec3{X: 0.5, Y: 1, Z: 20}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.wall != (sim.Vec3{}) {
				addBox(t, w, sim.Vec3{Y: 2}, c.wall)
			}
			p := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 4, 0)})
			second := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 5, 0)})
			explosion{at: sim.Vec3{Z: 1}, radius: 10, damage: 50}.strike(spaceOf(w))
			assert.Equal(t, c.hurt, p.damageLevel > 0)
			assert.Equal(t, c.hurt, second.damageLevel > 0, "people are no walls")
		})
	}
}

// TestDirectHitIsOneDamageEvent checks that direct and radius damage of a hit arrive as one event,
// and that a projectile explodes only once.
func TestDirectHitIsOneDamageEvent(t *testing.T) {
	for n, radius := range []float64{0, 5, 5} {
		w := newWorld(t)
		victim := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 10, 0)})
		by := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 40, 0)})
		p := makeShot(t, w, values{"directDamage": sim.Number(7), "radiusDamage": sim.Number(20), "damageRadius": sim.Number(radius),
			"damageType": sim.String("disc"), "lagCompensation": sim.Number(250)},
			values{"position": vec(0, 0, 1), "velocity": vec(0, 60, 0), "source": handle(by)})
		p.lag = n * 3 // the last victim has moved away from the position of the hit
		for range 40 {
			victim.velocity.Y = 40 // it runs with the shot
			run(w, 1)
		}
		want := 7.0
		if radius > 0 {
			want += 20
		}
		assert.InDelta(t, want, victim.damageLevel, 0.2)
		var hits []string
		for _, line := range deliveredEvents(w) {
			if strings.HasPrefix(line, "Player onDamage") {
				hits = append(hits, line)
			}
		}
		require.Len(t, hits, 1)
		assert.Contains(t, hits[0], handle(by).Literal()+` "disc"`)
	}
}

func TestItemsArePushedOnce(t *testing.T) {
	i := newItem(t, values{"mass": sim.Number(2), "radius": sim.Number(0.25)}, values{"position": vec(3, 0, 0)})
	w := i.World()
	run(w, 40)
	w.ClearMarks()
	explosion{at: sim.Vec3{}, radius: 10, impulse: 20}.strike(spaceOf(w))
	assert.Len(t, w.Marked(), 1)
	assert.Greater(t, i.velocity.X, 5.0)
	w.ClearMarks()
	run(w, 200)
	assert.Empty(t, w.Marked(), "where it goes from there its ghosts know")
	assert.Greater(t, i.position.X, 3.5)
}

func TestInRadius(t *testing.T) {
	w := newWorld(t)
	near := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 5, 0)})
	far := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 9, 0)})
	addPlayer(t, w, "soldier", nil, values{"position": vec(0, 30, 0)})
	makeBlock(t, w, "ItemData", "pack", nil)
	pack := makeObject(t, w, "Item", "pack", values{"position": vec(0, 7, 0)})
	dead := addPlayer(t, w, "soldier", nil, nil)
	require.NoError(t, w.Delete(dead))
	for class, want := range map[string][]sim.Value{
		"": {handle(near), handle(pack), handle(far)}, "Player": {handle(near), handle(far)}, "item": {handle(pack)}, "Vehicle": nil,
	} {
		got, err := callFunction(w, "inRadius", sim.Vec(sim.Vec3{}), sim.Number(10), sim.String(class))
		require.NoError(t, err)
		assert.Equal(t, want, got, class)
	}
	got, err := callFunction(w, "inRadius", sim.Vec(sim.Vec3{}), sim.Number(0))
	require.NoError(t, err)
	assert.Empty(t, got)
	for range 300 {
		addPlayer(t, w, "soldier", nil, nil)
	}
	got, err = callFunction(w, "inRadius", sim.Vec(sim.Vec3{}), sim.Number(100))
	require.NoError(t, err)
	assert.Len(t, got, maxFound)
	assert.NotContains(t, got, handle(far), "the nearest come first")
}

func TestExplosionFunctionErrors(t *testing.T) {
	w := newWorld(t)
	for want, f := range map[string]func() ([]sim.Value, error){
		"radius must be a number from 0 to 4096, got nil": func() ([]sim.Value, error) { return callFunction(w, "inRadius", sim.Vec(sim.Vec3{})) },
		`unknown class "Playr", did you mean "Player"?`: func() ([]sim.Value, error) {
			return callFunction(w, "inRadius", sim.Vec(sim.Vec3{}), sim.Number(1), sim.String("Playr"))
		},
		"radius must be a number from 0 to 256, got 1000": func() ([]sim.Value, error) {
			return callFunction(w, "radiusDamage", sim.Nil(), sim.Vec(sim.Vec3{}), sim.Number(1000), sim.Number(1), sim.String("x"))
		},
		"source must be an object or nil, got object 999": func() ([]sim.Value, error) {
			return callFunction(w, "radiusDamage", sim.Handle(999), sim.Vec(sim.Vec3{}), sim.Number(1), sim.Number(1), sim.String("x"))
		},
	} {
		_, err := f()
		assert.EqualError(t, err, want)
	}
}

func TestExplosionsAllocateNothing(t *testing.T) {
	w := newWorld(t)
	for n := range 32 {
		addPlayer(t, w, "soldier", values{"maxDamage": sim.Number(0)}, values{"position": vec(float64(n), 0, 0)})
	}
	addBox(t, w, sim.Vec3{X: 5.5}, sim.Vec3{X: 0.2, Y: 20, Z: 20})
	b := explosion{at: sim.Vec3{Z: 1}, radius: 20, damage: 1, impulse: 1}
	b.strike(spaceOf(w))
	assert.Zero(t, testing.AllocsPerRun(100, func() { b.strike(spaceOf(w)); w.ClearMarks() }))
}

func BenchmarkExplosion(b *testing.B) {
	w := newWorld(b)
	for n := range 32 {
		addPlayer(b, w, "soldier", values{"maxDamage": sim.Number(0)}, values{"position": vec(float64(n)/4, 0, 0)})
	}
	addHills(b, w, 1, 1)
	e := explosion{at: sim.Vec3{Z: 3}, radius: 20, damage: 1}
	b.ReportAllocs()
	for b.Loop() {
		e.strike(spaceOf(w))
	}
}
