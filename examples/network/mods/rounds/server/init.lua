-- The part of a network that runs beside a game, for example beside deathmatch or ctf.

local base = import "base"

local home = setting "rounds.hub" { default = "hub", description = "the server to which players go back" }

rounds = {}

-- rounds.transfer is the only line that sends anybody away. The tests replace it.
function rounds.transfer(client, server, done) return client:transfer(server, nil, done) end

-- rounds.back sends a player to the hub. Who is refused plays on.
function rounds.back(client)
  rounds.transfer(client, home.value, function(ok, why)
    if not ok then base.messageClient(client, "MsgRounds", "You stay here: %1.", why) end
  end)
end

-- rounds.of returns the number of the round that brought a player here, or nil. What another server
-- says is a stranger's data: check its types.
function rounds.of(arrival)
  local data = arrival and arrival.data
  local round = type(data) == "table" and data.round
  if type(round) == "number" then return round end
end

function GameConnection.onArrived(client)
  local round = rounds.of(client.arrival)
  client.own.round = round
  if round then base.messageAll("MsgRounds", "%1 plays in round %2.", client.name, round) end
end

-- Deathmatch calls this at the end of a round. Players of the queue go back to the hub. Those who came
-- by themselves stay.
function onRoundEnd()
  for client in clientGroup:each() do
    if client.own.round then
      client.own.round = nil
      rounds.back(client)
    end
  end
end

addCommand {
  name = "hub", description = "goes back to the hub", chat = true,
  run = function(client)
    if not client then return "players do this, as /hub" end
    rounds.back(client)
    return "You go to the hub."
  end,
}
