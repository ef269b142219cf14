package script_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// A limit is a row of a table of docs/limits.md.
type limit struct{ what, most, variable, says string }

// pageOfLimits returns the rows of docs/limits.md by section.
func pageOfLimits(t *testing.T) map[string][]limit {
	page, err := os.ReadFile("../docs/limits.md")
	require.NoError(t, err)
	rows := map[string][]limit{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		for _, cells := range regexp.MustCompile(`(?m)^\| (.+?) \| (.+?) \| (?:`+"`(.+?)` "+`)?\| `+"`(.+?)`"+` \|.*\|$`).FindAllStringSubmatch(text, -1) {
			rows[name] = append(rows[name], limit{cells[1], cells[2], cells[3], cells[4]})
		}
		require.Equal(t, strings.Count(text, "\n| ")-1, len(rows[name])+1-min(len(rows[name]), 1), "a row of %s cannot be read", name)
	}
	return rows
}

// is compares a sentence of the page with the message.
func (l limit) is(t *testing.T, said string) {
	t.Helper()
	if l.says == "…" {
		return // no message
	}
	pieces := strings.Split(l.says, "…")
	for i := range pieces {
		pieces[i] = regexp.QuoteMeta(pieces[i])
	}
	assert.Regexp(t, regexp.MustCompile(strings.Join(pieces, ".*")), said, l.what)
}

// TestThePageOfLimitsHasTheVariables checks that the page lists every variable that limits mods,
// with its value.
func TestThePageOfLimitsHasTheVariables(t *testing.T) {
	h := newHalf(t, 1, true).load()
	told := map[string]string{}
	for _, rows := range pageOfLimits(t) {
		for _, l := range rows {
			if l.variable != "" {
				told[l.variable] = strings.NewReplacer(",", "", " MiB", "", " ", "").Replace(l.most)
			}
		}
	}
	have := map[string]string{}
	for _, name := range h.console.Names() {
		if _, v := h.console.Lookup(name); v != nil && (strings.HasPrefix(name, "mod.") && name != "mod.watch" || name == "fleet.maxShared") {
			have[name] = console.Show(v.Value)
		}
	}
	assert.Equal(t, have, told)
}

// A proof exceeds a limit and returns the message.
type proof func(t *testing.T) string

// event returns a proof that runs Lua as an event of the mod m.
func event(code string) proof {
	return func(t *testing.T) string { return inEvent(t, quiet(t), code) }
}

// quiet returns a server with an empty mod m and a mod that calls it.
func quiet(t *testing.T) *half {
	return newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua": `export("call", function(n) return import("other").call(n) end)`,
		"m/server/wide.lua": "return " + strings.Repeat("#", 100),
		"other/server/init.lua": `export("call", function(n) return import("m").call(n) end)
			export("take", function(v) return v end)`,
	})).load("m", "other")
}

// capped is event with a smaller limit, so that it is reached sooner.
func capped(variable, code string) proof {
	return func(t *testing.T) string {
		h := quiet(t)
		before := h.line(variable)
		require.Empty(t, h.line(variable+" 77"))
		return strings.ReplaceAll(inEvent(t, h, code), " 77 ", " "+before+" ")
	}
}

func inEvent(t *testing.T, h *half, code string) string {
	t.Helper()
	m := h.scripts.Runtime.Mod("m")
	fn, err := m.Compile("mods/m/server/init.lua", code, false)
	if err == nil {
		_, err = h.scripts.Runtime.EnterWith(h.scripts.Runtime.Limits().Line, m, fn)
	}
	require.Error(t, err)
	return err.Error()
}

// spends returns a proof that an entry with its own limit ends by that limit: after instructions,
// or when a clock or a heap has advanced far.
func spends(what vm.Resource, of func(*vm.Limits) *vm.Limit, heap uint64) proof {
	return func(t *testing.T) string {
		h, limits := quiet(t), vm.DefaultLimits
		l, now, used := of(&limits), time.Duration(0), uint64(0)
		clock, sample := func() time.Duration { now += 2 * time.Millisecond; return now }, func() uint64 { used += heap; return used }
		switch what {
		case vm.Instructions: // charged as that number of instructions
			l.Time, l.Heap, clock, sample = 0, 0, nil, nil
		case vm.Time:
			l.Instructions, l.Heap, sample = 0, 0, nil
			h.cpu = clock
		case vm.Heap:
			l.Instructions, l.Time = 0, 0
		}
		h.setMeter(limits, clock, sample)
		// compiling is charged as many instructions
		fn, err := h.scripts.Runtime.Mod("m").Compile("m.lua", `local s = ("-"):rep(`+map[bool]string{true: "1e6", false: "1"}[what == vm.Instructions]+`) while true do loadstring(s) end`, false)
		require.NoError(t, err)
		_, err = h.scripts.Runtime.EnterWith(*l, h.scripts.Runtime.Mod("m"), fn)
		require.Error(t, err)
		return err.Error()
	}
}

