package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func obj(o sim.Object) sim.Value { return sim.Handle(o.Ident().ID()) }

// mountEvents returns the mount events as text.
func mountEvents(w *sim.World) (list []string) {
	w.Deliver(func(o sim.Object, name string, args []sim.Value) bool {
		if name == "onMount" || name == "onUnmount" {
			list = append(list, fmt.Sprint(o.Ident().Class().Name, " ", name, " ", args[1].Number()))
		}
		return true
	})
	return list
}

// newVehicleWithPlayers returns a vehicle with seats, one player for each seat, and one more.
func newVehicleWithPlayers(t testing.TB, kind string, seats int) (*Vehicle, []*Player) {
	w := newWorld(t)
	v := addVehicle(t, w, "bus", with(kindOf(kind), values{"seats": sim.Number(float64(seats))}), values{"position": vec(0, 0, 1)})
	players := make([]*Player, seats+1)
	for i := range players {
		players[i] = addPlayer(t, w, "soldier", nil, values{"position": vec(float64(10+i*3), 0, 0)})
	}
	return v, players
}

// runDriving runs ticks in which a player drives its mount, as the engine does, and then ticks the
// world.
func runDriving(p *Player, m sim.Move, ticks int) {
	for n := range ticks {
		p.SetController(1)
		if d := p.Drives(); d != nil {
			d.Ident().SetController(1)
		}
		p.Control(m)
		p.World().Tick(uint64(n))
	}
}

func TestAllSeats(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, maxSeats)
	for seat := range maxSeats {
		_, err := callMethod(v, "mountObject", obj(players[seat]), sim.Number(float64(seat)))
		require.NoError(t, err)
	}
	for seat := range maxSeats {
		got, err := callMethod(v, "mountedObject", sim.Number(float64(seat)))
		require.NoError(t, err)
		assert.Equal(t, []sim.Value{obj(players[seat])}, got)
		assert.Equal(t, sim.Object(v), players[seat].Mount())
	}
	assert.Len(t, mountEvents(v.World()), maxSeats)
	_, err := callMethod(v, "mountObject", obj(players[maxSeats]), sim.Number(0))
	assert.EqualError(t, err, fmt.Sprintf("Player %d is already in seat 0 of Vehicle %d", players[0].ID(), v.ID()))
	assert.Nil(t, players[maxSeats].Mount())

	runDriving(players[0], fullAhead, 100)
	assert.Greater(t, v.position.Y, 20.0, "who sits in seat 0 drives")
	runDriving(players[0], sim.Move{X: sim.MoveFull, Y: sim.MoveFull}, 10)
	assert.NotZero(t, v.rotation.Yaw)
	assert.Equal(t, v.rotation.Yaw, players[0].rotation.Yaw, "and looks where he drives")
	for seat, p := range players[:maxSeats] {
		assert.InDelta(t, v.Data().seat[seat].Y, p.position.Y-v.position.Y, 1, "seat %d", seat)
		assert.Equal(t, v.velocity, p.velocity)
	}
	was := v.velocity.Y
	runDriving(players[1], fullAhead, 40)
	assert.Less(t, v.velocity.Y, was+0.1, "others do not")
}

func TestSitErrors(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 2)
	a, b, w := players[0], players[1], v.World()
	wreck := addVehicle(t, w, "wreck", nil, values{"position": vec(50, 0, 0)})
	wreck.applyDamage(nil, 1000, "")
	dead := addPlayer(t, w, "dead", nil, nil)
	dead.applyDamage(nil, 1000, "")
	box, err := w.New("Box", nil)
	require.NoError(t, err)
	number := sim.Number
	for name, c := range map[string]struct {
		on   sim.Object
		args []sim.Value
		want string
	}{
		"nobody":        {v, []sim.Value{sim.Nil(), number(0)}, "obj must be an object of class ShapeBase, got nil"},
		"a box":         {v, []sim.Value{obj(box), number(0)}, "obj must be an object of class ShapeBase"},
		"a number":      {v, []sim.Value{number(float64(a.ID())), number(0)}, "obj must be an object of class ShapeBase"},
		"no such seat":  {v, []sim.Value{obj(a), number(2)}, "has 2 seats, counted from 0"},
		"far beyond":    {v, []sim.Value{obj(a), number(1e9)}, "seat must be a whole number from 0 to 7"},
		"not a seat":    {v, []sim.Value{obj(a), number(math.NaN())}, "seat must be"},
		"itself":        {v, []sim.Value{obj(v), number(0)}, "cannot mount itself"},
		"in a wreck":    {wreck, []sim.Value{obj(a), number(0)}, "is destroyed"},
		"the destroyed": {v, []sim.Value{obj(dead), number(0)}, "is destroyed"},
	} {
		_, err := callMethod(c.on, "mountObject", c.args...)
		assert.ErrorContains(t, err, c.want, name)
	}
	_, err = callMethod(v, "unmountObject", obj(a))
	assert.ErrorContains(t, err, "is not mounted on")
	require.NoError(t, a.sit(b, 0))
	require.NoError(t, b.sit(v, 0))
	assert.ErrorContains(t, v.sit(a, 0), "is already mounted on")
	assert.ErrorContains(t, v.sit(b, 3), "is already mounted on")
}

