package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// TestPause pauses a server for longer than every timeout, while a client drives an object on a
// lossy line. Nothing moves and no script runs, nobody is disconnected, and the game goes on as
// before.
func TestPause(t *testing.T) {
	o := lag(120, 0.1)
	r := newRace(t, o)
	r.nextMove = func(int) sim.Move { return sim.Move{Y: 1} }
	r.Run(2 * time.Second)
	c := r.Clients[0]
	scheduled := 0
	r.Server.Schedule().At(r.Server.Now(), 1000, sim.Owner{}, func() { scheduled++ })

	r.Server.Pace.Pause(true)
	assert.True(t, r.Server.Pace.Paused())
	assert.Zero(t, r.Server.Pace.TimeScale())
	tick, at := r.Server.TickNumber(), r.runners[0].Place()
	r.Until(2*time.Second, c.Pace.Paused)
	own := r.own(0).Place()
	heard := 0
	r.Server.Handler = func(*engine.Connection, []sim.Value) { heard++ }
	require.NoError(t, c.Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("Hello"), nil))
	r.Run(3 * time.Minute)
	assert.Equal(t, tick, r.Server.TickNumber())
	assert.Equal(t, at, r.runners[0].Place())
	assert.Equal(t, own, r.own(0).Place(), "the client stands still too")
	assert.Zero(t, scheduled)
	assert.Zero(t, heard, "the command waits")
	assert.Zero(t, c.Host.Server().Line.Interrupted())
	require.Len(t, r.Server.Connections(), 1)

	visible := c.Host.Server().Control.Stats.Visible
	r.Server.Pace.Pause(false)
	r.Run(3 * time.Second)
	assert.False(t, c.Pace.Paused())
	assert.Equal(t, 1, scheduled)
	assert.InDelta(t, tick+3000/engine.TickMs, r.Server.TickNumber(), 1)
	assert.Greater(t, r.runners[0].Place().Position.Sub(at.Position).Len(), 1.0)
	assert.Equal(t, visible, c.Host.Server().Control.Stats.Visible, "the prediction holds")
	assert.Equal(t, 1, heard)
}

// TestPausedServersRepeatLosses loses the packets of the last tick before a pause: the client gets
// what was in them, although no tick follows.
func TestPausedServersRepeatLosses(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	thing := labelled(t, r.Server.Host, "before")
	client := r.Clients[0]
	shown := func(label string) func() bool {
		return func() bool { return slices.Contains(watched(client.Host), label) }
	}
	r.Until(time.Second, shown("before"))
	deaf := netcore.LinkParams{Loss: 1}
	r.Net.Link(r.Server.Addr, client.Addr, deaf, netcore.LinkParams{})
	require.NoError(t, thing.Class().Lookup("label").Set(thing, sim.String("lost")))
	r.Run(engine.TickTime)
	r.Server.Pace.Pause(true)
	r.Run(engine.TickTime)
	r.Net.Link(r.Server.Addr, client.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	r.Until(5*time.Second, shown("lost"))
	assert.True(t, r.Server.Pace.Paused())
}

// TestPauseInsideATick pauses the server in the middle of a tick, as a debugger does. Ticks and
// sending inside of it keep the client.
func TestPauseInsideATick(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Circuit: true})
	r.Join()
	nested := false
	r.Server.Schedule().At(r.Server.Now(), 0, sim.Owner{}, func() {
		nested = true
		r.Server.Pace.Pause(true)
		tick := r.Server.TickNumber()
		r.Run(2 * time.Minute)
		assert.True(t, r.Clients[0].Pace.Paused())
		assert.Equal(t, tick, r.Server.TickNumber())
		r.Server.Pace.Pause(false)
	})
	r.Run(2 * time.Second)
	assert.True(t, nested)
	assert.False(t, r.Clients[0].Pace.Paused())
	require.Len(t, r.Server.Connections(), 1)
}

// TestSilentClientWhilePaused checks that a client that vanishes during a pause is disconnected.
func TestSilentClientWhilePaused(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Server.Pace.Pause(true)
	r.Peer(0).Line.SetLink(netcore.LinkParams{Loss: 1})
	r.Run(time.Minute)
	_, closed := r.Peer(0).Net().Closed()
	assert.True(t, closed)
	r.Server.Pace.Pause(false)
	r.Run(time.Second)
	assert.Empty(t, r.Server.Connections())
}

