package script_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/vm"
)

// A half is a server or a client with its Lua and its console.
type half struct {
	t       testing.TB
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	out     []string // console output
	hud     []string // lines of the HUD as shown
	store   *slowStore
	log     []string
	wall    time.Duration        // time of the meter's clock
	clock   func() time.Duration // the meter's clock
	cpu     func() time.Duration // the meter's CPU clock; nil: it stands still
	heap    func() uint64        // the meter's heap; nil: it does not grow
	perAsk  time.Duration        // advance of the clock on each read
	rights  *fakeRights
	audited []string // lines "actor: action"
}

// A pair is a server and a client on a network without delay or packet loss.
type pair struct {
	net            *netsim.Network
	server, client *half
}

// files makes a folder of mods from "mod/path" → text. It adds a mod.toml where none is given, with
// the permission for overrides if the mod has one.
func files(list map[string]string) fs.FS {
	folder := fstest.MapFS{}
	for name, text := range list {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
		mod, _, _ := strings.Cut(name, "/")
		manifest := mod + "/mod.toml"
		if _, own := list[manifest]; own {
			continue
		}
		if folder[manifest] == nil {
			folder[manifest] = &fstest.MapFile{Data: []byte("name = \"" + mod + "\"\nversion = \"1.0.0\"\n")}
		}
		if toml := folder[manifest]; strings.Contains(text, "override(") && !strings.Contains(string(toml.Data), "permissions") {
			toml.Data = append(toml.Data, "permissions = [\"mod.override\"]\n"...)
		}
	}
	return folder
}

// compiled holds the files of all sides, which are on one goroutine: otherwise each side compiles
// base again.
var compiled = vm.NewProtos()

// parts are those of all sides, which are on one goroutine: otherwise each server reads the texts
// of base and makes the rows of the classes again.
var parts = script.NewParts(plural.For).Keep()

// otherParts are parts for sides with classes of their own, so that parts keeps the rows of the
// stock classes.
var otherParts = script.NewParts(plural.For).Keep()

// stockClasses returns the classes without additional ones. All sides have the same.
var stockClasses = sync.OnceValue(newClasses)

// newClasses returns the classes of engine and game.
func newClasses() *sim.Classes {
	classes := sim.NewClasses()
	if err := errors.Join(engine.Register(classes), game.Register(classes)); err != nil {
		panic(err)
	}
	return classes
}

// newHalf makes one side without a connection.
func newHalf(t testing.TB, n uint16, server bool, folders ...fs.FS) *half {
	return newHalfOf(t, n, server, nil, folders...)
}

// newHalfOf is newHalf with additional classes; nil: none.
func newHalfOf(t testing.TB, n uint16, server bool, more func(*sim.Classes), folders ...fs.FS) *half {
	return newHalfWith(t, n, server, more, func(*script.Setup) {}, folders...)
}

// newHalfWith is newHalfOf with a different setup of the scripts.
func newHalfWith(t testing.TB, n uint16, server bool, more func(*sim.Classes), change func(*script.Setup), folders ...fs.FS) *half {
	h := &half{t: t, rights: newFakeRights(), store: newSlowStore()}
	classes, parts := stockClasses(), parts
	if more != nil {
		classes, parts = newClasses(), otherParts
		more(classes)
	}
	entropy := rand.NewChaCha8([32]byte{byte(n)})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	h.console = console.New(func(line string) { h.out = append(h.out, line) })
	h.host = engine.NewHost(engine.Config{
		Server: server, Name: map[bool]string{true: "Server", false: "Dood"}[server], Classes: classes,
		Identity: id, Entropy: entropy,
		Resolve: engine.ResolveTo(netcore.SimAddr(1)),
		Trust:   func(string, seal.Key) error { return nil },
	})
	require.NoError(t, h.host.Bind(h.console))
	h.clock = func() time.Duration { h.wall += h.perAsk; return h.wall }
	setup := script.Setup{
		Parts:  parts,
		Engine: h.host, Console: h.console, Mods: append([]fs.FS{mods.FS()}, folders...),
		Echo:  func(line string) { h.out = append(h.out, line) },
		Hud:   func(line int, text string) { h.hud = append(h.hud, fmt.Sprint(line, " ", text)) },
		Log:   func(_ slog.Level, msg string, args ...any) { h.log = append(h.log, msg) },
		Clock: func() time.Duration { return h.clock() }, Thread: h.pin, Heap: h.readHeap,
		Store:  h.store,
		Rights: h.rights, Audit: func(by, did string, err error) { h.audited = append(h.audited, by+": "+did) },
		Protos: compiled,
	}
	change(&setup)
	h.scripts, err = script.NewScripts(setup)
	require.NoError(t, err)
	h.host.SetScripts(h.scripts.Hooks())
	return h
}

