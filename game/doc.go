// Package game is the Go classes of the objects a game has: what they are made
// of and what they do in a tick. It knows the world and nothing of networks or
// scripts; how things are to be, and what follows from what happens, is data
// and Lua.
//
//	NetObject
//	 └─ SceneObject            position, rotation, velocity
//	     ├─ Item               lies about and falls     ◄─ ItemData
//	     ├─ StaticShape        stands where it is       ◄─ StaticShapeData
//	     └─ Marker             a place with a name
//
// Ghosts of all of them are shown moving smoothly (sim.Motion); those of an Item
// do its ticks by themselves and are only corrected.
//
// A tick computes the same bits on every machine: products are converted before
// they are added, and of package math only Sqrt is used.
package game
