-- Weapons. An image is the weapon that a player holds; it fires a projectile. From these numbers,
-- the engine does firing, flight, hits and explosions. The score of a hit is in server/.
-- Times are in ms, speeds in m/s, damage in points (armors have 66 to 132).

-- Ammunition: an item for each weapon that needs some. It lies where a player has died or thrown it.
local function ammo(name, color)
  datablock "ItemData" (name) {
    shape = "ammo", radius = 0.4, elasticity = 0.3, friction = 3,
    mass = 60, -- an explosion throws it some metres, and not across the map
    look = {
      { "box", at = vec(0, 0, 0.2), size = vec(0.6, 0.4, 0.4), color = "dark" },
      { "box", at = vec(0, 0, 0.42), size = vec(0.5, 0.3, 0.06), color = color, glow = 1 },
    },
  }
end
ammo("DiscAmmo", "#7fd8ff")
ammo("ChaingunAmmo", "#ffd27a")
ammo("MortarAmmo", "#9dff6a")

-- Disc launcher: a fast disc that explodes on impact. Fired at your own feet, it throws you upward.
datablock "ProjectileData" "DiscShot" {
  shape = "disc", muzzleVelocity = 65, velInheritFactor = 0.5, lifetime = 5000,
  directDamage = 15, radiusDamage = 45, damageRadius = 7, impulse = 1800, damageType = "disc", explosion = "disc",
  look = {
    { "cylinder", size = vec(0.6, 0.6, 0.08), color = "#7fd8ff", glow = 2, spin = 1260 },
    { "torus", size = vec(0.75, 0.75, 0.8), color = "white", glow = 2.5 },
    { "trail", color = "#6fc8ff", size = 0.45, life = 0.55 },
    { "explosion", color = "#6fc8ff" },
    { "sound", wave = "saw", pitch = 340, slide = 0.35, release = 0.25, volume = 0.4 },
    { "sound", wave = "triangle", pitch = 620, volume = 0.25, reach = 80, loop = true },
    { "sound", when = "explodes", wave = "noise", pitch = 1100, slide = 0.1, hold = 0.06, release = 0.8, volume = 0.8, reach = 300 },
  },
}
DiscLauncher = datablock "ShapeBaseImageData" "DiscLauncher" {
  projectile = "DiscShot", fireTimeout = 1250, usesAmmo = true, ammo = "DiscAmmo", muzzle = vec(0.2, 0.5, 0),
  look = {
    { "box", at = vec(0, 0.25, 0), size = vec(0.14, 0.7, 0.16), color = "metal" },
    { "cylinder", at = vec(0, 0.55, 0.1), size = vec(0.42, 0.42, 0.05), color = "dark" },
    { "torus", when = "ready", at = vec(0, 0.55, 0.14), size = vec(0.34, 0.34, 0.4), color = "#7fd8ff", glow = 1.4, near = true }, -- a disc
  },
}

-- Chaingun: many small bullets with some spread.
datablock "ProjectileData" "Bullet" {
  shape = "bullet", muzzleVelocity = 300, velInheritFactor = 1, lifetime = 1000, directDamage = 4, damageType = "chaingun",
  look = {
    { "box", at = vec(0, -2.5, 0), size = vec(0.05, 5, 0.05), color = "#ffd27a", glow = 2.5 },
    { "explosion", color = "#ffd890", size = 0.2, light = 0, smoke = false },
    { "sound", wave = "noise", pitch = 3200, slide = 0.2, hold = 0.01, release = 0.07, volume = 0.35, reach = 150 },
  },
}
Chaingun = datablock "ShapeBaseImageData" "Chaingun" {
  projectile = "Bullet", fireTimeout = 96, spread = 1.5, usesAmmo = true, ammo = "ChaingunAmmo", muzzle = vec(0.2, 0.5, 0),
  look = {
    { "box", at = vec(0, 0.2, 0), size = vec(0.16, 0.5, 0.2), color = "metal" },
    { "cylinder", at = vec(-0.05, 0.7, 0.03), size = vec(0.06, 0.06, 0.6), rotation = rot(0, 90, 0), color = "steel" },
    { "cylinder", at = vec(0.05, 0.7, 0.03), size = vec(0.06, 0.06, 0.6), rotation = rot(0, 90, 0), color = "steel" },
    { "cylinder", at = vec(0, 0.7, -0.05), size = vec(0.06, 0.06, 0.6), rotation = rot(0, 90, 0), color = "steel" },
    { "box", at = vec(0.12, 0.2, -0.08), size = vec(0.12, 0.25, 0.22), color = "dark", near = true },
  },
}

