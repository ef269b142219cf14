package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// portrait describes the net objects of a world and its datablocks: their classes and values,
// without ids.
func portrait(w *sim.World) string {
	var rows []string
	w.Each(nil, func(o sim.Object) bool {
		class := o.Ident().Class()
		if class == nil || class.Kind != sim.NetClass && class.Kind != sim.BlockClass || class.Name == "GameConnection" {
			return true
		}
		row := class.Name
		for _, f := range class.AllFields() {
			if v := f.Get(o); v.Kind() == sim.KindObject {
				row += " " + f.Name + " " + nameOf(w.Find(v.Object()))
			} else {
				row += fmt.Sprintf(" %s %v", f.Name, v.Literal())
			}
		}
		rows = append(rows, row)
		return true
	})
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// nameOf returns a text for an object that is the same in all worlds.
func nameOf(o sim.Object) string {
	switch o := o.(type) {
	case *enginetest.Thing:
		return o.Label
	case sim.Datablock:
		return o.Ident().Name()
	}
	return "nothing"
}

// newStand makes a rig whose second client is a spectator. The server is at their first places.
func newStand(t *testing.T, o enginetest.Options, delay float64) *enginetest.Rig {
	o.Clients = 2
	r := enginetest.New(t, o)
	r.Server.Settings.MaxWatchers, r.Server.Settings.WatchDelay = 1, delay
	return r
}

// join lets the first client play, and the second one watch.
func join(t *testing.T, r *enginetest.Rig) {
	t.Helper()
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	require.NoError(t, r.Clients[1].Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
}

// TestSpectatorsSeeThePast lets objects of all kinds come, change and go, over a line that loses
// packets. A spectator has exactly the world of an earlier tick, at least sv.watchDelay old.
func TestSpectatorsSeeThePast(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		line := netcore.LinkParams{Loss: 0.1, Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond}
		r := newStand(t, enginetest.Options{Seed: seed, Up: line, Down: line}, 3)
		server := r.Server
		declare(t, server.Host, 3, 0)
		past := map[uint64]string{}
		step := func() {
			mix(t, rng, server.World(), server.TickNumber())
			r.Run(engine.TickTime)
			past[server.TickNumber()] = portrait(server.World())
		}
		for range 100 {
			step()
		}
		join(t, r)
		seen := map[uint64]bool{}
		for range 700 {
			step()
			c := r.Clients[1].Host.Server()
			if c == nil || c.Watching.Tick() == 0 {
				continue
			}
			tick := c.Watching.Tick()
			seen[tick] = true
			require.Equal(t, past[tick], portrait(r.Clients[1].World()), "seed %d, tick %d %s", seed, tick, r.Clients[1].Lines)
			require.GreaterOrEqual(t, server.TickNumber()-tick, uint64(3000/engine.TickMs), "not younger than sv.watchDelay")
		}
		require.Greater(t, len(seen), 300, "seed %d: playback went on", seed)
	}
}

// TestSpectatorsMissNoTick: a spectator who follows sees every tick of half a minute, and no object
// twice, although states come meanwhile.
func TestSpectatorsMissNoTick(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 1)
	r.Server.World().Add(new(enginetest.Thing))
	join(t, r)
	r.Run(3 * time.Second)
	watching := &r.Clients[1].Host.Server().Watching
	last, lines := watching.Tick(), len(r.Clients[1].Lines)
	require.NotZero(t, last)
	for range 1000 {
		r.Run(engine.TickTime)
		require.Equal(t, last+1, watching.Tick())
		last++
	}
	assert.Len(t, r.Clients[1].Lines, lines, "%s", r.Clients[1].Lines)
}

