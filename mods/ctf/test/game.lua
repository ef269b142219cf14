-- What the tests of ctf share: a match that runs, and players in it.

local match = require "server.match"
local teams = require "server.teams"
local players = require "server.players"
local flags = require "server.flags"

local game = {}

-- game.start ends the warm-up, and has all flags at home.
function game.start()
  if match.phase == "warmup" then match.ends = now() end
  waitFor(match.running, 1000, "the match has not begun")
  flags.reset()
end

-- game.player brings in a client in a team, with a body.
function game.player(name, team)
  local c = client { name = name }
  if team and teams.of(c.client) ~= team then
    teams.join(c.client, team)
    players.spawn(c.client)
  end
  return c
end

-- game.body is a client's living body.
function game.body(c) return truthy(players.alive(c.client), c.name .. " has no living body") end

-- game.put takes a client's body somewhere, and waits for the tick in which it does its next move there: the first
-- moves of a client may be late by three ticks.
function game.put(c, position)
  local body = game.body(c)
  body.position, body.velocity = position, vec(0, 0, 0)
  ticks(5)
end

-- game.said finds a line among what a client has been shown since the last call.
function game.said(c, text)
  local lines = c:lines()
  for _, line in ipairs(lines) do
    if line:find(text, 1, true) then return end
  end
  error(c.name .. " was not told " .. text .. ", but: " .. table.concat(lines, " / "), 2)
end

return game