// load loads mods by name and requires that each one loads.
func (h *half) load(names ...string) *half {
	for _, err := range h.scripts.LoadMods(append([]string{"base"}, names...)...) {
		require.NoError(h.t, err)
	}
	h.host.SetMods(h.scripts.ModInfos())
	return h
}

// line runs a console line and returns its output.
func (h *half) line(line string) string {
	h.t.Helper()
	h.out = nil
	out, err := h.console.Exec(line)
	if err != nil {
		return "error: " + err.Error()
	}
	if out != "" {
		h.out = append(h.out, out)
	}
	return strings.Join(h.out, "\n")
}

// join makes a server that runs a mod, and a client with its own folder of mods, and connects
// them.
func join(t testing.TB, server, client map[string]string, names ...string) *pair {
	return joinOf(t, nil, server, client, names...)
}

// joinOf is join with additional classes.
func joinOf(t testing.TB, more func(*sim.Classes), server, client map[string]string, names ...string) *pair {
	return joinFolders(t, more, files(server), files(client), names...)
}

// joinFolders is joinOf with folders that the test can change.
func joinFolders(t testing.TB, more func(*sim.Classes), server, client fs.FS, names ...string) *pair {
	p := &pair{net: netsim.New(1)}
	p.server = newHalfOf(t, 1, true, more, server).load(names...)
	p.client = newHalfOf(t, 2, false, more, client).load()
	p.net.Attach(netcore.SimAddr(1), p.server.host)
	p.net.Attach(netcore.SimAddr(2), p.client.host)
	p.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, p.client.host.Dialer.Connect("x:1", engine.ConnectArgs{}))
	p.waitForGame(p.client)
	return p
}

// addClient connects another client with the address n.
func (p *pair) addClient(h *half, n uint16) { p.addNamed(h, n, "") }

// addNamed connects another client with a player name. "" is the host's own.
func (p *pair) addNamed(h *half, n uint16, name string) {
	p.dial(h, n, name)
	p.waitForGame(h)
}

// dial lets a client begin to connect.
func (p *pair) dial(h *half, n uint16, name string) {
	p.net.Attach(netcore.SimAddr(n), h.host)
	p.net.Link(netcore.SimAddr(n), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(h.t, h.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: name}))
}

// waitForGame runs until clients are in the game.
func (p *pair) waitForGame(clients ...*half) {
	for _, h := range clients {
		p.net.RunWhile(p.net.Now()+20*time.Second, engine.TickTime, func() bool {
			c := h.host.Server()
			return c == nil || c.Join.Phase() != engine.PhaseGame
		})
		logs := strings.Join(append(p.server.log, h.log...), "\n")
		require.NotNil(h.t, h.host.Server(), logs)
		require.Equal(h.t, engine.PhaseGame, h.host.Server().Join.Phase(), logs)
	}
	p.run(200 * time.Millisecond)
}

func (p *pair) run(d time.Duration) {
	p.server.out, p.client.out = nil, nil
	p.net.Run(p.net.Now()+d, engine.TickTime)
}

const echoMessage = `function clientCmdEchoMessage(message, a1, a2, a3, a4)
  echo(detag(message))
  for i, a in ipairs { a1 or "", a2 or "", a3 or "", a4 or "" } do echo("a" .. i .. " = " .. detag(a)) end
end`

func TestTheDocumentedSubstitutions(t *testing.T) {
	p := join(t, nil, nil)
	require.Empty(t, p.client.line(echoMessage))
	for call, want := range map[string][]string{
		`tag "This %1 guy is super %2", tag "Got Milk?", tag "slow at writing documentation"`: {
			"This Got Milk? guy is super slow at writing documentation",
			"a1 = Got Milk?", "a2 = slow at writing documentation", "a3 = ", "a4 = ",
		},
		`tag "%1 is a good %2 for %3", tag "%1 the good %2", tag "Role Model", tag "SuperDood %1", tag "the dude of super"`: {
			"Role Model the good SuperDood the dude of super is a good Role Model for SuperDood the dude of super",
			"a1 = Role Model the good SuperDood the dude of super", "a2 = Role Model",
			"a3 = SuperDood the dude of super", "a4 = the dude of super",
		},
	} {
		require.Empty(t, p.server.line(`commandToAll(tag "EchoMessage", `+call+`)`))
		p.run(200 * time.Millisecond)
		assert.Equal(t, want, p.client.out)
	}
}

