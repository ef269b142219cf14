package engine_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
)

// TestBot checks that a bot is a player without a peer.
func TestBot(t *testing.T) {
	r := newRace(t, enginetest.Options{Server: func(c *engine.Config) { c.MaxClients = 3 }})
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	assert.True(t, bot.Bot())
	assert.False(t, r.peer(0).Bot())
	r.ticks(1)
	assert.Contains(t, r.Server.Lines, "connected Robby []")
	assert.True(t, r.Server.World().Clients.Has(bot))
	_, err = r.Server.AddBot("Second")
	require.NoError(t, err)
	_, err = r.Server.AddBot("Third")
	assert.ErrorContains(t, err, "full (3)")
	_, err = r.Clients[0].AddBot("x")
	assert.ErrorContains(t, err, "only a server")

	bot.Join.Enter()
	r.ticks(1)
	assert.Contains(t, r.Server.Lines, "plays: Robby")
	assert.Equal(t, engine.PhaseGame, bot.Join.Phase())
	o := r.runner()
	require.NoError(t, bot.Control.Set(o))
	bot.Pilot.MoveTo(sim.Vec3{X: 30, Y: -40}, 1)
	r.Run(15 * time.Second)
	assert.Less(t, o.At.Sub(sim.Vec3{X: 30, Y: -40}).Len(), 1.5)
	assert.False(t, bot.Pilot.Moving())
	assert.Equal(t, bot.ID(), o.Controller())
	equalGhost(t, r.peer(0), r.Clients[0].Host.Server(), o)

	r.neverMinds(bot)
	require.NoError(t, r.peer(0).Control.Set(o), "a player takes it over")
	assert.Nil(t, bot.Control.Object())
	bot.Disconnect("enough")
	r.ticks(2)
	assert.Contains(t, r.Server.Lines, "dropped Robby: enough")
	assert.False(t, bot.Alive())
	assert.Equal(t, r.peer(0).ID(), o.Controller())
	second := r.Server.Connections()[1]
	require.NoError(t, r.Server.World().Delete(second), "or its object is deleted")
	r.ticks(2)
	assert.Contains(t, strings.Join(r.Server.Lines, "\n"), "dropped Second: ")
	assert.Len(t, r.Server.Connections(), 1)
}

// neverMinds requires that no method called on a bot's connection harms the bot.
func (r *race) neverMinds(bot *engine.Connection) {
	assert.NoError(r.t, bot.Commands.Send(engine.CommandOptions{}, sim.String("Hello"), nil))
	assert.Error(r.t, bot.Commands.Send(engine.CommandOptions{}, sim.String(""), nil), "what is wrong is wrong for bots too")
	bot.Blocks.Transmit(1)
	bot.Ghosting.Activate()
	bot.Ghosting.Reset()
	bot.Visible.SetGroups(3)
	bot.Visible.ToClient(r.runners[0])
	bot.Line.SetReceiveRate(engine.Rate{Packets: 5, Size: 300})
	bot.Line.SetSendRate(engine.Rate{Packets: 5, Size: 300})
	bot.Line.SetLink(engine.LinkParams{Loss: 1})
	r.Server.Settings.Rate = 20
	r.Server.Apply()
	for _, show := range []func(*engine.Connection) []string{r.Server.Inspector.GhostLines, r.Server.Inspector.ScopeLines, r.Server.Inspector.NetLines, r.Server.Inspector.MoveLines} {
		assert.NotEmpty(r.t, show(bot))
	}
	assert.NotEmpty(r.t, r.Server.Inspector.Radar(bot, 20, 10))
	assert.Zero(r.t, bot.Line.Ping())
	phase := bot.Join.Phase()
	r.Run(2 * time.Minute)
	assert.Equal(r.t, phase, bot.Join.Phase())
	assert.True(r.t, bot.Alive(), "no deadline is a bot's")
}

// TestBotsAimFromTheirEyes checks that a bot aims from its eye point: it looks straight ahead at a
// target at eye height.
func TestBotsAimFromTheirEyes(t *testing.T) {
	r := newRace(t, enginetest.Options{})
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	r.ticks(1)
	bot.Join.Enter()
	o := r.runner()
	require.NoError(t, bot.Control.Set(o))
	bot.Pilot.AimAt(o.EyePoint().Add(sim.Vec3{Y: 10}))
	moves := 0
	o.Done = func(m sim.Move) {
		assert.Equal(t, sim.Move{}, m)
		moves++
	}
	r.ticks(3)
	assert.Positive(t, moves)
}

// TestBotThatWaits checks that a bot waits without limit until a script lets it in, and that a
// shutdown ends it.
func TestBotThatWaits(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	r.Run(time.Minute)
	require.Equal(t, engine.PhaseJoining, bot.Join.Phase())
	r.Server.Shutdown("night")
	r.Run(time.Second)
	assert.Contains(t, r.Server.Lines, "dropped Robby: night")
	assert.Empty(t, r.Server.Connections())
}

// TestClientsQuitWithAReason checks that a server receives the reason of a client that ends, and
// that a client learns that its server shuts down.
func TestClientsQuitWithAReason(t *testing.T) {
	for reason, want := range map[string]string{"": "quit", "supper": "supper"} {
		r := enginetest.New(t, enginetest.Options{Clients: 2})
		r.Join()
		r.Clients[0].Shutdown(reason)
		r.Run(time.Second)
		assert.Contains(t, strings.Join(r.Server.Lines, "\n"), ": "+want)
		assert.NotContains(t, strings.Join(r.Server.Lines, "\n"), "shutting down")
		r.Server.Shutdown("night")
		r.Run(time.Second)
		assert.Contains(t, strings.Join(r.Clients[1].Lines, "\n"), "ended: shutting down: night")
	}
}

