package script_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A modDrawer writes random versions of mods.
type modDrawer struct{ *rand.Rand }

// maybe returns the text, half of the time.
func (d *modDrawer) maybe(text string) string {
	if d.IntN(2) == 0 {
		return ""
	}
	return text + "\n"
}

func (d *modDrawer) one(of ...string) string { return of[d.IntN(len(of))] }

// manifest returns the manifest of a mod: b needs a, d needs b, c uses a.
func (d *modDrawer) manifest(mod string) string {
	text := fmt.Sprintf("name = %q\nversion = \"1.%d.0\"\npermissions = [\"console.mod.reload\"]\n", mod, d.IntN(3))
	switch mod {
	case "b":
		text += "depends = [\"a\"]\n"
	case "c":
		text += d.maybe(`optional = ["a"]`)
	case "d":
		text += "depends = [\"b\"" + d.one("", ", \"a\"", ", \"c\"") + "]\n"
	}
	return text
}

// chaosFields are the possible fields of a class, with values for them.
var chaosFields = []struct{ name, declared, value string }{
	{"power", "int(0, 1000)", "math.random(0, 1000)"}, {"power", "int(0, 10)", "math.random(0, 10)"}, {"power", "str(9)", `"" .. math.random(99)`},
	{"heat", "float(0, 1, 8)", "math.random()"}, {"heat", `float(0, 1, 8, { group = "g" })`, "math.random()"},
	{"on", "bool { default = true }", "math.random() < 0.5"}, {"at", "point(0.1)", "vec(math.random(9), 1, 2)"},
	{"word", "str(40)", `("x"):rep(math.random(0, 40))`}, {"who", "ref()", "friend"}, {"kin", `ref "NetObject"`, "friend"},
}

// fields returns some of the fields, and the lines that set them.
func (d *modDrawer) fields(apart ...string) (declared, set string, names []string) {
	for _, i := range d.Perm(len(chaosFields))[:d.IntN(5)] {
		f := chaosFields[i]
		if slices.Contains(names, f.name) || slices.Contains(apart, f.name) {
			continue
		}
		names = append(names, f.name)
		declared += f.name + " = " + f.declared + ", "
		set += fmt.Sprintf("o.%s = %s ", f.name, f.value)
	}
	return declared, set, names
}

// draw returns a version of a mod that should load.
func (d *modDrawer) draw(mod string) map[string]string {
	up := strings.ToUpper(mod)
	declared, set, names := d.fields()
	inherits, needs := "", ""
	if mod == "a" || mod == "d" { // the objects of these have datablocks
		inherits, needs = `inherit = "Item", `, fmt.Sprintf("dataBlock = %s_Stone, ", up)
	}
	data := fmt.Sprintf("%s_Stone = datablock \"ItemData\" \"%[1]s_Stone\" { mass = %d }\n", up, 1+d.IntN(50)) +
		d.maybe(fmt.Sprintf(`datablock "ItemData" "%s_Pebble" { %s elasticity = 0.%d }`, up, d.one("", fmt.Sprintf(`inherit = "%s_Stone",`, up)), d.IntN(10))) +
		fmt.Sprintf("%s_Rune = class \"%[1]s_Rune\" { %s fields = { %s } }\n", up, inherits, declared)
	if d.IntN(2) == 0 {
		more, _, _ := d.fields(names...)
		data += fmt.Sprintf("class \"%s_Heir\" { inherit = \"%[1]s_Rune\", fields = { %s } }\n", up, more)
		data += d.maybe(fmt.Sprintf(`%s_heir = new "%[1]s_Heir" { %s }`, up, needs))
	}
	code := `count = 1
		function onReload(old) count = (old.count or 0) + 1 end
		export("count", function() return count end)
		export("reload", function(name) return mod.reload(name) end)
		export("boom", function() error "planned" end)
		export("f", function() return "` + mod + `" end)
		export("stir", function()
			local friend
			if count < 12 then count = count + 1 new "` + up + `_Rune" { ` + needs + ` } end
			for o in objects "` + up + `_Rune" do if o.className == "` + up + `_Rune" then ` + set + ` end friend = o end
		end)
		function onMissionLoaded() count = 1 end
		`
	code += d.maybe(fmt.Sprintf(`new "%s_Rune" { %s name = "%s_file" }`, up, needs, mod)) +
		d.maybe(fmt.Sprintf(`addBot "%s"`, mod)) +
		d.maybe(fmt.Sprintf(`addCommand { name = "%s.cmd", chat = true, run = function() return count end }`, mod)) +
		d.maybe(fmt.Sprintf(`local s = setting "%s.s" { default = %d, min = 0, max = %[2]d + 5 }`, mod, d.IntN(9))) +
		d.maybe(`local function again() count = count + 0 schedule(200, again) end again()`) +
		d.maybe(fmt.Sprintf(`function %s_Rune:onAdd() self.own.seen = true end function %[1]s_Rune:onRemove() count = count + 0 end`, up)) +
		d.maybe(fmt.Sprintf(`function %s_Rune:onTick() self.own.n = (self.own.n or 0) + 1 end`, up)) +
		d.maybe(`override(import "base", "messageAll", function(parent, ...) return parent(...) end)`) +
		d.maybe(fmt.Sprintf(`function serverCmd.%s(client) commandToClient(client, "Hear", tag "%[1]s %%1", %d) end`, up, d.IntN(9))) +
		d.maybe(`store:put("k", count)`)
	if mod == "b" || mod == "d" { // they need a, and errors in them are errors of a
		code += d.maybe(`override(import "a", "f", function(parent) return parent() .. "`+mod+`" end)`) +
			d.maybe(`schedule(100, function() import("a").boom() end)`)
	}
	return map[string]string{
		mod + "/mod.toml": d.manifest(mod), mod + "/shared/data.lua": data, mod + "/server/init.lua": code,
		mod + "/missions/" + mod + "land.lua": fmt.Sprintf("new \"%s_Rune\" { %s }\n", up, needs),
	}
}

