-- Points of players. Captures also count for the team (server/flags.lua).

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

function score.clearAll()
  for client in clientGroup:each() do
    if client.own.team then score.clear(client) end
  end
end

-- score.ranking lists the clients that have a team, best first.
function score.ranking()
  local list = {}
  for client in clientGroup:each() do
    if client.own.team then list[#list + 1] = client end
  end
  table.sort(list, function(a, b)
    if a.own.score ~= b.own.score then return a.own.score > b.own.score end
    return a.id < b.id
  end)
  return list
end

return score
