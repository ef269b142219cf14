package modtrial

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCastRayFindsWhatTheShooterSees lets a client with a round trip of 200 ms shoot by a command
// at the place where it sees a fast target. A ray with the option shooter hits it; a ray without
// misses.
func TestCastRayFindsWhatTheShooterSees(t *testing.T) {
	results := run(t, Options{},
		"m/shared/body.lua", `Body = datablock "PlayerData" "Body" { size = vec(1, 1, 2) }`,
		"m/server/init.lua", `
			shots = { now = 0, past = 0, bounded = 0 }
			function GameConnection.onClientEnterGame(client)
				shooter = new "Player" { name = "shooter", dataBlock = Body, position = vec(0, -40, 500) }
				client:add(shooter)
				client:setControlObject(shooter)
			end
			allowCommand("Shoot", { args = { "vec" }, rate = 100, burst = 100 })
			function serverCmdShoot(client, at)
				local from, to = at - vec(0, 4, 0), at + vec(0, 4, 0)
				local function count(name, options) if castRay(from, to, options) == target then shots[name] = shots[name] + 1 end end
				count("now", { except = shooter })
				count("past", { shooter = shooter })
				count("bounded", { shooter = shooter, ago = 32 })
			end`,
		"m/test/x_test.lua", `test("x", function()
			local c = client { name = "Ann" }
			network(c, { delay = 100 })
			wait(4000)
			shooter.position = vec(0, -40, 500)
			shooter.velocity = vec(40, 0, 0)
			target = new "Player" { name = "target", dataBlock = Body, position = vec(0, 0, 500), velocity = vec(40, 0, 0) }
			wait(1000)
			for i = 1, 20 do
				c:lua("commandToServer('Shoot', (...).position + vec(0, 0, 1))", target)
				wait(64)
			end
			wait(500)
			equal(shots, { now = 0, past = 20, bounded = 0 })
		end)
		test("wrong options", function()
			local z = vec(0, 0, 0)
			fails(function() castRay(z, z, { agoo = 1 }) end, 'unknown option "agoo", did you mean "ago"?')
			fails(function() castRay(z, z, { ago = -1 }) end, "ago must be a number of at least 0, got -1")
			fails(function() castRay(z, z, { ago = 0/0 }) end, "option ago must be finite")
			fails(function() castRay(z, z, { shooter = {} }) end, "option shooter cannot be a table")
			fails(function() castRay(z, z, { shooter = 3 }) end, "shooter must be an object or nil, got 3")
		end)`)
	for _, r := range results {
		assert.NoError(t, r.Err, "%s\n%s", r.Trace, strings.Join(r.Log, "\n"))
	}
}
