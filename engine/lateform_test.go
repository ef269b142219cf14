package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
)

// fillLane fills the lane of a mod for a client that receives nothing from now on with small
// commands.
func fillLane(t *testing.T, r *enginetest.Rig, mod string) {
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{Loss: 1})
	var err error
	for err == nil {
		err = r.Peer(0).Commands.Send(engine.CommandOptions{Mod: mod}, sim.String("Say"), nil)
	}
	require.ErrorContains(t, err, "commands are waiting")
}

// TestFormsWaitForTheirLane: a mod that has filled its queue for a slow client with commands loses
// neither a form nor the end of one. Until they have a place, it gets an error for another form.
// Another mod is not concerned.
func TestFormsWaitForTheirLane(t *testing.T) {
	r := newFormRig(t, enginetest.Options{})
	require.NoError(t, r.open("m", "over"))
	require.NoError(t, r.open("busy", "shop"))
	r.Run(time.Second)
	require.Equal(t, []string{"over", "shop"}, r.names())
	fillLane(t, r.Rig, "m")
	fillLane(t, r.Rig, "busy")
	require.True(t, r.Peer(0).Forms().Close("m", "over"))
	require.NoError(t, r.open("busy", "bank"))
	for range 3 {
		assert.ErrorContains(t, r.open("m", "next"), "of this mod's commands and forms yet")
		assert.ErrorContains(t, r.open("busy", "next"), "of this mod's commands and forms yet")
		require.NoError(t, r.open("other", "info"))
		r.Run(100 * time.Millisecond)
	}
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{})
	r.Until(time.Minute, func() bool { return assert.ObjectsAreEqual([]string{"shop", "info", "bank"}, r.names()) })
	require.NoError(t, r.open("m", "next"))
	r.Until(time.Minute, func() bool { return len(r.names()) == 4 })
}

// TestBindsWaitForTheirLane: the same holds for keys that a mod asks for.
func TestBindsWaitForTheirLane(t *testing.T) {
	r := newBindRig(t)
	require.NoError(t, r.ask("m", "over"))
	r.Run(time.Second)
	require.Equal(t, []string{"m.over"}, r.names())
	fillLane(t, r.Rig, "m")
	require.NoError(t, r.ask("m", "next"))
	require.True(t, r.Peer(0).Binds().End("m", "over"))
	assert.ErrorContains(t, r.ask("m", "third"), "of this mod's commands and forms yet")
	r.Run(100 * time.Millisecond)
	r.Clients[0].Host.Server().Line.SetLink(engine.LinkParams{})
	r.Until(time.Minute, func() bool { return assert.ObjectsAreEqual([]string{"m.next"}, r.names()) })
	require.NoError(t, r.ask("m", "third"))
}
