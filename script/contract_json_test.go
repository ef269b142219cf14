package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// jsonMod decodes in events, threads and callbacks, and tells in which tick it got what.
const jsonMod = `
local function say(...) echo(tick() - begun, ...) end
local function told(v, err) if v == nil then return err end return type(v) == "table" and #v or v end
objects = "[" .. ("{\"id\":1,\"name\":\"player\"},"):rep(3000) .. "{}]"
long = "[" .. ("{\"id\":1,\"name\":\"player\"},"):rep(20000) .. "{}]"
longer = "[" .. ("0,"):rep(524286) .. "0]"
nested = "[" .. ("[],"):rep(40000) .. "[]]"
fields = "[" .. ("{\"\":0},"):rep(125000) .. "{}]"
export("run", function(code) return eval(code) end)
function inTimer(fn) begun = tick() schedule(0, fn) end
`

func jsonHalf(t *testing.T) *half {
	return newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": jsonMod + `
export("timer", function(name) inTimer(function() say(told(json.decode(_G[name]))) end) end)
export("done", function(name) inTimer(function() say("asked", json.decode(_G[name], function(...) say(select("#", ...), told(...)) end)) end) end)
export("thread", function(name) begun = tick() spawn(function() say(told(json.decode(_G[name]))) wait(0) say "after" end) end)
export("protected", function(name) begun = tick() spawn(function() say(select(2, pcall(function() return told(json.decode(_G[name])) end))) end) end)
`})).load("m")
}

func (h *half) jsonOf(export, name string) string {
	h.line(`import("m").` + export + `("` + name + `")`)
	h.ticks(70)
	return strings.Join(h.out, "; ")
}

func TestJSON(t *testing.T) {
	h := jsonHalf(t)
	for _, c := range []struct{ code, want string }{
		{`return json.encode { b = 1, a = { true, 0.1, json.null, "é" } }`, `"{\"a\":[true,0.1,null,\"é\"],\"b\":1}"`},
		{`return json.encode {}, json.encode(json.object {}), json.encode(json.object { x = 1 }), json.encode(json.object())`, `"[]"` + "\t" + `"{}"` + "\t" + `"{\"x\":1}"` + "\t" + `"{}"`},
		{`return json.encode(json.decode '{"a":{},"b":[],"c":null}')`, `"{\"a\":{},\"b\":[],\"c\":null}"`},
		{`return json.encode { t = tag "hi" }`, `"{\"t\":\"hi\"}"`},
		{`return json.encode { at = vec(1, 2, 3) }`, "nil\t\".at: a vec cannot be JSON\""},
		{`return json.encode { list = { 1, print } }`, "nil\t\".list[2]: a function cannot be JSON\""},
		{`return json.encode(0/0)`, "nil\t\"nan cannot be JSON\""},
		{`return json.decode '{"x":[1,2.5,"y"],"n":null}'.x[3], json.decode '{"n":null}'.n == json.null, json.decode 'null' == json.null`, `"y"` + "\ttrue\ttrue"},
		{`return json.decode "[1,\n2,]"`, "nil\t\"line 2, column 3: expected a value\""},
		{`return json.null, tostring(json.null), json.null == nil`, "json.null\t\"null\"\tfalse"},
		{`return json.decode(("x"):rep(1048575) .. "xx")`, `~exceed|longer|at most`},
		{`return json.object(setmetatable({}, {}))`, `~a table with a metatable cannot be marked as an object`},
		{`return json.decode(5)`, "5"},
		{`return json.decode {}`, `~json.decode: argument 1 (text) must be a string, not a table`},
		{`return json.encode()`, `~json.encode: argument 1 (value) is missing`},
		{`return getmetatable(json.object {}), pcall(setmetatable, json.object {}, {})`, `~false	false`},
		{`return #json.decode(longer), #json.decode(long), #json.decode(nested)`, "524287\t20001\t40001"},
		{`store:put("o", json.decode '{"a":{}}') return json.encode(store:get "o")`, `"{\"a\":[]}"`},
	} {
		got := h.line(`import("m").run[==[` + c.code + `]==]`)
		if want, part := strings.CutPrefix(c.want, "~"); part {
			assert.Regexp(t, strings.NewReplacer("(", `\(`, ")", `\)`).Replace(want), got, c.code)
		} else {
			assert.Equal(t, c.want, got, c.code)
		}
	}
}

// TestObjectsAndNullGoToOtherMods: json.null and the mark of objects are the same in every state.
func TestObjectsAndNullGoToOtherMods(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `export("get", function() return { o = json.object {}, n = json.null } end)`,
	})).load("a")
	assert.Equal(t, `"{\"n\":null,\"o\":{}}"`+"\ttrue", h.line(`local v = import("a").get() return json.encode(v), v.n == json.null`))
}

// TestEventsDecodeAtOnce checks that an event decodes up to 128 KiB at once, and that a longer or
// dearer text gives nil and a sentence: never a fault.
func TestEventsDecodeAtOnce(t *testing.T) {
	h := jsonHalf(t)
	assert.Equal(t, "1\t3001", h.jsonOf("timer", "objects"))
	assert.Regexp(t, `^1\tthe text has 500004 bytes, an event can decode 131072 at once: give json.decode a function, or call it in a function that spawn has started$`, h.jsonOf("timer", "long"))
	assert.Equal(t, "1\tdecoding the text takes more instructions than are left: give json.decode a function", h.jsonOf("timer", "nested"))
	assert.Regexp(t, "^1\tthe text has 500004 bytes, an event", h.jsonOf("protected", "long"))
	assert.Empty(t, h.log)
}

// TestLongTextsAreDecodedInPieces checks that a text of up to 1 MiB is decoded over several ticks,
// by counted work, for a function and in a thread.
func TestLongTextsAreDecodedInPieces(t *testing.T) {
	h := jsonHalf(t)
	assert.Equal(t, "1\tasked; 12\t1\t20001", h.jsonOf("done", "long"))
	assert.Equal(t, "13\t20001; 14\tafter", h.jsonOf("thread", "long"))
	assert.Equal(t, "1\tasked; 3\t1\t3001", h.jsonOf("done", "objects"))
	assert.Empty(t, h.log)
	spent := h.spent("m", "json.decode")
	assert.Positive(t, spent, "the pieces are charged to the mod")
}

// TestALargeResultIsNoFault checks that a result above half of the memory that is left gives nil
// and a sentence.
func TestALargeResultIsNoFault(t *testing.T) {
	h := jsonHalf(t)
	used := uint64(0)
	limits := h.scripts.Runtime.Limits()
	limits.Callback.Heap = 3 << 20
	h.setMeter(limits, nil, func() uint64 { used += 1 << 20; return used })
	assert.Contains(t, h.jsonOf("done", "fields"), "the value of the text takes more than half of the memory that is left")
	assert.Empty(t, h.log)
	assert.Empty(t, h.scripts.Runtime.Mod("m").Suspended())
}

// TestDecodingEndsWithItsMod: a reload ends what waits.
func TestDecodingEndsWithItsMod(t *testing.T) {
	h := jsonHalf(t)
	h.line(`import("m").done("long")`)
	h.ticks(3)
	assert.NoError(t, h.scripts.ReloadNow("m"))
	h.ticks(60)
	assert.Equal(t, []string{"1\tasked"}, h.out)
}