func callback(l *vm.Limits) *vm.Limit { return &l.Callback }
func loading(l *vm.Limits) *vm.Limit  { return &l.Load }
func lining(l *vm.Limits) *vm.Limit   { return &l.Line }

// plays returns a proof that reads the log after a mod has run for some ticks.
func plays(code string, ticks int, perAsk time.Duration) proof {
	return func(t *testing.T) string {
		h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": code})).load("m")
		h.perAsk = perAsk
		h.ticks(ticks)
		return strings.Join(h.log, "\n")
	}
}

// compiles returns a proof that a source is refused.
func compiles(source string) proof {
	return func(t *testing.T) string {
		_, err := quiet(t).scripts.Runtime.Mod("m").Compile("mods/m/server/init.lua", source, false)
		require.Error(t, err)
		return err.Error()
	}
}

// sends returns a proof with a client that is in the game as `c`.
func sends(code string) proof {
	return func(t *testing.T) string {
		p := join(t, map[string]string{"m/server/init.lua": ""}, nil, "m")
		return inEvent(t, p.server, "local c = clientGroup:at(1) "+code)
	}
}

// noted returns a proof that a mod's storage logs a message.
func noted(code string) proof {
	return func(t *testing.T) string { return shop(t, "").in(code) }
}

const failing = `function onTick() error "no" end `

// manyLocals returns a function that uses n locals of two enclosing functions.
func manyLocals(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("v", i)
	}
	outer, inner := strings.Join(names[:n/2], ", "), strings.Join(names[n/2:], ", ")
	return "local " + outer + " return function() local " + inner + " return function() return " + strings.Join(names, " and ") + " end end"
}

// manyNumbers returns a list of n different numbers.
func manyNumbers(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprint(&text, i, ",")
	}
	return "return {" + text.String() + "}"
}

// shows returns a proof with a bot as `c`, which gets a form.
func shows(code string) proof { return event(`local c = addBot "Bo" ` + code) }

// manyGlobals returns statements that set n different globals.
func manyGlobals(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "g%d = 1 ", i)
	}
	return text.String()
}

