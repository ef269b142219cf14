-- Armors: the health and the movement of players. A client predicts its player from these numbers.
-- So a mod can change how the game feels without code on the client.

-- The look of an armor: width and height are factors. more lists further parts.
local function armor(width, height, more)
  local function v(x, y, z) return vec(x * width, y * width, z * height) end
  local look = {
    { "capsule", at = v(-0.17, 0, 0.45), size = v(0.27, 0.3, 0.9), color = "steel", motion = "stride", pivot = v(0, 0, 0.85) },
    { "capsule", at = v(0.17, 0, 0.45), size = v(0.27, 0.3, 0.9), color = "steel", motion = "counterstride", pivot = v(0, 0, 0.85) },
    { "capsule", at = v(0, 0, 1.2), size = v(0.74, 0.58, 0.98) },
    { "box", at = v(0, 0.22, 1.3), size = v(0.5, 0.2, 0.36), color = "dark", near = true },
    { "sphere", at = v(-0.4, 0, 1.5), size = v(0.34, 0.36, 0.34), color = "dark", near = true },
    { "sphere", at = v(0.4, 0, 1.5), size = v(0.34, 0.36, 0.34), color = "dark", near = true },
    { "capsule", at = v(-0.44, 0.12, 1.2), size = v(0.2, 0.2, 0.62), rotation = rot(0, 42, 0), color = "steel", near = true },
    { "capsule", at = v(0.44, 0.18, 1.22), size = v(0.2, 0.2, 0.62), rotation = rot(0, 58, 0), color = "steel", near = true },
    { "sphere", at = v(0, 0.03, 1.83), size = v(0.46, 0.5, 0.48), motion = "aim", pivot = v(0, 0, 1.75) },
    { "sphere", at = v(0, 0.13, 1.85), size = v(0.4, 0.36, 0.22), color = "cyan", glow = 0.9, motion = "aim", pivot = v(0, 0, 1.75) },
    { "box", at = v(0, -0.36, 1.3), size = v(0.52, 0.24, 0.58), color = "metal" },
    { "cylinder", at = v(-0.17, -0.42, 0.98), size = v(0.2, 0.2, 0.26), color = "steel", near = true },
    { "cylinder", at = v(0.17, -0.42, 0.98), size = v(0.2, 0.2, 0.26), color = "steel", near = true },
    { "flame", when = "jets", at = v(-0.17, -0.44, 0.5), size = v(0.26, 0.26, 0.9), rotation = rot(0, 180, 0) },
    { "flame", when = "jets", at = v(0.17, -0.44, 0.5), size = v(0.26, 0.26, 0.9), rotation = rot(0, 180, 0) },
    { "jet", when = "jets", at = v(0, -0.4, 0.6) },
    { "smoke", when = "jets", at = v(0, -0.4, 0.3), velocity = vec(0, 0, -3), size = 0.45, life = 0.9, color = "#9a958c", rate = 30, fall = 0 },
    { "sound", when = "jets", wave = "noise", pitch = 700 / width, attack = 0.08, release = 0.2, volume = 0.35, reach = 90, loop = true },
    { "sound", when = "down", wave = "saw", pitch = 220 / width, slide = 0.3, release = 0.5, volume = 0.3, reach = 80 },
  }
  for _, part in ipairs(more or {}) do look[#look + 1] = part end
  return look
end

-- Common to all three. Callbacks of Armor also run for them (server/players.lua).
Armor = datablock "PlayerData" "Armor" {
  shape = "player",
  look = armor(1, 1),
  size = vec(0.9, 0.9, 2.2),
  mass = 90,
  maxDamage = 100,
  maxEnergy = 60,
  rechargeRate = 8,
  minImpactSpeed = 30, -- m/s; faster landings cause damage (server/players.lua)
  maxInventory = { DiscAmmo = 15, ChaingunAmmo = 150 },
}

-- Fast but weak: for flag runners.
LightArmor = datablock "PlayerData" "LightArmor" {
  inherit = "Armor",
  look = armor(0.88, 0.98, { { "box", at = vec(0.14, -0.36, 1.75), size = vec(0.03, 0.03, 0.5), color = "metal", near = true } }),
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
  look = armor(1.25, 1.08, {
    { "box", at = vec(-0.55, 0, 1.66), size = vec(0.42, 0.5, 0.3), rotation = rot(0, 0, -15) },
    { "box", at = vec(0.55, 0, 1.66), size = vec(0.42, 0.5, 0.3), rotation = rot(0, 0, 15) },
  }),
  size = vec(1.2, 1.2, 2.4),
  mass = 160,
  maxDamage = 132,
  maxEnergy = 110,
  maxForwardSpeed = 8, maxBackwardSpeed = 7, maxSideSpeed = 7,
  maxInventory = { DiscAmmo = 15, ChaingunAmmo = 150, MortarAmmo = 10 },
}
