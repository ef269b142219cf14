-- Turrets: the class Turret finds enemies of the turret's team by itself, and fires its weapon.

datablock "ProjectileData" "PlasmaBolt" {
  shape = "plasma", muzzleVelocity = 90, lifetime = 3000,
  directDamage = 8, radiusDamage = 8, damageRadius = 3, impulse = 300, damageType = "turret", explosion = "plasma",
}
datablock "ShapeBaseImageData" "TurretBarrel" { projectile = "PlasmaBolt", fireTimeout = 1000, muzzle = vec(0, 1.2, 0) }

PlasmaTurret = datablock "TurretData" "PlasmaTurret" {
  shape = "turret", radius = 2, size = vec(2, 2, 2.5), maxDamage = 150,
  image = "TurretBarrel", range = 70, turnRate = 60, scanInterval = 500,
}
