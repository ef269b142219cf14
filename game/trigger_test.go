package game

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

func newTrigger(t testing.TB, w *sim.World, own values) *Trigger {
	makeBlock(t, w, "TriggerData", "zone", nil)
	return makeObject(t, w, "Trigger", "zone", with(values{"size": vec(4, 4, 4)}, own)).(*Trigger)
}

// moveTo moves a player.
func moveTo(p *Player, x float64) {
	p.SetController(1)
	p.move(sim.Vec3{X: x}, sim.Vec3{})
	p.updateSpace()
}

func TestEnterTriggerOncePerObject(t *testing.T) {
	w := newWorld(t)
	trigger := newTrigger(t, w, nil)
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(50, 0, 0)})
	q := addPlayer(t, w, "soldier", nil, values{"position": vec(60, 0, 0)})
	tell := func(ticks int) (lines []string) {
		run(w, ticks)
		for _, line := range deliveredEvents(w) {
			if line != "Trigger onTickTrigger" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	enter, leave := "Trigger onEnterTrigger %s", "Trigger onLeaveTrigger %s"
	of := func(line string, p *Player) string { return fmt.Sprintf(line, handle(p).Literal()) }
	assert.Empty(t, tell(10))
	moveTo(p, 1)
	assert.Equal(t, []string{of(enter, p)}, tell(10), "it came, and stays")
	moveTo(q, 2.4)
	assert.Equal(t, []string{of(enter, q)}, tell(10), "a part of it is enough")
	_, err := callMethod(p, "setTransform", sim.Vec(sim.Vec3{X: 500}), sim.Rotation(sim.Rot{}))
	require.NoError(t, err)
	assert.Equal(t, []string{of(leave, p)}, tell(3), "put elsewhere it has left")
	moveTo(p, 0)
	assert.Equal(t, []string{of(enter, p)}, tell(3))
	require.NoError(t, w.Delete(p))
	assert.Equal(t, []string{of(leave, p)}, tell(3), "deleted inside it has left")
	f, _ := trigger.Class().Field("position")
	require.NoError(t, f.Set(trigger, vec(0, 90, 0)))
	assert.Equal(t, []string{of(leave, q)}, tell(3), "the trigger may go too")
	require.NoError(t, w.Delete(trigger))
	moveTo(q, 0)
	assert.Empty(t, tell(3))
}

// TestTriggerEventsMatchPositions checks that enter and leave events alternate for each object, and
// that they match the positions of the objects.
func TestTriggerEventsMatchPositions(t *testing.T) {
	for seed := range testenv.Seeds(t, 7, 30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		w := newWorld(t)
		trigger := newTrigger(t, w, nil)
		var all []*Player
		for range 8 {
			all = append(all, addPlayer(t, w, "soldier", nil, nil))
		}
		inside := map[sim.ID]bool{}
		for range 200 {
			for n, p := range all {
				if rng.IntN(4) == 0 {
					moveTo(p, rng.Float64()*12-6)
				}
				if rng.IntN(100) == 0 {
					require.NoError(t, w.Delete(p))
					all[n] = addPlayer(t, w, "soldier", nil, nil)
				}
			}
			run(w, 1)
			w.Deliver(func(o sim.Object, name string, args []sim.Value) bool {
				switch name {
				case "onEnterTrigger", "onLeaveTrigger":
					id, enters := args[0].Object(), name == "onEnterTrigger"
					require.NotEqual(t, enters, inside[id], "seed %d", seed)
					inside[id] = enters
				}
				return true
			})
			for _, p := range all {
				require.Equal(t, p.position.X >= -2.5 && p.position.X <= 2.5, inside[p.ID()], "seed %d", seed)
				delete(inside, 0)
			}
			require.LessOrEqual(t, len(trigger.inside), 8)
		}
	}
}

func TestTriggersTick(t *testing.T) {
	w := newWorld(t)
	newTrigger(t, w, nil)
	makeBlock(t, w, "TriggerData", "zone", values{"tickPeriod": sim.Number(500)})
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(50, 0, 0)})
	ticked := func() (n int) {
		run(w, 125) // 4 s
		for _, line := range deliveredEvents(w) {
			if line == "Trigger onTickTrigger" {
				n++
			}
		}
		return n
	}
	assert.Zero(t, ticked(), "nobody is there")
	moveTo(p, 0)
	assert.Equal(t, 8, ticked())
}

func TestStaticShapesDoNotTrigger(t *testing.T) {
	w := newWorld(t)
	newTrigger(t, w, values{"size": vec(40, 40, 40)})
	makeBlock(t, w, "StaticShapeData", "tower", nil)
	makeObject(t, w, "StaticShape", "tower", nil)
	newTurret(t, w, nil, nil)
	makeBlock(t, w, "ItemData", "ball", nil)
	ball := makeObject(t, w, "Item", "ball", nil)
	run(w, 3)
	assert.Equal(t, []string{"Trigger onEnterTrigger " + handle(ball).Literal(), "Trigger onTickTrigger"}, deliveredEvents(w))
}

func TestTriggersAllocateNothing(t *testing.T) {
	w := newWorld(t)
	trigger := newTrigger(t, w, nil)
	trigger.Data().tickPeriod = maxLifetime
	for n := range 8 {
		moveTo(addPlayer(t, w, "soldier", nil, nil), float64(n)/4)
	}
	run(w, 3)
	assert.Zero(t, testing.AllocsPerRun(100, func() { trigger.Tick(1) }))
}

func TestSpawnSpheres(t *testing.T) {
	w := newWorld(t)
	s := makeObject(t, w, "SpawnSphere", "", values{"radius": sim.Number(12), "team": sim.Number(2), "position": vec(1, 2, 3)}).(*SpawnSphere)
	assert.Equal(t, 2, s.Team())
	assert.Equal(t, sim.Place{Position: sim.Vec3{X: 1, Y: 2, Z: 3}, Radius: 12}, s.Place())
	assert.True(t, s.Class().IsA(w.Classes().Lookup("Marker")))
	f, err := s.Class().Field("team")
	require.NoError(t, err)
	assert.EqualError(t, f.Set(s, sim.Number(16)), "team must be a whole number from 0 to 15, got 16")
}
