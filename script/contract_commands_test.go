package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// show prints the arguments that arrive: a kind and a text for each value.
const show = `function clientCmdShow(...)
	local words = {}
	for i = 1, select("#", ...) do
		local v = select(i, ...)
		words[i] = (isTag(v) and "tag" or type(v)) .. " " .. tostring(v)
	end
	echo(table.concat(words, ", "))
end`

// shown returns the text that the client prints after one line on the server.
func (p *pair) shown(line string) string {
	p.server.t.Helper()
	require.Empty(p.server.t, p.server.line(line), line)
	p.run(300 * time.Millisecond)
	return strings.Join(p.client.out, "\n")
}

func TestArgumentsKeepTheirType(t *testing.T) {
	p := join(t, map[string]string{"m/shared/a.lua": `disc = datablock "ItemData" "Disc" { mass = 2 }`}, nil, "m")
	p.client.line(show)
	for args, want := range map[string]string{
		`nil, true, false`:               "nil nil, boolean true, boolean false",
		`0, -7, 2^53, 0.1, 1e300`:        "number 0, number -7, number 9.007199254741e+15, number 0.1, number 1e+300",
		`1/0, -1/0`:                      "number inf, number -inf",
		`"", "007", "\0\255"`:            "string , string 007, string \x00\xff",
		`tag "", tag "100%% %1", "x"`:    "tag , tag 100% x, string x",
		`vec(1, 2.5, -3), rot(90, 0, 1)`: "userdata 1 2.5 -3, userdata 90 0 1",
		`find "Disc"`:                    "userdata Disc",
		`"plain %1", "x"`:                "string plain %1, string x",
		`tag "%2%1%9%", "a", "b"`:        "tag ba%, string a, string b",
		`tag "%12 %x %% %", "one"`:       "tag one2 %x % %, string one",
		`tag "%1 %2 %3 %4", nil, true, vec(1, 2, 3), find "Disc"`: "tag  true 1 2 3 Disc, nil nil, boolean true, userdata 1 2 3, userdata Disc",
		`1, nil, nil`: "number 1, nil nil, nil nil",
	} {
		assert.Equal(t, want, p.shown(`commandToAll("Show", `+args+`)`), args)
	}
}

func TestTheCommandsNameIsNotExpanded(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(show)
	assert.Empty(t, p.shown(`commandToAll(tag "%1", "Show")`))
	assert.Equal(t, "number 1", p.shown(`commandToAll(tag "sHOW", 1)`))
}

func TestAClientIsAHandleOrItsId(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(show)
	p.server.line(`c = clientGroup:at(1)`)
	assert.Equal(t, "string handle", p.shown(`commandToClient(c, "Show", "handle")`))
	assert.Equal(t, "string id", p.shown(`commandToClient(c.id, "Show", "id")`))
	for line, want := range map[string]string{
		`commandToClient(4000, "Show")`:                                                     "unknown connection 4000",
		`commandToClient(-1, "Show")`:                                                       "unknown connection",
		`commandToClient(0/0, "Show")`:                                                      "unknown connection",
		`commandToClient(nil, "Show")`:                                                      "argument 1 (client) must be an object, not nil",
		`commandToClient(rootGroup, "Show")`:                                                "unknown connection",
		`commandToClient(c)`:                                                                "argument 2 (cmd) is missing",
		`commandToClient(c, 5)`:                                                             "argument 2 (cmd) must be a tag or a string, not a number",
		`commandToClient(c, vec(1, 2, 3))`:                                                  "argument 2 (cmd) must be a tag or a string, not a vec",
		`commandToClient(c, "")`:                                                            "the command's name must have 1 to 1024 bytes, got 0",
		`commandToClient(c, "Show", print)`:                                                 "command argument 1: a function cannot be sent",
		`commandToClient(c, "Show", {})`:                                                    "command argument 1: a table cannot be sent",
		`commandToClient(c, "Show", 1, new "ScriptObject" {})`:                              "command argument 2 is an object of class ScriptObject, which never has ghosts: send its fields",
		`commandToClient(c, "Show", new "SimSet" {})`:                                       "command argument 1 is an object of class SimSet, which never has ghosts",
		`commandToClient(c, "Show", clientGroup)`:                                           "command argument 1 is an object of class SimGroup, which never has ghosts",
		`commandToAll("Show", rootGroup)`:                                                   "command argument 1 is an object of class SimGroup, which never has ghosts",
		`commandToWatchers("Show", rootGroup)`:                                              "command argument 1 is an object of class SimGroup, which never has ghosts",
		`commandToClient(c, "Show", ("x"):rep(32769))`:                                      "command argument 1 is a string of 32769 bytes: must be at most 32768",
		`tag(("x"):rep(1025))`:                                                              "a tag must have at most 1024 bytes, not 1025",
		`commandToClient(c, "Show", ("x"):rep(32768), ("x"):rep(32768))`:                    "a command can have at most 64 KiB",
		`commandToClient(c, "Show", 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21)`: "a command takes at most 20 arguments, got 21",
	} {
		got := p.server.line(line)
		assert.Contains(t, got, "error: console:1: ", line)
		assert.Contains(t, got, want, line)
	}
	assert.NotNil(t, p.client.host.Server(), "the connection lives")
}

