-- Turrets: the class Turret finds enemies of the turret's team by itself, and fires its weapon.

datablock "ProjectileData" "PlasmaBolt" {
  shape = "plasma", muzzleVelocity = 90, lifetime = 3000,
  directDamage = 8, radiusDamage = 8, damageRadius = 3, impulse = 300, damageType = "turret", explosion = "plasma",
  look = {
    { "sphere", size = 0.5, color = "#c27aff", glow = 2 },
    { "sprite", image = "glow", size = 1.4, color = "purple" },
    { "trail", color = "#b56bff", size = 0.5 },
    { "explosion", color = "#b56bff", smoke = false },
    { "sound", wave = "saw", pitch = 520, slide = 0.35, release = 0.35, volume = 0.4, reach = 200 },
    { "sound", when = "explodes", wave = "noise", pitch = 1500, slide = 0.15, release = 0.5, volume = 0.5, reach = 200 },
  },
}
datablock "ShapeBaseImageData" "TurretBarrel" { projectile = "PlasmaBolt", fireTimeout = 1000, muzzle = vec(0, 1.2, 0) }

PlasmaTurret = datablock "TurretData" "PlasmaTurret" {
  look = {
    { "cylinder", at = vec(0, 0, 0.35), size = vec(1.7, 1.7, 0.7), color = "metal" },
    { "cylinder", at = vec(0, 0, 0.78), size = vec(1.3, 1.3, 0.2), color = "steel" },
    { "sphere", at = vec(0, 0, 1.15), size = vec(1.25, 1.25, 1.1) },
    { "box", at = vec(0, 0.2, 1.25), size = vec(0.8, 0.7, 0.5), color = "dark", motion = "aim", pivot = vec(0, 0, 1.25) },
    { "cylinder", at = vec(-0.2, 1.1, 1.25), size = vec(0.18, 0.18, 1.5), rotation = rot(0, 90, 0), color = "steel", motion = "aim", pivot = vec(0, 0, 1.25) },
    { "cylinder", at = vec(0.2, 1.1, 1.25), size = vec(0.18, 0.18, 1.5), rotation = rot(0, 90, 0), color = "steel", motion = "aim", pivot = vec(0, 0, 1.25) },
    { "sphere", when = "up", at = vec(0, 0.5, 1.45), size = 0.2, color = "#ff5030", glow = 1.5, motion = "aim", pivot = vec(0, 0, 1.25) },
    { "smoke", when = "down", at = vec(0, 0, 1) },
    { "sparks", when = "hurt", at = vec(0, 0, 1.2), rate = 6 },
    { "sound", when = "down", wave = "noise", pitch = 500, slide = 0.1, release = 1.2, volume = 0.8, reach = 300 },
  },
  shape = "turret", radius = 2, size = vec(2, 2, 2.5), maxDamage = 150,
  image = "TurretBarrel", range = 70, turnRate = 60, scanInterval = 500,
}
