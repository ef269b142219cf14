// Package scene reads the visible objects of a client's world, for programs that draw it.
//
//	world ──Reader──► []Thing ──► the terminal view
//	                          └─► Slab ──► the page in a browser
//
// A Reader knows the stock classes of package game by name, and their fields by name too: a server
// can describe classes with any fields. A class without a known ancestor is drawn if it has a shape
// or a look.
//
// A Slab has the same things as 32-bit words in one array, so JavaScript reads a frame from the
// memory of the program without copies. The constants that begin with Word say where each value is.
package scene
