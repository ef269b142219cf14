package dissect_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/node/dissect"
)

const ms = time.Millisecond

// bad is a line with losses and reordering.
var bad = enginetest.Options{
	Seed: 7,
	Up:   netcore.LinkParams{Delay: 40 * ms, Loss: 0.15},
	Down: netcore.LinkParams{Delay: 40 * ms, Loss: 0.15, Reorder: 0.1, Duplicate: 0.05, Corrupt: 0.03},
}

// scenes make the vectors.
var scenes = []struct {
	name string
	play func(t testing.TB) *recorded
}{
	{"join", playJoin},
	{"events", playEvents},
	{"ghosts", playGhosts},
	{"check", playCheck},
	{"player", playPlayer},
	{"lists", playLists},
}

// playJoin is a join on a perfect line, with datablocks.
func playJoin(t testing.TB) *recorded {
	r := record(t, enginetest.Options{Seed: 1})
	r.slow(6)
	r.blocks("Hammer", "Saw", "Drill")
	_, _, err := r.Server.World().Blocks.Declare("ToolData", "Drill", "Hammer", func(o sim.Object) error {
		o.(*enginetest.ToolData).Text = strings.Repeat("a text in pieces ", 6)
		return nil
	})
	require.NoError(t, err)
	r.thing("there", sim.Vec3{Z: 1})
	r.Join()
	r.Run(200 * ms)
	return r
}

// playEvents has commands with all guarantees, arguments of each kind, tagged strings, and a
// command in pieces.
func playEvents(t testing.TB) *recorded {
	r := record(t, bad)
	r.slow(4)
	r.Join()
	o := r.thing("named", sim.Vec3{X: 1})
	r.Run(500 * ms)
	for i := range 3 {
		n := sim.Number(float64(i))
		r.call(false, event.Ordered, "Ordered", n, sim.Nil(), sim.Bool(i%2 == 0), sim.Number(-2.5), sim.String("text"), sim.Tag("tag %1"), n)
		r.call(false, event.Guaranteed, "Guaranteed", n, sim.Vec(sim.Vec3{X: 1, Y: -2}), sim.Handle(o.ID()), sim.Handle(r.Peer(0).ID()))
		r.call(false, event.Unguaranteed, "Unguaranteed", n, sim.Rotation(sim.Rot{Yaw: 90}))
		r.call(true, event.Ordered, "Up", sim.String("\xff\x00"), sim.Tag("from below"))
		r.Run(400 * ms)
	}
	r.call(false, event.Ordered, "Large", sim.String(strings.Repeat("\xf0", 590)))
	r.Run(1800 * ms)
	return r
}

// playGhosts has ghosts that come, change and go.
func playGhosts(t testing.TB) *recorded {
	o := bad
	o.Seed = 3
	r := record(t, o)
	r.slow(4)
	things := []*enginetest.Thing{r.thing("first", sim.Vec3{X: 5})}
	r.Join()
	for i := range 14 {
		switch {
		case i%6 == 3:
			things = append(things, r.thing("thing", sim.Vec3{Y: float64(i)}))
		case i == 12:
			r.Server.World().Delete(things[0])
			things = things[1:]
		}
		for k, o := range things {
			o.At.X += float64(k) + 0.25
			o.Energy = float64(i % 30)
			o.Mark(1<<1 | 1<<2)
			if i%9 == k {
				o.Label, o.Friend = strings.Repeat("x", i), things[0].ID()
				o.Mark(1<<3 | 1<<4)
			}
		}
		r.Run(100 * ms)
	}
	r.Run(time.Second)
	return r
}

