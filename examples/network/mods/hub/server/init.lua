-- A hub. Players walk into a portal to go to a game, or type /queue for a round against others.

local base = import "base"

local size = setting "hub.round" { default = 2, min = 2, max = 64, description = "players of a round of the queue" }

hub = { queue = {}, rounds = 0 }

-- hub.transfer is the only line that sends anybody away. The tests replace it.
function hub.transfer(client, server, data, done) return client:transfer(server, data, done) end

-- hub.send sends a player to a server, and says why if the player stays. On the way the player plays on
-- here, so a second step into the portal changes nothing: torc has one transfer of a player at a time.
function hub.send(client, server, data)
  hub.leave(client)
  local ok, why = hub.transfer(client, server, data, function(ok, why)
    if not ok then base.messageClient(client, "MsgPortal", "You stay here: %1.", why) end
  end)
  if not ok then base.messageClient(client, "MsgPortal", "You stay here: %1.", why) end
end

-- Bodies -----------------------------------------------------------------------------------------------

function GameConnection.onClientEnterGame(client)
  local position, rotation = base.spawnPoint()
  local body = new "Player" { dataBlock = Walker, position = position, rotation = rotation, shapeName = base.nameTag(client) }
  body.own.client, client.own.body = client, body
  client:add(body) -- deleted when the client leaves
  client:setControlObject(body)
  if client.arrival then base.messageClient(client, "MsgPortal", "Welcome back from %1.", client.arrival.from) end
end

-- Nobody fights here.
function Walker:onDamageRequest() return false end

-- Portals ----------------------------------------------------------------------------------------------

function Portal:onEnterTrigger(trigger, body)
  local client = body and body.own.client
  if client then hub.send(client, trigger.name) end
end

-- The queue --------------------------------------------------------------------------------------------

function hub.leave(client)
  for i, other in ipairs(hub.queue) do
    if other == client then return table.remove(hub.queue, i) end
  end
end

function GameConnection.onDrop(client) hub.leave(client) end

-- hub.room returns the server of the rounds with the most free places, if it has enough of them.
function hub.room(servers, players)
  local best
  for _, server in ipairs(servers) do
    local plays = server.name and server.state == "ready" and server.mission == "arena"
    if plays and server.free >= players and (not best or server.free > best.free) then best = server end
  end
  return best
end

-- hub.match begins a round when enough players wait. Each player carries the number of the round: the
-- other server has no other way to know who plays against whom.
function hub.match(servers)
  local players = math.floor(size.value)
  if #hub.queue < players then return end
  local server = hub.room(servers, players)
  if not server then return end
  hub.rounds = hub.rounds + 1
  for _ = 1, players do
    hub.send(hub.queue[1], server.name, { round = hub.rounds, players = players })
  end
end

every(1000, function() hub.match(fleet.servers()) end)

addCommand {
  name = "queue", description = "waits for a round, or stops waiting", chat = true,
  run = function(client)
    if not client then return "players do this, as /queue" end
    if hub.leave(client) then return "You do not wait any more." end
    table.insert(hub.queue, client)
    return "You wait for a round: " .. #hub.queue .. " of " .. math.floor(size.value) .. " players."
  end,
}
