-- What players get points for. Captures count for the team, too (server/flags.lua).

local score = { worth = { kill = 1, teamkill = -1, carrierkill = 2, flagreturn = 2, capture = 5 } }

-- score.clear starts a client's tally anew.
function score.clear(client)
  client.own.score, client.own.deaths = 0, 0
  client.own.did = { kill = 0, teamkill = 0, carrierkill = 0, flagreturn = 0, capture = 0 }
end

-- score.add counts something that a client did, by its name in score.worth.
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

-- score.ranking lists the clients that play, the best first.
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
