package game

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// addPlayer adds a player with a new datablock to a world.
func addPlayer(t testing.TB, w *sim.World, block string, data, own values) *Player {
	_, _, err := w.Blocks.Declare("PlayerData", block, "", set(t, data))
	require.NoError(t, err)
	o, err := w.New("Player", func(o sim.Object) error {
		require.NoError(t, set(t, values{"dataBlock": sim.String(block)})(o))
		return set(t, own)(o)
	})
	require.NoError(t, err)
	return o.(*Player)
}

func newPlayer(t testing.TB, data, own values) *Player {
	return addPlayer(t, newWorld(t), "soldier", data, own)
}

// runMove runs the same move for some ticks.
func runMove(p *Player, m sim.Move, ticks int) {
	for range ticks {
		p.Control(m)
	}
}

func levelSpeed(p *Player) float64 { return math.Hypot(p.velocity.X, p.velocity.Y) }

// holding returns a move with triggers held.
func holding(m sim.Move, triggers ...int) sim.Move {
	for _, n := range triggers {
		m.SetTrigger(n, true)
	}
	return m
}

// eventNames returns the names of the emitted events.
func eventNames(w *sim.World) (events []string) {
	w.Deliver(func(_ sim.Object, name string, _ []sim.Value) bool {
		events = append(events, name)
		return true
	})
	return events
}

func TestRunSpeed(t *testing.T) {
	data := values{"maxForwardSpeed": sim.Number(12), "maxBackwardSpeed": sim.Number(7), "maxSideSpeed": sim.Number(9), "drag": sim.Number(0.5)}
	for name, c := range map[string]struct {
		move sim.Move
		want sim.Vec3
	}{
		"ahead":           {sim.Move{Y: 16}, sim.Vec3{Y: 12}},
		"half ahead":      {sim.Move{Y: 8}, sim.Vec3{Y: 6}},
		"backwards":       {sim.Move{Y: -16}, sim.Vec3{Y: -7}},
		"to the right":    {sim.Move{X: 16}, sim.Vec3{X: 9}},
		"to the left":     {sim.Move{X: -16}, sim.Vec3{X: -9}},
		"both at once":    {sim.Move{X: 16, Y: 16}, sim.Vec3{X: 9 / math.Sqrt2, Y: 12 / math.Sqrt2}},
		"more than there": {sim.Move{X: 127, Y: 0}, sim.Vec3{X: 9}},
		"not at all":      {sim.Move{}, sim.Vec3{}},
		"up is nothing":   {sim.Move{Z: 16}, sim.Vec3{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t, data, nil)
			runMove(p, c.move, 60)
			assert.InDelta(t, 0, p.velocity.Sub(c.want).Len(), 0.01, "%v", p.velocity)
			from := p.position
			runMove(p, c.move, 100)
			assert.InDelta(t, 0, p.position.Sub(from).Sub(c.want.Mul(3.2)).Len(), 0.06)
			assert.Zero(t, p.position.Z)
			runMove(p, sim.Move{}, 60)
			assert.Zero(t, p.velocity, "it stops")
		})
	}
}

func TestRunAcceleration(t *testing.T) {
	p := newPlayer(t, values{"runForce": sim.Number(20), "groundFriction": sim.Number(10)}, nil)
	runMove(p, fullAhead, 10)
	assert.InDelta(t, 20*0.32, levelSpeed(p), 0.02)
	runMove(p, sim.Move{}, 10)
	assert.InDelta(t, 10*0.32, levelSpeed(p), 0.02)
}

