package modtrial

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDamageRequest checks what onDamageRequest of a datablock can answer, and that it fails
// closed.
func TestDamageRequest(t *testing.T) {
	results := run(t, Options{},
		"m/shared/body.lua", `
			Body = datablock "PlayerData" "Body" { maxDamage = 100 }
			Wall = datablock "StaticShapeData" "Wall" { maxDamage = 100 }`,
		"m/server/init.lua", `
			happened = {}
			answer = function() end
			function Body:onDamageRequest(player, amount, source, type) return answer(player, amount, source, type) end
			function Body:onDamage(player, amount, source, type) table.insert(happened, amount) end
			function Body:onDestroyed(player, source, type) table.insert(happened, "dead") end`,
		"m/test/x_test.lua", `
			local function body(team) return new "Player" { dataBlock = Body, position = vec(0, 0, 500), team = team } end
			local function hurt(player, amount, source)
				happened = {}
				player:damage(source, player.position, amount, "lava")
				equal(player.damageLevel, 0, "the damage waits for the check")
				ticks(1)
				return player.damageLevel
			end
			local function answers(value) answer = function() return value end end

			test("answers", function()
				for _, c in ipairs { { nil, 30 }, { true, 30 }, { false, 0 }, { 0, 0 }, { 12.5, 12.5 }, { 60, 60 } } do
					answers(c[1])
					near(hurt(body(), 30), c[2], 0.01)
					equal(happened, c[2] > 0 and { c[2] } or {})
				end
				answers(1e9)
				equal(hurt(body(), 30), 100, "a number is limited to maxDamage")
				equal(happened[2], "dead")
			end)

			test("arguments", function()
				local player, enemy, got = body(1), body(2), nil
				answer = function(...) got = { ... } end
				hurt(player, 7, enemy)
				equal(got, { player, 7, enemy, "lava" })
				answer = function() error "never asked" end
				player:repair(3)
				near(player.damageLevel, 4, 0.01)
			end)

			test("friendly fire and explosions", function()
				answer = function(player, amount, source) return not (source and source.team == player.team) end
				local mate, enemy, source = body(1), body(2), body(1)
				mate.velocity, source.position = vec(3, 0, 0), vec(90, 0, 500)
				ticks(1)
				radiusDamage(source, mate.position, 8, 40, "blast", 0)
				ticks(1)
				equal(mate.damageLevel, 0)
				truthy(enemy.damageLevel > 20)
			end)

			test("only objects with a check wait", function()
				local wall = new "StaticShape" { dataBlock = Wall }
				wall:damage(nil, vec(0, 0, 0), 20, "lava")
				near(wall.damageLevel, 20, 0.01)
			end)

			test("an object that is deleted before the check is not checked", function()
				local asked = false
				answer = function() asked = true end
				local player = body()
				player:damage(nil, player.position, 5, "lava")
				player:delete()
				ticks(2)
				equal(asked, false)
			end)

			test("an error refuses", function()
				answer = function() error "planned" end
				for i = 1, 8 do equal(hurt(body(), 30), 0) end
				local lines = log()
				equal(#lines, 2, table.concat(lines, "\n"))
				truthy(lines[1]:find("planned", 1, true))
				truthy(lines[2]:find("suspended", 1, true))
				answer = function() end
				equal(hurt(body(), 30), 0, "a suspended check refuses")
				console "mod enable m"
				near(hurt(body(), 30), 30, 0.01)
			end)

			test("a wrong answer refuses", function()
				for _, wrong in ipairs { "no", -1, 0/0, 1/0, {} } do
					answers(wrong)
					equal(hurt(body(), 30), 0)
				end
				truthy(log()[1]:find("must return true, false, nil or a number of at least 0, not \"no\"", 1, true))
			end)`)
	allPass(t, 7, results)
}

// allPass fails unless there are n results, all without an error.
func allPass(t *testing.T, n int, results []Result) {
	t.Helper()
	assert.Len(t, results, n)
	for _, r := range results {
		assert.NoError(t, r.Err, "%s: %s\n%s", r.Name, r.Trace, strings.Join(r.Log, "\n"))
	}
}

// TestDamageRequestOfAClass checks the order of class, datablock and override, and that the check
// of a suspended mod refuses.
func TestDamageRequestOfAClass(t *testing.T) {
	results := run(t, Options{},
		"m/shared/body.lua", `
			Body = datablock "PlayerData" "Body" { maxDamage = 100 }
			Robot = class "Robot" { inherit = "Player" }`,
		"m/server/init.lua", `
			function Robot:onDamageRequest(amount) asked = (asked or 0) + 1 return amount / 2 end
			function Body:onDamageRequest(robot, amount) return amount + 1 end`,
		"m/test/x_test.lua", `
			test("class, then datablock", function()
				local robot = new "Robot" { dataBlock = Body, position = vec(0, 0, 500) }
				robot:damage(nil, robot.position, 40, "lava")
				ticks(1)
				near(robot.damageLevel, 21, 0.01)
				override(Body, "onDamageRequest", function(parent, self, obj, amount) return parent() * 2 end)
				robot:damage(nil, robot.position, 10, "lava")
				ticks(1)
				near(robot.damageLevel, 33, 0.01)
				asked = 0
				Robot.onDamageRequest = function() asked = 1 return false end
				robot:damage(nil, robot.position, 10, "lava")
				ticks(1)
				near(robot.damageLevel, 33, 0.01)
				equal(asked, 1)
			end)`)
	allPass(t, 1, results)
}

// TestDamageRequestOfASuspendedMod checks that damage is refused while the mod with the check is
// suspended.
func TestDamageRequestOfASuspendedMod(t *testing.T) {
	results := run(t, Options{},
		"n/shared/body.lua", `
			datablock "PlayerData" "Body" { maxDamage = 100 }
			datablock "StaticShapeData" "Wall" { maxDamage = 100 }`,
		"n/server/init.lua", `
			local Body, Wall = find "Body", find "Wall"
			function Body:onDamageRequest() return true end
			function Wall:onDamage() error "planned" end
			function Wall:onDestroyed() error "planned" end
			function onTick() if broken then error "planned" end end
			export("break", function() broken = true end)`,
		"m/mod.toml", "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"base\", \"n\"]\n",
		"m/test/x_test.lua", `test("x", function()
			local player = new "Player" { dataBlock = find "Body", position = vec(0, 0, 500) }
			local function damaged()
				player.damageLevel = 0
				player:damage(nil, player.position, 10, "lava")
				ticks(1)
				return player.damageLevel
			end
			near(damaged(), 10, 0.01)
			import("n")["break"]()
			for i = 1, 6 do
				local wall = new "StaticShape" { dataBlock = find "Wall" }
				wall:damage(nil, wall.position, 100, "lava")
				ticks(1)
			end
			truthy(console("mods"):find("suspended", 1, true))
			truthy(table.concat(log()):find("n is suspended for 10s", 1, true))
			equal(damaged(), 0)
		end)`)
	allPass(t, 1, results)
}
