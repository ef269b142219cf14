-- Helpers for the tests of ctf: a running match, and players in it.

local match = require "server.match"
local teams = require "server.teams"
local players = require "server.players"
local flags = require "server.flags"

local game = {}

-- game.start ends the warm-up and puts all flags on their stands.
function game.start()
  if match.phase == "warmup" then match.ends = now() end
  waitFor(match.running, 1000, "the match has not begun")
  flags.reset()
end

-- game.player connects a client with a body, in a team.
function game.player(name, team)
  local c = client { name = name }
  if team and teams.of(c.client) ~= team then
    teams.join(c.client, team)
    players.spawn(c.client)
  end
  return c
end

-- game.body returns a client's living body; without one, the test fails.
function game.body(c) return truthy(players.alive(c.client), c.name .. " has no living body") end

-- game.put moves a client's body, and waits until the body has done its next move at the new
-- place. The first moves of a client can be three ticks late.
function game.put(c, position)
  local body = game.body(c)
  body.position, body.velocity = position, vec(0, 0, 0)
  ticks(5)
end

-- game.said fails unless the client has been shown a line with this text since the last call.
function game.said(c, text)
  local lines = c:lines()
  for _, line in ipairs(lines) do
    if line:find(text, 1, true) then return end
  end
  error(c.name .. " was not told " .. text .. ", but: " .. table.concat(lines, " / "), 2)
end

return game