func TestMountDepthLimit(t *testing.T) {
	w := newWorld(t)
	var pile []*Player
	for range maxMounts + 2 {
		pile = append(pile, addPlayer(t, w, "soldier", nil, nil))
	}
	for i := 1; i <= maxMounts; i++ {
		require.NoError(t, pile[i].sit(pile[i-1], 0))
	}
	assert.ErrorContains(t, pile[maxMounts+1].sit(pile[maxMounts], 0), "sit on each other")
}

// TestInvalidMountFields checks that invalid values of mount and seat are corrected.
func TestInvalidMountFields(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 2)
	a, b, c := players[0], players[1], players[2]
	mount := func(o sim.Object, on sim.Object, seat float64) {
		require.NoError(t, set(t, values{"mount": obj(on), "seat": sim.Number(seat)})(o))
	}
	mount(a, a, 0)
	mount(b, c, 0)
	mount(c, b, 0)
	mount(v, v, 1)
	for n := range uint64(3) {
		v.World().Tick(n)
	}
	for _, o := range []*ShapeBase{&a.ShapeBase, &v.ShapeBase} {
		assert.Nil(t, o.Mount(), o.String())
	}
	assert.False(t, b.mount != 0 && c.mount != 0, "one of them sits on the other at most")
	b.unmount()
	c.unmount()
	require.NoError(t, a.sit(v, 1))
	mount(b, v, 1)
	mount(c, v, 5)
	v.World().Tick(9)
	v.World().Tick(10)
	assert.Equal(t, []sim.ID{v.ID(), 0, 0}, []sim.ID{a.mount, b.mount, c.mount})
}

func TestUnmount(t *testing.T) {
	for _, kind := range kinds {
		v, players := newVehicleWithPlayers(t, kind, 2)
		a := players[0]
		require.NoError(t, a.sit(v, 0))
		runDriving(a, fullAhead, 60)
		require.Greater(t, v.velocity.Y, 10.0)
		_, err := callMethod(v, "unmountObject", obj(a))
		require.NoError(t, err)
		assert.Equal(t, v.velocity, a.velocity, "%s: he keeps the velocity", kind)
		assert.Equal(t, []string{"Player onMount 0", "Player onUnmount 0"}, mountEvents(v.World()))
		lo, hi := v.box()
		aLo, aHi := a.box()
		assert.False(t, boxesOverlap(v.position.Add(lo), v.position.Add(hi), a.position.Add(aLo), a.position.Add(aHi)), kind)
	}
}

func TestUnmountBesideWalls(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	a, w := players[0], v.World()
	addBox(t, w, sim.Vec3{X: -3}, sim.Vec3{X: 2, Y: 20, Z: 8})
	addBox(t, w, sim.Vec3{X: 3}, sim.Vec3{X: 2, Y: 20, Z: 8})
	require.NoError(t, a.sit(v, 0))
	a.unmount()
	assert.Less(t, a.position.Y, -2.0, "behind it")
	assert.InDelta(t, 0, a.position.X, 0.01)
	require.NoError(t, a.sit(v, 0))
	addBox(t, w, sim.Vec3{Y: 5}, sim.Vec3{X: 20, Y: 4, Z: 8})
	addBox(t, w, sim.Vec3{Y: -5}, sim.Vec3{X: 20, Y: 4, Z: 8})
	a.unmount()
	assert.Greater(t, a.position.Z, 1.9, "on top of it")
}

