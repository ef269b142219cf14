package main

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// mostOut is how many milliseconds a player in a browser can be without a control object in a transfer.
const mostOut = 250

// watchBody measures the longest time without a control object, as the number out.
const watchBody = `(() => {
	let last = performance.now();
	globalThis.out = 0;
	setInterval(() => {
		const now = performance.now();
		if (torc.program.is("body")) last = now;
		else out = Math.max(out, now - last);
	}, 4);
	return true;
})()`

// peersOf gives each server of docs/fleet.md a key, and the others as peers. A page needs only their names.
func peersOf(t *testing.T) func(name string, c *node.Config) {
	keys := map[string]*seal.KeyPair{}
	for _, name := range fleetNames {
		id, err := seal.NewIdentity(rand.Reader)
		require.NoError(t, err)
		keys[name] = &id
	}
	return func(name string, c *node.Config) {
		c.Identity = keys[name]
		for _, other := range fleetNames {
			if other != name {
				c.Server.Peers = append(c.Server.Peers, node.Peer{Name: other, Address: "127.0.0.1:28000", Key: keys[other].Public})
			}
		}
	}
}

// TestPageIsTransferred: a page behind nginx goes to another server while it plays, and is never out of a
// game for long. It is the same page, and the player has the same key. A server that refuses costs nothing.
func TestPageIsTransferred(t *testing.T) {
	b, p, servers := openFleet(t, peersOf(t))
	lobby, arena := servers["lobby"], servers["arena-1"]
	players := func(s server) (keys []string) {
		require.NoError(t, s.Do(func() {
			for _, c := range s.Host().Connections() {
				keys = append(keys, c.Key().String())
			}
		}))
		return keys
	}
	at := func(name string) string {
		return `location.pathname === "/s/` + name + `/" && globalThis.torc?.program.is("body") && torc.hud.line.place === "/s/` + name + `/"`
	}
	run(b, chromedp.Navigate(p.Origin+"/s/lobby/"))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low"}))`))
	for _, kind := range testenv.Length([]string{"ws"}, []string{"ws", "rtc"}) {
		run(b, chromedp.Navigate(p.Origin+"/s/lobby/?line="+kind))
		b.until(at("lobby") + ` && torc.hud.line.kind === "` + kind + `"`)
		key := players(lobby)
		require.Len(t, key, 1)
		eval[bool](b, watchBody)
		lobby.exec("transfer Ann arena-1")
		b.until(at("arena-1"))
		b.until(`document.getElementById("messages").textContent.includes("You are at arena-1 now.")`)
		assert.Equal(t, key, players(arena))
		out := eval[float64](b, `out`)
		t.Logf("%s: %.0f ms without a control object", kind, out)
		assert.LessOrEqual(t, out, float64(mostOut))
		assert.Equal(t, kind+" ?line="+kind+"#"+arena.Key().String()+" torc – arena-1", eval[string](b, `torc.hud.line.kind + " " + location.search + location.hash + " " + document.title`))
		for limit := testenv.Limit(t); len(players(lobby)) > 0; testenv.Pause() {
			require.False(t, testenv.Expired(limit), "the first server has lost nobody")
		}

		lobby.exec("sv.accepting false")
		arena.exec("transfer Ann lobby")
		for limit := testenv.Limit(t); ; testenv.Pause() {
			require.False(t, testenv.Expired(limit), "the transfer has no end")
			busy := false
			require.NoError(t, arena.Do(func() { busy = arena.Host().Connections()[0].Transferring() }))
			if !busy {
				break
			}
		}
		assert.True(t, eval[bool](b, at("arena-1")+` && document.getElementById("follow").hidden`), "nothing has happened")
		lobby.exec("sv.accepting true")
		assert.LessOrEqual(t, eval[float64](b, `out`), float64(mostOut), "no reload, and no time out of the game")
	}
	complaints := strings.Join(b.complaints(), "\n")
	assert.Empty(t, complaints)
}
