-- Points of players. Captures also count for the team (server/flags.lua).

local teams = require "server.teams"

local score = { worth = { kill = 1, teamkill = -1, carrierkill = 2, flagreturn = 2, capture = 5 } }

-- score.clear resets a client's score.
function score.clear(client)
  client.own.score, client.own.deaths = 0, 0
  client.own.did = { kill = 0, teamkill = 0, carrierkill = 0, flagreturn = 0, capture = 0 }
end

-- score.add counts an action of a client. what is a name in score.worth.
function score.add(client, what)
  local own = client.own
  own.did[what] = own.did[what] + 1
  own.score = own.score + score.worth[what]
end

function score.died(client) client.own.deaths = client.own.deaths + 1 end

function score.clearAll()
  for client in clientGroup:each() do
    if teams.of(client) then score.clear(client) end
  end
end

-- row returns the score of a client. It fails if the client has no complete score.
local function row(client)
  local own = client.own
  return {
    client = client, team = teams.of(client), score = own.score + 0, deaths = own.deaths + 0,
    kills = own.did.kill + 0, captures = own.did.capture + 0,
  }
end

-- score.ranking lists the scores of the clients that have a team, best first.
function score.ranking()
  local list = {}
  for client in clientGroup:each() do
    if teams.of(client) then
      local ok, entry = pcallFor(client, row)
      if ok then list[#list + 1] = entry end
    end
  end
  table.sort(list, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.client.id < b.client.id
  end)
  return list
end

return score
