package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestElementsOfTheHud shows a player rows at a place of the screen, changes them, and ends them.
func TestElementsOfTheHud(t *testing.T) {
	p := join(t, map[string]string{"m/missions/hill.lua": ``, "m/texts/en.toml": `best = "The best"`, "m/server/init.lua": `
		Disc = datablock "ItemData" "Disc" { mass = 2 }
		function rows(n)
			return {
				{ kind = "text", text = text "best" },
				{ kind = "table", columns = { "Score", "Player" }, rows = { { n, "Ann" }, { 3, "Bob" } } },
				{ kind = "bar", text = "Health", value = 0.5 },
				{ kind = "look", text = "A disc", look = Disc },
			}
		end
		export("show", function(n, at) clientGroup:at(1):hud { name = "best", at = at or "top right", rows = rows(n) } end)
		export("close", function() return clientGroup:at(1):closeHud "best" end)
		export("try", function(list, at) clientGroup:at(1):hud { name = "try", at = at or "top", rows = list } end)
	`}, nil, "m")
	p.server.line(`m = import "m" m.show(5)`)
	p.run(settle)
	p.client.steps(step{`hud`, "top right The best\ntop right Score  Player\ntop right 5  Ann\ntop right 3  Bob\ntop right Health: 50%\ntop right A disc"})
	p.server.line(`m.show(6, "left")`)
	p.run(settle)
	p.client.steps(step{`hud`, "~left 6  Ann"})
	p.server.steps(step{`m.close()`, "true"}, step{`m.close()`, "false"})
	p.run(settle)
	p.client.steps(step{`hud`, ""})

	kinds := "~an element is only seen: it has texts, tables, bars, looks and images"
	p.server.steps(
		step{`m.try({{ kind = "text", text = "x" }}, "up")`, `~at = "up": must be one of top left, top, top right, left, center`},
		step{`m.try({{ kind = "text", text = "x" }}, "botom")`, `~at = "botom": did you mean "bottom"?`},
		step{`m.try({{ kind = "text", text = "x" }}, 3)`, `~at must be one of top left`},
		step{`m.try({{ kind = "button", name = "x", text = "x" }})`, kinds},
		step{`m.try({{ kind = "bar", size = 2 }})`, `~rows[1]: a bar has no size: it has kind, text, value`},
		step{`m.try({})`, `~the element has 0 rows: must be 1…32`},
		step{`m.try(nil)`, `~rows must be a list, not nil`},
	)
	for _, end := range []string{`mission hill`, `mod.reload m`, `mod.disable m`} {
		p.server.line(`m = import "m" m.show(5)`)
		p.run(settle)
		p.client.steps(step{`hud`, "~top right 5  Ann"})
		p.server.line(end)
		p.run(settle)
		p.client.steps(step{`hud`, ""})
	}
	assert.Empty(t, p.server.log)
}