// mix changes a world at random: objects come, change and go.
func mix(t *testing.T, rng *rand.Rand, w *sim.World, tick uint64) {
	t.Helper()
	var things []*enginetest.Thing
	var others []sim.Object
	w.Each(nil, func(o sim.Object) bool {
		switch o := o.(type) {
		case *enginetest.Thing:
			things = append(things, o)
		case *enginetest.Knob, *enginetest.Tool:
			others = append(others, o)
		}
		return true
	})
	set := func(o sim.Object, field string, v sim.Value) {
		require.NoError(t, o.Ident().Class().Lookup(field).Set(o, v))
	}
	for range 3 {
		switch n := rng.IntN(12); {
		case n == 0 && len(things) < 30:
			_, err := w.New("Thing", func(o sim.Object) error {
				o.(*enginetest.Thing).Label = fmt.Sprintf("thing %d %d", tick, rng.IntN(1e6))
				o.(*enginetest.Thing).Team = rng.IntN(8)
				return nil
			})
			require.NoError(t, err)
		case n == 1 && len(others) < 10:
			_, err := w.New("Knob", nil)
			require.NoError(t, err)
		case n == 2 && len(others) < 10:
			_, err := w.New("Tool", func(o sim.Object) error {
				return o.Ident().Class().Lookup("dataBlock").Set(o, sim.Handle(w.Blocks.ByIndex(rng.IntN(3)).Ident().ID()))
			})
			require.NoError(t, err)
		case n == 3 && len(things) > 5 && rng.IntN(3) == 0:
			require.NoError(t, w.Delete(things[rng.IntN(len(things))]))
			return // the list is old
		case n == 4:
			set(w.Blocks.ByIndex(rng.IntN(3)), "mass", sim.Number(float64(rng.IntN(1000))))
		case n == 5 && len(others) > 0:
			if k, ok := others[rng.IntN(len(others))].(*enginetest.Knob); ok {
				k.On, k.Angle = true, rng.IntN(360)
				k.Ident().Mark(2)
			}
		case len(things) > 0:
			o := things[rng.IntN(len(things))]
			set(o, "energy", sim.Number(float64(rng.IntN(2)*100)))
			set(o, "at", sim.Vec(sim.Vec3{X: float64(rng.IntN(1000)), Y: float64(rng.IntN(8)) / 8}))
			set(o, "friend", sim.Handle(things[rng.IntN(len(things))].ID()))
		}
	}
}

// labelled makes a thing with a label.
func labelled(t *testing.T, h *engine.Host, label string) *enginetest.Thing {
	t.Helper()
	o, err := h.World().New("Thing", func(o sim.Object) error {
		o.(*enginetest.Thing).Label = label
		return nil
	})
	require.NoError(t, err)
	return o.(*enginetest.Thing)
}

// watched returns the labels of the things that a host sees, in order.
func watched(h *engine.Host) (labels []string) {
	h.World().Each(nil, func(o sim.Object) bool {
		if t, ok := o.(*enginetest.Thing); ok {
			labels = append(labels, t.Label)
		}
		return true
	})
	slices.Sort(labels)
	return labels
}

// choosy is scripts with inScope for things with the label "choosy".
type choosy struct{ engine.Scripts }

func (choosy) Checks(o sim.Object, name string) bool {
	thing, ok := o.(*enginetest.Thing)
	return ok && name == "inScope" && thing.Label == "choosy"
}

// TestSpectatorsSeeNoSecrets: whatever is hidden from any client does not get into the recording.
func TestSpectatorsSeeNoSecrets(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server := r.Server
	server.SetScripts(choosy{server.Story})
	labelled(t, server.Host, "choosy")
	labelled(t, server.Host, "public")
	server.Rules.SetGroups(labelled(t, server.Host, "team"), 2)
	masked := labelled(t, server.Host, "masked")
	join(t, r)
	r.Until(time.Minute, func() bool { return len(server.Connections()) == 2 })
	require.NoError(t, server.Rules.HideField(masked, r.Peer(0), "label", true), "from the player only")
	fresh := labelled(t, server.Host, "fresh")
	require.NoError(t, server.Rules.HideField(fresh, nil, "label", true))
	require.NoError(t, masked.Class().Lookup("label").Set(masked, sim.String("secret")))
	r.Until(time.Minute, func() bool {
		seen := watched(r.Clients[1].Host)
		require.False(t, slices.Contains(seen, "team") || slices.Contains(seen, "choosy"), "%q", seen)
		return len(seen) == 3
	})
	r.Run(time.Second)
	assert.Equal(t, []string{"", "masked", "public"}, watched(r.Clients[1].Host))

	server.Rules.SetGroups(labelled(t, server.Host, "another team"), 2)
	for range 400 {
		r.Run(engine.TickTime)
		require.NotContains(t, watched(r.Clients[1].Host), "another team", "not for a tick")
	}

	later := labelled(t, server.Host, "later")
	r.Until(time.Minute, func() bool { return len(watched(r.Clients[1].Host)) == 4 })
	server.Rules.SetGroups(later, 4)
	r.Until(time.Minute, func() bool { return len(watched(r.Clients[1].Host)) == 3 })
	server.Rules.SetGroups(later, 0)
	r.Until(time.Minute, func() bool { return len(watched(r.Clients[1].Host)) == 4 })
}

