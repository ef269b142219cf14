-- The two teams and their points. base knows their members.

local base = import "base"

local names = { text "red", text "blue" }
base.setTeams(names)

local teams = { names = names, points = { 0, 0 }, of = base.teamOf, size = base.teamSize, join = base.setTeam, balance = base.balanceTeams }

function teams.enemy(team) return 3 - team end

-- teams.smaller returns the team with fewer players. If both have the same number, it returns the
-- team with fewer points.
function teams.smaller()
  if teams.size(1) ~= teams.size(2) then return base.smallestTeam() end
  return teams.points[1] <= teams.points[2] and 1 or 2
end

-- teams.mayJoin reports whether a client can change to a team: only if it has fewer players.
function teams.mayJoin(client, team)
  return teams.of(client) ~= team and teams.size(team) < teams.size(teams.enemy(team))
end

-- The visibility groups of clients are their teams. So a player's damage is shown to its team only.
function onTeamChange(client, team) client:setScopeGroups(team and { team } or {}) end

-- teams.resume takes over the points after a reload.
function teams.resume(old) teams.points = old.points end

return teams
