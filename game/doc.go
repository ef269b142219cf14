// Package game is the Go classes of the objects a game has: what they are made
// of and what they do in a tick. It knows the world and nothing of networks or
// scripts; how things are to be, and what follows from what happens, is data
// and Lua.
//
//	NetObject
//	 └─ SceneObject              position, rotation, velocity
//	     ├─ TerrainBlock, Box    ground and walls
//	     ├─ ShapeBase            can be hit: size, damage, energy, team, seats, weapons (ShapeBaseImageData)
//	     │   ├─ Player           runs, jumps, flies       ◄─ PlayerData
//	     │   ├─ Vehicle          is driven                ◄─ VehicleData
//	     │   ├─ Turret           looks for enemies        ◄─ TurretData
//	     │   └─ StaticShape      stands where it is       ◄─ StaticShapeData
//	     ├─ Item                 lies about and falls     ◄─ ItemData
//	     ├─ Projectile           was fired                ◄─ ProjectileData
//	     ├─ Trigger              notices who goes in      ◄─ TriggerData
//	     ├─ Camera               looks
//	     └─ Marker, SpawnSphere  a place with a name
//
// The space of a world knows what is where: what moves asks it what is in its way,
// a shot what it hits, now or as its shooter saw it (lag.go), an explosion who is near.
//
// Ghosts of all of them are shown moving smoothly (sim.Motion). Those of an Item
// and of a Projectile do its ticks by themselves, to the bit (Class.Drifts), and hear
// only of what they could not know: a hit, an explosion.
//
// A tick computes the same bits on every machine: products are converted before
// they are added, and of package math only Sqrt is used.
package game
