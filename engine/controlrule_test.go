package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
)

// TestReleasedObjectMatchesServer checks that a predicted object returns to the server's state
// when the client loses control, although the server did not change it.
func TestReleasedObjectMatchesServer(t *testing.T) {
	r := newRace(t, lag(100, 0))
	r.runners[0] = r.runner()
	r.Run(time.Second) // the client has its current state
	require.NoError(t, r.peer(0).Control.Set(r.runners[0]))
	r.until(0, r.runners[0])
	r.Run(time.Second)
	addr, server := r.Clients[0].Addr, r.Server.Addr
	r.Net.Link(addr, server, netcore.LinkParams{Loss: 1}, netcore.LinkParams{Delay: 50 * time.Millisecond})
	r.nextMove = ahead
	ghost := r.own(0)
	r.Run(500 * time.Millisecond)
	require.Greater(t, ghost.At.Y, 1.0)
	require.Zero(t, r.runners[0].At)
	require.NoError(t, r.peer(0).Control.Set(nil))
	r.until(0, nil)
	r.Net.Link(addr, server, netcore.LinkParams{}, netcore.LinkParams{})
	r.Run(3 * time.Second)
	assert.Equal(t, r.runners[0].At, ghost.At)
	assert.Zero(t, ghost.Controller())
}

// TestHandoverToTheUnknown checks a new control object that the client does not know yet. The
// server withholds updates of the old control object until the client has acknowledged the change.
// Otherwise those updates would be lost.
func TestHandoverToTheUnknown(t *testing.T) {
	r := newRace(t, lag(300, 0))
	r.Run(3 * time.Second)
	first := r.runners[0]
	r.runners[0] = r.runner()
	require.NoError(t, r.peer(0).Control.Set(r.runners[0]))
	first.Push(sim.Vec3{X: 2})
	r.Run(200 * time.Millisecond)
	require.Zero(t, first.Speed, "it rests again before the client knows")
	require.Equal(t, sim.Object(first), r.steers(0))
	r.until(0, r.runners[0])
	r.Run(3 * time.Second)
	equalGhost(t, r.peer(0), r.Clients[0].Host.Server(), first)
	r.rests()
}

// TestChangeToAnUnknownCart checks a driver that changes to a cart that the client does not know
// yet.
func TestChangeToAnUnknownCart(t *testing.T) {
	r := newRace(t, lag(300, 0))
	first := r.cart(sim.Vec3{})
	r.runners[0].Cart = first.ID()
	r.Run(3 * time.Second)
	require.NotNil(t, r.own(0).Drives())
	second := r.cart(sim.Vec3{X: 3})
	r.runners[0].Cart = second.ID()
	first.Push(sim.Vec3{X: 1})
	states := r.stats(0).States
	r.Run(250 * time.Millisecond)
	require.Equal(t, states, r.stats(0).States, "what it could not read it is not told")
	require.Zero(t, first.Speed, "it rests again before the client knows")
	r.Run(3 * time.Second)
	require.Equal(t, ghostOf(r.peer(0), r.Clients[0].Host.Server(), second), r.own(0).Drives())
	equalGhost(t, r.peer(0), r.Clients[0].Host.Server(), first)
	r.rests()
}

// TestControlStateIsNotSentTwice checks that the state of a control object is not also sent as
// ghost updates.
func TestControlStateIsNotSentTwice(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	r.nextMove = wander(1)
	r.Run(time.Second)
	before := r.peer(0).Ghosts().Stats().Updates
	r.Run(10 * time.Second)
	assert.Equal(t, before, r.peer(0).Ghosts().Stats().Updates)
	r.runners[0].Label = "name"
	r.runners[0].Mark(1 << 2)
	r.Run(time.Second)
	assert.Equal(t, before+1, r.peer(0).Ghosts().Stats().Updates)
	assert.Equal(t, "name", r.own(0).Label, "what is no control state is an update")
}

// TestMountingDoesNotTickTwice checks that an object mounted by a move is driven from that move on,
// and does not run its own tick as well.
func TestMountingDoesNotTickTwice(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	r.Run(time.Second)
	cart := r.cart(sim.Vec3{})
	cart.Push(sim.Vec3{X: 10})
	r.runners[0].Done = func(sim.Move) { r.runners[0].Cart = cart.ID() }
	r.ticks(1)
	require.Equal(t, r.peer(0).ID(), cart.Controller())
	assert.Less(t, cart.At.X, 1.5*10*sim.TickSeconds)
}