// playCheck has marks in its packets, and a class of a mod that gets another form.
func playCheck(t testing.TB) *recorded {
	r := record(t, enginetest.Options{Seed: 5, Up: netcore.LinkParams{Delay: 20 * ms}, Down: netcore.LinkParams{Delay: 20 * ms, Loss: 0.1}})
	r.slow(4)
	r.Server.Settings.Check = true
	r.Server.Apply()
	r.blocks("Hammer")
	_, err := r.Server.World().Classes().Declare(probe(8))
	require.NoError(t, err)
	r.Join()
	o, err := r.Server.World().New("Probe", nil)
	require.NoError(t, err)
	for i := range 5 {
		set(t, o, "heat", sim.Number(float64(i)/5))
		set(t, o, "aim", sim.Rotation(sim.Rot{Yaw: float64(30 * i)}))
		set(t, o, "near", sim.Vec(sim.Vec3{X: float64(i), Y: -1}))
		set(t, o, "word", sim.String(strings.Repeat("y", i)))
		if i == 3 {
			change := r.Server.World().Begin()
			_, err := r.Server.World().Classes().Redeclare(probe(12))
			require.NoError(t, err)
			change.Commit()
			o = r.Server.World().Find(o.Ident().ID())
			set(t, o, "made", sim.Handle(r.Server.World().Blocks.ByName("Hammer").Ident().ID()))
		}
		r.call(false, event.Ordered, "Tick", sim.Number(float64(i)))
		r.Run(150 * ms)
	}
	r.Run(1200 * ms)
	return r
}

// playPlayer has the moves of a player and their control states, and a vehicle that the player
// drives.
func playPlayer(t testing.TB) *recorded {
	o := bad
	o.Seed = 11
	o.Classes = func(cs *sim.Classes) { require.NoError(t, game.Register(cs)) }
	r := record(t, o)
	r.slow(4)
	blocks := r.Server.World().Blocks
	for _, b := range [][2]string{{"PlayerData", "Light"}, {"VehicleData", "Truck"}} {
		_, _, err := blocks.Declare(b[0], b[1], "", nil)
		require.NoError(t, err)
	}
	r.Join()
	made := func(class, block string) sim.Object {
		o, err := r.Server.World().New(class, func(o sim.Object) error {
			set(t, o, "dataBlock", sim.Handle(blocks.ByName(block).Ident().ID()))
			return nil
		})
		require.NoError(t, err)
		return o
	}
	player, vehicle := made("Player", "Light"), made("Vehicle", "Truck")
	r.Clients[0].SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Y: 16, Yaw: -300, Triggers: 1} })
	require.NoError(t, r.Peer(0).Control.Set(player.(sim.Controllable)))
	r.Run(700 * ms)
	set(t, player, "position", sim.Vec(sim.Vec3{X: 9}))
	r.Run(300 * ms)
	set(t, player, "mount", sim.Handle(vehicle.Ident().ID()))
	r.Run(600 * ms)
	return r
}

// TestVectors compares the protocol with the captures in netcore/testdata/vectors, and with what
// torc dissect --json prints of them. Only the output of join has all packets; the others have the
// data packets. If a new version of the protocol has other bytes, write them anew:
//
//	go test ./node/dissect -run TestVectors -update
func TestVectors(t *testing.T) {
	size := 0
	stored := netcoretest.Vectors(t, "captures", netcore.ProtocolVersion)
	for _, scene := range scenes {
		r := scene.play(t)
		var out bytes.Buffer
		for _, p := range r.packets() {
			if p.Type == "data" || scene.name == "join" {
				require.NoError(t, dissect.PrintJSON(&out, p))
			}
		}
		size += r.file.Len() + out.Len()
		stored.File(scene.name+".capture", r.file.Bytes())
		stored.File(scene.name+".json", out.Bytes())
	}
	assert.Less(t, size, 350_000, "bytes of all vectors")
}

// TestVersion: the decoder is of the version of the protocol.
func TestVersion(t *testing.T) {
	r := record(t, enginetest.Options{})
	c, err := capture.NewReader(bytes.NewReader(r.file.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, netcore.ProtocolVersion, c.Header.Protocol)
}