func TestPlayersTurn(t *testing.T) {
	p := newPlayer(t, nil, nil)
	runMove(p, sim.Move{Yaw: 0x1000, Pitch: -0x0800}, 2)
	assert.Equal(t, sim.Rot{Yaw: 45, Pitch: -22.5}, p.rotation)
	runMove(p, fullAhead, 100)
	assert.InDelta(t, 0, p.velocity.Normalized().Sub(sim.Vec3{X: -math.Sqrt2 / 2, Y: math.Sqrt2 / 2}).Len(), 0.001, "it runs where it looks")
	runMove(p, sim.Move{Pitch: -0x4000}, 4)
	assert.InDelta(t, -89, p.rotation.Pitch, 0.01, "nobody looks through his own neck")
	runMove(p, sim.Move{Pitch: 0x4000}, 7)
	assert.InDelta(t, 89, p.rotation.Pitch, 0.01)
	p.Control(sim.Move{Pitch: -0x3f4a, Yaw: 0x2000, FreeLook: true})
	assert.Equal(t, 45.0, p.rotation.Yaw, "with free look the body stays")
	at, look := p.eye()
	assert.InDelta(t, p.position.Z+1.8, at.Z, 1e-9)
	assert.InDelta(t, 0, look.Sub(sim.Vec3{X: -1}).Len(), 0.01, "and the eye turns")
	p.Control(sim.Move{})
	_, look = p.eye()
	assert.InDelta(t, 0, look.Sub(sim.Heading(0x2000)).Len(), 0.01)
}

func TestPlayersJump(t *testing.T) {
	jump := holding(sim.Move{}, sim.JumpTrigger)
	p := newPlayer(t, values{"jumpSpeed": sim.Number(8), "canSki": sim.Bool(false), "drag": sim.Number(0)}, nil)
	p.Control(jump)
	high := 0.0
	for range 24 {
		p.Control(sim.Move{})
		high = max(high, p.position.Z)
	}
	assert.InDelta(t, 8*8/(2*Gravity), high, 0.15)
	assert.Zero(t, p.position.Z, "it comes down")
	jumps, was := 0, 0.0
	for range 250 { // eight seconds
		p.Control(jump)
		if was <= 0 && p.velocity.Z > 0 {
			jumps++
		}
		was = p.velocity.Z
		assert.LessOrEqual(t, p.velocity.Z, 8.0)
	}
	assert.InDelta(t, 10, jumps, 1, "held on, it jumps again and again")
	p = newPlayer(t, values{"canSki": sim.Bool(true)}, nil)
	runMove(p, jump, 100)
	assert.Zero(t, p.position.Z, "it skis")
	p.Control(sim.Move{})
	p.Control(jump)
	assert.Positive(t, p.velocity.Z)
}

// TestNoJumpInTheAir checks this for any sequence of triggers.
func TestNoJumpInTheAir(t *testing.T) {
	p := newPlayer(t, values{"jumpSpeed": sim.Number(8)}, nil)
	high := 0.0
	for tick := range 400 {
		m := sim.Move{}
		m.SetTrigger(sim.JumpTrigger, tick%2 == 0)
		p.Control(m)
		high = max(high, p.position.Z)
	}
	assert.LessOrEqual(t, high, 8*8/(2*Gravity)+0.15)
}

func TestJets(t *testing.T) {
	data := values{"maxEnergy": sim.Number(50), "rechargeRate": sim.Number(0), "jetDrain": sim.Number(25), "minJetEnergy": sim.Number(10), "drag": sim.Number(0)}
	jet := holding(sim.Move{}, sim.JetTrigger)
	t.Run("they lift and use energy", func(t *testing.T) {
		p := newPlayer(t, data, nil)
		assert.Equal(t, 50.0, p.energy, "a new one is full")
		runMove(p, jet, 31)
		assert.InDelta(t, 50-25*0.992, p.energy, 0.05)
		assert.InDelta(t, (34-Gravity)*0.992, p.velocity.Z, 0.7)
		assert.True(t, p.jetting)
		runMove(p, jet, 60)
		assert.Less(t, p.energy, 1.0)
		assert.False(t, p.jetting, "there is no more")
	})
	t.Run("they need energy to start", func(t *testing.T) {
		p := newPlayer(t, data, nil)
		p.setEnergy(9)
		runMove(p, jet, 3)
		assert.Equal(t, 9.0, p.energy)
		assert.Zero(t, p.position.Z)
		p.setEnergy(10)
		runMove(p, jet, 3)
		assert.Less(t, p.energy, 9.0, "and none to go on")
	})
	t.Run("no faster than they make it", func(t *testing.T) {
		p := newPlayer(t, with(data, values{"maxEnergy": sim.Number(1000), "maxJetSpeed": sim.Number(15)}), nil)
		for range 900 {
			p.Control(holding(fullAhead, sim.JetTrigger))
			require.LessOrEqual(t, levelSpeed(p), 15.01)
			require.LessOrEqual(t, p.velocity.Z, 15.01)
		}
		assert.InDelta(t, 15, levelSpeed(p), 0.1)
	})
	t.Run("energy comes back", func(t *testing.T) {
		p := newPlayer(t, with(data, values{"rechargeRate": sim.Number(10)}), nil)
		p.setEnergy(0)
		runMove(p, sim.Move{}, 125)
		assert.InDelta(t, 40, p.energy, 0.2)
		runMove(p, sim.Move{}, 125)
		assert.Equal(t, 50.0, p.energy, "and no more than there is room for")
	})
}

