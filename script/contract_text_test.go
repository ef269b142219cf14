package script_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// texted is a mod with texts in four languages.
var texted = map[string]string{
	"m/texts/en.toml": "won = '%1 wins.'\nfrags = { one = '%1 frag', other = '%1 frags' }\nboth = '%1 has %2'\ncarries = { count = 2, one = '%1: one flag', other = '%1: %2 flags' }\nonly = 'English'\nred = 'red'\nblue = 'red'\n",
	"m/texts/de.toml": "won = '%1 gewinnt.'\nfrags = { one = '%1 Treffer', other = '%1 Treffer!' }\nboth = '%2 hat %1'\nred = 'rot'\nblue = 'blau'\n",
	"m/texts/pt.toml": "won = '%1 vence.'\nonly = 'Só'\n",
	"m/texts/pl.toml": "frags = { one = '%1 punkt', few = '%1 punkty', many = '%1 punktów', other = '%1 punktu' }\n",
	"m/texts/ar.toml": "won = 'فاز %1.'\n",
}

// shown joins clients with languages to a server with the mod. It runs a command of the mod, and
// returns what each client shows.
func shown(t *testing.T, code string, languages ...string) []string {
	t.Helper()
	list := maps.Clone(texted)
	list["m/server/init.lua"] = `export("go", function() ` + code + ` end)`
	p := &pair{net: netsim.New(1)}
	p.server = newHalf(t, 1, true, files(list)).load("m")
	p.net.Attach(netcore.SimAddr(1), p.server.host)
	var halves []*half
	for i, language := range languages {
		h := newHalf(t, uint16(2+i), false).load()
		p.client = h
		p.net.Attach(netcore.SimAddr(uint16(2+i)), h.host)
		p.net.Link(netcore.SimAddr(uint16(2+i)), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
		require.NoError(t, h.host.Dialer.Connect("x:1", engine.ConnectArgs{Language: language, Name: "Ann"}))
		p.waitForGame(h)
		h.line(`function clientCmd.Show(...) local list = {...} for i = 1, select("#", ...) do list[i] = tostring(detag(list[i])) end echo(table.concat(list, "|")) end`)
		halves = append(halves, h)
	}
	for _, h := range halves {
		h.out = nil
	}
	require.Empty(t, p.server.line(`import "m".go()`))
	p.net.Run(p.net.Now()+settle, engine.TickTime)
	var seen []string
	for _, h := range halves {
		seen = append(seen, strings.Join(h.out, "/"))
	}
	return seen
}

// TestServerChoosesTextAndPluralForm: each client reads its own language and plural form, and a
// language without the key falls back: pt-BR to pt to English.
func TestServerChoosesTextAndPluralForm(t *testing.T) {
	languages := []string{"", "de", "pt-BR", "pl", "nl"}
	assert.Equal(t, []string{"Ann wins.|Ann", "Ann gewinnt.|Ann", "Ann vence.|Ann", "Ann wins.|Ann", "Ann wins.|Ann"},
		shown(t, `commandToAll("Show", text("won", "Ann"))`, languages...), "the arguments follow")
	assert.Equal(t, []string{"3 frags|3", "3 Treffer!|3", "3 frags|3", "3 punkty|3", "3 frags|3"},
		shown(t, `commandToAll("Show", text("frags", 3))`, languages...))
	assert.Equal(t, []string{"1 frag|1", "5 punktów|5", "1.5 punktu|1.5"}[1:2], shown(t, `commandToAll("Show", text("frags", 5))`, "pl"))
	assert.Equal(t, []string{"1.5 punktu|1.5"}, shown(t, `commandToAll("Show", text("frags", 1.5))`, "pl"))
	assert.Equal(t, []string{"Ann: one flag|Ann|1"}, shown(t, `commandToAll("Show", text("carries", "Ann", 1))`, "de"), "count names the argument")
	assert.Equal(t, []string{"red|7", "rot|7"}, shown(t, `for client in clientGroup:each() do commandToClient(client, "Show", text("red"), 7) end`, "en", "de"))
	assert.Equal(t, []string{"Ann wins.", "Ann gewinnt."}, shown(t, `for client in clientGroup:each() do commandToClient(client, "Show", textFor(client, text("won", "Ann"))) end`, "en", "de"))
}

// TestNumbersInTextsAreThoseOfTostring: a number in a text reads as tostring has it.
func TestNumbersInTextsAreThoseOfTostring(t *testing.T) {
	list := maps.Clone(texted)
	list["m/server/init.lua"] = `export("text", text)`
	h := newHalf(t, 1, true, files(list)).load("m")
	for _, n := range []string{"1e14", "2^53-1", "-2^53+1", "2^53", "1e15+0.5", "0.1", "-1.5", "1/0", "-1/0", "0/0", "-0/1", "1e300", "12345678901234567890"} {
		number := h.line(`= tostring(` + n + `)`)
		assert.Equal(t, strings.TrimSuffix(number, `"`)+` wins."`, h.line(`= tostring(import "m".text("won", `+n+`))`), n)
	}
	assert.Equal(t, []string{`"100000000000000"`, `"inf"`, `"nan"`, `"0"`}, []string{h.line("= tostring(1e14)"), h.line("= tostring(1/0)"), h.line("= tostring(0/0)"), h.line("= tostring(-0/1)")})
}

// TestTextsInTexts: a text can be an argument of another one, and stand before other arguments.
func TestTextsInTexts(t *testing.T) {
	assert.Equal(t, []string{"Ann has red|Ann|red", "rot hat Ann|Ann|rot"}, shown(t, `commandToAll("Show", text("both", "Ann", text("red")))`, "en", "de"))
	assert.Equal(t, []string{"Ann has 2 frags|Ann|2 frags", "2 Treffer! hat Ann|Ann|2 Treffer!"}, shown(t, `commandToAll("Show", text("both", "Ann", text("frags", 2)))`, "en", "de"))
	assert.Equal(t, []string{"2 frags|x", "2 Treffer!|x"}, shown(t, `commandToAll("Show", text("frags", 2), "x")`, "en", "de"))
	assert.Equal(t, []string{"2 frags|2", "2 Treffer!|2"}, shown(t, `commandToAll("Show", text("frags"), 2)`, "en", "de"), "without arguments it has those that follow")
}

// TestIsolates: a name with letters of the other direction stands in an isolate, and no argument
// brings isolates of its own.
func TestIsolates(t *testing.T) {
	assert.Equal(t, []string{"\u2068Ann\u2069 wins.|Ann", "فاز \u2068Ann\u2069.|Ann"}[1:], shown(t, `commandToAll("Show", text("won", "Ann"))`, "ar"))
	assert.Equal(t, []string{"\u2068آن\u2069 wins.|آن", "فاز آن.|آن"}, shown(t, `commandToAll("Show", text("won", "آن"))`, "en", "ar"))
	assert.Equal(t, []string{"Ann wins.|Ann"}, shown(t, `commandToAll("Show", text("won", "A\226\129\169n\226\128\174n"))`, "en"))
}

// TestTextsAreEnglishForConsoles: tostring, print and the log have the English text.
func TestTextsAreEnglishForConsoles(t *testing.T) {
	list := maps.Clone(texted)
	list["m/server/init.lua"] = `
		addCommand { name = "say1", description = text("red"), chat = true, run = function() return text("won", "Ann") end }
		export("text", text) export("eq", function() return text("red") == text("red"), text("won", 1) == text("won", 1), text("won", 1) == text("won", 2), text("red") == text("blue") end)
		export("try", function(what, ...) if what == "concat" then return "x" .. text("red") elseif what == "field" then return text("red").color elseif what == "key" then return text("red").key end return text(...) end)`
	h := newHalf(t, 1, true, files(list)).load("m")
	h.steps(
		step{`tostring(import "m".text("won", "Ann"))`, `"Ann wins."`},
		step{`echo(import "m".text("frags", 1))`, `1 frag`},
		step{`say1`, `Ann wins.`},
		step{`import "m".text("frags", 2)`, `text "frags"`},
		step{`import "m".eq()`, "true\ttrue\tfalse\tfalse"},
		step{`import "m".try("key")`, `"red"`},
		step{`import "m".try("concat")`, `~mods/m/server/init.lua:4: a text cannot be joined to a string, because its language is not known yet`},
		step{`import "m".try("field")`, `~a text has no "color", only key`},
		step{`import "m".try("text", "redd")`, `~texts/en.toml has no key "redd", did you mean "red"?`},
		step{`import "m".try("text", "red", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)`, `~a text takes at most 9 arguments, got 10`},
		step{`import "m".try("text", "red", {})`, `~argument 1 of the text "red": a table cannot be sent`},
		step{`text("red")`, `~this mod has no file texts/en.toml`},
		step{`commandToAll("Show", {import "m".text("red")})`, `~command argument 1: a table cannot be sent`},
	)
}

// TestBroadcastChoosesOnceALanguage: a broadcast looks a text up once for all clients of a
// language.
func TestBroadcastChoosesOnceALanguage(t *testing.T) {
	h := newHalf(t, 1, true, files(texted)).load("m")
	assert.True(t, h.scripts.ChosenOnce("m", "red"))
}

// TestWrongTablesKeepAModOut: a mod with a wrong table does not load, and the sentence names mod,
// file and line. A client does not read the tables.
func TestWrongTablesKeepAModOut(t *testing.T) {
	list := files(map[string]string{"m/texts/en.toml": "a = 'x'", "m/texts/de.toml": "a = 'x'\nb = { few = 'y' }"})
	errs := newHalf(t, 1, true, list).scripts.LoadMods("m")
	require.Len(t, errs, 1)
	assert.EqualError(t, errs[0], "mod m is not loaded: mods/m/texts/de.toml:2: b has no form other, which every language needs")
	assert.Empty(t, newHalf(t, 2, false, list).scripts.LoadMods("m"))
}

// TestTextBombs: texts in texts are bounded, in number and in bytes.
func TestTextBombs(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/texts/en.toml": "nine = '%1%2%3%4%5%6%7%8%9'", "m/server/init.lua": `
		local function nine(x) return text("nine", x, x, x, x, x, x, x, x, x) end
		export("long", function() return #tostring(nine(text("nine", ("x"):rep(1000), ("y"):rep(1000), 3, 4, 5, 6, 7, 8, 9))) end)
		export("few", function(...) return tostring(text("nine", ...)) end)
		export("deep", function() return nine(nine(nine("x"))) end)`})).load("m")
	h.steps(step{`import "m".long()`, "1024"}, step{`import "m".deep()`, "~a text can have at most 32 texts in it"},
		step{`import "m".few(1, 2)`, `~mods/m/server/init.lua:4: text: the text "nine" names %9, and gets 2 of its arguments`})
}
