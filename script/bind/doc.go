// Package bind is the kernel of the bindings: the functions that mods call, and the engine's values in
// the state of a mod.
//
// A chapter of the API is a list of Rows. A Row's function takes a Call: vm.Args with readers for the
// engine's values.
//
//	Lua calls a function ──► Row ──► Call ──► readers of arguments ──► engine
//	                                  │
//	                                  └─ Binding: handles, tags and methods of the mod's state
//	                                       └─ Env: the engine and the rows, for all mods of a host
//
// An Owner gives the package what it does not know: the callbacks of a mod, and the state of a
// connection. Package script implements it.
//
// # Printing
//
// A Printer prints values of Lua for people: in Lua syntax, with a limit on everything. It reads tables
// without metamethods, so printing runs no code of a mod. It prints at most 4 levels of tables, 100
// entries of a table, 1,000 entries and 16 KiB of text in all, and 200 bytes of a string inside a table.
// The mark … stands for the rest. A table inside itself is <cycle>. Keys are sorted: numbers, strings,
// then the others. Invisible characters are escaped.
//
// # Where to read
//
//	call.go       rows, chapters, and the Call
//	binding.go    the values of one mod, and the Owner
//	env.go        what all mods of a host share
//	value.go      values of the engine as values of Lua, and copies between states
//	object.go     handles: fields, members, arguments that are objects
//	member.go     the cache of members, and the fast path of o.field
//	method.go     methods of classes, and functions of the world
//	gamelib.go    the chapters of a game's classes
//	field.go      the fields of classes declared in Lua
//	form.go       fields with a form: a table in Lua, a text in the object
//	fieldtext.go  fields in words, for the reference
//	vec.go        vectors and rotations
//	tags.go       tagged strings
//	options.go    tables of options
//	describe.go   an object with all its members, for people
//	printer.go    values of Lua for people
//	node.go       the lines of a printed value
//	quote.go      strings and names in Lua syntax
package bind