func TestAirControl(t *testing.T) {
	for control, want := range map[float64]float64{0: 0, 0.5: 0.5 * 60 * 0.32, 1: 11} {
		p := newPlayer(t, values{"airControl": sim.Number(control), "drag": sim.Number(0)}, values{"position": vec(0, 0, 500)})
		runMove(p, fullAhead, 10)
		assert.InDelta(t, want, levelSpeed(p), 0.05, "%g", control)
	}
	p := newPlayer(t, values{"drag": sim.Number(0)}, values{"position": vec(0, 0, 500), "velocity": vec(0, 30, 0)})
	runMove(p, fullAhead, 30)
	assert.InDelta(t, 30, levelSpeed(p), 0.01, "who is faster than he runs gains nothing")
}

func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		height float64
		over   bool
	}{"low": {0.3, true}, "just": {0.6, true}, "too high": {0.7, false}, "a wall": {5, false}} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t, values{"maxStepHeight": sim.Number(0.6)}, nil)
			addBox(t, p.World(), sim.Vec3{Y: 6}, sim.Vec3{X: 20, Y: 4, Z: c.height})
			runMove(p, fullAhead, 22)
			if !c.over {
				assert.InDelta(t, 3.5, p.position.Y, 0.01)
				assert.Zero(t, p.position.Z)
				return
			}
			assert.InDelta(t, c.height, p.position.Z, 0.01)
			assert.Greater(t, p.position.Y, 4.0)
			assert.InDelta(t, 11, levelSpeed(p), 0.01, "a step costs no speed")
			runMove(p, fullAhead, 22)
			assert.Zero(t, p.position.Z, "and down again")
		})
	}
}

// addRamp adds ground that rises by slope metres per metre along Y.
func addRamp(t testing.TB, w *sim.World, slope float64) {
	addHills(t, w, 1, 5)
	r := &spaceOf(w).relief
	for i := range r.heights {
		r.heights[i] = float32(float64(i/r.size) * slope * r.square)
	}
	r.low, r.high = math.Inf(-1), math.Inf(1)
}

// TestMaxStepHeightIsExact checks that a maxStepHeight of 0.6 climbs 0.6 m and not 0.65 m, at any
// speed and angle, up a slope, and at each step of stairs.
func TestMaxStepHeightIsExact(t *testing.T) {
	for _, slope := range []float64{0, 0.1, 0.5, 1} {
		for _, yaw := range []float64{0, 30, -60} {
			for _, speed := range []float64{3, 11} {
				for height, over := range map[float64]bool{0.3: true, 0.6: true, 0.65: false} {
					w := newWorld(t)
					addRamp(t, w, slope)
					z, _ := spaceOf(w).ground(0, 3)
					p := addPlayer(t, w, "soldier", values{"maxForwardSpeed": sim.Number(speed)},
						values{"position": vec(0, 3, z), "rotation": sim.Rotation(sim.Rot{Yaw: yaw})})
					top, _ := spaceOf(w).ground(0, 4)
					addBox(t, w, sim.Vec3{Y: 6, Z: top + height - 8}, sim.Vec3{X: 100, Y: 4, Z: 8})
					runMove(p, fullAhead, 60)
					assert.Equal(t, over, p.position.Y > 3.6, "slope %g, yaw %g, speed %g, height %g: %v", slope, yaw, speed, height, p.position)
				}
			}
		}
	}
	for height, top := range map[float64]float64{0.55: 20, 0.6: 20, 0.65: 0} {
		for _, high := range []bool{false, true} {
			p := newPlayer(t, nil, nil)
			for i := range 20 {
				at, size := sim.Vec3{Y: 5 + float64(i)}, sim.Vec3{X: 6, Y: 1, Z: height * float64(i+1)}
				if high {
					at.Z, size.Z = height*float64(i), height
				}
				addBox(t, p.World(), at, size)
			}
			runMove(p, fullAhead, 70)
			assert.InDelta(t, top*height, p.position.Z, 0.02, "stairs with steps of %g m, each on the one below: %t", height, high)
		}
	}
}