func TestRiderIsUnmounted(t *testing.T) {
	for name, end := range map[string]func(v *Vehicle, a *Player){
		"the vehicle is deleted":   func(v *Vehicle, a *Player) { _ = v.World().Delete(v) },
		"the vehicle is destroyed": func(v *Vehicle, a *Player) { v.applyDamage(nil, 1e4, "") },
		"he dies":                  func(v *Vehicle, a *Player) { a.applyDamage(nil, 1e4, "") },
		"he jumps":                 func(v *Vehicle, a *Player) { runDriving(a, sim.Move{Triggers: 1 << sim.JumpTrigger}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			v, players := newVehicleWithPlayers(t, wheeledKind, 2)
			a, b := players[0], players[1]
			require.NoError(t, a.sit(v, 0))
			require.NoError(t, b.sit(v, 1))
			runDriving(a, fullAhead, 60)
			speed := v.velocity.Y
			end(v, a)
			runDriving(a, fullAhead, 1)
			v.World().Sweep()
			assert.Nil(t, a.Mount())
			assert.Nil(t, a.Drives())
			assert.Greater(t, a.velocity.Y, speed/2)
			runDriving(a, sim.Move{}, 3)
			alone := v.Dead() || v.destroyed
			assert.Equal(t, alone, b.Mount() == nil)
			if !alone {
				got, err := callMethod(v, "mountedObject", sim.Number(0))
				require.NoError(t, err)
				assert.Equal(t, []sim.Value{sim.Nil()}, got)
			}
		})
	}
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	require.NoError(t, players[0].sit(v, 0))
	runDriving(players[0], fullAhead, 60)
	require.NoError(t, v.World().Delete(players[0]))
	v.World().Sweep()
	v.SetController(0)
	for n := range uint64(300) {
		v.World().Tick(n)
	}
	assert.Equal(t, sim.Vec3{}, v.velocity, "without its driver it stops")
	require.NoError(t, players[1].sit(v, 0))
}

// idView is a view that maps object ids to wire ids.
type idView map[uint32]uint32

func (n idView) ToWire(obj uint32) uint32 { return n[obj] }
func (n idView) FromWire(wire uint32) uint32 {
	for obj, name := range n {
		if name == wire {
			return obj
		}
	}
	return 0
}

// stateFor returns the control state for a peer with other ids.
func stateFor(t testing.TB, o sim.Controllable, view sim.IDTranslator) []byte {
	var w bitstream.Writer
	w.Reset(make([]byte, 1000))
	o.CodeControl(sim.Coder{Codec: &w.Codec, View: view})
	require.NoError(t, w.Err())
	return w.Bytes()
}

// TestDrivingIsPredicted checks a client that is some ticks ahead of its server. Its state is
// bit-identical after each move, from the first state on. That includes leaving the vehicle and
// walking away.
func TestDrivingIsPredicted(t *testing.T) {
	for seed := range testenv.Seeds(t, 3, 12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		kind := kinds[seed%3]
		build := func() (*Vehicle, *Player) {
			v, players := newVehicleWithPlayers(t, kind, 2)
			addHills(t, v.World(), float64(seed), 15)
			addBox(t, v.World(), sim.Vec3{X: 30, Y: 30}, sim.Vec3{X: 10, Y: 30, Z: 30})
			return v, players[0]
		}
		v, p := build()
		require.NoError(t, p.sit(v, 0))
		cv, cp := build()
		for _, o := range []sim.Object{cv, cp} {
			o.Ident().SetGhost(true)
		}
		p.SetController(1)
		cp.SetController(1)
		server := idView{uint32(v.ID()): 7}
		client := idView{uint32(cv.ID()): 7}
		var r bitstream.Reader
		r.Reset(stateFor(t, p, server))
		cp.CodeControl(sim.Coder{Codec: &r.Codec, View: client})
		require.NoError(t, r.Err())
		require.Equal(t, cv.ID(), cp.mount)
		var sums [][]byte
		var moves []sim.Move
		m := sim.Move{}
		const late, out = 4, 300
		farthest := 0.0
		for tick := range out + 60 {
			if tick%15 == 0 {
				m = wildMove(rng)
			}
			m.SetTrigger(sim.JumpTrigger, tick == out)
			cp.Control(m)
			require.Equal(t, tick >= out, cp.mount == 0, "he is out in the tick in which he wants to be")
			moves, sums = append(moves, m), append(sums, stateFor(t, cp, client))
			farthest = max(farthest, cv.position.Len())
			if tick >= late {
				p.Control(moves[tick-late])
				require.Equal(t, sums[tick-late], stateFor(t, p, server), "seed %d, tick %d", seed, tick)
			}
		}
		require.Greater(t, farthest, 3.0, "seed %d", seed)
	}
}

