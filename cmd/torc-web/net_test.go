//go:build !js

package main

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// newNetGame starts a server of ctf with bots and two network clients on lines with a round-trip
// time of 120 ms. It returns the server and the address of its net page.
func newNetGame(t *testing.T) (server *node.Server, url string) {
	t.Helper()
	s, err := node.NewServer(node.Config{
		Common: node.Common{Name: "Net test", Version: "0.0.0", Vars: []node.Var{{Name: "sv.bots", Value: "6"}, {Name: "ctf.warmup", Value: "600"}}},
		Server: node.ServerConfig{Listen: "127.0.0.1:0", Load: []string{"ctf"}, Web: &node.Web{Listen: "127.0.0.1:0", Pages: []fs.FS{www.FS}}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Start())
	go func() { _ = s.Run(context.Background()) }()
	for _, name := range []string{"Ann", "Bob"} {
		c, err := node.NewClient(node.Config{Common: node.Common{Name: name}, Client: node.ClientConfig{Address: s.Address(), Wander: true, Unseen: true}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		go func() { _ = c.Run(context.Background()) }()
	}
	for limit := testenv.Limit(t); ; testenv.Pause() {
		var playing []*engine.Connection
		require.NoError(t, s.Do(func() {
			for _, c := range s.Host().Connections() {
				if !c.Bot() && c.Control.Object() != nil {
					playing = append(playing, c)
				}
			}
			if len(playing) == 2 {
				for _, c := range playing {
					c.Line.SetLink(netcore.LinkParams{Delay: 60 * time.Millisecond, Loss: 0.03})
				}
			}
		}))
		if len(playing) == 2 {
			return s, "http://" + s.Addresses().Web.String() + "/net"
		}
		require.False(t, testenv.Expired(limit), "Ann and Bob play")
	}
}

// placeOf returns where the server has the body of a client.
func placeOf(t *testing.T, s *node.Server, name string) (id sim.ID, at sim.Vec3) {
	t.Helper()
	require.NoError(t, s.Do(func() {
		for _, c := range s.Host().Connections() {
			if c.PlayerName == name && c.Control.Object() != nil {
				id, at = c.ID(), c.Control.Object().(sim.Placer).Place().Position
			}
		}
	}))
	return id, at
}

// shownOf is a player on the map of the page: X and Y in metres, the tick of the snapshot, and
// whether the map has a mark there, or ends before.
const shownOf = `(() => {
	const { snapshot, map } = net, one = snapshot.clients.list.find((c) => c.name === "%s"), t = map.things.find((t) => t.id === one.object);
	if (!t) return [];
	const [x, y] = map.on(t.x, t.y), g = map.canvas.getContext("2d"), k = devicePixelRatio, outside = x < 0 || y < 0 || x > map.w || y > map.h;
	const alphas = g.getImageData(x * k - 5, y * k - 5, 11, 11).data.filter((_, i) => i %% 4 === 3); // of an object out of scope, only the edge is drawn
	return [t.x, t.y, snapshot.tick, Math.max(outside ? 1 : 0, ...alphas)];
})()`

// shown returns shownOf of a player as soon as there is a mark.
func (b *browser) shown(name string) []float64 {
	b.t.Helper()
	script := fmt.Sprintf(shownOf, name)
	b.until(`(globalThis.shown = ` + script + `)[3] > 0`)
	return eval[[]float64](b, "globalThis.shown")
}

// TestNetPage opens the net page of a match: the map has the players where the server has them,
// another client can be chosen, and everything fits a phone.
func TestNetPage(t *testing.T) {
	b := openBrowser(t, 1440, 1000)
	s, url := newNetGame(t)
	run(b, chromedp.EmulateViewport(1440, 1750))
	run(b, chromedp.Navigate(url))
	b.until(`globalThis.net?.frames > 12 && net.snapshot.clients.list[0].rtt > 100 && document.querySelectorAll("#clients-table tbody tr").length === 2`)
	for _, name := range []string{"Ann", "Bob"} {
		row := b.shown(name)
		_, at := placeOf(t, s, name)
		var tick uint64
		require.NoError(t, s.Do(func() { tick = s.Host().TickNumber() }))
		seconds := float64(tick-uint64(row[2])+1) * engine.TickTime.Seconds()
		assert.LessOrEqual(t, math.Hypot(row[0]-at.X, row[1]-at.Y), 80*seconds, "%s has not moved farther since the snapshot", name)
	}
	assert.Contains(t, eval[string](b, `document.getElementById("seen").textContent`), "older than the object")
	assert.Contains(t, eval[string](b, `document.getElementById("mods-table").textContent`), "ctf")
	assert.Contains(t, eval[string](b, `document.getElementById("classes-table").textContent`), "Player")
	assert.Greater(t, eval[float64](b, `net.histories.get(net.snapshot.map.client).at(-1).out`), 1.0, "kbit/s to the client")
	assert.Greater(t, eval[float64](b, `net.loop.at(-1).phases.reduce((a, b) => a + b)`), 0.0)
	b.picture("net")

	bob, _ := placeOf(t, s, "Bob")
	eval[bool](b, `[...document.querySelectorAll("#clients-table button")].find((e) => e.textContent === "Bob").click(), true`)
	b.until(fmt.Sprintf(`net.snapshot.map.client === %d && document.getElementById("whose").textContent === "Bob"`, bob))
	assert.Equal(t, "Bob", eval[string](b, `document.querySelector("tr.chosen button").textContent`))
	eval[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }), true`)
	b.until(`document.querySelectorAll("#ghosts-table tbody tr").length > 3 && document.querySelectorAll("#numbers-table tbody tr").length > 1`)
	assert.Greater(t, eval[int](b, `document.querySelectorAll("#events-table tbody tr").length`), 3)
	zoom := `(() => { const was = net.map.scale; net.map.canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "+"})); return net.map.scale / was; })()`
	assert.Greater(t, eval[float64](b, zoom), 1.0, "the keyboard zooms")

	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	eval[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = false; }), scrollTo(0, 0), true`)
	b.until(`innerWidth === 390`)
	assert.LessOrEqual(t, eval[float64](b, `document.documentElement.scrollWidth`), 390.0, "nothing is wider than the screen")
	b.picture("net-phone")
	eval[bool](b, `document.getElementById("world").scrollIntoView(), true`)
	b.picture("net-phone-map")
	assert.Empty(t, b.complaints())

	require.NoError(t, s.Do(func() { _, err := s.Console().Exec("sv.netPage key"); assert.NoError(t, err) }))
	run(b, chromedp.Reload())
	b.until(`!document.getElementById("access").hidden && document.getElementById("page").hidden`)
	assert.Contains(t, eval[string](b, `document.getElementById("why").textContent`), "net.link")
	eval[bool](b, `document.getElementById("key").value = "`+s.Addresses().NetLink+`", document.querySelector("#access button").click(), true`)
	b.until(`!document.getElementById("page").hidden && net.frames > 0`)

	assert.True(t, eval[bool](b, `document.getElementById("timeline").hidden`), "a live server has no past")
}