func TestStairs(t *testing.T) {
	p := newPlayer(t, nil, nil)
	for i := range 20 {
		addBox(t, p.World(), sim.Vec3{Y: 5 + float64(i)}, sim.Vec3{X: 6, Y: 1, Z: 0.5 * float64(i+1)})
	}
	runMove(p, fullAhead, 70)
	assert.InDelta(t, 10, p.position.Z, 0.01)
	assert.Greater(t, p.position.Y, 23.0)
}

func TestSlideAlongWall(t *testing.T) {
	p := newPlayer(t, nil, nil)
	addBox(t, p.World(), sim.Vec3{Y: 6}, sim.Vec3{X: 400, Y: 4, Z: 5})
	runMove(p, sim.Move{X: 16, Y: 16}, 100)
	assert.InDelta(t, 3.5, p.position.Y, 0.002)
	assert.Greater(t, p.position.X, 15.0)
	addBox(t, p.World(), sim.Vec3{X: 45}, sim.Vec3{X: 10, Y: 30, Z: 5})
	runMove(p, sim.Move{X: 16, Y: 16}, 300)
	assert.InDelta(t, 39.5, p.position.X, 0.002, "and in a corner is the end")
	assert.Zero(t, p.velocity)
}

func TestRoofsAndCeilings(t *testing.T) {
	p := newPlayer(t, nil, values{"position": vec(0, 0, 9)})
	addBox(t, p.World(), sim.Vec3{Z: 3}, sim.Vec3{X: 10, Y: 10, Z: 1})
	addBox(t, p.World(), sim.Vec3{X: 10, Z: 3}, sim.Vec3{X: 10, Y: 10, Z: 1})
	runMove(p, sim.Move{}, 60)
	roof := p.position.Z
	assert.InDelta(t, 4, roof, 0.004, "it stands on a roof")
	runMove(p, sim.Move{X: 16}, 30)
	assert.Equal(t, roof, p.position.Z, "and runs from one to the next")
	assert.InDelta(t, 9, levelSpeed(p), 0.01)
	runMove(p, sim.Move{X: 16}, 60)
	assert.Zero(t, p.position.Z, "and off it")
	p = addPlayer(t, p.World(), "other", values{"jumpSpeed": sim.Number(15)}, nil)
	p.Control(holding(sim.Move{}, sim.JumpTrigger))
	high := 0.0
	for range 20 {
		p.Control(sim.Move{})
		high = max(high, p.position.Z)
	}
	assert.InDelta(t, 1, high, 0.005, "a ceiling stops its head")
}

func TestHardLandings(t *testing.T) {
	for fall, told := range map[float64]bool{2: false, 9: false, 11: true, 200: true} {
		p := newPlayer(t, values{"minImpactSpeed": sim.Number(20), "drag": sim.Number(0)}, values{"position": vec(0, 0, fall)})
		speed := 0.0
		for range 300 {
			p.Control(sim.Move{})
			p.World().Deliver(func(_ sim.Object, name string, args []sim.Value) bool {
				if name == "onImpact" {
					require.Zero(t, speed, "told once")
					speed = args[0].Number()
				}
				return true
			})
		}
		assert.Zero(t, p.position.Z)
		if told {
			assert.InDelta(t, min(math.Sqrt(2*Gravity*fall), 90), speed, 1)
		} else {
			assert.Zero(t, speed, "from %g m", fall)
		}
	}
}

