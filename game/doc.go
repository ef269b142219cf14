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
//	     └─ Marker, SpawnSphere, WayPoint  a place with a name
//
// Each world has a space, an index of the bodies and solids in it. Moving objects query it for
// obstacles, and explosions query it for nearby bodies. Shots query it for hits, either now or as
// the shooter saw the world (lag.go).
//
// Ghosts of all classes move smoothly on the screen (sim.Motion). The ghosts of an Item or a
// Projectile run the same ticks as the original, with bit-identical results
// (Class.PredictedGroups). They receive updates only for changes that they cannot compute, such as
// a hit or an explosion.
//
// A tick computes the same bits on every machine. Products are therefore converted to float64
// before they are added. Of the functions of package math with a rounded result, only Sqrt is used.
//
// # Own classes
//
// A Go class of a program can derive from each of these classes: it embeds the struct, names the
// class as its Parent, and begins with Defaults. It keeps the behaviour of its parent. Programs
// change objects with the setters of SceneObject and ShapeBase, and any other field with
// Identity.SetField. All of them check values as for scripts. docs/extend.md has a complete
// program.
//
// # A shot
//
//  1. A move holds trigger 0. ShapeBase.tickImages runs on both sides: it takes the ammunition and
//     the energy of the shot, and starts the wait for the next one. So the client's own figures are
//     right at once.
//  2. Only on the server, shotParams.fire creates a Projectile and emits onFire.
//  3. Each tick of the projectile asks the space for obstacles on its way. With lagCompensation,
//     the ray sees other bodies at the place where the shooter saw them.
//  4. The ghost runs the same ticks, so its flight costs no updates. At a hit it waits for the
//     server.
//  5. The server's projectile emits onCollision. It damages bodies (explosion.go), which emits
//     onDamage and onDestroyed. Then it emits onExplode. It exists for 16 more ticks, so that
//     ghosts receive its end.
//
// # Decisions
//
//   - Players pass through each other. A vehicle is an obstacle only while it stands still. A
//     client cannot predict the moves of another. Scripts are told of the contact and decide its
//     effect.
//   - Events wait until all objects have ticked. So no script changes the world in the middle of
//     the movement. The order of ids affects only the order of events.
//   - Mounting is two fields of the mounted object (mount.go). There are no lists of riders to keep
//     consistent.
//   - Shots are judged by the present, unless the datablock says otherwise. Lag compensation hits
//     targets that are already behind cover. The gain is worth it for weapons that hit at once, up
//     to 250 ms. It rewinds only moving bodies.
//   - No values of a datablock break a vehicle. Springs are given per kilogram, and their ranges
//     exclude growing oscillation. No vehicle tilts by more than 56 degrees, so none lies on its
//     back.
//   - Control uses nothing that differs between machines: sines come from a series of our own
//     (sim.SinCos). So the same moves give the same bits on amd64, arm64 and wasm, and `.ci/run`
//     compares them. The ground and the solids are rounded as the wire rounds them
//     (wirerounding.go).
//
// # Where to read
//
//	register.go, scene.go            all classes and functions; NetObject and SceneObject
//	args.go, functions.go            functions for scripts; also blastfunctions.go
//	search.go, mask.go               searches in a sphere or a box, and the classes they look for
//	shapebase.go, shapebasedata.go   what can be hit; also shapemethods.go, shape.go, eyes.go
//	player.go, playermove.go         players on foot, and their movement; also playerdata.go
//	fade.go                          how far objects have faded, and the skins of shapes
//	vehicle.go, vehicletick.go       vehicles; also vehicledata.go, hull.go, crash.go
//	wheel.go, hover.go, fly.go       the three kinds of vehicles
//	mount.go, mountmethods.go        who sits on what
//	image.go, imagemethods.go        weapons in the hand
//	inventory.go                     the items that a shape has, such as ammunition
//	shot.go, projectile.go           shots and what flies; also projectiledata.go, seek.go
//	explosion.go, lag.go             damage around a point; where the shooter saw the others
//	turret.go, item.go               turrets and items
//	trigger.go, touch.go             boxes that notice objects; contacts
//	spawn.go, waypoint.go            where players begin, and what they find; also camera.go, a viewpoint
//	box.go, terrain.go               walls and hills; also heightfield.go, noise.go, ground.go
//	space.go, query.go, ray.go       the index of bodies and solids, and its questions
//	sweep.go, slide.go, geometry.go  how boxes move and stop
//	wirerounding.go                  numbers as the wire rounds them
package game
