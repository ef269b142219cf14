-- The two teams: who is in which, and how many points each has.

local messageAll = import "base".messageAll

local teams = { names = { "Red", "Blue" }, points = { 0, 0 } }

function teams.enemy(team) return 3 - team end

-- teams.of gives a client's team, nil for one that has none yet.
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

-- teams.smaller is the team that needs a player most: the one with fewer players, then fewer points.
function teams.smaller()
  local red, blue = teams.size(1), teams.size(2)
  if red == blue then red, blue = teams.points[1], teams.points[2] end
  return red <= blue and 1 or 2
end

function teams.join(client, team)
  client.own.team = team
  messageAll("MsgTeam", "%1 is now in the %2 team.", client.name, teams.names[team])
end

-- teams.mayJoin tells whether a player may change to a team: not into one that would get too large.
function teams.mayJoin(client, team)
  return teams.of(client) ~= team and teams.size(team) < teams.size(teams.enemy(team))
end

-- teams.balance moves those who came last, bots before people, until no team is larger by two.
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

-- teams.resume takes the points over from an old version of this file.
function teams.resume(old) teams.points = old.points end

return teams
