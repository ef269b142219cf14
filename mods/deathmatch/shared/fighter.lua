-- The only kind of player, and its two weapons.

Fighter = datablock "PlayerData" "Fighter" { shape = "player", maxDamage = 100, maxEnergy = 60, rechargeRate = 10 }

datablock "ProjectileData" "Rocket" {
  shape = "rocket", muzzleVelocity = 45, lifetime = 5000, explosion = "rocket",
  look = {
    { "capsule", size = vec(0.2, 0.2, 0.9), rotation = rot(0, 90, 0), color = "#d0d0d0" },
    { "flame", at = vec(0, -0.7, 0), size = vec(0.25, 0.25, 0.7), rotation = rot(0, 90, 0) },
    { "trail", color = "#b0b0b0", size = 0.8, life = 1.3, smoke = true },
    { "explosion", color = "orange", light = 1.2 },
    { "sound", wave = "noise", pitch = 900, slide = 2, release = 0.4, volume = 0.5 },
    { "sound", wave = "noise", pitch = 400, volume = 0.4, reach = 150, loop = true },
    { "sound", when = "explodes", wave = "noise", pitch = 800, slide = 0.1, hold = 0.1, release = 1, volume = 0.9, reach = 350 },
  },
  directDamage = 20, radiusDamage = 60, damageRadius = 6, impulse = 1500, damageType = "rocket",
}
datablock "ShapeBaseImageData" "RocketLauncher" {
  projectile = "Rocket", fireTimeout = 1000,
  look = {
    { "cylinder", at = vec(0, 0.3, 0.05), size = vec(0.24, 0.24, 1.1), rotation = rot(0, 90, 0), color = "steel" },
    { "cylinder", at = vec(0, 0.85, 0.05), size = vec(0.3, 0.3, 0.12), rotation = rot(0, 90, 0), color = "orange" },
    { "box", at = vec(0, 0.05, -0.08), size = vec(0.1, 0.2, 0.2), color = "metal" },
  },
}

datablock "ProjectileData" "Ray" {
  hitscan = true, range = 400, lagCompensation = 250, directDamage = 18, damageType = "ray",
  look = {
    { "beam", color = "#60ff90", size = 0.08 },
    { "explosion", color = "#60ff90", size = 0.2, light = 0.5, smoke = false },
    { "sound", wave = "square", pitch = 900, slide = 0.3, release = 0.15, volume = 0.25, reach = 200 },
  },
}
datablock "ShapeBaseImageData" "RayGun" {
  projectile = "Ray", fireTimeout = 500, spread = 0.5,
  look = {
    { "box", at = vec(0, 0.1, 0), size = vec(0.1, 0.35, 0.14), color = "metal" },
    { "cone", at = vec(0, 0.5, 0.02), size = vec(0.16, 0.16, 0.5), rotation = rot(0, -90, 0), color = "steel" },
    { "torus", at = vec(0, 0.4, 0.02), size = vec(0.2, 0.2, 0.4), rotation = rot(0, 90, 0), color = "#60ff90", glow = 1.2, near = true },
  },
}
