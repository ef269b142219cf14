-- Vehicles: a pad makes its vehicle anew when the old one is lost. Walking into one is getting in.


local REBUILD = 20000 -- ms until a pad has another
local LOST = 60000    -- ms after which an empty vehicle far from its pad is given up
local AWAY = 40       -- metres from the pad that are far
local AGAIN = 2000    -- ms between getting out and getting in

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

-- abandoned tells whether nobody has used a vehicle for long, far from its pad.
local function abandoned(vehicle, pad)
  local near = (vehicle.position - pad.position):length() < AWAY
  if near or not empty(vehicle) then vehicle.own.used = now() end
  return now() - vehicle.own.used > LOST
end

-- look sees to what has become of a pad's vehicle.
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

-- freeSeat is the first that nobody sits in, or nil.
local function freeSeat(vehicle)
  for seat = 0, vehicle.dataBlock.seats - 1 do
    if not vehicle:mountedObject(seat) then return seat end
  end
end

-- Players bump into things: into a vehicle of their team means getting in. Bots walk around it.
function Armor:onCollision(player, other)
  local client = player.own.client
  if not client or client.isBot or not other:isMemberOfClass("Vehicle") then return end
  if player:isDestroyed() or other:isDestroyed() or other.team ~= player.team then return end
  if now() < (player.own.mayMount or 0) then return end
  local seat = freeSeat(other)
  if seat then other:mountObject(player, seat) end
end

function Armor:onUnmount(player) player.own.mayMount = now() + AGAIN end

local vehicles = {}

-- vehicles.tick looks at all pads once a second.
function vehicles.tick(tick)
  if tick % 32 ~= 0 then return end
  for pad in objects "StaticShape" do
    if makes[pad.dataBlock.name] then look(pad) end
  end
end

-- vehicles.resume has the pads build what they were about to.
function vehicles.resume()
  for pad in objects "StaticShape" do
    if pad.own.rebuilt then pad:schedule(math.max(0, pad.own.rebuilt - now()), "build") end
  end
end

return vehicles
