package script_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// formMod opens forms and prints what becomes of them.
var formMod = map[string]string{"m/missions/hill.lua": ``, "m/server/init.lua": `
	Disc = datablock "ItemData" "Disc" { mass = 2 }
	function told(name)
		return function(client, values)
			local list = {}
			for k, v in pairs(values or {}) do list[#list + 1] = k .. "=" .. tostring(v) end
			table.sort(list)
			echo(name, client.name, values and table.concat(list, " ") or "nil")
		end
	end
	function rows()
		return {
			{ kind = "text", text = "What do you want?\nChoose." },
			{ kind = "field", name = "note", text = "Note", value = "hi" },
			{ kind = "field", name = "n", text = "How many", min = 1, max = 9, integer = true },
			{ kind = "choice", name = "car", text = "Car", choices = { "fast", "safe" } },
			{ kind = "slider", name = "speed", text = "Speed", step = 0.25 },
			{ kind = "table", name = "who", columns = { "Name", "Score" }, rows = { { "Ann", 3 }, { "Bob", 2 } } },
			{ kind = "bar", text = "Health", value = 0.5 },
			{ kind = "look", text = "A disc", look = Disc },
			{ kind = "button", name = "buy", text = "Buy" },
			{ kind = "button", text = "Leave" },
		}
	end
	function open(name, list) clientGroup:at(1):form { name = name, title = "The shop", rows = list or rows(), done = told(name) } end
	export("open", open)
	export("close", function(name) return clientGroup:at(1):closeForm(name) end)
`}

const shopText = `The shop
What do you want?
Choose.
1  Note: hi
2  How many: 1  (1…9)
3  Car: 1 fast  2 safe
4  Speed: 0  (0…1)
5  Name | Score
   1 Ann | 3
   2 Bob | 2
Health: 50%
A disc
6  [Buy]
7  [Leave]`

// TestFormsInATerminal shows a form with a row of each kind as text, and answers it by the console.
func TestFormsInATerminal(t *testing.T) {
	p := join(t, formMod, nil, "m")
	p.client.steps(step{`form`, `no form is open`}, step{`form 1`, `error: no form is open`})
	p.server.line(`m = import "m" m.open("shop")`)
	p.run(settle)
	p.client.steps(
		step{`form`, shopText},
		step{`form 2 5`, strings.Replace(shopText, "How many: 1", "How many: 5", 1)},
		step{`form 2 55`, `error: 55 is not in 1…9`},
		step{`form 2 5.5`, `error: 5.5 is not whole: must be a whole number, 1…9`},
		step{`form 2`, `error: item 2 needs a value: form 2 VALUE`},
		step{`form 9`, `error: "9" is none of the numbers 1…7 or the names of the form, send or close`},
		step{`form send`, `error: no button of the form was pressed`},
		step{`form 1 a note`, `~Note: a note`}, step{`form 3 sa`, `~3  Car: 1 fast  2 [safe]`}, step{`form 4 0.6`, `~Speed: 0.6`}, step{`form 5 bob`, `~2 Bob | 2 *`},
		step{`form 6`, ``},
		step{`form 6`, `error: the form is already answered, and the server has not replied yet`},
		step{`form`, "~(sent)"},
	)
	p.run(settle)
	assert.Equal(t, []string{"shop\tDood\tbutton=buy car=2 n=5 note=a note speed=0.5 who=2"}, p.server.out)
	p.client.steps(step{`form`, `no form is open`})
	assert.Empty(t, p.server.log)
}

// TestDoneRunsOnce for each end of a form: closed by the player and by the mod, replaced, the
// mission ends, the mod is reloaded, is disabled, and the client leaves.
func TestDoneRunsOnce(t *testing.T) {
	p := join(t, formMod, nil, "m")
	p.server.line(`m = import "m"`)
	p.run(settle)
	after := func(side *half, line string) (said []string) {
		side.line(line)
		said = append(said, p.server.out...)
		p.run(settle)
		return onlyDood(append(said, p.server.out...))
	}
	assert.Empty(t, after(p.server, `m.open("a")`))
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.client, `form close`))
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.server, `m.open("a") m.close("a")`))
	p.server.steps(step{`m.close("a")`, "false"})
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.server, `m.open("a") m.open("b") m.open("a")`))
	assert.Equal(t, []string{"b\tDood\tnil", "a\tDood\tnil"}, after(p.server, `mission hill`), "in the order of their numbers")
	p.client.steps(step{`form`, `no form is open`})
	assert.Empty(t, after(p.server, `m.open("a")`))
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.server, `mod reload m --untested`))
	p.client.steps(step{`form`, `no form is open`})
	assert.Empty(t, after(p.server, `m.open("a")`))
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.client, `disconnect "bye"`))
	assert.Empty(t, p.server.log)

	p = join(t, formMod, nil, "m")
	p.server.line(`m = import "m" m.open("a")`)
	assert.Equal(t, []string{"a\tDood\tnil"}, after(p.server, `mod disable m`))
}

