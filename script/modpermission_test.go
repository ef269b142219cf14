package script_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/manifest"
)

// victim is a mod that others interfere with.
const victim = `
	Zone = datablock "TriggerData" "Zone" {}
	Sign = class "Sign" { inherit = "Marker" }
	function Sign:onMark() return "sign" end
	function Zone:onMark() return "zone" end
	function serverCmd.Mark(client) echo "command" end
	export("mark", function() return "export" end)
	function renew() if not isObject "mine" then new "Sign" { name = "mine" } end end
	export("renew", renew)
	renew()`

// interferences are what a mod can do to victim, with the permission that it needs.
var interferences = []struct{ permission, code, error string }{
	{"mod.override", `override(import "victim", "mark", function(parent) return "over " .. parent() end)`, `override "mark" of mod victim, on which it does not depend`},
	{"mod.override", `override(find "Zone", "onMark", function(parent) return "over " .. parent() end)`, `override "onMark" of mod victim, on which it does not depend`},
	{"mod.override", `override("Sign", "onMark", function(parent) return "over " .. parent() end)`, `override "onMark" of mod victim, on which it does not depend`},
	{"mod.override", `override(serverCmd, "Mark", function(parent) parent() end)`, `override "Mark" of mod victim, on which it does not depend`},
	{"mod.delete", `find "mine":delete()`, `delete Sign "mine" of mod victim`},
	{"mod.delete", `local g = new "SimGroup" {} local h = new "SimGroup" {} g:add(h) h:add(find "mine") g:delete()`, `delete Sign "mine" of mod victim`},
	{"mod.settings", `setting "net.mine" { default = 1 }`, `register net.mine, because names that begin with net. belong to the engine`},
	{"mod.settings", `addCommand { name = "sv.mine", run = print }`, `register sv.mine, because names that begin with sv. belong to the engine`},
}

// interfere makes a server with victim and a mod m, whose manifest ends with the given lines. It
// returns the error of loading m.
func interfere(t *testing.T, more, code string) (*half, string) {
	h := newHalf(t, 1, true, files(map[string]string{
		"victim/server/init.lua": victim,
		"m/mod.toml":             "name = \"m\"\nversion = \"1.0.0\"\n" + more,
		"m/server/init.lua":      "\n" + code,
	}))
	for _, err := range h.scripts.LoadMods("base", "victim", "m") {
		return h, err.Error()
	}
	return h, ""
}

// reloaded reloads a mod and returns the error, or "".
func (h *half) reloaded(mod string) string {
	if err := h.scripts.ReloadNow(mod); err != nil {
		return err.Error()
	}
	return ""
}

// TestModPermissions checks what a mod can do to another one: only with the permission in its
// manifest, and not after the operator has revoked it.
func TestModPermissions(t *testing.T) {
	for _, c := range interferences {
		t.Run(c.code, func(t *testing.T) {
			_, why := interfere(t, "", c.code)
			assert.Contains(t, why, "mods/m/server/init.lua:2: ")
			assert.Contains(t, why, "mod m cannot "+c.error+": its mod.toml must request permissions = [\""+c.permission+"\"]")

			h, why := interfere(t, "permissions = [\""+c.permission+"\"]\n", c.code)
			assert.Empty(t, why)
			assert.Contains(t, h.line("mods"), "\nm 1.0.0 on ["+c.permission+"]")

			calls := `import("victim").mark() .. find("Zone"):onMark() .. find("mine"):onMark()`
			if strings.Contains(c.code, "over ") {
				assert.Contains(t, h.line(calls), "over ")
			}
			require.Empty(t, h.line("mod.revoke m "+c.permission))
			assert.Equal(t, "m !"+c.permission, h.line("mod.grants"))
			assert.Contains(t, h.line("mods"), "\nm 1.0.0 on ["+c.permission+" (revoked)]")
			if c.permission == "mod.override" {
				assert.Equal(t, `"exportzonesign"`, h.line(calls))
			}
			require.Empty(t, h.line(`import("victim").renew()`))
			assert.Contains(t, h.reloaded("m"), "mod m cannot "+c.error+": the operator has revoked "+c.permission)
			require.Empty(t, h.line("mod.grant m "+c.permission))
			assert.Empty(t, h.line("mod.grants"))
			assert.Empty(t, h.reloaded("m"))
		})
	}
}

// TestDependenciesCanBeOverridden checks that a mod needs no permission to override what its
// dependencies define, also through another mod, but to delete their objects.
func TestDependenciesCanBeOverridden(t *testing.T) {
	for _, c := range interferences {
		if c.permission == "mod.settings" {
			continue
		}
		for _, more := range []string{"depends = [\"victim\"]\n", "optional = [\"victim\"]\n"} {
			_, why := interfere(t, more, c.code)
			assert.Equal(t, c.permission == "mod.delete", why != "", why)
		}
	}
	h := newHalf(t, 1, true, files(map[string]string{
		"victim/server/init.lua": victim,
		"middle/mod.toml":        "name = \"middle\"\nversion = \"1.0.0\"\ndepends = [\"victim\"]\n",
		"m/mod.toml":             "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"middle\"]\n",
		"m/server/init.lua":      interferences[0].code,
	})).load("m")
	assert.Equal(t, `"over export"`, h.line(`import("victim").mark()`))
}

// TestOverridesOfLaterModsNeedPermission checks a mod that overrides a command before another mod
// defines it.
func TestOverridesOfLaterModsNeedPermission(t *testing.T) {
	for _, more := range []string{"", "permissions = [\"mod.override\"]\n"} {
		p := join(t, map[string]string{
			"a/mod.toml":             "name = \"a\"\nversion = \"1.0.0\"\n" + more,
			"a/server/init.lua":      `override(serverCmd, "Mark", function(parent) echo "first" parent() end)`,
			"victim/server/init.lua": victim,
		}, nil, "a", "victim")
		p.client.line(`commandToServer("Mark")`)
		p.run(200e6)
		assert.Equal(t, more != "", strings.Contains(strings.Join(p.server.out, "\n"), "first"))
		assert.Contains(t, p.server.out, "command")
	}
}

// TestTheConsoleNeedsNoPermission checks that the operator can do everything.
func TestTheConsoleNeedsNoPermission(t *testing.T) {
	for _, c := range interferences {
		h, _ := interfere(t, "", "")
		assert.NotContains(t, h.line(c.code), "error: ")
	}
}

func TestUnknownModPermissions(t *testing.T) {
	folder := fstest.MapFS{"m/mod.toml": {Data: []byte("name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"mod.everything\"]\n")}}
	dir, err := fs.Sub(folder, "m")
	require.NoError(t, err)
	_, err = manifest.Read("m", dir)
	assert.EqualError(t, err, `mods/m/mod.toml:3: permissions: unknown "mod.everything"; known are mod.delete, mod.override, mod.settings, console.NAME, net:HOST:PORT, listen:PORT, transfer and transfer:HOST:PORT`)
}
