-- Weapons. An image is the weapon that a player holds; it fires a projectile. From these numbers,
-- the engine does firing, flight, hits and explosions. The score of a hit is in server/.
-- Times are in ms, speeds in m/s, damage in points (armors have 66 to 132).

-- Disc launcher: a fast disc that explodes on impact. Fired at your own feet, it throws you upward.
datablock "ProjectileData" "DiscShot" {
  shape = "disc", muzzleVelocity = 65, velInheritFactor = 0.5, lifetime = 5000,
  directDamage = 15, radiusDamage = 45, damageRadius = 7, impulse = 1800, damageType = "disc", explosion = "disc",
}
DiscLauncher = datablock "ShapeBaseImageData" "DiscLauncher" {
  projectile = "DiscShot", fireTimeout = 1250, usesAmmo = true, muzzle = vec(0.2, 0.5, 0),
}

-- Chaingun: many small bullets with some spread.
datablock "ProjectileData" "Bullet" {
  shape = "bullet", muzzleVelocity = 300, velInheritFactor = 1, lifetime = 1000, directDamage = 4, damageType = "chaingun",
}
Chaingun = datablock "ShapeBaseImageData" "Chaingun" {
  projectile = "Bullet", fireTimeout = 96, spread = 1.5, usesAmmo = true, muzzle = vec(0.2, 0.5, 0),
}

-- Mortar: a shell that falls, bounces until it is armed, and has a large explosion.
datablock "ProjectileData" "Shell" {
  shape = "shell", muzzleVelocity = 50, velInheritFactor = 0.5, gravityMod = 1, lifetime = 10000, armingDelay = 800, bounce = 0.3,
  radiusDamage = 110, damageRadius = 16, impulse = 2500, damageType = "mortar", explosion = "mortar",
}
Mortar = datablock "ShapeBaseImageData" "Mortar" {
  projectile = "Shell", fireTimeout = 2000, usesAmmo = true, muzzle = vec(0.2, 0.5, 0.2),
}

-- Laser rifle: hits at once, at the place where the shooter saw the target (lagCompensation). It
-- uses energy instead of ammunition.
datablock "ProjectileData" "LaserBeam" {
  hitscan = true, range = 600, lagCompensation = 250, directDamage = 40, damageType = "laser",
}
LaserRifle = datablock "ShapeBaseImageData" "LaserRifle" {
  projectile = "LaserBeam", fireTimeout = 1500, energyPerShot = 40, muzzle = vec(0.2, 0.5, 0),
}