func TestPassengersArePredicted(t *testing.T) {
	v, players := newVehicleWithPlayers(t, hoverKind, 2)
	b := players[1]
	require.NoError(t, b.sit(v, 1))
	view := idView{uint32(v.ID()): 3}
	was := stateFor(t, b, view)
	v.teleport(sim.Vec3{X: 100, Z: 1}, sim.Rot{Yaw: 90})
	b.tickMounted()
	assert.Equal(t, was, stateFor(t, b, view), "where he is follows from the vehicle, of which he knows a ghost")
	assert.InDelta(t, 100, b.position.X, 3)
}

func TestControlStateOfUnknownMount(t *testing.T) {
	v, players := newVehicleWithPlayers(t, hoverKind, 2)
	a := players[0]
	require.NoError(t, a.sit(v, 0))
	var r bitstream.Reader
	r.Reset(stateFor(t, a, idView{}))
	b := players[1]
	b.CodeControl(sim.Coder{Codec: &r.Codec, View: idView{}})
	require.NoError(t, r.Err())
	assert.Less(t, r.Left(), 8)
	assert.Less(t, r.Pos(), 8*len(stateFor(t, a, idView{uint32(v.ID()): 5}))-40, "nothing of it is told")
	assert.Nil(t, b.Mount())
	assert.Equal(t, a.position, b.position)
}

// TestSolidRiderDoesNotBlockMount checks that a solid rider blocks others but not its own mount.
func TestSolidRiderDoesNotBlockMount(t *testing.T) {
	v, _ := newVehicleWithPlayers(t, wheeledKind, 2)
	w := v.World()
	require.NoError(t, set(t, values{"seat2": vec(0, 0, 0)})(w.Blocks.ByName("bus")))
	_, _, err := w.Blocks.Declare("StaticShapeData", "plate", "", set(t, values{"size": vec(6, 6, 0.25)}))
	require.NoError(t, err)
	o, err := w.New("StaticShape", set(t, values{"dataBlock": sim.String("plate"), "position": vec(0, 0, 50)}))
	require.NoError(t, err)
	plate := o.(*StaticShape)
	require.NoError(t, plate.sit(v, 1))
	for n := range uint64(100) {
		v.Control(fullAhead)
		plate.Tick(n)
	}
	assert.Less(t, v.position.Z, 1.0)
	assert.Greater(t, v.velocity.Y, 20.0)
	assert.InDelta(t, v.position.Y, plate.position.Y, 0.5)
}

// TestInvalidMountsFromPeer checks that a player reads or refuses any mount state of a peer, and
// does not hang.
func TestInvalidMountsFromPeer(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 2)
	a := players[0]
	require.NoError(t, a.sit(v, 0))
	state := stateFor(t, a, idView{uint32(v.ID()): 5})
	a.unmount()
	for name, view := range map[string]idView{
		"unknown":        {},
		"himself":        {uint32(a.ID()): 5},
		"another player": {uint32(players[1].ID()): 5},
	} {
		var r bitstream.Reader
		r.Reset(state)
		was := *a
		a.CodeControl(sim.Coder{Codec: &r.Codec, View: view})
		if name != "another player" {
			require.ErrorIs(t, r.Err(), errNoMount, name)
			require.Equal(t, was, *a, "%s: what cannot be read changes nothing", name)
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		bits := make([]byte, rng.IntN(200))
		for i := range bits {
			bits[i] = byte(rng.Uint32())
		}
		copy(bits, state[:rng.IntN(min(len(state), len(bits))+1)])
		var r bitstream.Reader
		r.Reset(bits)
		was := a.Place()
		a.CodeControl(sim.Coder{Codec: &r.Codec, View: idView{uint32(v.ID()): 5, uint32(a.ID()): 6}})
		if r.Err() != nil {
			require.Equal(t, was, a.Place())
		}
		a.Control(sim.Move{})
	}
}