func TestACommandReachesTheModAndItsAnswerComesBack(t *testing.T) {
	p := join(t, nil, nil, "hello")
	require.Empty(t, p.client.line(`function clientCmdHelloAnswer(text) echo("answer: " .. detag(text)) end`))
	require.Empty(t, p.client.line(`commandToServer("HelloAsk", "HeavyBall")`))
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"answer: HeavyBall weighs 20 kg."}, p.client.out)
}

func TestTypesSurviveTheWire(t *testing.T) {
	p := join(t, nil, nil, "hello")
	require.Empty(t, p.client.line(`function clientCmdShow(...)
		for i = 1, select("#", ...) do
			local v = select(i, ...)
			echo(i .. " " .. type(v) .. " " .. tostring(v) .. " " .. tostring(isTag(v)))
		end
	end`))
	require.Empty(t, p.server.line(`commandToAll("Show", nil, true, 3, -0.5, "text", tag "tag", vec(1, 2, 3), find("Ball"))`))
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{
		"1 nil nil false", "2 boolean true false", "3 number 3 false", "4 number -0.5 false",
		"5 string text false", "6 userdata tag true", "7 userdata 1 2 3 false", "8 userdata Ball false",
	}, p.client.out)
}

func TestHandlersAreCaseInsensitiveInBothSpellings(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		function serverCmdOne(client, x) echo("one " .. x .. " from " .. client.name) end
		function serverCmd.Two(client, x) echo("two " .. x) end
	`}, nil, "m")
	p.client.line(`commandToServer("oNE", 1) commandToServer(tag "TWO", 2) commandToServer("three", 3)`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"one 1 from Dood", "two 2"}, p.server.out)
}

func TestTheModLoadedLastHandlesACommand(t *testing.T) {
	p := join(t, map[string]string{
		"a/server/init.lua": `function serverCmd.Hi() echo "a" end`,
		"b/server/init.lua": `function serverCmd.Hi() echo "b" end`,
		"c/server/init.lua": `override(serverCmd, "Hi", function(parent, client, x) echo("c before " .. x) parent(client, x) echo "c after" end)`,
	}, nil, "a", "b", "c")
	p.client.line(`commandToServer("Hi", 5)`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"c before 5", "b", "c after"}, p.server.out)
	assert.Contains(t, strings.Join(p.server.log, "\n"), "mods a and b both handle serverCmdHi; only b runs")
}

func TestAllowCommandChecksBeforeLua(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		allowCommand("Move", { args = { "int", "string?" }, rate = 2, burst = 3 })
		function serverCmd.Move(client, n, s) echo("move", n, s) end
	`}, nil, "m")
	p.client.line(`commandToServer("Move", "x") commandToServer("Move", 1.5) commandToServer("Move", 2) commandToServer("Move", 3, "y") commandToServer("Move", 4)`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"move\t2\tnil"}, p.server.out, "two calls of wrong types and one good one are the burst")
}

func TestDatablocksInLua(t *testing.T) {
	p := join(t, map[string]string{"m/shared/blocks.lua": `
		disc = datablock "ItemData" "Disc" { mass = 2, shape = "disc.dts", sticky = true }
		datablock "ItemData" "BigDisc" { inherit = disc, mass = 20 }
		function disc:onPickup(who, n) return self.mass + n end
	`, "m/server/init.lua": `
		local d = new "Item" { dataBlock = disc, position = vec(1, 2, 3), name = "d1" }
		assert(d.dataBlock.name == "Disc" and d.position == vec(1, 2, 3))
		assert(find("BigDisc"):onPickup(nil, 1) == 21)
	`}, nil, "m")
	assert.Empty(t, p.server.log)
	for line, want := range map[string]string{
		`find("Disc").mass`:         `2`,
		`find("BigDisc").shape`:     `"disc.dts"`,
		`find("BigDisc").sticky`:    `true`,
		`find("BigDisc").className`: `"ItemData"`,
		`find("BigDisc").mas`:       `error: console:1: unknown field "mas" of ItemData, did you mean "mass"?`,
		`find("Disc").mass = 3`:     `error: console:1: ItemData "Disc" belongs to the server and is read-only here`,
		`#dataBlockGroup`:           `2`,
		`(function() for o in objects "ItemData" do echo(o.name) end end)()`: "Disc\nBigDisc",
	} {
		assert.Equal(t, want, p.client.line(line), line)
	}
	p.server.line(`find("Disc").mass = 5`)
	p.server.line(`for c in clientGroup:each() do transmitDataBlocks(c, 9) end`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, "5", p.client.line(`find("Disc").mass`))
	assert.Equal(t, "20", p.client.line(`find("BigDisc").mass`))
}

