-- The only kind of player, and its two weapons.

Fighter = datablock "PlayerData" "Fighter" { shape = "player", maxDamage = 100, maxEnergy = 60, rechargeRate = 10 }

datablock "ProjectileData" "Rocket" {
  shape = "rocket", muzzleVelocity = 45, lifetime = 5000, explosion = "rocket",
  directDamage = 20, radiusDamage = 60, damageRadius = 6, impulse = 1500, damageType = "rocket",
}
datablock "ShapeBaseImageData" "RocketLauncher" { projectile = "Rocket", fireTimeout = 1000 }

datablock "ProjectileData" "Ray" { hitscan = true, range = 400, lagCompensation = 250, directDamage = 18, damageType = "ray" }
datablock "ShapeBaseImageData" "RayGun" { projectile = "Ray", fireTimeout = 500, spread = 0.5 }
