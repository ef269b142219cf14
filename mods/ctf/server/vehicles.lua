-- Vehicles: a pad builds a new vehicle when the old one is lost. Walk into a vehicle to get in.

local supplies = require "server.supplies"

local REBUILD = 20000 -- ms until a pad builds another
local LOST = 60000    -- ms after which an empty vehicle far from its pad counts as lost
local AWAY = 40       -- metres: this far from its pad, a vehicle is far away
local AGAIN = 2000    -- ms after getting out until a player can get in again

local makes = { ScoutPad = "Scout", TankPad = "Tank", TransportPad = "Transport" }

local function build(pad)
  pad.own.rebuilt = nil
  if pad.own.vehicle then return end
  local vehicle = new "Vehicle" {
    dataBlock = makes[pad.dataBlock.name], position = pad.position + vec(0, 0, 1), rotation = pad.rotation, team = pad.team,
  }
  missionGroup:add(vehicle)
  vehicle.own.used, pad.own.vehicle = now(), vehicle
end

function VehiclePad:onAdd(pad) build(pad) end

local function empty(vehicle)
  for seat = 0, vehicle.dataBlock.seats - 1 do
    if vehicle:mountedObject(seat) then return false end
  end
  return true
end

-- abandoned reports whether a vehicle far from its pad has been empty for too long.
local function abandoned(vehicle, pad)
  local near = (vehicle.position - pad.position):length() < AWAY
  if near or not empty(vehicle) then vehicle.own.used = now() end
  return now() - vehicle.own.used > LOST
end

-- look checks the vehicle of a pad, and schedules a new one if it is lost.
local function look(pad)
  local vehicle = pad.own.vehicle
  if not vehicle then return end
  local there = isObject(vehicle)
  if there and not vehicle:isDestroyed() and not abandoned(vehicle, pad) then return end
  if there then vehicle:delete() end
  pad.own.vehicle = nil
  pad.own.rebuilt = now() + REBUILD
  pad:schedule(REBUILD, "build")
end

function VehiclePad:build(pad) build(pad) end

-- freeSeat returns the first empty seat, or nil.
local function freeSeat(vehicle)
  for seat = 0, vehicle.dataBlock.seats - 1 do
    if not vehicle:mountedObject(seat) then return seat end
  end
end

-- A player who walks into a vehicle of the own team gets in. Bots walk around it. Everybody takes
-- ammunition on the way.
function Armor:onCollision(player, other)
  if other and other.className == "Item" then return supplies.touch(player, other) end
  local client = player.own.client
  if not client or client.isBot or not other or not other:isMemberOfClass("Vehicle") then return end
  if player:isDestroyed() or other:isDestroyed() or other.team ~= player.team then return end
  if now() < (player.own.mayMount or 0) then return end
  local seat = freeSeat(other)
  if seat then other:mountObject(player, seat) end
end

function Armor:onUnmount(player) player.own.mayMount = now() + AGAIN end

local vehicles = {}

-- vehicles.tick checks all pads once per second.
function vehicles.tick(tick)
  if tick % 32 ~= 0 then return end
  for pad in objects "StaticShape" do
    if makes[pad.dataBlock.name] then look(pad) end
  end
end

-- vehicles.resume restarts the build timers of pads after a reload.
function vehicles.resume()
  for pad in objects "StaticShape" do
    if pad.own.rebuilt then pad:schedule(math.max(0, pad.own.rebuilt - now()), "build") end
  end
end

return vehicles