// drawClient returns a client half.
func (d *modDrawer) drawClient(mod string) map[string]string {
	up := strings.ToUpper(mod)
	return map[string]string{
		mod + "/mod.toml":        fmt.Sprintf("name = %q\nversion = \"1.0.0\"\n", mod),
		mod + "/shared/data.lua": fmt.Sprintf("%s_Stone = datablock \"ItemData\" \"%[1]s_Stone\" {}\n%[1]s_Rune = class \"%[1]s_Rune\" { fields = {} }\n", up),
		mod + "/client/init.lua": "count = 0\nfunction onReload(old) count = old.count end\n" +
			d.maybe(fmt.Sprintf(`function %s_Rune:onAdd() self.own.seen = true count = count + 1 end`, up)) +
			d.maybe(fmt.Sprintf(`function %s_Rune:onRemove() count = count - 1 end`, up)) +
			d.maybe(`function GameConnection.onGhostAdded(server, o) o.own.mine = o.className end`) +
			d.maybe(fmt.Sprintf(`setHud(%d, "%s")`, 1+d.IntN(9), mod)) +
			d.maybe(fmt.Sprintf(`addCommand { name = "%s.mine", run = function() return count end }`, mod)) +
			d.maybe(`schedule(100, function() count = count + 0 end)`) +
			d.one("", "", "setHud(1, 'bad') error 'no'"),
	}
}

// spoil changes a version so that it must not load.
func (d *modDrawer) spoil(mod string, list map[string]string) {
	up := strings.ToUpper(mod)
	if d.IntN(8) == 0 {
		list[mod+"/mod.toml"] = d.one("name = \"x\"\nversion = \"1.0.0\"\n", "name = \n", strings.Replace(list[mod+"/mod.toml"], `version = "1`, `version = "x1`, 1),
			fmt.Sprintf("name = %q\nversion = \"1.0.0\"\ndepends = [\"nothere\"]\n", mod), fmt.Sprintf("name = %q\nversion = \"1.0.0\"\ndepends = [\"base ^7\"]\n", mod))
		list[mod+"/server/init.lua"] += "-- spoiled"
		return
	}
	list[mod+"/server/init.lua"] += "\n" + d.one(
		"x = = 1", "bad()", "error 'no'", "error {}", "while true do end", "require 'server.none'", "function onReload(old) count = old.count bad() end",
		"function onReload() while true do end end", "function onReload(old) addBot 'late' store:put('k', 7) error 'no' end",
		fmt.Sprintf(`class "%s_Rune" { fields = { x = int(3, 1) } }`, up), `class "Item" { fields = {} }`,
		fmt.Sprintf(`class "%s_Rune" { inherit = "%[1]s_Heir", fields = {} }`, up), fmt.Sprintf(`datablock "ItemData" "%s_Stone" { mas = 1 }`, up),
		fmt.Sprintf(`datablock "TriggerData" "%s_Stone" {}`, up), `addCommand { name = "status", run = print }`,
		fmt.Sprintf(`datablock "ItemData" "%s_New" { mass = 9 } class "%[1]s_New" { inherit = "Item", fields = { x = bool() } } local o = new "%[1]s_New" { dataBlock = "%[1]s_New" } bad()`, up),
		fmt.Sprintf(`local new = datablock "ItemData" "%s_New" {} for o in objects "Item" do o.dataBlock = new end for c in clientGroup:each() do c:transmitDataBlocks(3) end bad()`, up),
		`local bot = addBot "x" bot:setControlObject(new "Camera" {}) store:put("k", "bad") schedule(0, error, "never") bad()`,
		`pcall(store.put, store, "k2", 1) setting "new.one" { default = 1 } override(serverCmd, "MessageSent", error) addCommand { name = "new.two", chat = true, run = error } bad()`,
	) + " -- spoiled"
}
