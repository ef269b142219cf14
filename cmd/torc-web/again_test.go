//go:build !js

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// keepStatus keeps all that the first page says, as the set said.
const keepStatus = `addEventListener("DOMContentLoaded", () => {
	const status = document.getElementById("status");
	globalThis.said = new Set();
	new MutationObserver(() => said.add(status.textContent)).observe(status, {childList: true});
})`

// TestAPageTriesItsJoinAgain: the server drops a page whose join makes no progress. The page says
// so and that it tries again, and comes into the game by itself.
func TestAPageTriesItsJoinAgain(t *testing.T) {
	b := openBrowser(t, 640, 480)
	const why = "the join made no progress for 5s in phase ghosts"
	var host *engine.Host
	drops := 0
	drop := func([]string) (string, error) {
		for _, c := range host.Connections() {
			if drops == 0 && c.Join.Phase() == engine.PhaseGhosts {
				drops++
				c.Net().Close(netcore.Reason{Code: netcore.TimedOut, Text: why})
			}
		}
		return "", nil
	}
	s, link, key := startGame(t, node.Config{
		Common: node.Common{
			Commands: []console.Command{{Name: "dropJoin", Run: drop}},
			Scripts:  []node.Script{{Code: `function GameConnection.onGhostAlwaysObjectsReceived() dropJoin() end`}},
		},
		Server: node.ServerConfig{Load: []string{"ctf"}},
	})
	require.NoError(t, s.Do(func() { host = s.Host() }))
	b.beforePages(keepStatus)
	b.open(link, key, "Ann")
	require.NoError(t, s.Do(func() { assert.Equal(t, 1, drops) }))
	assert.Contains(t, eval[[]string](b, `Array.from(said)`), "Reconnecting… (timed out: "+why+")")
	b.until(`document.getElementById("status").textContent === "You are in the game. Click to play. Esc opens the menu."`)
	assert.Empty(t, b.complaints())
}