// TestSpectatorsArePlacesOfTheirOwn: spectators have their own places, are no players, and can do
// nothing.
func TestSpectatorsArePlacesOfTheirOwn(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server, watcher := r.Server, r.Clients[1]
	server.Admission.MaxClients = 1
	join(t, r)
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
	r.Run(time.Second)
	assert.Equal(t, engine.Summary{Players: 1, MaxPlayers: 1}, server.Summary())
	assert.NotContains(t, server.Lines, `connected player 3 []`, "scripts do not meet spectators")
	assert.Contains(t, watcher.Lines, "in the game")

	third := r.Player(4, 0, false, nil)
	r.Link(third)
	refused := func(a engine.ConnectArgs) string {
		n := len(third.Lines)
		require.NoError(t, third.Dialer.Connect("host 1", a))
		r.Until(time.Minute, func() bool { return len(third.Lines) > n })
		return third.Lines[n]
	}
	assert.Contains(t, refused(engine.ConnectArgs{Watch: true}), "all places for spectators are taken (1)")
	assert.Contains(t, refused(engine.ConnectArgs{}), "server is full (1)")

	require.NoError(t, watcher.Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Hello"), nil))
	r.Run(time.Second)
	for _, line := range server.Lines {
		assert.NotContains(t, line, "Hello")
	}

	server.Admission.MaxClients = 2
	assert.Equal(t, "accepted by player 1", refused(engine.ConnectArgs{}), "spectators take no place of a player")

	server.Settings.MaxWatchers = 0
	server.Apply()
	r.Run(time.Second)
	assert.Zero(t, server.Demos.Bytes())
	require.NoError(t, third.Host.Dialer.Disconnect(""))
	r.Run(time.Second)
	assert.Contains(t, refused(engine.ConnectArgs{Watch: true}), "no places for spectators")
}

// TestSpectatorsHearCommandsInTheirTick: a command to all arrives with the world of its tick, and
// finds the objects that it names.
func TestSpectatorsHearCommandsInTheirTick(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 1)
	server, watcher := r.Server, r.Clients[1]
	ball := labelled(t, server.Host, "ball")
	var heard []string
	watcher.Handler = func(c *engine.Connection, args []sim.Value) {
		text := fmt.Sprint(c.Watching.Tick())
		for _, a := range args {
			if o, ok := watcher.World().Find(a.Object()).(*enginetest.Thing); ok && a.Kind() == sim.KindObject {
				text += " " + o.Label
				continue
			}
			text += " " + a.Literal()
		}
		heard = append(heard, text)
	}
	join(t, r)
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
	tick := server.TickNumber() + 1
	player := r.Peer(0)
	args := []sim.Value{
		sim.Handle(ball.ID()), sim.Number(1.5), sim.Bool(true), sim.Bool(false), sim.Nil(), sim.String("text"),
		sim.Tag("%1!"), sim.Vec(sim.Vec3{X: 1, Y: 2, Z: 3}), sim.Rotation(sim.Rot{Yaw: 90}),
		sim.Handle(player.ID()), sim.Tag("%1"), sim.Handle(player.ID()),
	}
	require.NoError(t, server.Demos.Command(sim.Tag("Say"), args))
	require.Error(t, server.Demos.Command(sim.Number(1), nil))
	require.ErrorContains(t, server.Demos.Command(sim.Tag("Say"), []sim.Value{sim.Handle(server.World().Root.ID())}), "which never has ghosts")
	require.Error(t, server.Demos.Command(sim.Tag("Say"), make([]sim.Value, 21)))
	r.Until(time.Minute, func() bool { return len(heard) > 0 })
	assert.Equal(t, []string{fmt.Sprintf(`%d ball 1.5 true false nil "text" "1 2 3!" vec(1 2 3) rot(90 0 0) client %d %q client %[2]d`, tick, player.ID(), player.PlayerName)}, heard)
}