func TestDeliveryClasses(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(show)
	p.server.line(`c = clientGroup:at(1)`)
	assert.Equal(t, "string a", p.shown(`commandToClient.with{guarantee = "none", priority = 3}(c, "Show", "a")`))
	assert.Equal(t, "string b", p.shown(`commandToClient.with{guarantee = "guaranteed"}(c, "Show", "b")`))
	assert.Equal(t, "string c", p.shown(`commandToAll.with{guarantee = "ordered"}("Show", "c")`))
	assert.Equal(t, "string d", p.shown(`local fast = commandToAll.with{priority = 1, guarantee = "none"} fast("Show", "d")`))
	assert.Equal(t, "string l", p.shown(`commandToAll.with{guarantee = "none", life = 100}("Show", "l")`))
	p.server.line(`function serverCmd.Show(client, x) echo("server", x) end`)
	p.client.line(`commandToServer.with{guarantee = "none"}("Show", "e")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"server\te"}, p.server.out)
	for options, want := range map[string]string{
		`{guarantee = "sure"}`: `guarantee must be "ordered", "guaranteed" or "none", not "sure"`,
		`{priority = 4}`:       "priority must be 0…3",

		`{life = 100}`: `console:1: commandToAll.with: life needs guarantee = "none": any other command arrives, however late`,

		`{guarantee = "guaranteed", life = 1}`: `console:1: commandToAll.with: life needs guarantee = "none"`,
		`{guarantee = "none", life = 0.5}`:     "console:1: commandToAll.with: life must be 1…60000 milliseconds",
		`{guarantee = "none", life = 60001}`:   "life must be 1…60000 milliseconds",
		`{guarantee = "none", life = "long"}`:  "life",
		`{garantee = "none"}`:                  `unknown option "garantee", did you mean "guarantee"?`,
	} {
		assert.Contains(t, p.server.line(`commandToAll.with`+options), want)
	}
}

// TestLifeOfACommand checks that a command is dropped that no packet has carried in its life.
func TestLifeOfACommand(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(`function clientCmdShow(...) echo(...) end`)
	p.server.line(`sv.maxRate = 1`)
	p.run(3 * time.Second)
	p.server.line(`commandToAll("Show", 1)`)
	for i := 0; len(p.client.out) == 0 && i < 100; i++ { // its packet leaves nothing of the rate
		p.run(32 * time.Millisecond)
	}
	p.server.line(`commandToAll.with{guarantee = "none", life = 100}("Show", 2) commandToAll.with{guarantee = "none"}("Show", 3) commandToAll.with{guarantee = "none", life = 5000}("Show", 4)`)
	p.run(3 * time.Second)
	assert.Equal(t, []string{"3", "4"}, p.client.out, "what came since")
	assert.Equal(t, uint64(1), p.server.host.Connections()[0].Events().Stats().Late)
}

func TestOrderedCallsOfAModArriveInOrder(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(`n, bad = 0, 0 function clientCmdN(i) n = n + 1 if i ~= n then bad = bad + 1 end end`)
	p.server.line(`setSimulatedNetParams(clientGroup:at(1), {loss = 0.2, reorder = 0.1, delay = 20, jitter = 20})`)
	p.server.line(`for i = 1, 300 do commandToAll("N", i) end`)
	p.run(20 * time.Second)
	assert.Equal(t, "300\t0", p.client.line(`n, bad`))
}

func TestAFloodFailsAtItsCaller(t *testing.T) {
	p := join(t, map[string]string{
		"flood/server/init.lua": `function flood() for i = 1, 40 do commandToAll("X", ("x"):rep(30000)) end end export("flood", flood)`,
		"calm/server/init.lua":  `export("say", function() commandToAll("Show", "calm") end)`,
	}, nil, "flood", "calm")
	p.client.line(show)
	got := p.server.line(`import("flood").flood()`)
	assert.Equal(t, "error: mods/flood/server/init.lua:1: commandToAll: 512 KiB of this mod's commands are waiting", got)
	require.Empty(t, p.server.line(`import("calm").say()`), "another mod has its own share")
	p.run(2 * time.Second)
	assert.Contains(t, p.client.out, "string calm", "and need not wait for the flood")
}

// TestLongQueuesAreNamed: a mod whose ordered commands wait for each other reads what to use
// instead, once, and not for commands without an order. Meanwhile the commands of others and chat
// are not delayed, at 64 kbit/s.
func TestLongQueuesAreNamed(t *testing.T) {
	p := join(t, map[string]string{
		"bulk/server/init.lua": `function send(c) for i = 1, 11 do c("X", ("x"):rep(30000)) end end
			export("ordered", function() send(commandToAll) end)
			export("loose", function() send(commandToAll.with { guarantee = "guaranteed" }) end)`,
		"calm/server/init.lua": `export("say", function() commandToAll("Show", "calm") end)`,
	}, nil, "bulk", "calm")
	p.client.line(show)
	warnings := func() (n int) {
		for _, line := range p.server.log {
			if strings.Contains(line, `bulk: 128 KiB of its ordered commands wait for one client, and later ones wait behind them: send bulk with commandToClient.with { guarantee = "guaranteed" }`) {
				n++
			}
		}
		return n
	}
	require.Empty(t, p.server.line(`import("bulk").loose()`))
	assert.Zero(t, warnings())
	p.net.Through(netcore.SimAddr(1), netcore.SimAddr(2), netsim.NewBottleneck(64_000, 100*time.Millisecond))
	for range 2 {
		p.server.line(`pcall(import("bulk").ordered)`)
	}
	assert.Equal(t, 1, warnings())
	p.run(5 * time.Second)
	p.client.out = nil
	require.Empty(t, p.server.line(`import("calm").say()`))
	p.run(time.Second)
	assert.Contains(t, p.client.out, "string calm")
}

// TestAStalledClientStopsNobody: the queue of a client that acknowledges nothing is cut. Commands
// to all reach the others, and the mod can see it in client.queued. The connection lives.
func TestAStalledClientStopsNobody(t *testing.T) {
	p := join(t, map[string]string{"flood/server/init.lua": `
		function flood() for i = 1, 8 do commandToAll("X", ("x"):rep(30000)) end end export("flood", flood)
		export("queued", function(c) return c.queued end)`}, nil, "flood")
	other := newHalf(t, 3, false, files(nil)).load()
	p.addClient(other, 3)
	other.line(`n = 0 function clientCmdX() n = n + 1 end`)
	p.server.line(`stalled = clientGroup:at(1)`)
	assert.Equal(t, "0", p.server.line(`import("flood").queued(stalled)`))
	p.server.line(`setSimulatedNetParams(stalled, {loss = 1})`)
	for range 4 {
		assert.Empty(t, p.server.line(`import("flood").flood()`))
		p.run(8 * time.Second)
	}
	assert.Equal(t, "true", p.server.line(`import("flood").queued(stalled) > 480 * 1024`))
	assert.Equal(t, "32", other.line(`n`))
	assert.Equal(t, "2", p.server.line(`#clientGroup`))
	assert.Contains(t, strings.Join(p.server.log, "\n"), "a command to all clients was not sent to this one")
}

// TestATagOnArrival checks that an argument arrives expanded: it is a tag, equal as a key to a tag
// of that text, and is passed on as a plain string.
func TestATagOnArrival(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		local seen = { [tag "key"] = "found by key" }
		function serverCmd.Look(client, t) echo(isTag(t), seen[t], t == tag "key") end
		function serverCmd.Pass(client, t) echo(isTag(t)) commandToClient(client, "Show", t, "x") end
	`}, nil, "m")
	p.client.line(show)
	p.client.line(`commandToServer("Look", tag "key")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"true\tfound by key\ttrue"}, p.server.out)
	p.client.line(`commandToServer("Pass", tag "hello %%1 %1", "you")`)
	p.run(400 * time.Millisecond)
	assert.Equal(t, []string{"true"}, p.server.out)
	assert.Equal(t, []string{"string hello %1 you, string x"}, p.client.out, "never expanded again")
	p.client.line(`commandToServer("Pass", tag "no percent")`)
	p.run(400 * time.Millisecond)
	assert.Equal(t, []string{"string no percent, string x"}, p.client.out)
}

