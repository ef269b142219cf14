// Package lint reads a mod without running it and says what is wrong with it.
//
//	mod.toml, *.lua ──► unit ──► walk: scopes, globals, who defines what ──► checks, when all files are read
//
// It knows what script.Reference knows: every function with its parameters, every class with its fields, every callback,
// every name of the console. What a file defines is known in all files that run in the same state; what the mods that it
// depends on export, declare and broadcast is read from their files.
//
// Types are those that can be seen: of literals, of tables that are written out, of what rows return, of what a file of the
// mod returns, of new "Class", datablock "Class" "Name" and class "Name", of locals and globals that are set once, and of the
// parameters of callbacks. What cannot be seen is not complained about.
//
// # Rules
//
//	syntax    the file does not compile
//	undefined a global that nothing defines, or only in the other half of the mod
//	unused    a local that nothing reads
//	unread    a global that is set and that nothing reads
//	unknown   a member, field, option or class that does not exist, or a field of a table of the mod that nothing ever sets
//	realm     what only the server has called on the client, or the other way round
//	arity     too few or too many arguments, too many for a function of the mod, or a callback with more parameters than it gets
//	type      a literal where something else must be, or a loop over what does not iterate
//	file      a file that require or exec name and that is not there, or that nothing names
//	depends   an import of a mod that mod.toml does not name
//	callback  a function that looks like a callback and that nothing calls
//	permission a command of the console that mod.toml does not ask for
//	manifest  mod.toml itself
//	ignore    a comment that turns off a rule that does not exist
//
// A comment `-- torc: ignore RULE, RULE` turns rules off for its line; without a rule it turns off all.
package lint
