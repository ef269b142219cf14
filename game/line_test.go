package game_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
)

// A gameRig is a server and a client with the classes of the game. The network between them has
// jitter and packet loss.
type gameRig struct {
	*enginetest.Rig
	t testing.TB
}

// newLine returns a line with a client that controls an armed soldier.
func newLine(t testing.TB) (l gameRig, soldier sim.Object) {
	link := netcore.LinkParams{Delay: 50 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.1}
	l = gameRig{t: t, Rig: enginetest.New(t, enginetest.Options{Seed: 3, Up: link, Down: link, Classes: func(cs *sim.Classes) {
		require.NoError(t, game.Register(cs))
	}})}
	l.Server.Quiet, l.Clients[0].Quiet = true, true
	for _, block := range [][2]string{{"PlayerData", "soldier"}, {"VehicleData", "car"}, {"ShapeBaseImageData", "gun"}} {
		_, _, err := l.Server.World().Blocks.Declare(block[0], block[1], "", nil)
		require.NoError(t, err)
	}
	l.Join()
	soldier = l.add("Player", "soldier")
	l.call(soldier, "mountImage", sim.String("gun"))
	require.NoError(t, l.Peer(0).Control.Set(soldier))
	return l, soldier
}

func (l gameRig) add(class, block string) sim.Object {
	o, err := l.Server.World().New(class, func(o sim.Object) error {
		return o.Ident().Class().Lookup("dataBlock").Set(o, sim.String(block))
	})
	require.NoError(l.t, err)
	return o
}

func (l gameRig) call(o sim.Object, method string, args ...sim.Value) {
	_, err := o.Ident().Class().Method(method).Do(o, args)
	require.NoError(l.t, err)
}

// own returns the object that the client controls. It is nil if there is none or if the client is
// not connected.
func (l gameRig) own() sim.Driver {
	c := l.Clients[0].Host.Server()
	require.NotNil(l.t, c, "%v", l.Clients[0].Lines)
	own, _ := c.Control.Object().(sim.Driver)
	return own
}

// TestVehicleDeletedWhileDriven deletes the vehicle of a client while the client's scripts are
// busy. Control states of the vehicle then wait until its ghost is gone. The client must continue
// on foot.
func TestVehicleDeletedWhileDriven(t *testing.T) {
	l, soldier := newLine(t)
	l.Server.Host.Settings.Control = "always"
	l.Clients[0].SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: sim.MoveFull} })
	for n := range 10 {
		car := l.add("Vehicle", "car")
		l.Run(400 * time.Millisecond)
		l.call(car, "mountObject", sim.Handle(soldier.Ident().ID()), sim.Number(0))
		l.Run(time.Duration(500+n*17) * time.Millisecond)
		require.NotNil(t, l.own().Drives())
		l.Clients[0].PerTick = -1
		l.call(car, "applyImpulse", sim.Vec(sim.Vec3{}), sim.Vec(sim.Vec3{X: 500}))
		l.Run(100 * time.Millisecond)
		require.NoError(t, l.Server.World().Delete(car))
		l.Run(300 * time.Millisecond)
		l.Clients[0].PerTick = 0
		l.Run(500 * time.Millisecond)
		require.Nil(t, l.own().Drives())
	}
	l.Clients[0].SetMoves(nil)
	l.Run(2 * time.Second)
	require.Equal(t, soldier.(*game.Player).Position(), l.own().(*game.Player).Position())
}
