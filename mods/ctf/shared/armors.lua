-- Armors: what players are made of and how they move. All that a client needs to know to move its own
-- player at once is in these numbers, so a mod changes how the game feels without code on the client.

-- What the three have in common. They answer to the callbacks of Armor, too (server/players.lua).
Armor = datablock "PlayerData" "Armor" {
  shape = "player",
  size = vec(0.9, 0.9, 2.2),
  mass = 90,
  maxDamage = 100,
  maxEnergy = 60,
  rechargeRate = 8,
  minImpactSpeed = 30, -- m/s; a harder landing hurts (server/players.lua)
}

-- Quick and thin: runs with the flag.
LightArmor = datablock "PlayerData" "LightArmor" {
  inherit = "Armor",
  mass = 70,
  maxDamage = 66,
  maxForwardSpeed = 15, maxBackwardSpeed = 13, maxSideSpeed = 13,
}

-- A bit of everything.
MediumArmor = datablock "PlayerData" "MediumArmor" {
  inherit = "Armor",
  mass = 110,
  maxDamage = 100,
  maxEnergy = 80,
  maxForwardSpeed = 12, maxBackwardSpeed = 10, maxSideSpeed = 10,
}

-- Slow and thick, and the only one that carries a mortar.
HeavyArmor = datablock "PlayerData" "HeavyArmor" {
  inherit = "Armor",
  size = vec(1.2, 1.2, 2.4),
  mass = 160,
  maxDamage = 132,
  maxEnergy = 110,
  maxForwardSpeed = 8, maxBackwardSpeed = 7, maxSideSpeed = 7,
}
