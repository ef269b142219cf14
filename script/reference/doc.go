// Package reference describes the Lua API as a Model. New makes the Model from the rows of vm. The
// caller adds the classes of the game, and AddConsole the commands and variables of the console.
// The Model is written in three forms:
//
//	Markdown   the page mods/API.md
//	JSON       data for other programs, with the number Version
//	Stubs      annotated Lua for editors (LuaLS)
//
// Help returns the lines that the console prints. Package script/lint takes names, parameters and
// types from the Model.
//
// # Where to read
//
//	model.go                     the Model, and how it is made
//	callbacks.go                 signatures and texts of the callbacks of connections
//	page.go, help.go             the page and the lines of the console
//	stubs.go, stubs_console.go   the stubs
//	hints.go                     texts for common mistakes
package reference
