// Package reference describes what mods can call and define, as a Model. The Model is made from the
// rows of vm (New), the classes of the game and the console (AddConsole). Four forms are written from
// it:
//
//	Markdown   the page mods/API.md
//	JSON       data for other programs, with the number Version
//	Stubs      annotated Lua for editors (LuaLS)
//	Help       the lines that the console prints
//
// Package script/lint reads the Model to know names, parameters and types.
package reference
