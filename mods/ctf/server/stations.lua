-- Inventory stations: who steps on one is refilled, and may choose another loadout with the use key.

local loadouts = require "server.loadouts"
local players = require "server.players"
local messageClient = import "base".messageClient

local MEND = 15 -- points of damage for each tickPeriod
local NEAR = 5  -- metres from a station in which it serves

-- A station that a mission makes brings its trigger along.
function InventoryStation:onAdd(station)
  local trigger = new "Trigger" { dataBlock = StationTrigger, position = station.position, size = vec(3, 3, 3) }
  trigger.own.station = station
end

-- serves tells whether a station helps a player: it works, is his team's, and he is there.
local function serves(station, player)
  return not station:isDestroyed() and station.team == player.team and not player:isDestroyed()
    and (station.position - player.position):length() < NEAR
end

function StationTrigger:onEnterTrigger(trigger, player)
  local client = player.own.client
  if not client or not serves(trigger.own.station, player) then return end
  player.own.station = trigger.own.station
  loadouts.refill(player)
  messageClient(client, "MsgStation", "Weapons refilled. Press use for the %1 loadout.", loadouts.after(client))
end

function StationTrigger:onLeaveTrigger(trigger, player)
  if isObject(player) then player.own.station = nil end
end

-- Who stays is mended.
function StationTrigger:onTickTrigger(trigger)
  for _, player in ipairs(inRadius(trigger.position, 2, "Player")) do
    if player.own.client and serves(trigger.own.station, player) then player:repair(MEND) end
  end
end

-- The use key: the next loadout, on a station and without a flag.
local stations = {}

function stations.use(client, player)
  local station = player.own.station
  if not station or not serves(station, player) then return false end
  local name = loadouts.after(client)
  players.change(client, name)
  players.body(client).own.station = station
  messageClient(client, "MsgLoadout", "You have the %1 loadout.", name)
  return true
end

return stations