func TestDestroyedPlayerIgnoresMoves(t *testing.T) {
	p := newPlayer(t, nil, nil)
	runMove(p, fullAhead, 20)
	p.applyDamage(nil, 1000, "blast")
	assert.True(t, p.IsDestroyed())
	assert.Equal(t, []string{"onDamage", "onDestroyed"}, eventNames(p.World()))
	runMove(p, holding(fullAhead, sim.JetTrigger, sim.JumpTrigger), 60)
	assert.Zero(t, p.velocity)
	assert.Zero(t, p.position.Z)
	energy := p.energy
	runMove(p, sim.Move{}, 10)
	assert.Equal(t, energy, p.energy)
}

func TestOnTrigger(t *testing.T) {
	p := newPlayer(t, nil, nil)
	p.Control(holding(sim.Move{}, sim.FireTrigger, sim.UseTrigger))
	assert.Equal(t, []string{"onTrigger", "onTrigger"}, eventNames(p.World()))
	runMove(p, holding(sim.Move{}, sim.FireTrigger, sim.UseTrigger), 5)
	assert.Empty(t, eventNames(p.World()), "only when they change")
	p.Control(holding(sim.Move{}, sim.UseTrigger))
	assert.Equal(t, []string{"onTrigger"}, eventNames(p.World()))
	p.World().Replay(func() { p.Control(sim.Move{}) })
	assert.Empty(t, eventNames(p.World()), "and not for what is done again")
}

func TestImpulses(t *testing.T) {
	p := newPlayer(t, values{"mass": sim.Number(50)}, nil)
	_, err := p.Class().Method("applyImpulse").Do(p, []sim.Value{vec(0, 0, 0), vec(0, 500, 500)})
	require.NoError(t, err)
	assert.Equal(t, sim.Vec3{Y: 10, Z: 10}, p.velocity)
	runMove(p, sim.Move{}, 5)
	assert.Positive(t, p.position.Z, "it is thrown off its feet")
	_, err = p.Class().Method("applyImpulse").Do(p, []sim.Value{vec(0, 0, 0), vec(0, 1e9, 1e9)})
	require.NoError(t, err)
	assert.LessOrEqual(t, p.velocity.Len(), 90.001, "no faster than its data allow")
}

func TestPlayersPassThroughEachOther(t *testing.T) {
	w := newWorld(t)
	a := addPlayer(t, w, "a", nil, nil)
	b := addPlayer(t, w, "b", nil, values{"position": vec(0, 4, 0)})
	var told []sim.Object
	collisions := func() int {
		told = told[:0]
		w.Deliver(func(o sim.Object, name string, _ []sim.Value) bool {
			if name == "onCollision" {
				told = append(told, o)
			}
			return true
		})
		return len(told)
	}
	for range 18 {
		a.Control(fullAhead)
		b.Tick(0)
	}
	assert.Equal(t, 2, collisions(), "once, both")
	assert.ElementsMatch(t, []sim.Object{a, b}, told)
	assert.Greater(t, a.position.Y, 4.0)
	runMove(a, fullAhead, 20)
	b.Tick(0)
	assert.Zero(t, collisions())
	for range 40 {
		a.Control(sim.Move{Y: -16})
		b.Tick(0)
	}
	assert.Equal(t, 2, collisions(), "and again after they were apart")
}

