package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// over makes an override of f of mod a that adds a letter, in a package if one is named.
func over(letter, pkg string) string {
	if pkg != "" {
		pkg = `, "` + pkg + `"`
	}
	return `override(import "a", "f", function(parent) return (parent() or "") .. "` + letter + `" end` + pkg + `) `
}

// packed is a mod a with a function f, and mods whose overrides add letters to its result. The mod
// m has the packages One and Two, and runs code for others.
func packed(t *testing.T, more map[string]string) *edited {
	list := map[string]string{
		"a/server/init.lua": `export("f", function() return "f" end)`,
		"m/server/init.lua": over("1", "One") + over("2", "Two") + `export("run", function(text) return eval(text) end) export("isActive", isActivePackage)`,
		"n/server/init.lua": over("n", "") + over("o", "One") + `export("run", function(text) return eval(text) end)`,
	}
	for name, text := range more {
		list[name] = text
	}
	return edit(t, list, "a", "m", "n")
}

// in returns a line that runs code in a mod.
func in(mod, code string) string { return `import("` + mod + `").run [[` + code + `]]` }

// f is the current result of the function.
func f(want string) step { return step{`import("a").f()`, `"` + want + `"`} }

func TestAPackageRunsWhileItIsActive(t *testing.T) {
	packed(t, nil).steps(
		f("fn"), step{in("m", `return isActivePackage "One"`), "false"},
		step{in("m", `activatePackage "One"`), ""}, f("fn1"), step{in("m", `return isActivePackage "one"`), "true"},
		step{in("m", `deactivatePackage "ONE"`), ""}, f("fn"), step{in("m", `return isActivePackage "One"`), "false"},
	)
}

func TestTheNewestActivationIsOutermost(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "Two" activatePackage "One"`), ""}, f("fn21"),
		step{in("m", `deactivatePackage "Two" activatePackage "Two"`), ""}, f("fn12"),
		step{in("n", `activatePackage "One"`), ""}, f("fn12o"),
		step{in("m", `deactivatePackage "One" activatePackage "One"`), ""}, f("fn2o1"),
		step{in("m", `override(import "a", "f", function(parent) return parent() .. "new" end)`), "~"}, f("fn2o1new"),
	)
}

func TestPackagesThatFilesActivateFollowTheLoadOrder(t *testing.T) {
	e := packed(t, map[string]string{"m/server/init.lua": over("1", "One") + over("2", "Two") + `activatePackage "Two" activatePackage "One"`})
	e.steps(f("f21n"), step{"mod reload m", "~reloaded"}, f("f21n"), step{"mod reload n", "~reloaded"}, f("f21n"))
}

func TestNamesOfPackagesBelongToTheMod(t *testing.T) {
	packed(t, nil).steps(
		step{in("n", `activatePackage "One"`), ""}, f("fno"), step{in("m", `return isActivePackage "One"`), "false"},
		step{in("m", `activatePackage "One"`), ""}, step{in("n", `deactivatePackage "One"`), ""}, f("fn1"),
		step{in("n", `activatePackage "Two"`), `~activatePackage: mod n has no package "Two"`},
		step{in("m", `activatePackage "Twoo"`), `~activatePackage: mod m has no package "Twoo", did you mean 'Two'?`},
		step{in("m", `deactivatePackage "None"`), `~deactivatePackage: mod m has no package "None"`},
		step{in("m", `return isActivePackage "None"`), "false"},
		step{in("m", over("x", "")+`override(import "a", "f", print, "")`), `~override: argument 4 (package) must not be empty`},
	)
}

func TestAPackageInTheMiddleEnds(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "One" activatePackage "Two"`), ""}, step{in("n", `activatePackage "One"`), ""}, f("fn12o"),
		step{in("m", `deactivatePackage "Two"`), ""}, f("fn1o"),
		step{in("m", `deactivatePackage "One"`), ""}, f("fno"),
	)
}

func TestToActivateTwiceChangesNothing(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "One" activatePackage "Two" activatePackage "One"`), ""}, f("fn12"),
		step{in("m", `deactivatePackage "One" deactivatePackage "One"`), ""}, f("fn2"),
	)
}

func TestAnOverrideJoinsItsActivePackage(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "One" activatePackage "Two" `+over("+", "One")), ""}, f("fn1+2"),
		step{in("m", `deactivatePackage "One"`), ""}, f("fn2"),
	)
}