func TestAMistakeNamesModFileAndLine(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": "\nfunction serverCmd.Oops(client)\n  local x = nil\n  x.y = 1\nend"}, nil, "m")
	p.client.line(`commandToServer("Oops") commandToServer("Oops")`)
	p.run(300 * time.Millisecond)
	require.Len(t, p.server.log, 1, "the same place is reported once")
	assert.Contains(t, p.server.log[0], "m: serverCmd Oops: mods/m/server/init.lua:4:")
	assert.Equal(t, "2", p.server.line("1+1"), "and the server lives")
}

func TestAnEndlessLoopCostsOneCallback(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		function serverCmd.Spin() while true do end end
		function serverCmd.Ping() echo "pong" end
	`}, nil, "m")
	p.client.line(`commandToServer("Spin") commandToServer("Ping")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"pong"}, p.server.out)
	assert.Contains(t, p.server.log[0], "budget")
}

func TestChatMissionsAndNames(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua":    `function onChat(client, text) if text == "quiet" then return false end return (text:gsub("bad", "***")) end`,
		"m/missions/first.lua": `new "Marker" { name = "m1", position = vec(0, 0, 1) }`,
	}, nil, "m")
	p.client.line(`say("a bad word")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"Dood: a *** word"}, p.client.out)
	p.client.line(`say("quiet")`)
	p.run(300 * time.Millisecond)
	assert.Empty(t, p.client.out)

	assert.Equal(t, "no mission is loaded", p.server.line("mission"))
	assert.Contains(t, p.server.line("mission nowhere"), `error: unknown mission "nowhere": available are first`)
	require.Empty(t, p.server.line("mission first"))
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"The mission is over."}, p.client.out)
	assert.Equal(t, "1", p.server.line("#missionGroup"))
	assert.Equal(t, `"game"`, p.client.line("server.phase"), "the client has passed the phases again")
}

func TestModsTalkToEachOther(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `export("add", function(x, y) return x + y, { sum = x + y, at = vec(1, 2, 3) } end) export("limit", 7)`,
		"b/server/init.lua": `
			local a = import "a"
			local s, t = a.add(2, 3)
			echo(s, t.sum, t.at, a.limit)
			echo(pcall(function() return a.nothing end))
			echo(pcall(function() return a.add(print, 1) end))
		`,
	})).load("a", "b")
	assert.Equal(t, "5\t5\t1 2 3\t7", h.out[0])
	assert.Contains(t, h.out[1], `mod a exports no "nothing"`)
	assert.Contains(t, h.out[2], "a function cannot go to another mod")
}

func TestScheduleAndTime(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.line(`schedule(100, function(x) echo("late " .. x) end, 5)`)
	h.line(`schedule(10, echo, "soon")`)
	h.line(`gone = schedule(50, echo, "never")`)
	assert.Equal(t, "true", h.line(`isEventPending(gone)`))
	assert.Equal(t, "true", h.line(`cancel(gone)`))
	assert.Equal(t, "false", h.line(`cancel(gone)`))
	h.out = nil
	for range 5 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{"soon", "late 5"}, h.out)
	assert.Equal(t, "160\t5", h.line(`now(), tick()`))
}

func TestObjectsAndGroups(t *testing.T) {
	h := newHalf(t, 1, true).load()
	for _, x := range [][2]string{
		{`g = new "SimGroup" { name = "Things" }`, ``},
		{`for i = 1, 3 do g:add(new "ScriptObject" { name = "o" .. i }) end`, ``},
		{`#g, find("O2").name, find("o3").group.name`, "3\t\"o2\"\t\"Things\""},
		{`find("o1").own.score = 5`, ``},
		{`find("o1").own.score, find("o2").own.score`, "5\tnil"},
		{`o = find("o1") o:delete()`, ``},
		{`isObject(o), #g`, "false\t2"},
		{`o.name`, `error: console:1: object 7 has been deleted`},
		{`new "Itm" {}`, `error: console:1: new: unknown class "Itm", did you mean "Item"?`},
		{`new "Item" {}`, `error: console:1: new: a new Item needs a dataBlock of class ItemData`},
		{`g:delete()`, ``},
		{`isObject("o2")`, `false`},
		{`rootGroup.name, clientGroup.className`, "\"RootGroup\"\t\"SimGroup\""},
	} {
		got := h.line(x[0])
		if strings.Contains(x[1], "object 7") {
			assert.Regexp(t, `object \d+ has been deleted`, got)
			continue
		}
		assert.Equal(t, x[1], got, x[0])
	}
}