// TestForgedUpdateOfTheControlObject checks that an update of the control object, which no honest
// server sends, does not move it.
func TestForgedUpdateOfTheControlObject(t *testing.T) {
	m := server(t)
	ghosts, images := m.show(t, "Runner")
	m.raw.moves = move.New(move.Config{ReceivesMoves: true, NameOf: ghosts.NameOf})
	state, n := stateOf(new(enginetest.Runner))
	m.raw.moves.SetState(1, state, n, true)
	m.rig.Run(500 * time.Millisecond)
	own, _ := m.target().Control.Object().(*enginetest.Runner)
	require.NotNil(t, own)
	require.Zero(t, own.At)
	images.Begin(2)
	layout := engine.LayoutOf(m.victim.Host, "Runner")
	cells := make([]uint64, len(layout.Groups[1].Cells))
	for i := range cells {
		cells[i] = 5
	}
	images.Set(1, 1, &ghost.Values{Cells: cells})
	m.rig.Run(500 * time.Millisecond)
	assert.Zero(t, own.At)
	m.raw.moves.SetState(0, nil, 0, true)
	m.rig.Run(500 * time.Millisecond)
	assert.Nil(t, m.target().Control.Object())
}

// stateOf returns a control state without references, and its length in bits.
func stateOf(o sim.Controllable) (state []byte, n int) {
	w := bitstream.NewWriter(make([]byte, 100))
	o.CodeControl(sim.Coder{Codec: &w.Codec})
	return w.Bytes(), w.Pos()
}

// stepLog is a host that records its steps in order.
type stepLog struct {
	*enginetest.Story
	host *engine.Host
	said []string
	emit sim.Object
}

func (d *stepLog) Event(_ sim.Object, name string, _ []sim.Value) bool {
	if d.Busy() {
		return false
	}
	d.said = append(d.said, name)
	return true
}
func (d *stepLog) Tick(uint64) {
	d.said = append(d.said, "scripts")
	if d.emit != nil {
		d.host.World().Emit(d.emit, "late")
	}
}

// TestOrderOfATick checks the order of a tick: moves, the ticks of uncontrolled objects, events,
// the schedule, scripts, and the events of scripts.
func TestOrderOfATick(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	d := &stepLog{Story: r.Server.Story, host: r.Server.Host, emit: r.runners[0]}
	r.Server.SetScripts(d)
	free := r.runner()
	free.Done = func(sim.Move) { d.said = append(d.said, "tick"); r.Server.World().Emit(free, "early") }
	r.runners[0].Done = func(sim.Move) { d.said = append(d.said, "move") }
	r.Server.Schedule().At(r.Server.Now(), 0, sim.Owner{}, func() { d.said = append(d.said, "schedule") })
	d.said = nil
	r.ticks(1)
	assert.Equal(t, []string{"move", "tick", "early", "schedule", "scripts", "late"}, d.said)
	r.Server.PerTick = -1
	d.said = nil
	r.ticks(1)
	assert.NotContains(t, d.said, "early", "busy scripts are not told")
	r.Server.PerTick = 0
	r.ticks(1)
	assert.Contains(t, d.said, "early", "but later")
}

// TestStateThatWaits checks that a control state delayed by busy scripts is applied as if it had
// just arrived. The client replays all moves since.
func TestStateThatWaits(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	r.nextMove = ahead
	r.Run(2 * time.Second)
	r.Clients[0].PerTick = -1
	speed := r.runners[0].Speed
	require.NoError(t, r.peer(0).Control.Set(r.runners[0]))
	r.runners[0].Done = func(sim.Move) {
		r.runners[0].Done = func(sim.Move) { r.runners[0].Speed, r.runners[0].Done = speed, nil }
		r.runners[0].Push(sim.Vec3{Z: 1})
	}
	before := r.stats(0).Corrections
	r.ticks(15)
	require.Equal(t, before, r.stats(0).Corrections)
	r.Clients[0].PerTick = 0
	r.ticks(1)
	assert.Greater(t, r.stats(0).Corrections, before)
	assert.Less(t, r.stats(0).LargestWarp, 1.0)
	r.rests()
}

// TestEyes checks that view settings and flashes reach the other side despite packet loss.
func TestEyes(t *testing.T) {
	r := newRace(t, lag(60, .3))
	first, fov := r.peer(0).Camera.View()
	assert.True(t, first)
	assert.Equal(t, 90, fov)
	client := r.Clients[0].Host.Server()
	client.Camera.SetFirstPerson(false)
	client.Camera.SetFOV(40)
	r.peer(0).Tints.Set(engine.DamageFlash, 0.5, 0)
	r.peer(0).Tints.Set(engine.WhiteOut, 1, 0)
	r.Run(2 * time.Second)
	first, fov = r.peer(0).Camera.View()
	assert.False(t, first)
	assert.Equal(t, 40, fov)
	assert.InDelta(t, 0.5, client.Tints.Strength(engine.DamageFlash), 0.01)
	assert.InDelta(t, 1, client.Tints.Strength(engine.WhiteOut), 0.01)
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	bot.Tints.Set(engine.WhiteOut, 1, 0)
	assert.Zero(t, bot.Tints.Strength(engine.WhiteOut))
	bot.Camera.SetFOV(1)
	_, fov = bot.Camera.View()
	assert.Equal(t, 90, fov)
}