-- Mortar: a shell that falls, bounces until it is armed, and has a large explosion.
datablock "ProjectileData" "Shell" {
  shape = "shell", muzzleVelocity = 50, velInheritFactor = 0.5, gravityMod = 1, lifetime = 10000, armingDelay = 800, bounce = 0.3,
  radiusDamage = 110, damageRadius = 16, impulse = 2500, damageType = "mortar", explosion = "mortar",
  look = {
    { "sphere", size = 0.42, color = "#9dff6a", glow = 1.6 },
    { "trail", color = "#9a9a9a", size = 0.7, life = 1.1, smoke = true },
    { "explosion", color = "#ff9a40", light = 1.5 },
    { "sound", wave = "sine", pitch = 160, slide = 0.3, hold = 0.05, release = 0.3, volume = 0.7 },
    { "sound", when = "explodes", wave = "noise", pitch = 500, slide = 0.1, hold = 0.15, release = 1.6, volume = 1, reach = 500 },
  },
}
Mortar = datablock "ShapeBaseImageData" "Mortar" {
  projectile = "Shell", fireTimeout = 2000, usesAmmo = true, ammo = "MortarAmmo", muzzle = vec(0.2, 0.5, 0.2),
  look = {
    { "cylinder", at = vec(0, 0.3, 0.05), size = vec(0.32, 0.32, 0.9), rotation = rot(0, 75, 0), color = "steel" },
    { "cylinder", at = vec(0, 0.7, 0.16), size = vec(0.38, 0.38, 0.14), rotation = rot(0, 75, 0), color = "dark" },
    { "box", at = vec(0, 0, -0.05), size = vec(0.2, 0.4, 0.2), color = "metal" },
    { "sphere", at = vec(0.14, 0.2, 0.1), size = 0.1, color = "#9dff6a", glow = 1, near = true },
  },
}

-- Laser rifle: hits at once, at the place where the shooter saw the target (lagCompensation). It
-- uses energy instead of ammunition.
datablock "ProjectileData" "LaserBeam" {
  hitscan = true, range = 600, lagCompensation = 250, directDamage = 40, damageType = "laser",
  look = {
    { "beam", color = "#ff4030", size = 0.1, life = 0.35 },
    { "explosion", color = "#ff6040", size = 0.25, light = 0.6, smoke = false },
    { "sound", wave = "square", pitch = 1800, slide = 0.2, release = 0.3, volume = 0.3, reach = 250 },
  },
}
LaserRifle = datablock "ShapeBaseImageData" "LaserRifle" {
  projectile = "LaserBeam", fireTimeout = 1500, energyPerShot = 40, muzzle = vec(0.2, 0.5, 0),
  look = {
    { "box", at = vec(0, 0.15, 0), size = vec(0.1, 0.5, 0.14), color = "metal" },
    { "cylinder", at = vec(0, 0.75, 0.02), size = vec(0.05, 0.05, 1), rotation = rot(0, 90, 0), color = "steel" },
    { "cylinder", at = vec(0, 0.3, 0.13), size = vec(0.08, 0.08, 0.35), rotation = rot(0, 90, 0), color = "dark" },
    { "sphere", at = vec(0, 1.25, 0.02), size = 0.07, color = "#ff4030", glow = 2, near = true },
  },
}