func TestVectorsTagsAndTables(t *testing.T) {
	h := newHalf(t, 1, true).load()
	for line, want := range map[string]string{
		`vec(1, 2, 3) + vec(1, 1, 1)`:                                      "vec(2, 3, 4)",
		`-vec(1, 2, 3) * 2, 2 * vec(1, 0, 0)`:                              "vec(-2, -4, -6)\tvec(2, 0, 0)",
		`vec(3, 4, 0):length(), vec(1, 0, 0) == vec(1)`:                    "5\ttrue",
		`vec(1, 0, 0):cross(vec(0, 1, 0)).z`:                               "1",
		`rot(90, 0, 0).yaw`:                                                "90",
		`tag "a" == tag "a", tag "a" == tag "b"`:                           "true\tfalse",
		`(function() local t = {} t[tag "k"] = 1 return t[tag "k"] end)()`: "1",
		`type(tag "x"), tag "x" .. "y", #tag "xyz"`:                        "\"userdata\"\t\"xy\"\t3",
		`detag(tag "x"), detag "y", isTag(tag ""), isTag ""`:               "\"x\"\t\"y\"\ttrue\tfalse",
		`buildTaggedString(tag "%1 and %2%%", "a", 5)`:                     `"a and 5%"`,
		`buildTaggedString(tag "50%, %a %0 %%2 %3%", "a")`:                 `"50%, %a %0 %2 %"`,
		`undefinedThing`: `error: console:1: undefined global 'undefinedThing'`,
		`net.rate`:       `"auto"`,
		`= net.size * 2`: "2800",
	} {
		assert.Equal(t, want, h.line(line), line)
	}
}

func TestMoreSpecificErrorIsReported(t *testing.T) {
	h := newHalf(t, 1, true).load()
	assert.Equal(t, "error: console:1: syntax error near '*'", h.line(`1 +* 2`))
	assert.Equal(t, "error: console:1: syntax error near '='", h.line(`x = = 3`))
	assert.Equal(t, "error: console:1: syntax error near 'bar'", h.line(`foo bar`))
}

// TestAnUnfinishedEvalIsAnError checks that an incomplete --eval is an error, because no more
// lines follow.
func TestAnUnfinishedEvalIsAnError(t *testing.T) {
	_, err := newHalf(t, 1, true).load().scripts.EvalLua("x =")
	assert.EqualError(t, err, "the chunk is unfinished")
}

func TestRealmsAreSentences(t *testing.T) {
	server, client := newHalf(t, 1, true).load(), newHalf(t, 2, false).load()
	assert.Contains(t, server.line(`commandToServer("x")`), "commandToServer is available only on the client")
	assert.Contains(t, client.line(`commandToAll("x")`), "commandToAll is available only on the server")
	assert.Contains(t, client.line(`commandToServer("x")`), "not connected to a server")
}

// setMeter gives the scripts other limits, another clock and another heap. A nil clock stands
// still. A nil heap does not grow.
func (h *half) setMeter(l vm.Limits, clock func() time.Duration, heap func() uint64) {
	*h.scripts.Runtime.LimitsVar() = l.WithDefaults()
	h.heap, h.clock = heap, clock
	if clock == nil {
		h.clock = func() time.Duration { return 0 }
	}
}

// pin is the thread of the meter.
func (h *half) pin() (func() time.Duration, func()) {
	if h.cpu == nil {
		return func() time.Duration { return 0 }, func() {}
	}
	runtime.LockOSThread()
	return h.cpu, runtime.UnlockOSThread
}

// readHeap returns the heap size for the meter.
func (h *half) readHeap() uint64 {
	if h.heap == nil {
		return 0
	}
	return h.heap()
}
