-- Vehicles: three datablocks of the class Vehicle. A vehicle has wheels (each with its own spring
-- and damping), hovers, or flies. seat1 is the driver's seat.

-- Scout: flies, one seat.
Scout = datablock "VehicleData" "Scout" {
  kind = "flying", shape = "scout", radius = 3, size = vec(4, 5, 1.5), mass = 150, maxDamage = 120,
  maxSpeed = 45, maxAcceleration = 22, turnRate = 90, lift = 15,
  seats = 1, seat1 = vec(0, 0, 0.4),
  minCollisionSpeed = 15, collisionDamage = 1.5,
}

-- Tank: four wheels, a driver, and one seat on the roof.
Tank = datablock "VehicleData" "Tank" {
  kind = "wheeled", shape = "tank", radius = 4, size = vec(4, 6, 2.2), mass = 1500, maxDamage = 400,
  maxSpeed = 18, maxAcceleration = 8, brake = 12, turnRate = 60, maxSteer = 30,
  wheel1 = vec(-1.8, 2.2, 0), wheel2 = vec(1.8, 2.2, 0), wheel3 = vec(-1.8, -2.2, 0), wheel4 = vec(1.8, -2.2, 0),
  seats = 2, seat1 = vec(0, 0.5, 1.2), seat2 = vec(0, -1, 2.2),
  minCollisionSpeed = 8, collisionDamage = 3,
}

-- Transport: hovers, six seats.
Transport = datablock "VehicleData" "Transport" {
  kind = "hover", shape = "transport", radius = 5, size = vec(5, 9, 2), mass = 700, maxDamage = 300,
  maxSpeed = 28, maxAcceleration = 12, brake = 6, turnRate = 50, hoverHeight = 1.5,
  seats = 6, seat1 = vec(0, 3, 0.5), seat2 = vec(-1.2, 1, 0.5), seat3 = vec(1.2, 1, 0.5),
  seat4 = vec(-1.2, -1, 0.5), seat5 = vec(1.2, -1, 0.5), seat6 = vec(0, -3, 0.5),
  minCollisionSpeed = 12, collisionDamage = 2,
}

-- Pads on which vehicles appear (server/vehicles.lua).
VehiclePad = datablock "StaticShapeData" "VehiclePad" { shape = "pad", radius = 5, size = vec(8, 10, 0.2) }
ScoutPad = datablock "StaticShapeData" "ScoutPad" { inherit = "VehiclePad" }
TankPad = datablock "StaticShapeData" "TankPad" { inherit = "VehiclePad" }
TransportPad = datablock "StaticShapeData" "TransportPad" { inherit = "VehiclePad" }
