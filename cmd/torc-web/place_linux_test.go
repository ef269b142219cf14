package main

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/nginxtest"
	"github.com/torc-engine/torc/node"
)

// fleetNames are the names of the servers in docs/fleet.md.
var fleetNames = []string{"lobby", "arena-1"}

// openFleet starts a browser, and two servers behind nginx. change changes the settings of a
// server.
func openFleet(t *testing.T, change func(name string, c *node.Config), more ...chromedp.ExecAllocatorOption) (b *browser, p *nginxtest.Proxy, servers map[string]server) {
	t.Helper()
	b = openBrowserWith(t, 640, 480, append(more, chromedp.Flag("host-resolver-rules", "MAP "+nginxtest.Host+" 127.0.0.1"), chromedp.Flag("ignore-certificate-errors", true))...)
	p, servers = nginxtest.New(t), map[string]server{}
	at := map[string]netip.AddrPort{}
	for _, name := range fleetNames {
		c := node.Config{Server: node.ServerConfig{
			Load: []string{"ctf"}, Web: &node.Web{Origins: []string{p.Origin + "/s/" + name + "/"}, Proxies: []string{"127.0.0.1"}, Public: []string{"127.0.0.1"}},
		}}
		change(name, &c)
		s, _, _ := startGame(t, c)
		servers[name], at[name] = server{s, t}, s.Addresses().Web
	}
	p.Start(t, at)
	return b, p, servers
}

// TestPagesOfServersBesideOthers: each server behind one origin has its page at its name, and the
// player has one key at all. Over HTTPS a link needs no key.
func TestPagesOfServersBesideOthers(t *testing.T) {
	b, p, servers := openFleet(t, func(string, *node.Config) {})
	keys := map[string]bool{}
	for _, name := range fleetNames {
		s, url := servers[name], p.Origin+"/s/"+name+"/"
		run(b, chromedp.Navigate(url))
		run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low"}))`))
		run(b, chromedp.Reload())
		b.until(`globalThis.torc?.program.is("ready") && torc.program.is("body") && torc.hud.line.kind === "rtc"`)
		assert.Equal(t, "torc – "+name, eval[string](b, `document.title`))
		require.NoError(t, s.Do(func() { keys[s.Host().Connections()[0].Key().String()] = true }))
		assert.True(t, strings.HasPrefix(eval[string](b, `performance.getEntriesByType("resource").find((e) => e.name.endsWith(".wasm")).name`), url+"assets/"))
	}
	assert.Len(t, keys, 1)
	assert.Empty(t, b.complaints())
}
