package modtrial

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
)

// TestFleetServer plays other servers of the fleet.
func TestFleetServer(t *testing.T) {
	results := run(t, Options{},
		"m/server/init.lua", `
			heard, seen = {}, {}
			function onFleetMessage(topic, value, from) heard[#heard + 1] = { topic, value, from } end
			function onFleetAsk(topic, value, from) if topic == "bad" then error("no") end return { topic, value, from } end
			function onFleetChange(s, joined) seen[#seen + 1] = { s.name, joined, s.own and s.own.map } end
			function ask(to, topic, value) local a = {} fleet.ask(to, topic, value, function(...) a.reply, a.err = ... a.done = true end) return a end`,
		"m/test/x_test.lua", `
			test("presence", function()
				equal(fleet.name, nil)
				equal(#fleet.servers(), 1)
				local b = fleetServer("b", { players = 3, own = { map = "valley" } })
				local a = fleetServer "a"
				ticks()
				equal(fleet.name, "test")
				local list = fleet.servers()
				equal({ list[1].name, list[2].name, list[3].name, list[3].players, list[3].free, list[3].own }, { "test", "a", "b", 3, 29, { map = "valley" } })
				equal(seen, { { "b", true, "valley" }, { "a", true } })
				b:set { state = "draining", own = { map = "hill" } }
				ticks()
				equal(seen[3], { "b", nil, "hill" })
				equal(fleet.servers()[3].state, "draining")
				b:die()
				wait(5900)
				equal(#fleet.servers(), 3)
				wait(200)
				equal(#fleet.servers(), 2)
				equal(seen[4], { "b", false, "hill" })
				fails(function() b:send("x") end, "the server b is dead")
				fails(function() fleetServer "a" end, "the fleet has a server a already")
				fails(function() fleetServer "A" end, "is not the name of another server")
				fails(function() fleetServer "test" end, "is not the name of another server")
				fails(function() a.x = 1 end, "change a test server with set")
				fails(function() return a.x end, "a test server has no")
				equal(tostring(a) .. a.name, "test server aa")
			end)

			test("it leaves at the end of a test", function()
				equal(#fleet.servers(), 1)
				equal(fleet.name, nil)
				fleet.send("nobody", 1)
				local a = ask("a", "x")
				ticks()
				equal(a.err, 'there is no server "a" in the fleet')
			end)

			test("messages", function()
				local a, b = fleetServer "a", fleetServer "b"
				a:send("hi", { n = 1 })
				ticks()
				equal(heard, { { "hi", { n = 1 }, "a" } })
				fleet.send("all", { 1 })
				fleet.send("one", nil, "b")
				ticks()
				equal(a:messages(), { { mod = "m", topic = "all", value = { 1 } } })
				equal(b:messages(), { { mod = "m", topic = "all", value = { 1 } }, { mod = "m", topic = "one" } })
				equal(b:messages(), {})
				fails(function() a:send("", 1) end, "a topic must have 1 to 64 bytes")
				fails(function() a:send("x", print) end, "a function cannot be stored")
			end)

			test("questions", function()
				local a = fleetServer "a"
				equal(a:ask("t", 5), { "t", 5, "a" })
				local none, why = a:ask("bad")
				equal(none, nil)
				equal(why, "mod m has failed there")
				truthy(log()[1]:find("no"))
				a:answers("sum", function(v) return v[1] + v[2] end)
				local sum, other = ask("a", "sum", { 2, 3 }), ask("a", "other")
				ticks(2)
				equal(sum.reply, 5)
				equal(other.done, nil)
				wait(2000)
				equal(other.err, "a has not answered within 2 s")
				local late = ask("a", "sum", { 1, 1 })
				a:die()
				wait(2100)
				equal(late.err, "a has not answered within 2 s")
			end)`,
	)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
	assert.Len(t, results, 4)
}

// TestTheGuideToOtherServers runs the mod and the tests of docs/mods.md.
func TestTheGuideToOtherServers(t *testing.T) {
	page, err := os.ReadFile("../../docs/mods.md")
	require.NoError(t, err)
	_, section, is := strings.Cut(string(page), "\n## 23. Other servers\n")
	require.True(t, is)
	var files []string
	for _, block := range regexp.MustCompile("(?s)```lua\n-- (\\S+\\.lua)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		files = append(files, "race/"+block[1], block[2])
	}
	require.Len(t, files, 4, "a mod and its tests")
	results, err := Run(Options{Mod: "race", Folders: []fs.FS{mods.FS(), folder(files...)}})
	require.NoError(t, err)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
	assert.Len(t, results, 2)
}
