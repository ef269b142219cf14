-- Teams of players. A game names its teams with base.setTeams. Without that there are none.

local teams = { names = {} }

-- teamOf returns the number of a client's team, or nil if it has none.
local function teamOf(client)
  local team = client.own.team
  return teams.names[team] and team
end

-- teamMembers lists the clients of a team, in the order of joining.
local function teamMembers(team)
  local list = {}
  for client in clientGroup:each() do
    if client.own.team == team then list[#list + 1] = client end
  end
  return list
end

local function teamSize(team) return #teamMembers(team) end

-- setTeams names the teams of the game. Players keep their team while it exists. The teams stay when the mod
-- that named them is unloaded: setTeams {} removes them.
local function setTeams(names)
  if type(names) ~= "table" then error("setTeams needs a table of names, got " .. type(names), 2) end
  teams.names = names
end

-- setTeam moves a client to a team, or to none, and tells all clients and all mods. A client that is in the team
-- already stays there, without a message.
local function setTeam(client, team)
  if team ~= nil and not teams.names[team] then
    error("there is no team " .. tostring(team) .. ": this game has " .. #teams.names .. " teams", 2)
  end
  local before = teamOf(client)
  if before == team then return end
  client.own.team = team
  if team then messageAll("MsgTeam", text("in_team", client.name, teams.names[team])) end
  broadcast("onTeamChange", client, team, before)
end

-- extremes returns the largest and the smallest team, and the difference of their sizes.
local function extremes()
  local large, small, most, least
  for team = 1, #teams.names do
    local size = teamSize(team)
    if not most or size > most then large, most = team, size end
    if not least or size < least then small, least = team, size end
  end
  return large, small, (most or 0) - (least or 0)
end

-- smallestTeam returns the team with the fewest players, the first of them if several have so few. It
-- returns nil without teams.
local function smallestTeam()
  local _, small = extremes()
  return small
end

-- balanceTeams moves the latest members, bots first, until the teams differ by less than two.
local function balanceTeams()
  for _ = 1, #clientGroup do
    local large, small, difference = extremes()
    if difference < 2 then return end
    local last, lastBot
    for _, client in ipairs(teamMembers(large)) do
      last = client
      if client.isBot then lastBot = client end
    end
    setTeam(lastBot or last, small)
  end
end

for name, fn in pairs {
  setTeams = setTeams, teamNames = function() return teams.names end, teamOf = teamOf, setTeam = setTeam,
  teamMembers = teamMembers, teamSize = teamSize, smallestTeam = smallestTeam, balanceTeams = balanceTeams,
} do export(name, fn) end

teams.of = teamOf

-- teams.resume takes over the names after a reload.
function teams.resume(old) teams.names = old.names end

return teams