// TestAPackageReplacesEveryKindOfFunction checks that everything that override can replace is back
// to the letter: datablocks, classes, commands and exports.
func TestAPackageReplacesEveryKindOfFunction(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		Disc = datablock "ItemData" "Disc" {}
		function Disc:hit(x) return "hit " .. x end
		Flag = class "Flag" { inherit = "Item" }
		function Flag:wave() return "wave" end
		function Flag:onAdd() echo "added" end
		function serverCmd.Hi(client, x) echo("hi", x) end
		local function swap(parent, ...) echo "swapped" return "swapped" end
		override(Disc, "hit", swap, "P") override("Flag", "wave", swap, "P") override(Flag, "onAdd", swap, "P") override(serverCmd, "Hi", swap, "P")
		local before = { Disc.hit, Flag.wave }
		function all()
			local flag = new "Flag" { dataBlock = Disc }
			echo(Disc:hit(1), flag:wave(), Disc.hit == before[1], Flag.wave == before[2])
		end
		export("all", all) export("on", function() activatePackage "P" end) export("off", function() deactivatePackage "P" end)`}, nil, "m")
	hi := func() []string {
		p.client.line(`commandToServer("Hi", 1)`)
		p.run(300 * time.Millisecond)
		return p.server.out
	}
	plain := step{`import("m").all()`, "added\nhit 1\twave\ttrue\ttrue"}
	p.server.steps(plain)
	assert.Equal(t, []string{"hi\t1"}, hi())
	p.server.steps(step{`import("m").on()`, ""}, step{`import("m").all()`, "swapped\nswapped\nswapped\nswapped\tswapped\tfalse\tfalse"})
	assert.Equal(t, []string{"swapped"}, hi())
	p.server.steps(step{`import("m").off()`, ""}, plain)
	assert.Equal(t, []string{"hi\t1"}, hi())
}

func TestClientsHavePackages(t *testing.T) {
	p := join(t, nil, nil)
	p.client.line(`function clientCmd.Hi(x) echo("hi", x) end`)
	p.client.line(`override(clientCmd, "Hi", function(parent, x) parent(x .. "!") end, "Loud")`)
	for _, word := range []string{"hi\t1", "hi\t1!", "hi\t1"} {
		p.server.line(`commandToAll("Hi", 1)`)
		p.run(300 * time.Millisecond)
		assert.Equal(t, []string{word}, p.client.out)
		p.client.line(`if isActivePackage "Loud" then deactivatePackage "Loud" else activatePackage "Loud" end`)
	}
}

// TestAPackageEndsWhileItsOverrideRuns checks that the running function goes on and still reaches
// its parent, and that functions that have ended meanwhile do not run.
func TestAPackageEndsWhileItsOverrideRuns(t *testing.T) {
	e := packed(t, map[string]string{"m/server/init.lua": over("1", "One") + `
		override(import "a", "f", function(parent) deactivatePackage "Two" return parent() .. "2" end, "Two")
		override(import "a", "f", function(parent) deactivatePackage "One" return parent() .. "3" end, "Three")
		override(import "a", "f", function(parent) kept = parent return parent() .. "4" end, "Four")
		export("run", function(text) return eval(text) end)`})
	e.steps(
		step{in("m", `activatePackage "Two"`), ""}, f("fn2"), f("fn"),
		step{in("m", `activatePackage "One" activatePackage "Three"`), ""}, f("fn3"), step{in("m", `return isActivePackage "One"`), "false"},
		step{in("m", `deactivatePackage "Three" activatePackage "One" activatePackage "Four"`), ""}, f("fn14"),
		step{in("m", `return kept()`), `"fn1"`}, step{in("m", `deactivatePackage "One" return kept()`), `"fn"`},
	)
}

// TestAPackageThatBeginsInACallWaitsForTheNext checks that a call runs no function that was
// activated after its beginning.
func TestAPackageThatBeginsInACallWaitsForTheNext(t *testing.T) {
	packed(t, map[string]string{"m/server/init.lua": over("1", "One") + `
		override(import "a", "f", function(parent) activatePackage "One" return parent() .. "2" end)`}).steps(f("f2n"), f("f2n1"))
}

// TestAnOverrideWhoseParentGoesAway checks that a parent whose mod has ended or has been reloaded
// does nothing: no function of an old instance runs.
func TestAnOverrideWhoseParentGoesAway(t *testing.T) {
	e := packed(t, map[string]string{"a/server/init.lua": `
		function serverCmd.Go() echo "gone" return 1 end
		export("f", function() return "f" end)`,
		"m/server/init.lua": `override(import "a", "f", function(parent) kept = parent return (parent() or "") .. "1" end)
			export("run", function(text) return eval(text) end)`})
	e.steps(f("f1n"), step{in("m", `return kept()`), `"f"`},
		step{"mod reload a", "~reloaded"}, step{in("m", `return kept()`), ""}, f("f1n"), step{in("m", `return kept()`), `"f"`},
		step{"mod disable a", "a is disabled"}, step{in("m", `return kept()`), ""}, step{"mod enable a", "a 1.0.0 is on"}, f("f1n"))
}

func TestAReloadEndsPackages(t *testing.T) {
	e := packed(t, nil)
	e.steps(step{in("m", `activatePackage "One"`), ""}, f("fn1"), step{"mod reload m", "~reloaded"}, f("fn"), step{in("m", `return isActivePackage "One"`), "false"})
	e.write(map[string]string{"m/server/init.lua": over("1", "One") + `active = true function onReload(old) if old.active then activatePackage "One" end end`})
	e.steps(step{"mod reload m", "~reloaded"}, f("fn"), step{"mod reload m", "~reloaded"}, f("f1n"))
	e.write(map[string]string{"m/server/init.lua": `override(import "a", "f", function() return "never" end) error "no"`})
	e.steps(step{"mod reload m", "~no"}, f("f1n"))
}

// TestAFailedReloadKeepsPackages checks that active packages and their order are back after a
// reload that fails.
func TestAFailedReloadKeepsPackages(t *testing.T) {
	e := packed(t, nil)
	e.steps(step{in("m", `activatePackage "Two" activatePackage "One"`), ""}, step{in("n", `activatePackage "One"`), ""}, f("fn21o"))
	before := e.files["m/server/init.lua"].Data
	e.write(map[string]string{"m/server/init.lua": string(before) + ` activatePackage "Two" error "no"`})
	e.steps(step{"mod reload m", "~no"}, f("fn21o"), step{in("m", `return isActivePackage "One"`), "true"}, step{in("m", `deactivatePackage "Two"`), ""}, f("fn1o"))
}

func TestPackagesEndWithTheMod(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "One"`), ""}, f("fn1"), step{"mod disable m", "m is disabled"}, f("fn"),
		step{"mod enable m", "m 1.0.0 is on"}, f("fn"), step{in("m", `activatePackage "One"`), ""}, f("fn1"),
	)
}