func TestTagsAreCountedAndGivenBack(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.line(`a = addTaggedString("text") b = addTaggedString("text")`)
	assert.Equal(t, "true\t\"text\"", h.line(`a == b, getTaggedString(a)`))
	assert.Equal(t, "true", h.line(`(function() removeTaggedString(a) removeTaggedString(a) return isTag(a) end)()`))
	assert.Equal(t, `error: console:1: removeTaggedString: this mod has no reference to the tag (addTaggedString adds one)`, h.line(`removeTaggedString(a)`))
	assert.Equal(t, `error: console:1: getTaggedString: argument 1 (tag) must be a tag, not a string`, h.line(`getTaggedString("text")`))
	assert.Equal(t, "\"n: 5 t: a o: RootGroup \"", h.line(`buildTaggedString(tag "n: %1 t: %2 o: %3 %4", 5, tag "a", rootGroup)`))
	assert.Equal(t, "nil\t5", h.line(`detag(nil), detag(5)`))
	h.line(`mod.maxTags 3`)
	assert.Equal(t, `error: console:1: tag: a mod can have at most 3 tags`, h.line(`for i = 1, 9 do tag("t" .. i) end`))
}

func TestACallWithoutAHandlerIsCounted(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(`for i = 1, 5 do commandToServer("Nobody", i) end commandToServer("os.exit") commandToServer("quit")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, 7, p.server.host.Connections()[0].Commands.Stats.UnknownCommands)
	assert.Empty(t, p.server.out)
	p.client.line(`for i = 1, 500 do commandToServer("Nobody", i) end`)
	p.run(2 * time.Second)
	assert.NotZero(t, p.server.host.Connections()[0].Commands.Stats.RefusedCommands, "64 calls per second, 128 at once, unless allowed")
	assert.NotNil(t, p.client.host.Server())
}

func TestAllowCommandTypesAndMistakes(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		allowCommand("Typed", { args = { "any", "bool", "number", "tag?", "vec?", "object?" } })
		function serverCmd.Typed(client, ...) echo("typed", select("#", ...)) end
		allowCommand("Bare", { args = {} })
		function serverCmd.Bare(client, ...) echo("bare", select("#", ...)) end
	`}, nil, "m")
	p.client.line(`commandToServer("Bare", 1) commandToServer "Bare"`)
	p.run(200 * time.Millisecond)
	assert.Equal(t, []string{"bare\t0"}, p.server.out, "no arguments are a schema, too")
	for args, fits := range map[string]bool{
		`print and 1, true, 1.5`: true, `nil, false, -1, tag "x"`: true, `1, true, 1, nil, vec(1)`: true,
		`1, 1, 1`: false, `1, true`: false, `1, true, 1, "x"`: false, `1, true, 1, nil, nil, nil, 7`: false,
	} {
		p.client.line(`commandToServer("typed", ` + args + `)`)
		p.run(200 * time.Millisecond)
		assert.Equal(t, fits, len(p.server.out) == 1, args)
	}
	for line, want := range map[string]string{
		`allowCommand("X", {args = {"integer"}})`:   `args[1]: unknown type "integer" (types: any, bool, int, number, string, tag, vec, rot, object, client; ? after a type also allows nil)`,
		`allowCommand("X", {args = {"strin?"}})`:    `args[1]: unknown type "strin?", did you mean "string"?`,
		`allowCommand("X", {rate = -1})`:            "rate must be a number above 0",
		`allowCommand("X", {args = "int"})`:         "args must be a list of types, not a string",
		`allowCommand("X", {rate = 2, burst = .5})`: "burst must be at least 1",
		`allowCommand("X", {arg = {}})`:             `unknown option "arg", did you mean "args"?`,
	} {
		assert.Contains(t, p.server.line(line), want)
	}
}
