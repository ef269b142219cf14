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

// TestFleetServerShares plays other servers that change shared values, claim keys and die.
func TestFleetServerShares(t *testing.T) {
	results := run(t, Options{},
		"m/server/init.lua", `
			told = {}
			function onShared(key, value) told[#told + 1] = { key, value } end
			function put(key, value) local r = {} shared:put(key, value, function(...) r.ok, r.why = ... r.done = true end) return r end
			function earn(key, n)
				local r = { calls = 0 }
				shared:update(key, function(had) r.calls = r.calls + 1 return (had or 0) + n end, function(...) r.ok, r.why = ... r.done = true end)
				return r
			end
			function claim(key) local r = {} shared:claim(key, function(...) r.ok, r.holder = ... r.done = true end) return r end`,
		"m/test/x_test.lua", `
			local function ended(r) waitFor(function() return r.done end) return r end

			test("a value of another server", function()
				local a = fleetServer "a"
				equal({ a:put("k", { 7 }) }, { true })
				equal(shared:get "k", nil)
				ticks(2)
				equal(shared:get "k", { 7 })
				equal(told, { { "k", { 7 } } })
				truthy(ended(put("k", 8)).ok)
				equal(a:get "k", 8)
				a:put("k", nil)
				ticks(2)
				equal({ shared:get "k", a:get "k" }, {})
			end)

			test("another server is faster", function()
				local a = fleetServer "a"
				local r = put("n", 1)
				a:put("n", 10)
				equal(shared:get "n", 1)
				ended(r)
				equal({ r.ok, r.why, shared:get "n" }, { false, "another server has changed the value", 10 })
				a:beat("n", 20)
				r = ended(earn("n", 1))
				equal({ r.ok, r.calls, shared:get "n", a:get "n" }, { true, 2, 21, 21 })
				r = ended(earn("n", 1))
				equal({ r.ok, r.calls, a:get "n" }, { true, 1, 22 })
			end)

			test("a batch happens or does not", function()
				local a = fleetServer "a"
				a:beat("y", 5)
				local first, second = put("x", 1), put("y", 1)
				ended(second)
				equal({ first.ok, second.ok, shared:get "x", shared:get "y" }, { false, false, nil, 5 })
			end)

			test("claims end with their holder", function()
				local a, b = fleetServer "a", fleetServer "b"
				equal({ a:claim "boss" }, { true, "a" })
				equal({ b:claim "boss" }, { false, "a" })
				equal({ b:put("boss", 1) }, { false, "claimed by a" })
				truthy(a:put("boss", "asleep"))
				ticks(2)
				equal(ended(put("boss", 1)).why, "claimed by a")
				a:die()
				wait(5900)
				equal(ended(claim "boss").holder, "a")
				wait(200)
				truthy(ended(claim "boss").ok)
				equal({ b:put("boss", 2) }, { false, "claimed by test" })
				b:beat("boss", 2)
				truthy(ended(put("boss", 3)).ok)
				equal(b:get "boss", 3)
				shared:release "boss"
				ticks(3)
				truthy(b:claim "boss")
				b:release "boss"
				ticks(2)
				truthy(ended(put("boss", 4)).ok)
				fails(function() a:put("boss", 1) end, "the server a is dead")
				fails(function() b:put("", 1) end, "a key must have 1 to 256 bytes, not 0")
			end)

			test("failStore", function()
				failStore "no power"
				store:put("own", 1)
				equal(ended(put("z", 1)).why, "no power")
				equal({ store:get "own", shared:get "z" }, {})
				failStore()
				store:put("own", 1)
				ticks(2)
				truthy(ended(put("z", 1)).ok, "it has failed already")
				failStore()
				equal(ended(put("z", 2)).ok, false)
				store:put("own", 2)
				ticks(3)
				equal(store:get "own", 2, "it has failed already")
			end)`,
	)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
	assert.Len(t, results, 5)
}

// TestFleetServerTakesPlayers plays a server to which a mod sends players.
func TestFleetServerTakesPlayers(t *testing.T) {
	results := run(t, Options{},
		"m/mod.toml", "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\npermissions = [\"transfer\"]\n",
		"m/server/init.lua", `
			function go(client, where, data) local r = {} r.ordered, r.why = client:transfer(where, data, function(...) r.ok, r.reason = ... r.done = true end) return r end
			function GameConnection.onDrop(client, reason) dropped = reason end`,
		"m/test/x_test.lua", `
			local function ended(r) truthy(r.ordered, r.why) waitFor(function() return r.done end) return r end

			test("a player arrives", function()
				local a, ann = fleetServer "a", client { name = "Ann", key = "ann" }
				local key = ann.client.key
				local r = ended(go(ann.client, "a", { gold = 7 }))
				equal({ r.ok, r.reason }, { true })
				waitFor(function() return not ann.joined end)
				equal({ dropped, ann.reason }, { "transferred to a", "transferred to a" })
				equal(a:arrivals(), { { name = "Ann", key = key, data = { gold = 7 } } })
				equal(a:arrivals(), {})
				local back = client { name = "Ann", key = "ann" }
				equal(back.client.key, key)
			end)

			test("a player stays", function()
				local a, b, ann = fleetServer "a", fleetServer "b", client { name = "Ann" }
				a:refuse "the server is full"
				b:die()
				equal(ended(go(ann.client, "a")).reason, "the server is full")
				equal(ended(go(ann.client, "b")).reason, "b does not answer")
				truthy(ann.joined)
				fails(function() go(ann.client, "c") end, 'there is no server "c" in the fleet')
				a:refuse()
				truthy(ended(go(ann.client, "a")).ok)
				equal(#a:arrivals(), 1)
			end)`,
	)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
	assert.Len(t, results, 2)
}

// TestTheGuideToOtherServers runs the mod and the tests of docs/mods.md.
func TestTheGuideToOtherServers(t *testing.T) {
	page, err := os.ReadFile("../../docs/mods.md")
	require.NoError(t, err)
	_, section, is := strings.Cut(string(page), "\n## 23. Other servers\n")
	require.True(t, is)
	files := []string{"race/mod.toml", "name = \"race\"\nversion = \"1.0.0\"\ndepends = [\"base >=1.0\"]\npermissions = [\"transfer\"]\n"}
	code := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```lua\n-- (\\S+\\.lua)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		code[block[1]] += block[2]
	}
	require.Len(t, code, 2, "a mod and its tests")
	for name, text := range code {
		files = append(files, "race/"+name, text)
	}
	results, err := Run(Options{Mod: "race", Folders: []fs.FS{mods.FS(), folder(files...)}})
	require.NoError(t, err)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
	assert.Len(t, results, 4)
}