// TestSlowSpectatorsSkip lets a spectator fall behind on a slow line: it goes on with a newer
// state.
func TestSlowSpectatorsSkip(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server, watcher := r.Server, r.Clients[1]
	rng := rand.New(rand.NewPCG(1, 1))
	labelled(t, server.Host, "first")
	join(t, r)
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
	for range testenv.Length(400, 3000) {
		for range 40 { // texts that no compression makes small
			labelled(t, server.Host, fmt.Sprintf("%016x%016x%016x", rng.Uint64(), rng.Uint64(), rng.Uint64()))
		}
		r.Run(engine.TickTime)
		for _, c := range server.Connections() {
			require.Less(t, c.Events().QueuedBulk(), engine.WatchAhead+2*engine.WatchPiece)
		}
		server.World().Each(nil, func(o sim.Object) bool {
			if th, ok := o.(*enginetest.Thing); ok && th.Label != "first" {
				require.NoError(t, server.World().Delete(o))
			}
			return true
		})
	}
	last := server.TickNumber()
	r.Until(10*time.Minute, func() bool {
		c := watcher.Host.Server()
		require.NotNil(t, c, "%s", watcher.Lines)
		return c.Watching.Tick() > last
	})
	assert.LessOrEqual(t, server.Demos.Bytes(), 33<<20)
}

// TestShownFieldsReachSpectators: a field that is shown again arrives, although it has not changed
// since.
func TestShownFieldsReachSpectators(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server := r.Server
	thing := labelled(t, server.Host, "first")
	require.NoError(t, server.Rules.HideField(thing, nil, "label", true))
	join(t, r)
	r.Until(time.Minute, func() bool { return slices.Contains(watched(r.Clients[1].Host), "") })
	require.NoError(t, server.Rules.HideField(thing, nil, "label", false))
	r.Until(5*time.Second, func() bool { return slices.Contains(watched(r.Clients[1].Host), "first") })
}

// TestSpectatorsLeaveWithTheirPlaces: without places, spectators are told so, and with new ones
// they can come back.
func TestSpectatorsLeaveWithTheirPlaces(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server, watcher := r.Server, r.Clients[1]
	join(t, r)
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
	r.Run(20 * time.Second)
	server.Settings.MaxWatchers = 0
	r.Run(engine.TickTime)
	server.Settings.MaxWatchers = 1
	r.Run(5 * time.Second)
	assert.Contains(t, strings.Join(watcher.Lines, "\n"), "no places for spectators")
	require.NoError(t, watcher.Dialer.Connect("host 1", engine.ConnectArgs{Watch: true}))
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
}

// TestSpectatorsSeeWhatACommandNames: an object of the same tick is there, and long texts break a
// limit at the server and not at spectators.
func TestSpectatorsSeeWhatACommandNames(t *testing.T) {
	r := newStand(t, enginetest.Options{}, 0)
	server, watcher := r.Server, r.Clients[1]
	var heard []string
	watcher.Handler = func(_ *engine.Connection, args []sim.Value) {
		heard = append(heard, nameOf(watcher.World().Find(args[0].Object())))
	}
	join(t, r)
	r.Until(time.Minute, func() bool { return watcher.Host.Server() != nil && watcher.Host.Server().Watching.Tick() > 0 })
	ball := labelled(t, server.Host, "ball")
	require.NoError(t, server.Demos.Command(sim.Tag("Say"), []sim.Value{sim.Handle(ball.ID())}))
	assert.ErrorContains(t, server.Demos.Command(sim.Tag("Say"), []sim.Value{sim.String(strings.Repeat("x", 33<<10))}), "must be at most 32768")
	assert.ErrorContains(t, server.Demos.Command(sim.Tag("Say"), []sim.Value{sim.Tag(strings.Repeat("x", 2000))}), "must be at most 1024")
	r.Until(time.Minute, func() bool { return len(heard) > 0 })
	assert.Equal(t, []string{"ball"}, heard)
}

// TestSpectatorsByThePage pins what PROTOCOL.md says of a spectator: the role, and the event of the
// recording.
func TestSpectatorsByThePage(t *testing.T) {
	assert.EqualValues(t, 1, engine.RoleSpectator)
	page, err := os.ReadFile("../netcore/PROTOCOL.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), fmt.Sprintf("or %d for a spectator", engine.RoleSpectator))
	assert.Contains(t, string(page), fmt.Sprintf("They come as events `recording` of at most %d,%03d bytes, in order.", engine.WatchPiece/1000, engine.WatchPiece%1000))
}

// TestServersPlayNoRecordings: a peer cannot play a recording into a world that has objects of its
// own.
func TestServersPlayNoRecordings(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	assert.ErrorContains(t, engine.ReceiveRecording(r.Peer(0), []byte{2}), "it has objects of its own")
	assert.NoError(t, engine.ReceiveRecording(r.Clients[0].Host.Server(), []byte{2}))
}
