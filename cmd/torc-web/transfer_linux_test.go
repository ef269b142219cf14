package main

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// mostOut is how many milliseconds a player in a browser can be without a control object in a
// transfer.
const mostOut = 250

// watchBody measures the longest time in which the page shows no control object, as the number out.
// A page that stands still shows the game that it was in.
const watchBody = `(() => {
	let since = 0;
	globalThis.out = 0;
	setInterval(() => {
		const now = performance.now(), body = torc.program.is("body");
		if (!body) since ||= now;
		if (since) out = Math.max(out, now - since);
		if (body) since = 0;
	}, 4);
	return true;
})()`

// peersOf gives each server of docs/fleet.md a key, and the others as peers. A page needs only
// their names, but it remembers which key belongs to an address.
func peersOf(t *testing.T) func(name string, c *node.Config) {
	keys := map[string]*seal.KeyPair{}
	for _, name := range fleetNames {
		id, err := seal.NewIdentity(rand.Reader)
		require.NoError(t, err)
		keys[name] = &id
	}
	return func(name string, c *node.Config) {
		c.Identity = keys[name]
		// Bots, and the begin of a match, take the player's body away: no transfer does.
		c.Vars = append(c.Vars, node.Var{Name: "sv.bots", Value: "0"}, node.Var{Name: "ctf.warmup", Value: "600"})
		for i, other := range fleetNames {
			if other != name {
				c.Server.Peers = append(c.Server.Peers, node.Peer{Name: other, Address: fmt.Sprint("127.0.0.1:", 28001+i), Key: keys[other].Public})
			}
		}
	}
}

// soon waits until something is so. It gives up after a minute in ticks of the server, which is
// longer than any step of a transfer takes.
func (s server) soon(otherwise string, met func() bool) {
	s.t.Helper()
	tick := func() (n uint64) {
		require.NoError(s.t, s.Do(func() { n = s.Host().TickNumber() }))
		return n
	}
	for most := tick() + uint64(time.Minute/engine.TickTime); !met(); testenv.Pause() {
		require.Less(s.t, tick(), most, otherwise)
	}
}

// sends sends Ann to another server, and waits until the page shows that one.
func (s server) sends(b *browser, to string) {
	s.t.Helper()
	s.exec("transfer Ann " + to)
	s.soon("the page is not at "+to, func() bool { return eval[bool](b, atServer(to)) })
}

// atServer is the condition that a page plays at a server.
func atServer(name string) string {
	return `location.pathname === "/s/` + name + `/" && (globalThis.torc?.program.is("body") ?? false) && torc.hud.line.place === "/s/` + name + `/"`
}

// TestPageIsTransferred: a page behind nginx goes to another server while it plays, and is never
// out of a game for long. It is the same page, and the player has the same key. A server that
// refuses costs nothing, and the page can go there later.
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
	run(b, chromedp.Navigate(p.Origin+"/s/lobby/"))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low"}))`))
	for _, kind := range testenv.Length([]string{"ws"}, []string{"ws", "rtc"}) {
		run(b, chromedp.Navigate(p.Origin+"/s/lobby/?line="+kind))
		lobby.soon("the page has no line of the kind "+kind, func() bool { return eval[bool](b, atServer("lobby")+` && torc.hud.line.kind === "`+kind+`"`) })
		key := players(lobby)
		require.Len(t, key, 1)
		eval[bool](b, watchBody)
		lobby.sends(b, "arena-1")
		assert.Contains(t, eval[string](b, `document.getElementById("messages").textContent`), "You are at arena-1 now.")
		assert.Equal(t, key, players(arena))
		out := eval[float64](b, `out`)
		t.Logf("%s: %.0f ms without a control object", kind, out)
		assert.LessOrEqual(t, out, float64(mostOut))
		assert.Equal(t, kind+" ?line="+kind+"#"+arena.Key().String()+" torc – arena-1", eval[string](b, `torc.hud.line.kind + " " + location.search + location.hash + " " + document.title`))
		lobby.soon("the first server has lost nobody", func() bool { return len(players(lobby)) == 0 })

		lobby.exec("sv.accepting false")
		arena.exec("transfer Ann lobby")
		arena.soon("the transfer has no end", func() (over bool) {
			require.NoError(t, arena.Do(func() { over = !arena.Host().Connections()[0].Transferring() }))
			return over
		})
		assert.True(t, eval[bool](b, atServer("arena-1")+` && document.getElementById("follow").hidden`), "nothing has happened")
		lobby.exec("sv.accepting true")
		arena.sends(b, "lobby")
		assert.LessOrEqual(t, eval[float64](b, `out`), float64(mostOut), "no reload, and no time out of the game")
	}
	complaints := strings.Join(b.complaints(), "\n")
	assert.Empty(t, complaints)
}