func TestPackagesOfASuspendedModWait(t *testing.T) {
	e := packed(t, nil)
	e.steps(step{in("m", `activatePackage "One"`), ""}, step{in("n", `activatePackage "One"`), ""}, f("fn1o"))
	e.scripts.Runtime.Mod("m").Suspend("for the test")
	e.steps(f("fno"))
	e.scripts.Runtime.Mod("m").Enable()
	e.steps(f("fn1o"))
}

// TestARevokedPermissionEndsPackages checks that a package asks for the permission when it runs.
func TestARevokedPermissionEndsPackages(t *testing.T) {
	packed(t, nil).steps(
		step{in("m", `activatePackage "One"`), ""}, f("fn1"), step{"mod.revoke m mod.override", ""}, f("fn"),
		step{in("m", `deactivatePackage "One" activatePackage "One"`), ""}, f("fn"), step{"mod.grant m mod.override", ""}, f("fn1"),
	)
}

// missions are missions of mod m: one activates packages, one declares them, one does nothing.
var missions = map[string]string{
	"m/missions/one.lua":  `activatePackage "One"`,
	"m/missions/new.lua":  over("x", "") + over("y", "Own") + `activatePackage "Own" import("n").run [[activatePackage "One"]] kept = ` + over("z", ""),
	"m/missions/none.lua": ``,
}

func TestAMissionsPackagesEndWithIt(t *testing.T) {
	e := packed(t, missions)
	e.steps(
		step{"mission none", ""}, step{in("m", `activatePackage "Two"`), ""}, f("fn2"),
		step{"mission one", ""}, f("fn21"), step{"mission one", ""}, f("fn21"), step{"mission none", ""}, f("fn2"),
		step{in("m", `return isActivePackage "One", isActivePackage "Two"`), "false\ttrue"},
		step{in("m", `activatePackage "One"`), ""}, step{"mission one", ""}, step{"mission none", ""}, f("fn21"), // active before it
	)
}

