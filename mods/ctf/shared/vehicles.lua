-- Vehicles: three datablocks of the class Vehicle. A vehicle has wheels (each with its own spring
-- and damping), hovers, or flies. seat1 is the driver's seat.

-- What all vehicles have: an engine, smoke when they are damaged, and the sound of their end.
local function withEngine(pitch, look)
  look[#look + 1] = { "smoke", when = "hurt", at = vec(0, 0, 1) }
  look[#look + 1] = { "smoke", when = "down", at = vec(0, 0, 1), rate = 20, size = 1.4 }
  look[#look + 1] = { "sound", when = "up", wave = "saw", pitch = pitch, bend = 0.4, attack = 0.2, release = 0.3, volume = 0.2, reach = 150, loop = true }
  look[#look + 1] = { "sound", when = "down", wave = "noise", pitch = 600, slide = 0.1, release = 1.5, volume = 1, reach = 400 }
  return look
end

-- Scout: flies, one seat.
Scout = datablock "VehicleData" "Scout" {
  look = withEngine(70, {
    { "capsule", at = vec(0, 0, 0.7), size = vec(1, 0.7, 3.6), rotation = rot(0, 90, 0) },
    { "box", at = vec(0, -0.9, 0.7), size = vec(2.6, 0.8, 0.14), color = "dark" },
    { "sphere", at = vec(0, 0.5, 1), size = vec(0.6, 1, 0.5), color = "cyan", glow = 0.5 },
    { "cylinder", at = vec(-0.75, -1.3, 0.6), size = vec(0.45, 0.45, 1.2), rotation = rot(0, 90, 0), color = "metal" },
    { "cylinder", at = vec(0.75, -1.3, 0.6), size = vec(0.45, 0.45, 1.2), rotation = rot(0, 90, 0), color = "metal" },
    { "box", at = vec(0, -1.5, 1.15), size = vec(0.1, 0.7, 0.8) },
    { "flame", when = "moving", at = vec(-0.75, -2.2, 0.6), size = vec(0.35, 0.35, 0.8), rotation = rot(0, 90, 0) },
    { "flame", when = "moving", at = vec(0.75, -2.2, 0.6), size = vec(0.35, 0.35, 0.8), rotation = rot(0, 90, 0) },
  }),
  kind = "flying", shape = "scout", radius = 3, size = vec(4, 5, 1.5), mass = 150, maxDamage = 120,
  maxSpeed = 45, maxAcceleration = 22, turnRate = 90, lift = 15,
  seats = 1, seat1 = vec(0, 0, 0.4),
  minCollisionSpeed = 15, collisionDamage = 1.5,
}

-- Tank: four wheels, a driver, and one seat on the roof.
Tank = datablock "VehicleData" "Tank" {
  look = withEngine(38, {
    { "box", at = vec(0, 0, 1), size = vec(2.6, 4.8, 0.9) },
    { "box", at = vec(-1.35, 0, 0.6), size = vec(0.7, 5.2, 0.9), color = "steel" },
    { "box", at = vec(1.35, 0, 0.6), size = vec(0.7, 5.2, 0.9), color = "steel" },
    { "cylinder", at = vec(0, -0.3, 1.75), size = vec(2, 2, 0.7), color = "dark" },
    { "cylinder", at = vec(0, 2, 1.85), size = vec(0.3, 0.3, 3.6), rotation = rot(0, 90, 0), color = "metal" },
    { "box", at = vec(0, 2.3, 1.2), size = vec(1.6, 0.1, 0.4), rotation = rot(0, -25, 0), color = "cyan", glow = 0.4 },
    { "smoke", when = "moving", at = vec(0, -2.6, 0.8), velocity = vec(0, -1, 0.8), size = 0.5, life = 1, color = "#55504a" },
  }),
  kind = "wheeled", shape = "tank", radius = 4, size = vec(4, 6, 2.2), mass = 1500, maxDamage = 400,
  maxSpeed = 18, maxAcceleration = 8, brake = 12, turnRate = 60, maxSteer = 30,
  wheel1 = vec(-1.8, 2.2, 0), wheel2 = vec(1.8, 2.2, 0), wheel3 = vec(-1.8, -2.2, 0), wheel4 = vec(1.8, -2.2, 0),
  seats = 2, seat1 = vec(0, 0.5, 1.2), seat2 = vec(0, -1, 2.2),
  minCollisionSpeed = 8, collisionDamage = 3,
}

-- Transport: hovers, six seats.
Transport = datablock "VehicleData" "Transport" {
  look = withEngine(52, {
    { "box", at = vec(0, 0, 1.4), size = vec(4.4, 8.2, 1.5) },
    { "box", at = vec(0, 3.9, 1.5), size = vec(3, 1.6, 1.1), color = "dark" },
    { "box", at = vec(0, 4.5, 1.75), size = vec(2.2, 0.7, 0.5), color = "cyan", glow = 0.4 },
    { "box", at = vec(-3.1, 0, 1.7), size = vec(2, 3.2, 0.3), color = "dark" },
    { "box", at = vec(3.1, 0, 1.7), size = vec(2, 3.2, 0.3), color = "dark" },
    { "cylinder", at = vec(-3.6, 0, 1.5), size = vec(1.5, 1.5, 0.8), color = "metal" },
    { "cylinder", at = vec(3.6, 0, 1.5), size = vec(1.5, 1.5, 0.8), color = "metal" },
    { "jet", when = "moving", at = vec(-3.6, 0, 1), velocity = vec(0, 0, -5), color = "cyan", rate = 15 },
    { "jet", when = "moving", at = vec(3.6, 0, 1), velocity = vec(0, 0, -5), color = "cyan", rate = 15 },
  }),
  kind = "hover", shape = "transport", radius = 5, size = vec(5, 9, 2), mass = 700, maxDamage = 300,
  maxSpeed = 28, maxAcceleration = 12, brake = 6, turnRate = 50, hoverHeight = 1.5,
  seats = 6, seat1 = vec(0, 3, 0.5), seat2 = vec(-1.2, 1, 0.5), seat3 = vec(1.2, 1, 0.5),
  seat4 = vec(-1.2, -1, 0.5), seat5 = vec(1.2, -1, 0.5), seat6 = vec(0, -3, 0.5),
  minCollisionSpeed = 12, collisionDamage = 2,
}

-- Pads on which vehicles appear (server/vehicles.lua). Each says what it makes.
local function pad(text)
  return {
    { "box", at = vec(0, 0, 0.1), size = vec(8, 10, 0.2), color = "#4c535a" },
    { "box", at = vec(-3.8, 0, 0.22), size = vec(0.3, 9.6, 0.06), glow = 0.7 },
    { "box", at = vec(3.8, 0, 0.22), size = vec(0.3, 9.6, 0.06), glow = 0.7 },
    { "box", at = vec(-0.6, 3.2, 0.22), size = vec(0.35, 2.2, 0.04), rotation = rot(-38, 0, 0), color = "yellow", glow = 0.5 },
    { "box", at = vec(0.6, 3.2, 0.22), size = vec(0.35, 2.2, 0.04), rotation = rot(38, 0, 0), color = "yellow", glow = 0.5 },
    { "label", at = vec(0, -4.6, 0.9), text = text, size = 0.7, color = "yellow", near = true },
  }
end

VehiclePad = datablock "StaticShapeData" "VehiclePad" { shape = "pad", look = pad "PAD", radius = 5, size = vec(8, 10, 0.2) }
ScoutPad = datablock "StaticShapeData" "ScoutPad" { inherit = "VehiclePad", look = pad "SCOUT" }
TankPad = datablock "StaticShapeData" "TankPad" { inherit = "VehiclePad", look = pad "TANK" }
TransportPad = datablock "StaticShapeData" "TransportPad" { inherit = "VehiclePad", look = pad "TRANSPORT" }
