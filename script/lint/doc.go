// Package lint checks a mod without running it.
//
//	mod.toml, *.lua ──► unit ──► walk: scopes, globals, definitions ──► checks, when all files are read
//
// The checker knows everything in reference.Model: functions with their parameters, classes with
// their fields, callbacks, and console names. All files in the same Lua state share their
// definitions. From the files of the mod's dependencies, the checker reads exports, declarations
// and broadcasts.
//
// The checker infers a type only where it is certain. It knows the types of literals and table
// literals, of results of functions in the reference, and of the value that a file of the mod
// returns. It also knows the types of new "Class", datablock "Class" "Name" and class "Name", of
// locals and globals that are set once, and of callback parameters. It reports nothing about values
// of unknown type. A table that a mod passes to a function of unknown origin can have any field. A
// name whose existence the mod tests is accepted (existence.go).
//
// An error is reported only if it is sure. One false report costs more trust than ten mistakes that
// the tests find anyway.
//
// # Rules
//
//	syntax     the file does not compile
//	undefined  a global without a definition, or with one only in the other half of the mod
//	unused     a local that is never read
//	unread     a global that is set and never read
//	unknown    a member, field, option or class that does not exist, or a field of a mod's table that is never set
//	realm      a server function called on the client, or the other way round; wait inside a pcall
//	arity      too few or too many arguments, or a callback with more parameters than the engine passes
//	type       a literal of the wrong type, a loop over a value that is not a function, arithmetic on a vec
//	file       a missing file in require or exec, or a file that is never run
//	depends    an import of a mod that mod.toml does not name
//	callback   a function with the form of a callback that is never called
//	permission a console command, host or port that mod.toml does not ask for
//	manifest   errors in mod.toml itself
//	text       a key of text that no table has; tables that differ in keys, arguments or plural forms
//	ignore     an ignore comment for a rule that does not exist
//
// The comment `-- torc: ignore RULE, RULE` turns these rules off for its line. Without a rule it
// turns all rules off.
//
// # Where to read
//
//	check.go, finding.go              the checker of a mod, and its findings
//	unit.go, tokens.go, scope.go      files, positions, locals
//	walk.go                           one pass over a file in the order of its source
//	api.go, members.go                the reference, by name
//	note.go, callback.go              declarations, exports, handlers
//	globals.go, existence.go          undefined names; names that the mod tests
//	types.go, literals.go, tables.go  types, where they are certain
//	calls.go, network.go              arguments; hosts and ports without a permission
//	form.go                           the rows of forms and of the HUD, as far as they are constant
//	texts.go, pictures.go             the tables of texts, and their keys; the pictures, and their names
//	operators.go, override.go         loops and arithmetic; functions that an override replaces
package lint