func TestOverridesThatAMissionDeclaresEndWithIt(t *testing.T) {
	e := packed(t, missions)
	for range 3 {
		e.steps(step{"mission new", ""}, f("fnxyoz"))
	}
	e.steps(step{in("m", `kept:off()`), ""}, f("fnxyo"), step{in("m", `kept:on()`), ""}, f("fnxyoz"))
	e.steps(step{"mission none", ""}, f("fn"), step{in("m", `activatePackage "Own"`), `~mod m has no package "Own"`},
		step{in("m", `kept:on()`), `~the override has ended with the mission that declared it`}, step{"mod info m", "~2 overrides"})
}

// TestOnMissionEndStillHasThePackages checks that packages end after onMissionEnd.
func TestOnMissionEndStillHasThePackages(t *testing.T) {
	e := packed(t, missions)
	e.line(`function onMissionEnd() echo(import("a").f()) end`)
	e.steps(step{"mission one", "fn"}, step{"mission none", "fn1"}, step{"mission none", "fn"})
}

func TestAnOverrideWithoutANameIsSwitched(t *testing.T) {
	e := packed(t, nil)
	e.steps(
		step{in("m", `x = `+over("x", "")+`y = `+over("y", "")), ""}, f("fnxy"),
		step{in("m", `x:off()`), ""}, f("fny"), step{in("m", `x:off() x:on() x:on()`), ""}, f("fnyx"), step{in("m", `y:off() x:off()`), ""}, f("fn"),
		step{in("m", `return x, tostring(x), type(x)`), "~override"}, step{in("m", `return `+over("1", "One")), ""},
		step{in("m", `x.z = 1`), "~an override has no fields"}, step{in("m", `x:offf()`), "~an Override has no offf, did you mean 'off'?"},
		step{in("m", `x.on(1)`), "~Override:on: call it with a colon, on an override: Override:on(…)"}, step{in("m", `return pcall(import("n").run, x)`), "~an override cannot go to another mod"},
	)
	e.steps(step{in("m", `function onReload(old) echo(old.x) end x:on()`), ""}, f("fnx"), step{"mod reload m", "~reloaded"}, f("fn"))
}

func TestAModHasAtMost1024Overrides(t *testing.T) {
	e := packed(t, nil)
	e.steps(step{in("m", `for i = 3, 1024 do override(import "a", "f", function(parent) return parent() end, "Many") end `+over("x", "")),
		"~override: a mod can have at most 1024 overrides: keep the value that override returns, and call its off and on"},
		step{"mod info m", "~1024 overrides"}, f("fn"), step{in("n", over("x", "")), "~"}, f("fnx"))
}

// TestAFaultInAPackage checks that the fault of a package names mod, file and line, and that the
// others still run.
func TestAFaultInAPackage(t *testing.T) {
	e := packed(t, map[string]string{"m/server/init.lua": "\n" + `override(import "a", "f", function(parent) error "early" end, "One")
		activatePackage "One"`})
	e.steps(f("fn"))
	assert.Contains(t, strings.Join(e.log, "\n"), "m: f: mods/m/server/init.lua:2: early")
}

// TestManyActivationsInAnyOrder checks the order of many activations against a list.
func TestManyActivationsInAnyOrder(t *testing.T) {
	e := packed(t, map[string]string{"m/server/init.lua": `
		for i = 0, 9 do override(import "a", "f", function(parent) return parent() .. i end, "P" .. i) end
		export("run", function(text) return eval(text) end)`})
	require.Empty(t, e.line(in("m", `
		local stack, random = {}, 1
		for i = 1, 200 do
			random = random * 75 % 65537
			local n, at = random % 10
			for k, v in ipairs(stack) do if v == n then at = k end end
			if random % 3 == 0 then deactivatePackage("P" .. n) if at then table.remove(stack, at) end
			else activatePackage("P" .. n) if not at then table.insert(stack, n) end end
			local want = "fn" .. table.concat(stack)
			if import("a").f() ~= want then error(i .. ": " .. import("a").f() .. ", not " .. want) end
		end`)))
}