// TestLeavingWhilePaused checks that players and bots who leave a paused server are no longer
// shown. Scripts learn of it when the game goes on.
func TestLeavingWhilePaused(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	r.Join()
	bot, err := r.Server.AddBot("Robby")
	require.NoError(t, err)
	r.Run(time.Second)
	c := console.New(nil)
	require.NoError(t, r.Server.Bind(c))
	shown := func() []string {
		out, err := c.Call("players", nil)
		require.NoError(t, err)
		return strings.Split(out, "\n")
	}
	require.Len(t, shown(), 3)
	r.Server.Pace.Pause(true)
	require.NoError(t, r.Clients[1].Dialer.Disconnect("bye"))
	bot.Disconnect("enough")
	r.Run(time.Second)
	assert.Equal(t, engine.Summary{Players: 1, MaxPlayers: 128}, r.Server.Summary())
	assert.Equal(t, 1, r.Server.Status().Players)
	assert.Len(t, shown(), 1)
	assert.NotContains(t, strings.Join(r.Server.Lines, "\n"), "dropped")
	r.Server.Pace.Pause(false)
	r.Run(time.Second)
	assert.Contains(t, r.Server.Lines, "dropped player 3: bye")
	assert.Contains(t, r.Server.Lines, "dropped Robby: enough")
}

// TestJoinWhilePaused refuses a join, with a text that lets a client that comes back try again.
func TestJoinWhilePaused(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	late := r.Clients[1]
	r.Clients = r.Clients[:1]
	r.Join()
	r.Server.Pace.Pause(true)
	require.NoError(t, late.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Until(5*time.Second, func() bool { return !late.Dialer.Busy() })
	assert.Contains(t, late.Lines[len(late.Lines)-1], "the server is paused: try again")
	r.Server.Pace.Pause(false)
	require.NoError(t, late.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Until(5*time.Second, func() bool { s := late.Host.Server(); return s != nil && s.Join.Phase() == engine.PhaseGame })
}

// TestPauseCommand lists what the command and the variable accept.
func TestPauseCommand(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	server, client := console.New(func(string) {}), console.New(func(string) {})
	require.NoError(t, r.Server.Bind(server))
	require.NoError(t, r.Clients[0].Bind(client))
	for _, x := range []struct{ line, want string }{
		{"pause", "paused at tick"}, {"pause on", "paused at tick"}, {"pause", "running from tick"}, {"pause off", "running from tick"},
		{"pause on", "paused at tick"}, {"pause off", "running from tick"},
	} {
		out, err := server.Exec(x.line)
		require.NoError(t, err)
		assert.Contains(t, out, x.want, x.line)
	}
	_, err := server.Exec("pause now")
	assert.ErrorContains(t, err, "usage: pause [on|off]")
	_, err = client.Exec("pause")
	assert.ErrorContains(t, err, "only a server can be paused")
	for _, bad := range []string{"0", "0.05", "4.1", "fast"} {
		_, err = server.Exec("sv.timeScale " + bad)
		assert.Error(t, err, bad)
	}
}

// TestTimeScale changes the speed of game time. The clients follow, also those that join later, and
// have the normal speed again without a server.
func TestTimeScale(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	first, late := r.Clients[0], r.Clients[1]
	r.Clients = r.Clients[:1]
	r.Join()
	assert.Equal(t, engine.TickTime, first.Pace.TickLength())
	scale := func(x float64) { r.Server.Settings.TimeScale = x; r.Server.Apply() }
	scale(2)
	r.Run(time.Second)
	assert.Equal(t, engine.TickTime/2, r.Server.Pace.TickLength())
	assert.Equal(t, engine.TickTime/2, first.Pace.TickLength())
	scale(0.1)
	r.Clients = append(r.Clients, late)
	require.NoError(t, late.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Until(5*time.Second, func() bool { s := late.Host.Server(); return s != nil && s.Join.Phase() == engine.PhaseGame })
	assert.Equal(t, 10*engine.TickTime, late.Pace.TickLength())
	assert.InDelta(t, 0.1, first.Pace.TimeScale(), 1e-9)
	r.Server.Pace.Pause(true)
	r.Run(time.Second)
	assert.True(t, late.Pace.Paused())
	assert.Equal(t, engine.TickTime, late.Pace.TickLength(), "while paused, the lines are kept at the normal rate")
	require.NoError(t, late.Dialer.Disconnect(""))
	r.Run(time.Second)
	assert.InDelta(t, 1.0, late.Pace.TimeScale(), 1e-9)
}