func place(x, y, yaw float64) sim.Place {
	return sim.Place{Position: sim.Vec3{X: x, Y: y}, Rotation: sim.Rot{Yaw: yaw}}
}

func TestPilot(t *testing.T) {
	var p engine.Pilot
	assert.Zero(t, p.Move(place(1, 2, 3)), "it wishes for nothing")

	p.AimAt(sim.Vec3{X: -10})
	assert.Equal(t, sim.Move{Yaw: 0x4000}, p.Move(place(0, 0, 0)), "-X is to the left of +Y")
	assert.Equal(t, sim.Move{}, p.Move(place(0, 0, 90)))
	assert.Equal(t, sim.Move{Yaw: -0x4000}, p.Move(place(0, 0, 180)), "by the short side")
	p.AimAt(sim.Vec3{Y: 10, Z: 10})
	assert.Equal(t, sim.Move{Pitch: 0x2000}, p.Move(place(0, 0, 0)))
	p.AimAt(sim.Vec3{})
	assert.Equal(t, sim.Move{}, p.Move(place(0, 0, 77)), "it is there: there is no way to look")

	p.MoveTo(sim.Vec3{X: 100}, 0)
	assert.Equal(t, sim.Move{X: 16}, p.Move(place(0, 0, 0)), "it goes sideways while it aims")
	p.AimAtObject(nil)
	assert.Equal(t, sim.Move{Yaw: -0x4000, Y: 16}, p.Move(place(0, 0, 0)))
	assert.Equal(t, sim.Move{Y: 8}, p.Move(place(98, 0, -90)), "slower when it is near")
	assert.True(t, p.Moving())
	assert.Equal(t, sim.Move{}, p.Move(place(99.6, 0, -90)))
	assert.False(t, p.Moving())

	p.SetTrigger(sim.JumpTrigger, true)
	p.SetTrigger(-1, true)
	p.SetTrigger(6, true)
	assert.Equal(t, sim.Move{Triggers: 1 << sim.JumpTrigger}, p.Move(place(0, 0, 0)))
	p.SetMove(sim.Move{X: 99, Triggers: 0xff})
	p.SetTrigger(sim.JumpTrigger, false)
	assert.Equal(t, sim.Move{X: 16, Triggers: 0x3f}, p.Move(place(0, 0, 0)))
	p.Stop()
	assert.Equal(t, sim.Move{}, p.Move(place(0, 0, 0)))
}

// TestPilotOfNoNumbers checks that script values such as NaN and infinity produce only valid moves.
func TestPilotOfNoNumbers(t *testing.T) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e-300, 0}
	for _, x := range bad {
		for _, y := range bad {
			var p engine.Pilot
			p.AimAt(sim.Vec3{X: x, Y: y, Z: x})
			p.MoveTo(sim.Vec3{X: y, Y: x}, x)
			for _, at := range bad {
				m := p.Move(sim.Place{Position: sim.Vec3{X: at, Y: x}, Rotation: sim.Rot{Yaw: y, Pitch: at}})
				assert.Equal(t, m.Clamped(), m, "%v %v %v", x, y, at)
			}
		}
	}
}

// TestPilotOfAClient checks that the pilot of a client steers the client's own player and aims at
// an object.
func TestPilotOfAClient(t *testing.T) {
	r := newRace(t, lag(100, .05))
	r.Clients[0].SetMoves(nil)
	r.Run(time.Second)
	require.Zero(t, r.own(0).Speed, "nobody has asked for anything")
	cart := r.cart(sim.Vec3{X: 40, Y: 10})
	r.Run(time.Second)
	ghost := ghostOf(r.peer(0), r.Clients[0].Host.Server(), cart)
	p := &r.Clients[0].Host.Server().Pilot
	p.AimAtObject(ghost)
	p.MoveTo(sim.Vec3{X: 20}, 1)
	r.Run(8 * time.Second)
	own := r.own(0)
	assert.InDelta(t, 20, own.At.X, 1.5)
	want := sim.Turn(math.Atan2(own.At.X-40, 10-own.At.Y) * 180 / math.Pi)
	assert.Less(t, int16(want-own.Yaw), int16(3))
	assert.Greater(t, int16(want-own.Yaw), int16(-3))
	require.NoError(t, r.Server.World().Delete(cart))
	r.Run(time.Second)
	r.same(0)
}

// botGate adds a bot while it decides about a player.
type botGate struct {
	*enginetest.Story
	server *engine.Host
}

func (g botGate) ConnectRequest(c *engine.Connection, args []string) string {
	if _, err := g.server.AddBot("Guest"); err != nil {
		return err.Error()
	}
	return g.Story.ConnectRequest(c, args)
}

// TestBotsAddedByTheGate checks that connections stay in id order if a script adds a bot while it
// decides about a player: the player has the lower id and arrives later.
func TestBotsAddedByTheGate(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	r.Server.Host.SetScripts(botGate{r.Server.Story, r.Server.Host})
	r.Join()
	var names []string
	for _, c := range r.Server.Connections() {
		names = append(names, c.PlayerName)
	}
	assert.Equal(t, []string{"player 2", "Guest", "player 3", "Guest"}, names)
	assert.True(t, slices.IsSortedFunc(r.Server.Connections(), func(a, b *engine.Connection) int { return cmp.Compare(a.ID(), b.ID()) }))
	r.Peer(0).Disconnect("enough")
	r.Server.Connections()[1].Disconnect("enough")
	r.Run(time.Second)
	assert.Len(t, r.Server.Connections(), 2)
}
