// Package tui shows the world of a client from above, as characters in a terminal, and converts
// keys and mouse events to moves.
//
//	world ──scene.Reader──► Scene ──Draw──► Cells ──Screen──► terminal
//	View: hud, messages, scale     pure        painter (a goroutine)
//
//	terminal ──Screen──► Event ──► View ──► Hands ──► sim.Move
//
// The goroutine that owns the world runs the survey, the drawing and the View. A frame takes it a
// few hundred microseconds. The painter is a second goroutine, which writes to the terminal. No new
// frame is drawn until the
// painter has finished the last one, so a slow terminal costs frames but never delays a tick.
//
// Draw depends only on the Scene, so tests compare frames with golden files.
//
// # Where to read
//
//	view.go, hands.go, keys.go      a view of a client: keys become moves
//	survey.go, scene.go, ground.go  the visible things as markers; the input of a picture
//	draw.go, looks.go, overlay.go   the picture
//	popup.go, form.go               a box that goes by a key or after some time; forms of mods
//	element.go                      the HUD of mods at places of the screen
//	cells.go, text.go               characters with a style; text without harm
//	screen.go, tcell.go             the terminal
//	reel.go                         the view of a demo
package tui