// TestDoneCanOpenTheNextForm which takes the place of the answered one.
func TestDoneCanOpenTheNextForm(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		function ask(client, n)
			client:form { name = "quiz", rows = {{ kind = "field", name = "x", text = "Question " .. n }, { kind = "button", text = "Next" }}, done = function(client, values)
				echo(n, values and values.x)
				if values and n < 3 then ask(client, n + 1) end
			end }
		end
		export("ask", function() ask(clientGroup:at(1), 1) end)`}, nil, "m")
	p.server.line(`import("m").ask()`)
	for n := 1; n <= 3; n++ {
		p.run(settle)
		p.client.line(`form 1 yes`)
		p.client.line(`form 2`)
		p.run(settle)
		assert.Equal(t, []string{fmt.Sprint(n, "\tyes")}, p.server.out)
	}
	p.client.steps(step{`form`, `no form is open`})
}

// TestBadFormsAreErrorsOfTheMod gives one sentence for each mistake.
func TestBadFormsAreErrorsOfTheMod(t *testing.T) {
	p := join(t, formMod, nil, "m")
	p.server.line(`c = clientGroup:at(1) function f(rows, more) local t = more or {} t.name, t.rows, t.done = t.name or "x", rows, t.done or echo c:form(t) end`)
	p.server.steps(
		step{`c:form(5)`, `~form: argument 1 (form) must be a table, not a number`},
		step{`c:form { name = "x", rows = {} }`, `~form: done must be a function, not nil`},
		step{`f({}, { titel = "x" })`, `~form: unknown option "titel", did you mean "title"?`},
		step{`f({})`, `~form: a form needs a row`},
		step{`f(7)`, `~form: rows must be a list, not a number`},
		step{`f { 7 }`, `~form: rows[1] must be a table, not a number`},
		step{`f {{ kind = "buton" }}`, `~form: rows[1].kind = "buton": did you mean "button"?`},
		step{`f {{ kind = {} }}`, `~form: rows[1].kind must be one of text, button, field, choice, slider, table, bar, look, image, not a table`},
		step{`f {{ kind = "text", txt = "x" }}`, `~form: rows[1]: a text has no txt: it has kind, text`},
		step{`f {{ kind = "text", text = {} }}`, `~form: rows[1].text must be a text, not a table`},
		step{`f {{ kind = "text", text = "x" }, { kind = "slider" }}`, `~form: row 2, a slider: it needs a name`},
		step{`f {{ kind = "slider", name = "x", max = "9" }}`, `~form: rows[1].max must be a number, not a string`},
		step{`f {{ kind = "field", name = "x", min = 1, max = 9, integer = 1 }}`, `~form: rows[1].integer must be true or false, not a number`},
		step{`f {{ kind = "field", name = "x", integer = true }}`, `~form: rows[1]: integer needs min and max`},
		step{`f {{ kind = "field", name = "x", min = 0.5, max = 9, integer = true }}`, `~form: row 1, a field: 0.5 is not whole`},
		step{`f {{ kind = "choice", name = "x" }}`, `~form: rows[1].choices must be a list, not nil`},
		step{`f {{ kind = "table", columns = { "a", "b" }, rows = {{ "a" }} }}`, `~form: rows[1].rows[1] has 1 texts: must be 2, one for each column`},
		step{`f {{ kind = "look", look = c }}`, `~form: rows[1].look must be a datablock`},
		step{`f({{ kind = "text" }}, { name = "a b" })`, `~form: the form's name must be 1 to 32 letters, digits, _, - or ., got "a b"`},
		step{`t = {} for i = 1, 257 do t[i] = { kind = "text" } end f(t)`, `~form: rows has 257 elements: must be at most 256`},
		step{`t = {} t[1] = t f(t)`, `~form: rows[1].kind must be one of text, button, field, choice, slider, table, bar, look, image, not nil`},
		step{`t = { kind = "table", columns = { "a" } } t.rows = { t } f { t }`, `~form: rows[1].rows[1] has 0 texts: must be 1`},
		step{`f {{ kind = "text", text = ("x"):rep(1e6) }}`, `~form: row 1, a text: the text has 1000000 bytes: must be at most 1024`},
		step{`t = {} for i = 1, 17 do t[i] = { kind = "text", text = ("x"):rep(1000) } end f(t)`, `~must be at most 16384`},
		step{`for i = 1, 5 do f({{ kind = "text" }}, { name = "f" .. i }) end`, `~form: the client has 4 open forms: close one first`},
		step{`b = addBot "Bo" b:form { name = "x", rows = {{ kind = "text", text = "hi" }}, done = echo }`, ``},
	)
	p.client.steps(step{`server:form { }`, `~form is available only on the server`})
}

// TestFormsAreInThePlayersLanguage: texts of a form are those of the client, also inside lists.
func TestFormsAreInThePlayersLanguage(t *testing.T) {
	list := maps.Clone(texted)
	list["m/server/init.lua"] = `export("go", function()
		clientGroup:at(1):form { name = "x", title = text("frags", 2), rows = {
			{ kind = "text", text = text "red" },
			{ kind = "choice", name = "team", choices = { text "red", "Ann", text "blue" } },
		}, done = echo }
	end)`
	p := join(t, list, nil, "m")
	p.server.line(`import("m").go()`)
	p.run(settle)
	p.client.steps(step{`form`, "2 frags\nred\n1  1 red  2 Ann  3 red"})
}

// TestFormsWaitForTheLoad: a form that files open is shown when they have loaded, and never if they
// fail.
func TestFormsWaitForTheLoad(t *testing.T) {
	code := `
		for c in clientGroup:each() do c:form { name = "news", rows = {{ kind = "text", text = "loaded" }}, done = function() end } end
		if bad then error "bad" end`
	p := join(t, map[string]string{"m/server/init.lua": code}, nil, "m")
	p.server.line(`mod reload m --untested`)
	p.server.ticks(2)
	p.run(settle)
	p.client.steps(step{`form`, "\nloaded"})
}

// onlyDood keeps the lines of ends.
func onlyDood(lines []string) (kept []string) {
	for _, l := range lines {
		if strings.Contains(l, "Dood") {
			kept = append(kept, l)
		}
	}
	return kept
}