// TestControlStateOfPlayers checks that control state has everything that a move depends on,
// without loss.
func TestControlStateOfPlayers(t *testing.T) {
	p := newPlayer(t, nil, nil)
	runMove(p, holding(sim.Move{X: 5, Y: 16, Yaw: 300, Pitch: 40}, sim.JetTrigger), 40)
	p.Control(holding(sim.Move{Yaw: 77, FreeLook: true}, sim.JetTrigger))
	bits := state(t, p)
	q := newPlayer(t, nil, nil)
	q.SetGhost(true)
	restore(t, q, bits)
	assert.Equal(t, bits, state(t, q))
	for i := range 200 {
		m := sim.Move{X: int8(i % 16), Y: 16, Yaw: int16(i * 10), Triggers: uint8(i / 7 % 16)}
		p.Control(m)
		q.Control(m)
		require.Equal(t, state(t, p), state(t, q), "move %d", i)
	}
	for n := range len(bits) { // truncated state changes nothing
		before := state(t, q)
		var r bitstream.Reader
		r.Reset(bits[:n])
		q.CodeControl(sim.Coder{Codec: &r.Codec})
		if r.Err() != nil {
			require.Equal(t, before, state(t, q), "%d bytes", n)
		}
	}

	p.setState(&playerState{
		position: sim.Vec3{X: 1.5, Y: -2.25, Z: 3}, velocity: sim.Vec3{X: -4, Y: 5.5, Z: 6}, energy: 7.75, yaw: 0x1234, pitch: 0xff00, head: 0x4321,
		held: 0x2a, wait: 3, leaps: 9, jetting: true, destroyed: true,
	})
	restore(t, q, state(t, p))
	assert.Equal(t, p.state(), q.state(), "each part of it")
}

// TestJumpIntervalOfLowJumps checks that the minimum time between jumps also applies to low jumps.
func TestJumpIntervalOfLowJumps(t *testing.T) {
	p := newPlayer(t, values{"jumpSpeed": sim.Number(1), "canSki": sim.Bool(false)}, nil)
	jumps, was := 0, 0.0
	for range 160 {
		p.Control(holding(sim.Move{X: 127, Y: 16}, sim.JumpTrigger))
		if was <= 0 && p.velocity.Z > 0 {
			jumps++
		}
		was = p.velocity.Z
	}
	assert.Equal(t, 160/jumpTicks, jumps)
	assert.Equal(t, sim.MoveFull, p.moveX, "a move is taken within its range")
}

// TestSlidingAlongEdges checks that a slide follows the bottom of a valley and stops in a corner of
// three walls.
func TestSlidingAlongEdges(t *testing.T) {
	left, right := sim.Vec3{X: 0.6, Z: 0.8}, sim.Vec3{X: -0.6, Z: 0.8}
	s := boxSlide{velocity: sim.Vec3{X: 0.1, Y: 5, Z: -9}}
	s.normals[0], s.normals[1], s.planes = left, right, 2
	s.deflect()
	assert.InDelta(t, 0, s.velocity.Sub(sim.Vec3{Y: 5}).Len(), 1e-9)
	s.normals[2], s.planes = sim.Vec3{Y: -1}, 3
	s.velocity = sim.Vec3{X: 0.1, Y: 5, Z: -9}
	s.deflect()
	assert.Zero(t, s.velocity)
	s = boxSlide{velocity: sim.Vec3{X: -3, Y: 5, Z: 1}}
	s.normals[0], s.normals[1], s.planes = left, right, 2
	s.deflect()
	assert.InDelta(t, 0, s.velocity.Dot(left), 1e-9, "out of the one it goes along the other")
	assert.Positive(t, s.velocity.Dot(right))
}

// TestSlidePastWallEnd checks a slide past the end of a wall onto a slope that leads behind
// the wall. The slide gets behind the wall in the same tick.
func TestSlidePastWallEnd(t *testing.T) {
	w := newWorld(t)
	s := spaceOf(w)
	s.relief.generate(terrainParams{size: 16, square: 4})
	for j := range 16 {
		for i := range 16 { // it rises ahead and falls to the right
			s.relief.heights[j*16+i] = float32(max(0, 2*(j-9))) + float32(max(0, 12-i)*min(max(0, j-9), 1))
		}
	}
	s.relief.high = 100
	addBox(t, w, sim.Vec3{X: 2.5}, sim.Vec3{X: 2, Y: 6, Z: 5})
	m := boxSlide{space: s, at: sim.Vec3{X: 0.9, Z: 0.5}, velocity: sim.Vec3{X: 50, Y: 150}, slidesUp: true}
	m.lo, m.hi = boxOnGround(sim.Vec3{X: 1, Y: 1, Z: 2})
	s.gather(sim.Vec3{X: -50, Y: -50}, sim.Vec3{X: 50, Y: 50, Z: 50})
	m.advance(0.005)
	require.Zero(t, m.velocity.X, "along the wall")
	m.velocity.X = 50
	m.advance(0.08)
	assert.Greater(t, m.at.Y, 4.0)
	assert.Positive(t, m.velocity.X)
}

