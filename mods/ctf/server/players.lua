-- Players: spawn, damage, death and respawn.

local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"
local flags = require "server.flags"
local loadouts = require "server.loadouts"
local supplies = require "server.supplies"
local obituary = require "server.obituary"
local base = import "base"

local RESPAWN = 4000 -- ms
local AT_ONCE = 4    -- players who spawn in one tick
local IMPACT = 2     -- points of damage for each m/s above minImpactSpeed

local players = { waiting = {} } -- pending respawns, in order: {client, body, at}

-- players.body returns a client's body, dead or alive, or nil.
function players.body(client)
  local body = client.own.body
  return isObject(body) and body or nil
end

-- players.alive returns a client's body if it is alive, or nil.
function players.alive(client)
  local body = players.body(client)
  return body and not body:isDestroyed() and body or nil
end

-- The tag of a body follows the name of its client.
function onRename(client)
  local body = players.body(client)
  if body then body.shapeName = base.nameTag(client) end
end

function players.remove(client)
  local body = players.body(client)
  if not body then return end
  flags.dropped(body)
  body:delete()
  client.own.body = nil
end

-- put creates a body for a client and makes it the control object.
local function put(client, position, rotation)
  players.remove(client)
  local body = new "Player" {
    dataBlock = loadouts.of(client).armor, position = position, rotation = rotation,
    team = teams.of(client), shapeName = base.nameTag(client),
  }
  body:showFieldTo("damageLevel", { body.team })
  body.own.client, client.own.body = client, body
  client:add(body) -- deleted when the client leaves
  loadouts.equip(body, client)
  client:setControlObject(body)
  return body
end

function players.spawn(client)
  local position, rotation = base.spawnPoint(teams.of(client))
  put(client, position, rotation)
end

-- players.restore gives a client a body like one of players.state.
function players.restore(client, state)
  put(client, state.position, state.rotation).damageLevel = state.damage
end

-- players.state describes a client's living body; it returns nil without one.
function players.state(client)
  local body = players.alive(client)
  return body and { position = body.position, rotation = body.rotation, damage = body.damageLevel }
end

-- again respawns a client, unless the mission has ended or the client already has another body.
local function again(entry)
  for i, other in ipairs(players.waiting) do
    if other == entry then table.remove(players.waiting, i) break end
  end
  local client = entry.client
  if isObject(client) and client.own.body == entry.body and match.phase ~= "none" then pcallFor(client, players.spawn) end
end

-- wait respawns a client after ms milliseconds, if body is still its body then.
local function wait(ms, client, body)
  local entry = { client = client, body = body, at = now() + ms }
  table.insert(players.waiting, entry)
  schedule(ms, again, entry)
end

-- players.back returns the milliseconds until a client is back, or nil if it does not wait.
function players.back(client)
  for _, entry in ipairs(players.waiting) do
    if entry.client == client then return math.max(0, entry.at - now()) end
  end
end

-- players.spawnAll respawns all clients, AT_ONCE per tick: a hundred at once would exceed the tick
-- budget.
function players.spawnAll()
  local n = 0
  for client in clientGroup:each() do
    if client.phase == "game" and teams.of(client) then
      wait(math.floor(n / AT_ONCE) * 32, client, players.body(client))
      n = n + 1
    end
  end
end

-- players.change gives a client another loadout. If the armor differs, a new body replaces the old.
function players.change(client, name)
  client.own.loadout = name
  local body = players.alive(client)
  if not body then return end
  if body.dataBlock.name == loadouts.of(client).armor then
    loadouts.equip(body, client)
  else
    local hurt = body.damageLevel / body.dataBlock.maxDamage
    body = put(client, body.position, body.rotation)
    body.damageLevel = hurt * body.dataBlock.maxDamage
  end
end

function players.removeAll()
  for client in clientGroup:each() do pcallFor(client, players.remove) end
end

-- Runs when something stops a player faster than minImpactSpeed.
function Armor:onImpact(player, speed)
  player:damage(nil, player.position, (speed - player.dataBlock.minImpactSpeed) * IMPACT, "impact")
end

-- Shows attackers that they have hit.
function Armor:onDamage(player, amount, source)
  local attacker = obituary.client(source)
  if attacker and attacker ~= player.own.client then base.showHit(attacker) end
end

-- Runs when a player dies. source is the attacker or the object that caused it, or nil.
function Armor:onDestroyed(player, source, type)
  local client = player.own.client
  if not client or not isObject(client) then return end
  local killer = obituary.client(source)
  client.own.killer = killer and killer ~= client and killer.name or nil
  if match.running() then
    pcallFor(client, score.died)
    if killer and killer ~= client then
      local carrier = flags.carried(player)
      pcallFor(killer, score.add, teams.of(killer) == player.team and "teamkill" or carrier and "carrierkill" or "kill")
    end
  end
  obituary.tell(client, killer, source, type)
  flags.dropped(player)
  supplies.dropped(player)
  wait(RESPAWN, client, player)
end

-- players.resume restarts the respawn timers after a reload.
function players.resume(old)
  for _, entry in ipairs(old.waiting) do wait(math.max(0, entry.at - now()), entry.client, entry.body) end
end

return players
