// Package tui shows the world of a client from above, on the characters of a
// terminal, and makes moves of keys and mouse.
//
//	world ──survey──► Scene ──Draw──► Cells ──Screen──► terminal
//	View: hud, messages, scale     pure        painter (a goroutine)
//
//	terminal ──Screen──► Event ──► View ──► Hands ──► sim.Move
//
// The survey, the drawing and the View belong to the goroutine that owns the
// world; a frame costs it some hundred microseconds. What writes to the
// terminal is the painter. While it has not finished a picture no other one is
// made, so a slow terminal costs pictures and never a tick.
//
// Draw depends on nothing but the Scene, so that pictures can be compared with
// golden ones.
package tui