func TestFieldsOfPlayerData(t *testing.T) {
	w := newWorld(t)
	c := w.Classes().Lookup("PlayerData")
	_, _, err := w.Blocks.Declare("PlayerData", "wrong", "", nil)
	require.NoError(t, err)
	block := w.Blocks.ByName("wrong")
	for field, wrong := range map[string]float64{
		"maxForwardSpeed": 501, "maxSideSpeed": -1, "jumpSpeed": math.NaN(), "jetForce": math.Inf(1), "runSurfaceAngle": 90,
		"maxStepHeight": 11, "airControl": 1.1, "mass": 0, "drag": 31, "maxSpeed": 0, "maxEnergy": 1e6, "eyeHeight": -1,
	} {
		f, err := c.Field(field)
		require.NoError(t, err)
		assert.ErrorContains(t, f.Set(block, sim.Number(wrong)), field+" must be a number from ", field)
	}
}

// TestSkiing checks that a player skis downhill faster than any player runs, and keeps speed on
// flat ground longer than a runner.
func TestSkiing(t *testing.T) {
	down := func(move sim.Move) *Player {
		w := newWorld(t)
		addHills(t, w, 4, 200)
		x, y, slope := 0.0, 0.0, sim.Vec3{}
		for ; slope.Z == 0 || slope.Z < 0.85 || slope.Z > 0.9; x++ { // about 30 degrees
			_, slope = spaceOf(w).ground(x, y)
		}
		z, _ := spaceOf(w).ground(x, y)
		yaw := math.Atan2(-slope.X, slope.Y) * 180 / math.Pi
		p := addPlayer(t, w, "soldier", values{"drag": sim.Number(0)}, values{"position": vec(x, y, z), "rotation": sim.Rotation(sim.Rot{Yaw: yaw})})
		p.Control(sim.Move{})
		runMove(p, fullAhead, 10)
		runMove(p, move, 30)
		return p
	}
	assert.LessOrEqual(t, down(fullAhead).velocity.Len(), 11.01)
	assert.Greater(t, down(holding(fullAhead, sim.JumpTrigger)).velocity.Len(), 15.0)

	p := newPlayer(t, values{"drag": sim.Number(0)}, values{"velocity": vec(0, 30, 0)})
	runMove(p, holding(fullAhead, sim.JumpTrigger), 60)
	assert.InDelta(t, 30, levelSpeed(p), 0.1, "what slides is not held")
	runMove(p, fullAhead, 30)
	assert.InDelta(t, 11, levelSpeed(p), 0.1)
}

// TestStandingOnSlopes checks that a player stands on a slope up to runSurfaceAngle, and slides
// down a steeper one.
func TestStandingOnSlopes(t *testing.T) {
	w := newWorld(t)
	addHills(t, w, 4, 200)
	for seed := range 200 {
		x, y := float64(seed*7%30)*8+5, float64(seed*13%30)*8+3 // within a triangle
		z, slope := spaceOf(w).ground(x, y)
		p := addPlayer(t, w, "soldier", values{"runSurfaceAngle": sim.Number(30)}, values{"position": vec(x, y, z)})
		runMove(p, sim.Move{}, 10)
		if slope.Z > 0.87 {
			assert.Zero(t, p.velocity, "seed %d", seed)
			assert.InDelta(t, 0, p.position.Sub(sim.Vec3{X: x, Y: y, Z: z}).Len(), 0.01)
		} else if slope.Z < 0.86 {
			assert.Less(t, p.position.Z, z-0.1, "seed %d", seed)
		}
	}
}
