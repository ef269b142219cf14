-- WayPoints that all players, a team or one player find. A plain WayPoint is for all, spectators too.

local teams = require "server.teams"

-- One that some players find. Spectators do not, because the server asks for each client.
local Narrow = class "NarrowWayPoint" {
  inherit = "WayPoint",
  description = "A WayPoint for one player or one team.",
}

function Narrow:inScope(client)
  local own = self.own
  if own.client then return own.client == client end
  return teams.of(client) == own.team
end

-- waypoint makes a WayPoint at position. to is a client or the number of a team, nil for all. team is
-- the team whose colour it has: that of to, unless the caller names another.
local function waypoint(position, text, to, team)
  local forTeam = type(to) == "number"
  if forTeam and not teams.names[to] then error("there is no team " .. tostring(to), 2) end
  if not (to == nil or forTeam or isObject(to) and to.className == "GameConnection") then
    error("a WayPoint is for a client, a team or all, not for " .. tostring(to), 2)
  end
  local colour = team or forTeam and to or to and teams.of(to) or 0
  local made = new(to == nil and "WayPoint" or "NarrowWayPoint") { position = position, text = text, team = colour }
  if forTeam then made.own.team = to elseif to then made.own.client = to end
  return made
end

export("waypoint", waypoint)
