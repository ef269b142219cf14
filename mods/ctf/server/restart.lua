-- A restart of the server: the match goes on, and the players get back their team, score, loadout and
-- body. The flags are at home again.

local teams = require "server.teams"
local match = require "server.match"
local players = require "server.players"
local base = import "base"

local restart = {}

local function entry(client) return "ctf " .. client.key end

local function keep(client)
  local own = client.own
  base.keep(entry(client), {
    team = teams.of(client), score = own.score, deaths = own.deaths, did = own.did, loadout = own.loadout,
    body = players.state(client),
  })
end

-- restart.keep stores the match and its players.
function restart.keep()
  if match.phase == "none" then return end
  match.keep()
  for client in clientGroup:each() do
    if not client.isBot and teams.of(client) then pcallFor(client, keep) end
  end
end

-- restart.giveBack returns to a client what it had before the restart. It returns false if there is
-- nothing, or if another match has begun since.
function restart.giveBack(client)
  local kept = match.continued and not client.isBot and base.kept(entry(client))
  if not kept then return false end
  local own = client.own
  own.score, own.deaths, own.did, own.loadout = kept.score, kept.deaths, kept.did, kept.loadout
  teams.join(client, kept.team)
  if kept.body then players.restore(client, kept.body) else players.spawn(client) end
  return true
end

return restart
