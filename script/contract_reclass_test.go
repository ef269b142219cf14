package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAClassGetsOtherFields checks the changes that a reloaded mod can make to its classes.
func TestAClassGetsOtherFields(t *testing.T) {
	flag := func(fields string) map[string]string {
		return map[string]string{"a/server/init.lua": `class "Flag" { fields = { ` + fields + ` } }`}
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
		after string // the fields of the pennant
	}{
		"a field more":       {flag(`team = int(0, 7), on = bool()`), "~a 1.0.0 reloaded", "3 x false"},
		"another range":      {flag(`on = bool(), team = int(0, 2)`), "~a 1.0.0 reloaded", "0 x false"},
		"another kind":       {flag(`team = str(5), on = bool { default = true }`), "~a 1.0.0 reloaded", " x true"},
		"an heir has it":     {flag(`team = int(0, 7), word = str(5)`), "error: a is not reloaded: mods/a/server/init.lua:1: class Flag at mods/a/server/init.lua:1 conflicts with its subclass at mods/b/server/init.lua:2: class Pennant: duplicate field \"word\"", "3 x nil"},
		"under its heir":     {map[string]string{"a/server/init.lua": `class "Flag" { inherit = "Pennant" }`}, "~class Flag: it cannot inherit from Pennant, because that is itself or a subclass", "3 x nil"},
		"on another parent":  {map[string]string{"a/server/init.lua": `class "Flag" { inherit = "Box", fields = { on = bool(), team = int(0, 9) } }`}, "~a 1.0.0 reloaded", "3 x false"},
		"needs a datablock":  {map[string]string{"a/server/init.lua": `class "Flag" { inherit = "Item", fields = {} }`}, "~class Flag: its objects have no dataBlock but would need one of class ItemData; use another class name", "3 x nil"},
		"twice":              {map[string]string{"a/server/init.lua": `class "Flag" { fields = { on = bool() } }` + "\n" + `class "Flag" { fields = { off = bool() } }`}, "~mods/a/server/init.lua:2: class Flag was declared with other fields at", "3 x nil"},
		"one of the engine":  {map[string]string{"a/server/init.lua": `class "ItemData" { fields = { on = bool() } }`}, "~the engine has a class ItemData", "3 x nil"},
		"the class of b":     {map[string]string{"a/server/init.lua": `class "Pennant" { fields = {} }`}, "~class Pennant cannot be declared at", "3 x nil"},
		"declared no longer": {map[string]string{"a/server/init.lua": ``}, "~a 1.0.0 reloaded", "3 x nil"},
	} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, map[string]string{
				"a/server/init.lua": `class "Flag" { fields = { team = int(0, 7) } }`,
				"b/mod.toml":        "name = \"b\"\nversion = \"1.0.0\"\ndepends = [\"a\"]\n",
				"b/server/init.lua": `
					class "Pennant" { inherit = "Flag", fields = { word = str(5) } }
					local o, other = new "Pennant" { team = 3, word = "x" }, new "ScriptObject" { name = "Other" }
					export("tell", function()
						local has, on = pcall(function() return o.on end)
						return o.team .. " " .. o.word .. " " .. (has and tostring(on) or "nil")
					end)`,
			}, "a", "b")
			e.steps(step{`echo(import("b").tell())`, `3 x nil`})
			e.write(c.files)
			e.steps(step{`mod reload a`, c.want}, step{`echo(import("b").tell())`, c.after})
			e.out = nil
			e.ticks(3)
			assert.Empty(t, e.out)
		})
	}
}
