-- Inventory stations: a player who steps on one gets full ammunition, and can choose another
-- loadout with the use key.

local loadouts = require "server.loadouts"
local players = require "server.players"
local messageClient = import "base".messageClient

local MEND = 15 -- points of damage repaired per tickPeriod
local NEAR = 5  -- metres: range in which a station works

-- Each station creates its own trigger.
function InventoryStation:onAdd(station)
  local trigger = new "Trigger" { dataBlock = StationTrigger, position = station.position, size = vec(3, 3, 3) }
  trigger.own.station = station
end

-- serves reports whether a station works for a player: it is intact, of the same team, and near.
local function serves(station, player)
  return not station:isDestroyed() and station.team == player.team and not player:isDestroyed()
    and (station.position - player.position):length() < NEAR
end

function StationTrigger:onEnterTrigger(trigger, player)
  local client = player and player.own.client
  if not client or not serves(trigger.own.station, player) then return end
  player.own.station = trigger.own.station
  loadouts.refill(player)
  messageClient(client, "MsgStation", text("refilled", text(loadouts.after(client))))
end

function StationTrigger:onLeaveTrigger(trigger, player)
  if player then player.own.station = nil end
end

-- Repairs players who stay on the station.
function StationTrigger:onTickTrigger(trigger)
  for _, player in ipairs(inRadius(trigger.position, 2, "Player")) do
    if player.own.client and serves(trigger.own.station, player) then player:repair(MEND) end
  end
end

-- The use key selects the next loadout while the player is on a station.
local stations = {}

function stations.use(client, player) return stations.change(client, player, loadouts.after(client)) end

-- stations.change gives a client a loadout, and returns false if its player is not on a station.
function stations.change(client, player, name)
  local station = player and player.own.station
  if not station or not serves(station, player) then return false end
  players.change(client, name)
  players.body(client).own.station = station
  messageClient(client, "MsgLoadout", text("have_loadout", text(name)))
  return true
end

return stations
