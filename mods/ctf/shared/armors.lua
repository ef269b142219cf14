-- Armors: the health and the movement of players. A client predicts its player from these numbers.
-- So a mod can change how the game feels without code on the client.

-- Common to all three. Callbacks of Armor also run for them (server/players.lua).
Armor = datablock "PlayerData" "Armor" {
  shape = "player",
  size = vec(0.9, 0.9, 2.2),
  mass = 90,
  maxDamage = 100,
  maxEnergy = 60,
  rechargeRate = 8,
  minImpactSpeed = 30, -- m/s; faster landings cause damage (server/players.lua)
}

-- Fast but weak: for flag runners.
LightArmor = datablock "PlayerData" "LightArmor" {
  inherit = "Armor",
  mass = 70,
  maxDamage = 66,
  maxForwardSpeed = 15, maxBackwardSpeed = 13, maxSideSpeed = 13,
}

-- A compromise.
MediumArmor = datablock "PlayerData" "MediumArmor" {
  inherit = "Armor",
  mass = 110,
  maxDamage = 100,
  maxEnergy = 80,
  maxForwardSpeed = 12, maxBackwardSpeed = 10, maxSideSpeed = 10,
}

-- Slow but strong, and the only one with a mortar.
HeavyArmor = datablock "PlayerData" "HeavyArmor" {
  inherit = "Armor",
  size = vec(1.2, 1.2, 2.4),
  mass = 160,
  maxDamage = 132,
  maxEnergy = 110,
  maxForwardSpeed = 8, maxBackwardSpeed = 7, maxSideSpeed = 7,
}