// proofs has a proof for each row of the page, section by section. A nil proof means that a
// separate test covers the row.
var proofs = map[string][]proof{
	"Budgets": {
		spends(vm.Instructions, callback, 0), spends(vm.Time, callback, 0), spends(vm.Heap, callback, 1<<20),
		func(t *testing.T) string {
			h := quiet(t)
			h.line("mod.threadInstructions 1000")
			require.Empty(t, h.line("spawn(function() while true do end end)"))
			h.ticks(2)
			return strings.ReplaceAll(strings.Join(h.log, "\n"), " 1000 ", " 200000000 ")
		},
		nil, nil, // see TestALongThreadStopsUntilTheNextTick and TestThreadsOfAModHaveAQuarter
		spends(vm.Instructions, loading, 0), spends(vm.Time, loading, 0),
		func(t *testing.T) string {
			e := edit(t, map[string]string{"m/server/init.lua": ""}, "m")
			e.cpu = func() time.Duration { e.wall += 10 * time.Millisecond; return e.wall }
			return e.write(map[string]string{"m/server/init.lua": "while true do end"}).line("mod reload m")
		},
		spends(vm.Heap, loading, 8<<20),
		spends(vm.Instructions, lining, 0), spends(vm.Time, lining, 0), spends(vm.Heap, lining, 8<<20),
		func(t *testing.T) string {
			const loop = "function onTick() while true do end end"
			h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": loop, "n/server/init.lua": loop, "o/server/init.lua": loop, "p/server/init.lua": "function onTick() end"})).load("m", "n", "o", "p")
			h.ticks(2)
			return strings.Join(h.log, "\n")
		},
		nil,
		nil, nil, // see TestHeavyClientsDelayNobody and TestPcallForSkipsOneClient
		nil, nil, // see TestCPUTimeSuspends
		spends(vm.Heap, func(l *vm.Limits) *vm.Limit { l.Callback.Heap = 0; return &l.Callback }, 256<<20),
	},
	"Faults": {
		plays(failing, 5, 0),
		nil,
		func(t *testing.T) string { return knockInCrowd(t, 1000) },
		func(t *testing.T) string {
			p := deferredJoin(t, nil)
			p.run(engine.DeferTime)
			return strings.Join(p.client.out, "\n")
		},
		func(t *testing.T) string {
			p := deferredJoin(t, nil)
			return strings.TrimPrefix(p.server.line(`import("m").tell("Dood", ("x"):rep(256))`), "error: ")
		},
		plays(failing+`for i = 1, 5 do schedule(1, function() error "no" end) end
			Bad = class "Bad" { inherit = "Marker" } function Bad:onTick() error "no" end new "Bad" {}`, 8, 0),
		plays(`function fail() error "no" end for i = 0, 4 do schedule(3200 * i, fail) end`, 420, 0),
		plays(`for i = 1, 1001 do echo(i) end`, 1, 0),
		plays(`for i = 1, 200 do echo(("x"):rep(8000)) end`, 1, 0),
		func(t *testing.T) string {
			assert.Equal(t, strings.Repeat("x", 8192)+"…", quiet(t).line(`echo(("x"):rep(9000))`))
			return ""
		},
	},
	"Lua": {
		event(`return ("xx"):rep(600000)`), event(`local t = {} t[1048575] = 1 table.insert(t, 1)`),
		event(`local t = {} for i = 1, 1001 do t["k" .. i] = i end new "ScriptObject" (t)`),
		event(`local t = {} for i = 1, 20000 do t[i] = i end return unpack(t)`),
		event(`local function f() return 1 + f() end f()`),
		event(`local function f() local ok, e = pcall(f) error(e, 0) end f()`),
		event(`import("other").call(1)`),
		event(`local t = {} for i = 1, 1001 do t[i] = coroutine.create(function() coroutine.yield() end) coroutine.resume(t[i]) end`),
		event(`("x"):rep(300):find(("x?"):rep(300) .. "y")`), event(`("x"):find(("()"):rep(33))`),
		compiles(strings.Repeat("x", 4<<20+1)), compiles(strings.Repeat("(", 300)),
		compiles("x = 'a'" + strings.Repeat(" .. 'a'", 200)), compiles(manyNumbers(1<<18 + 1)), compiles(manyGlobals(8193)), compiles(manyLocals(201)),
		func(t *testing.T) string {
			h := shop(t, "")
			h.in(`schedule(0, function() note(select(2, json.decode(("x"):rep(131073))))(true) end)`)
			h.ticks(1)
			return h.in("heard()")
		},
		func(t *testing.T) string {
			h := shop(t, "")
			h.line("mod.maxString 2000000")
			return h.in(`return select(2, json.decode(("x"):rep(1048577)))`)
		},
		nil, // see TestALargeResultIsNoFault
		event(`error(select(2, json.decode(("["):rep(65))))`),
		func(t *testing.T) string {
			return shop(t, "").in(`local t = {} for i = 1, 60000 do t["k" .. i] = i end return select(2, json.encode(t))`)
		},
		event(`exec(("x"):rep(256) .. ".lua")`),
	},
	"Quotas": {
		capped("mod.maxObjects", `for i = 1, 65537 do new "ScriptObject" {} end`), capped("mod.maxTags", `for i = 1, 65537 do addTaggedString("t" .. i) end`),
		event(`for i = 1, 4097 do schedule(1000, tick) end`),
		event(`for i = 1, 4097 do datablock "ItemData" ("B" .. i) {} end`),
		event(`datablock "PlayerData" "P" {} for i = 1, 65 do datablock "ItemData" ("I" .. i) {} end
			local p = new "Player" { dataBlock = "P" } for i = 1, 65 do p:setItemCount("I" .. i, 1) end`),
		event(`local l = {} for i = 1, 65 do l[i] = { "box" } end datablock "ItemData" "L" { look = l }`),
		event(`local l = {} for i = 1, 64 do l[i] = { "label", text = ("x"):rep(32), when = ("y"):rep(32) } end datablock "ItemData" "L" { look = l }`),
		event(`for i = 1, 257 do class ("C" .. i) {} end`),
		event(`for i = 1, 1025 do override(serverCmd, "X", echo) end`),
		event(`for i = 1, 1025 do setting ("m.s" .. i) { default = 1 } end`),
		func(t *testing.T) string {
			h := shop(t, "")
			h.in(`for i = 1, 200 do store:put("k" .. i, ("x"):rep(60000)) end`)
			h.ticks(1)
			h.ticks(1)
			return h.in(`for i = 201, 300 do store:put("k" .. i, ("x"):rep(60000)) end`)
		},
		func(t *testing.T) string {
			f, a, b := two(t, "")
			for i := range 4 {
				a.in(fmt.Sprintf(`for i = 1, 8 do shared:put(%d .. "-" .. i, ("x"):rep(510000)) end`, i))
				f.rounds(8, a, b)
			}
			return a.in(`shared:put("more", ("x"):rep(510000))`)
		},
		noted(`store:put(("k"):rep(257), 1)`),
		noted(`store:put("k", ("x"):rep(524288))`), noted(`local t = {} for i = 1, 16385 do t[i] = i end store:put("k", t)`),
		noted(`local t = {} for i = 1, 8 do t = { t } end store:put("k", t)`),
		noted(`for i = 1, 16385 do store:put("k", i) end`),
		func(t *testing.T) string {
			f, a, _ := two(t, "")
			f.members[0].cut = true
			for range 16 {
				a.in(`for i = 1, 1024 do shared:put("k" .. i, 0) end`)
				a.ticks(1)
			}
			return a.in(`shared:put("k", 1)`)
		},
		func(t *testing.T) string {
			h := newHalfWith(t, 1, true, nil, func(s *script.Setup) { s.Fleet = onePeer{} }).load()
			return h.line(`local c = addBot "Bo" c:transfer("arena", ("x"):rep(2048))`)
		},
		event(`for i = 1, 101 do fleet.send("t", i) end`), event(`fleet.send("t", ("x"):rep(16384))`), event(`fleet.send(("x"):rep(65), 1)`),
		event(`tag(("x"):rep(1025))`), event(`new "Marker" { name = ("x"):rep(65) }`),
		func(t *testing.T) string {
			h := newHalf(t, 2, false).load()
			h.line(`setHud(1, ("x"):rep(300))`)
			assert.Equal(t, []string{"1 " + strings.Repeat("x", 256)}, h.hud)
			return ""
		},
	},
	"HTTP and TCP": {
		nil, event(`for i = 1, 65 do http.get("https://a.example/", echo) end`), nil, nil, nil, nil,
		event(`local t = {} for i = 1, 33 do t["a" .. i] = 1 end http.get("https://a.example/", echo, t)`),
		event(`for i = 1, 17 do tcpConnect("a.example", 1, {}) end`), event(`for i = 1, 5 do tcpListen(0, {}) end`),
		nil, nil, nil, nil, nil, // see the tests of sockets and of modnet
	},
	"Data between mods and clients": {
		event(`local t = {} for i = 1, 16385 do t[i] = i end import("other").take(t)`),
		event(`local s = ("x"):rep(131072) import("other").take { s, s, s, s, "x" }`),
		event(`local t = {} for i = 1, 8 do t = { t } end import("other").take(t)`),
		event(`import("other").take { [140000] = 1 }`),
		func(t *testing.T) string {
			h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
				list = {} for i = 1, 200001 do list[i] = i end
				function onReload(old) list = old.list end`})).load("m")
			err := h.scripts.ReloadNow("m")
			require.Error(t, err)
			return err.Error()
		},
		event(`commandToClient(addBot "Bo", "X", unpack({}, 1, 21))`), event(`commandToClient(addBot "Bo", "X", ("x"):rep(32769))`),
		event(`local s = ("x"):rep(32768) commandToClient(addBot "Bo", "X", s, s, s)`),
		event(`commandToClient.with { guarantee = "none", life = 60001 }`),
		sends(`for i = 1, 8193 do commandToClient(c, "X") end`), sends(`for i = 1, 20 do commandToClient(c, "X", ("x"):rep(32768)) end`),
		nil, nil, nil, // see TestCommandsWaitInABoundedQueue and TestManyRefusedCommandsEndAConnection
	},
	"Forms and keys": {
		shows(`for i = 1, 5 do c:form { name = "f" .. i, rows = {{ kind = "text" }}, done = echo } end`),
		shows(`local t = {} for i = 1, 257 do t[i] = { kind = "text" } end c:form { name = "x", rows = t, done = echo }`),
		shows(`local t = {} for i = 1, 17 do t[i] = { kind = "text", text = ("x"):rep(1000) } end c:form { name = "x", rows = t, done = echo }`),
		shows(`c:form { name = "x", rows = {{ kind = "text", text = ("x"):rep(1025) }}, done = echo }`),
		shows(`c:form { name = "a b", rows = {{ kind = "text" }}, done = echo }`),
		shows(`c:form { name = "x", title = ("x"):rep(129), rows = {{ kind = "text" }}, done = echo }`),
		shows(`local t = {} for i = 1, 256 do t[i] = "x" end c:form { name = "x", rows = {{ kind = "choice", name = "x", choices = t }}, done = echo }`),
		shows(`local t = {} for i = 1, 17 do t[i] = "x" end c:form { name = "x", rows = {{ kind = "table", columns = t, rows = {} }}, done = echo }`),
		shows(`c:form { name = "x", rows = {{ kind = "field", name = "x", length = 1025 }}, done = echo }`),
		nil, nil, nil, nil, nil, // see the tests of script/pictures and engine/picture
		nil, // see TestFormsOfASlowClientAreBounded of package engine
		shows(`for i = 1, 17 do c:hud { name = "e" .. i, at = "top", rows = {{ kind = "text" }} } end`),
		shows(`local t = {} for i = 1, 33 do t[i] = { kind = "text" } end c:hud { name = "x", at = "top", rows = t }`),
		shows(`local t = {} for i = 1, 4 do t[i] = { kind = "text", text = ("x"):rep(1021) } end c:hud { name = "x", at = "top", rows = t }`),
		shows(`for i = 1, 17 do serverCmd["k" .. i] = echo c:bind("k" .. i, "I") end`),
		shows(`serverCmd.k = echo c:bind("k", "I", ("x"):rep(129))`),
	},
	"Classes": {
		event(`local f = {} for i = 1, 65 do f["f" .. i] = bool { group = "g" } end class "Wide" { fields = f }`),
		event(`local f = {} for i = 1, 32 do f["f" .. i] = bool() end class "Wide" { fields = f }`),
		event(`class "Wide" { fields = { a = str(1000), b = str(255) } }`),
	},
	"Tests": {nil, nil, nil, nil, nil, nil},
}

// TestThePageOfLimits compares the page with the messages of the program for each limit.
func TestThePageOfLimits(t *testing.T) {
	rows := pageOfLimits(t)
	require.Len(t, rows, len(proofs))
	for section, list := range rows {
		require.Len(t, proofs[section], len(list), section)
		for i, l := range list {
			if of := proofs[section][i]; of != nil {
				t.Run(section+": "+l.what, func(t *testing.T) { l.is(t, of(t)) })
			}
		}
	}
}

// TestTablesNeverForgetKeys checks that a table keeps the slot of each key that it ever had, as
// the page says. A copy of the remaining entries does not.
func TestTablesNeverForgetKeys(t *testing.T) {
	h := shop(t, "t = {}")
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	for i := range 4 {
		h.in(fmt.Sprintf(`for i = 1, 20000 do t["key " .. i + %d] = true end for k in pairs(t) do t[k] = nil end`, i*20_000))
	}
	require.Equal(t, "nil", h.in(`return next(t)`))
	assert.Greater(t, held()-before, int64(3<<20))
	h.in(`local fresh = {} for k, v in pairs(t) do fresh[k] = v end t = fresh`)
	assert.Less(t, held()-before, int64(3<<20))
}

// onePeer is a fleet with one peer.
type onePeer struct{}

func (onePeer) Name() string                  { return "" }
func (onePeer) BeginTick()                    {}
func (onePeer) Servers() []script.FleetServer { return nil }
func (onePeer) Target(name string) (engine.TransferOrder, error) {
	return engine.TransferOrder{Name: name}, nil
}
