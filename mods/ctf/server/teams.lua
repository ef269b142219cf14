-- The two teams: their members and their points.

local messageAll = import "base".messageAll

local teams = { names = { "Red", "Blue" }, points = { 0, 0 } }

function teams.enemy(team) return 3 - team end

-- teams.of returns a client's team, or nil if it has none yet.
function teams.of(client) return client.own.team end

-- teams.each iterates over the clients of a team.
function teams.each(team)
  local list, i = {}, 0
  for client in clientGroup:each() do
    if client.own.team == team then list[#list + 1] = client end
  end
  return function()
    i = i + 1
    return list[i]
  end
end

function teams.size(team)
  local n = 0
  for _ in teams.each(team) do n = n + 1 end
  return n
end

-- teams.smaller returns the team with fewer players. If both have the same number, it returns the
-- team with fewer points.
function teams.smaller()
  local red, blue = teams.size(1), teams.size(2)
  if red == blue then red, blue = teams.points[1], teams.points[2] end
  return red <= blue and 1 or 2
end

function teams.join(client, team)
  client.own.team = team
  messageAll("MsgTeam", "%1 is now in the %2 team.", client.name, teams.names[team])
end

-- teams.mayJoin reports whether a client can change to a team: only if it has fewer players.
function teams.mayJoin(client, team)
  return teams.of(client) ~= team and teams.size(team) < teams.size(teams.enemy(team))
end

-- teams.balance moves the latest members, bots first, until the teams differ by less than two.
function teams.balance()
  for _ = 1, #clientGroup do
    local red, blue = teams.size(1), teams.size(2)
    if math.abs(red - blue) < 2 then return end
    local large, last, lastBot = red > blue and 1 or 2, nil, nil
    for client in teams.each(large) do
      last = client
      if client.isBot then lastBot = client end
    end
    teams.join(lastBot or last, teams.enemy(large))
  end
end

-- teams.resume takes over the points after a reload.
function teams.resume(old) teams.points = old.points end

return teams
