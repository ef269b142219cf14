//go:build !js

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/replay"
)

// journalOf plays a match of ctf in virtual time, with bots and two network clients whose datagrams
// take 50 ms. It returns the journal, and where the body of Bob was at some ticks.
func journalOf(t *testing.T, length time.Duration, ticks ...uint64) (text []byte, bob map[uint64]sim.Vec3) {
	t.Helper()
	var out bytes.Buffer
	var clients []*node.Client
	var server *node.Server
	now, seed, arrive := time.Duration(0), uint64(7), map[time.Duration][]func(){}
	edge := func(salt byte, send func(to netcore.Addr, b []byte)) node.Edge {
		return node.Edge{
			Clock: func() time.Duration { return now }, Date: func() time.Time { return time.Unix(1_000_000_000, 0).Add(now) },
			Entropy: rand.NewChaCha8([32]byte{salt}),
			Send: func(to netcore.Addr, b []byte) {
				b, at := bytes.Clone(b), now+50*time.Millisecond
				arrive[at] = append(arrive[at], func() { send(to, b) })
			},
		}
	}
	server, err := node.NewServerOn(node.Config{
		Common: node.Common{Name: "Recorded match", Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "6"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Journal: &node.Journal{Writer: &out}},
	}, edge(1, func(to netcore.Addr, b []byte) { clients[to.Port-1].Receive(b) }))
	require.NoError(t, err)
	for i, name := range []string{"Ann", "Bob"} {
		from := netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(i+1)))
		c, err := node.NewClientOn(node.Config{
			Common: node.Common{Name: name, Seed: &seed},
			Client: node.ClientConfig{Address: "server:1#" + server.Key().String(), Wander: true},
		},
			edge(byte(2+i), func(_ netcore.Addr, b []byte) { server.Receive(from, b) }))
		require.NoError(t, err)
		defer c.Close()
		clients = append(clients, c)
	}
	bob = map[uint64]sim.Vec3{}
	for ; now < length; now += time.Millisecond {
		for _, f := range arrive[now] {
			f()
		}
		delete(arrive, now)
		require.NoError(t, server.Step())
		for _, c := range clients {
			require.NoError(t, c.Step())
		}
		for _, tick := range ticks {
			if server.Host().TickNumber() == tick {
				bob[tick] = bodyOf(server, "Bob")
			}
		}
	}
	require.NoError(t, server.Close())
	return out.Bytes(), bob
}

// bodyOf returns where the body of a client is.
func bodyOf(s *node.Server, name string) (at sim.Vec3) {
	for _, c := range s.Host().Connections() {
		if c.PlayerName == name && c.Control.Object() != nil {
			at = c.Control.Object().(sim.Placer).Place().Position
		}
	}
	return at
}

// TestNetPageOfAJournal moves the slider of a recorded match forth and back. The map has Bob where
// the server had him, and the graphs have the time before.
func TestNetPageOfAJournal(t *testing.T) {
	b := openBrowser(t, 1440, 1000)
	text, bob := journalOf(t, 40*time.Second, 300, 900, 1000)
	seen, err := replay.Scan(bytes.NewReader(text))
	require.NoError(t, err)
	seen.Marks = []replay.Mark{{Tick: 1000, Kind: "late", Text: "a tick took 120ms"}}
	p, err := replay.NewPage(bytes.NewReader(text), int64(len(text)), replay.PageConfig{Journal: seen, Version: "0.0.0"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, p.Close())
	})
	run(b, chromedp.EmulateViewport(1440, 1750))
	run(b, chromedp.Navigate(p.Link()))
	b.until(`globalThis.net?.snapshot?.course?.tick === 1 && document.getElementById("status").textContent === "paused"`)

	at := func(tick uint64, steer string) {
		t.Helper()
		eval[bool](b, steer+`, true`)
		b.until(fmt.Sprintf(`net.snapshot.course.tick === %d && net.snapshot.clients.list.length === 2`, tick))
		place := eval[[]float64](b, fmt.Sprintf(shownOf, "Bob"))
		require.Len(t, place, 4)
		assert.InDelta(t, bob[tick].X, place[0], 0.01)
		assert.InDelta(t, bob[tick].Y, place[1], 0.01)
		assert.Positive(t, place[3], "the map has a mark for Bob")
	}
	slide := `(() => { const e = document.getElementById("time"); e.value = %d; e.dispatchEvent(new Event("input")); e.dispatchEvent(new Event("change")); })()`
	at(900, fmt.Sprintf(slide, 900))
	assert.Greater(t, eval[int](b, `net.histories.get(net.snapshot.map.client).length`), 40, "the graphs have the time before")
	at(300, fmt.Sprintf(slide, 300))
	assert.Less(t, eval[int](b, `net.histories.get(net.snapshot.map.client).length`), 20)
	at(1000, `(() => { const e = document.getElementById("marks"); e.value = "1000"; e.dispatchEvent(new Event("change")); })()`)
	assert.Contains(t, eval[string](b, `document.getElementById("marks").textContent`), "00:31, tick 1000: late: a tick took 120ms")
	assert.Contains(t, eval[string](b, `document.getElementById("clock").textContent`), "00:31 of 00:39, tick 1,000")

	eval[bool](b, `document.getElementById("where").value = "0:30", document.querySelector("#go button").click(), true`)
	b.until(`Math.abs(net.snapshot.time - 30000) < 64 && net.snapshot.course.goal === net.snapshot.course.tick`)
	eval[bool](b, `document.getElementById("where").value = "9999999999999999999999", document.querySelector("#go button").click(), true`)
	b.until(`document.getElementById("status").textContent === "at must be a tick" && Object.keys(net.steering).length === 0`)
	eval[bool](b, `document.getElementById("play").click(), true`)
	b.until(`document.getElementById("status").textContent === "plays at 1 ×" && net.snapshot.time > 30500`)
	b.picture("net-journal")
	eval[bool](b, `(() => { const e = document.getElementById("speed"); e.value = 64; e.dispatchEvent(new Event("change")); })(), true`)
	b.until(`net.snapshot.course.tick === net.snapshot.course.last && document.getElementById("status").textContent === "the end" && document.getElementById("play").textContent === "Play"`)

	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.until(`innerWidth === 390`)
	assert.LessOrEqual(t, eval[float64](b, `document.documentElement.scrollWidth`), 390.0, "nothing is wider than the screen")
	b.picture("net-journal-phone")
	complaints := b.complaints()
	require.Len(t, complaints, 1, "the page asks once what the server rejects: %v", complaints)
	assert.Contains(t, complaints[0], "400")
}
