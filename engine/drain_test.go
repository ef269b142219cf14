package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
)

// drainRig is a server that drains, with a client in the game and one outside.
func drainRig(t *testing.T, most time.Duration) (r *enginetest.Rig, c *console.Console) {
	r = enginetest.New(t, enginetest.Options{})
	r.Join()
	c = console.New(func(string) {})
	require.NoError(t, r.Server.Bind(c))
	_, err := c.Exec("drain " + most.String())
	require.NoError(t, err)
	return r, c
}

// whyRefused connects another player, or a spectator, and returns why the server refuses it; "" if
// it does not.
func whyRefused(r *enginetest.Rig, n uint16, watch bool, change ...func(*engine.Config)) string {
	c := r.Player(n, 0, false, func(cfg *engine.Config) {
		for _, f := range change {
			f(cfg)
		}
	})
	r.Link(c)
	require.NoError(r.T, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute, Watch: watch}))
	r.Run(time.Second)
	for _, line := range c.Story.Lines {
		if line == "host 1: "+engine.DrainText {
			return engine.DrainText
		}
	}
	return ""
}

// TestDrainTakesNobodyIn: a server that drains refuses players and spectators, has no bots, and
// does not pause. A player who is in the game can come back with the same key. The drain is over
// when nobody is left, and waits for the command restart only if no signal has begun it.
func TestDrainTakesNobodyIn(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Server.Settings.MaxWatchers = 4
	r.Join()
	bot, err := r.Server.AddBot("Bob")
	require.NoError(t, err)
	r.Server.Pace.Pause(true)
	d := &r.Server.Drain
	require.NoError(t, d.Begin(time.Hour, "", false))
	assert.False(t, r.Server.Pace.Paused())
	r.Run(time.Second)
	assert.False(t, bot.Alive())
	_, err = r.Server.AddBot("Bob")
	assert.EqualError(t, err, engine.DrainText)
	assert.Equal(t, engine.DrainText, whyRefused(r, 10, false))
	assert.Equal(t, engine.DrainText, whyRefused(r, 11, true))
	own := r.Clients[0].Identity()
	assert.Empty(t, whyRefused(r, 12, false, func(c *engine.Config) { c.Identity = own }), "its own place")
	assert.Contains(t, r.Server.Story.Lines, "plays: player 12")
	assert.Equal(t, 1, r.Server.Summary().Players)
	assert.True(t, r.Server.Summary().Draining)
	assert.False(t, d.Over())

	require.NoError(t, d.Begin(time.Hour, "", true))
	r.Clients[len(r.Clients)-1].Shutdown("")
	r.Until(2*time.Second, d.Over)
}

// TestDrainCanBeGivenUp: drain off lets players in again, unless a signal has begun the drain.
func TestDrainCanBeGivenUp(t *testing.T) {
	r, c := drainRig(t, time.Hour)
	_, err := c.Exec("pause")
	assert.ErrorContains(t, err, "the server drains")
	out, err := c.Exec("drain off")
	require.NoError(t, err)
	assert.Equal(t, "the server takes players in again", out)
	assert.Empty(t, whyRefused(r, 10, false))
	assert.Equal(t, 2, r.Server.Summary().Players)
	_, err = c.Exec("drain off")
	assert.EqualError(t, err, "the server does not drain")
	require.NoError(t, r.Server.Drain.Begin(time.Hour, "", true))
	_, err = c.Exec("drain off")
	assert.ErrorContains(t, err, "cannot be given up")
	_, err = c.Exec("drain 5")
	require.NoError(t, err)
	_, err = c.Exec("drain off")
	assert.ErrorContains(t, err, "cannot be given up", "another time leaves it to the signal")
}

// TestDrainTime: the time of a drain passes with the ticks, at their pace, and a second command
// changes it. Wrong times are refused.
func TestDrainTime(t *testing.T) {
	r, c := drainRig(t, 10*time.Second)
	d := &r.Server.Drain
	r.Server.Settings.TimeScale = 4
	r.Server.Apply()
	for d.Left() > 5*time.Second {
		r.Server.Tick(0)
	}
	assert.InDelta(t, 5*4*time.Second/engine.TickTime, r.Server.TickNumber(), 4*2*float64(time.Second/engine.TickTime), "ticks of a fast game are short")
	for text, left := range map[string]time.Duration{"": engine.DrainTime, "30": 30 * time.Second, "2m": 2 * time.Minute, "24h": engine.MaxDrain} {
		_, err := c.Exec("drain " + text)
		require.NoError(t, err)
		assert.Equal(t, left, d.Left(), text)
	}
	for _, text := range []string{"0", "500ms", "25h", "-5s"} {
		_, err := c.Exec("drain " + text)
		assert.ErrorContains(t, err, "drain "+text+": the time must be 1s to 24h", text)
	}
	_, err := c.Exec("drain 1m one two")
	assert.EqualError(t, err, "usage: drain [TIME] [SERVER], or drain off")
	require.NoError(t, d.Begin(time.Second, "", false))
	r.Until(5*time.Second, d.Over)
	assert.Equal(t, 1, r.Server.Summary().Players, "a player without another server stays until then")
}

// TestDrainWaitsForRestart: the command restart changes the end of a drain once. People type it
// after drain, so an empty server waits some seconds for it.
func TestDrainWaitsForRestart(t *testing.T) {
	r, _ := drainRig(t, time.Hour)
	d := &r.Server.Drain
	r.Clients[0].Shutdown("")
	r.Run(time.Second)
	assert.Zero(t, r.Server.Summary().Players)
	assert.False(t, d.Over())
	assert.True(t, d.Restart())
	assert.True(t, d.Over())
	assert.True(t, d.Again())
	assert.False(t, d.Restart(), "the second one does not wait")
	assert.Equal(t, "draining, 1 player is left, ends in 9 s at the latest", (&engine.DrainStatus{Players: 1, Seconds: 9}).String())
	assert.Equal(t, "draining, 2 players are left, ends in 9 s at the latest", (&engine.DrainStatus{Players: 2, Seconds: 9}).String())
	assert.Equal(t, "draining, 0 players are left, starts again in 3599 s at the latest", d.String())

	r, _ = drainRig(t, time.Hour)
	r.Clients[0].Shutdown("")
	r.Until(4*time.Second, r.Server.Drain.Over)
	assert.False(t, r.Server.Drain.Again())
}

// TestLocalPlayersDoNotDrain: the player of torc play can go nowhere, and a client has nothing to
// drain.
func TestLocalPlayersDoNotDrain(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Circuit: true})
	r.Join()
	assert.ErrorContains(t, r.Server.Drain.Begin(time.Minute, "", true), "type quit")
	assert.False(t, r.Server.Drain.On())
	assert.EqualError(t, r.Clients[0].Drain.Begin(time.Minute, "", true), "only a server drains")
}
