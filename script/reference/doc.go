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
package reference
