// Package game contains the Go classes of game objects: their fields and their behaviour in a tick.
// It depends on the world (package sim), and not on networks or scripts. Mods configure the classes
// with datablocks and handle their events in Lua.
//
//	NetObject
//	 └─ SceneObject              position, rotation, velocity
//	     ├─ TerrainBlock, Box    ground and walls
//	     ├─ ShapeBase            can be hit: size, damage, energy, team, seats, weapons (ShapeBaseImageData)
//	     │   ├─ Player           runs, jumps, flies       ◄─ PlayerData
//	     │   ├─ Vehicle          is driven                ◄─ VehicleData
//	     │   ├─ Turret           looks for enemies        ◄─ TurretData
//	     │   └─ StaticShape      stands where it is       ◄─ StaticShapeData
//	     ├─ Item                 lies on the ground, falls ◄─ ItemData
//	     ├─ Projectile           was fired                ◄─ ProjectileData
//	     ├─ Trigger              detects objects inside   ◄─ TriggerData
//	     ├─ Camera               looks
//	     └─ Marker, SpawnSphere  a place with a name
//
// Each world has a space, an index of the bodies and solids in it. Moving objects query it for
// obstacles, and explosions query it for nearby bodies. Shots query it for hits, either now or as
// the shooter saw the world (lag.go).
//
// Ghosts of all classes move smoothly on the screen (sim.Motion). The ghosts of an Item or a
// Projectile run the same ticks as the original, with bit-identical results (Class.PredictedGroups). They
// receive updates only for changes that they cannot compute, such as a hit or an explosion.
//
// A tick computes the same bits on every machine. Products are therefore converted to float64
// before they are added. Of the functions of package math with a rounded result, only Sqrt is used.
package game
