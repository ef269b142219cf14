package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServerModsUnloadOnDisconnect checks that a client loads its halves of a server's mods and
// unloads them when it disconnects.
func TestServerModsUnloadOnDisconnect(t *testing.T) {
	server := map[string]string{"m/server/init.lua": ``}
	client := map[string]string{"m/client/init.lua": `
		addCommand { name = "m.hello", run = function() return "hello" end }
		setting "m.volume" { default = 5 }
		schedule(3000, echo, "a timer of a mod that is gone")
		function GameConnection.onConnectionDropped(server, reason) echo("left: " .. reason) end
	`}
	p := join(t, server, client, "m")
	assert.Equal(t, "hello", p.client.line("m.hello"))
	assert.Equal(t, "5", p.client.line("m.volume"))
	p.client.out = nil
	require.NoError(t, p.client.host.Dialer.Disconnect("bye"))
	p.run(4 * time.Second)
	assert.Equal(t, []string{"left: bye"}, p.client.out)
	assert.Equal(t, []string{"base"}, loadedNames(p.client))
	assert.Contains(t, p.client.line("m.volume"), "undefined global 'm'")
	assert.Equal(t, "7", p.client.line("3 + 4"), "the console goes on")
}

// TestSharedModsStayForNextServer checks that a client that changes servers within one tick has
// the mods of the second server.
func TestSharedModsStayForNextServer(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": ``}, map[string]string{"m/client/init.lua": `echo "loaded"`}, "m")
	c := p.client.host.Server()
	p.client.out = nil
	p.client.scripts.Hooks().ConnectionEnded(c, "bye", false)
	p.client.scripts.Hooks().Accepted(c)
	p.client.scripts.Hooks().BeginTick()
	assert.Equal(t, []string{"loaded"}, p.client.out)
	assert.Equal(t, []string{"base", "m"}, loadedNames(p.client))
}

// TestAModThatFailsToLoadLeavesNothing checks that a mod that fails during its load leaves no
// command.
func TestAModThatFailsToLoadLeavesNothing(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"bad/server/init.lua":  `addCommand { name = "bad.command", run = function() end } error "halfway"`,
		"good/server/init.lua": `addCommand { name = "good.command", run = function() return "good" end }`,
	}))
	errs := h.scripts.LoadMods("base", "bad", "good")
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0].Error(), "mod bad is not loaded: mods/bad/server/init.lua:1: halfway")
	assert.Equal(t, "good", h.line("good.command"))
	assert.Contains(t, h.line("bad.command"), "error:")
	assert.Equal(t, []string{"base", "good"}, loadedNames(h))
}

func loadedNames(h *half) []string {
	var names []string
	for _, line := range strings.Split(h.line("mods"), "\n") {
		if name, rest, _ := strings.Cut(line, " "); !strings.HasPrefix(rest, "- not loaded") {
			names = append(names, name)
		}
	}
	return names
}