// TestGhostsOfRiders checks that the ghosts of a vehicle and its driver move together, and that the
// driver is shown in its seat.
func TestGhostsOfRiders(t *testing.T) {
	v, players := newVehicleWithPlayers(t, hoverKind, 2)
	a := players[0]
	require.NoError(t, a.sit(v, 0))
	w := newWorld(t)
	_, _, err := w.Blocks.Declare("VehicleData", "bus", "", set(t, with(kindOf(hoverKind), values{"seats": sim.Number(2)})))
	require.NoError(t, err)
	_, _, err = w.Blocks.Declare("PlayerData", "soldier", "", nil)
	require.NoError(t, err)
	gv, g := w.Make(w.Classes().Lookup("Vehicle")).(*Vehicle), w.Make(w.Classes().Lookup("Player")).(*Player)
	gv.SetGhost(true)
	g.SetGhost(true)
	require.NoError(t, set(t, values{"dataBlock": sim.String("bus")})(gv))
	require.NoError(t, set(t, values{"dataBlock": sim.String("soldier")})(g))
	w.Add(gv)
	w.Add(g)
	runDriving(a, fullAhead, 100)
	for group := range gv.Class().Groups() {
		if group > constGroup && group != mountGroup {
			send(t, v, gv, group)
		}
	}
	require.NoError(t, set(t, values{"mount": obj(gv)})(g))
	for range 20 {
		runDriving(a, fullAhead, 1)
		w.Tick(1)
		require.InDelta(t, v.position.Y, gv.position.Y, 0.3, "it goes on as its driver drove it")
		require.InDelta(t, gv.Shown(0).Position.Y+0.5, g.Shown(0).Position.Y, 0.1)
	}
	v.push(v.position, sim.Vec3{X: 2000})
	runDriving(a, fullAhead, 3)
	update(t, v, gv, placeGroup)
	for range 3 {
		require.Greater(t, v.position.X-gv.Shown(0).Position.X, 0.05)
		require.InDelta(t, gv.Shown(0).Position.X, g.Shown(0).Position.X, 0.02, "while it warps, he warps with it")
		w.Tick(1)
		runDriving(a, fullAhead, 1)
	}
}

func TestRidingAllocatesNothing(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 2)
	a, b := players[0], players[1]
	require.NoError(t, a.sit(v, 0))
	require.NoError(t, b.sit(v, 1))
	runDriving(a, fullAhead, 60)
	bits := make([]byte, 400)
	var w bitstream.Writer
	view := sim.IDTranslator(idView{uint32(v.ID()): 5})
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		a.Control(fullAhead)
		b.Control(sim.Move{Yaw: 100})
		w.Reset(bits)
		a.CodeControl(sim.Coder{Codec: &w.Codec, View: view})
	}))
}

func BenchmarkDriver(b *testing.B) {
	v, players := newVehicleWithPlayers(b, wheeledKind, 1)
	addHills(b, v.World(), 1, 20)
	a := players[0]
	require.NoError(b, a.sit(v, 0))
	a.SetController(1)
	b.ReportAllocs()
	for b.Loop() {
		a.Control(fullAhead)
	}
}

// FuzzDriverState checks that control state of a driver is read or refused. The driver can drive on
// afterwards.
func FuzzDriverState(f *testing.F) {
	v, players := newVehicleWithPlayers(f, wheeledKind, 2)
	a := players[0]
	require.NoError(f, a.sit(v, 0))
	view := idView{uint32(v.ID()): 5, uint32(a.ID()): 6}
	f.Add(stateFor(f, a, view))
	a.unmount()
	f.Add(stateFor(f, a, view))
	a.SetController(1)
	f.Fuzz(func(t *testing.T, bits []byte) {
		var r bitstream.Reader
		r.Reset(bits)
		a.CodeControl(sim.Coder{Codec: &r.Codec, View: view})
		runDriving(a, fullAhead, 2)
		for _, x := range []float64{a.position.X, a.position.Z, v.position.X, v.position.Z, v.velocity.Y, v.spin.X} {
			require.Equal(t, sim.Snap(x), x)
		}
	})
}
