// Package bind is the kernel of the bindings: the functions that mods call, and the engine's values
// in the state of a mod.
//
// A chapter of the API is a list of Rows. A Row's function takes a Call: vm.Args with readers for
// the engine's values.
//
//	Lua calls a function ──► Row ──► Call ──► readers of arguments ──► engine
//	                                  │
//	                                  └─ Binding: handles, tags and methods of the mod's state
//	                                       └─ Env: the engine and the rows, for all mods of a host
//
// A Holder gives the package what it does not know: the callbacks of a mod, and the state of a
// connection. Package script implements it.
//
// # Printing
//
// A Printer prints values of Lua for people: in Lua syntax, with a limit on everything. It reads
// tables without metamethods, so printing runs no code of a mod. It prints at most 4 levels of
// tables, 100 entries of a table, 1,000 entries and 16 KiB of text in all, and 200 bytes of a
// string inside a table. The mark … stands for the rest. A table inside itself is <cycle>. Keys are
// sorted: numbers, strings, then the others. Invisible characters are escaped.
//
// # Where to read
//
//	binding.go, env.go                the engine's values in one state; what all mods share
//	metatable.go                      metatables, which all mods share
//	call.go                           rows, and the readers of their arguments
//	value.go, quote.go                values of the engine as Lua's, and back
//	handle.go, object.go              handles of objects; their members
//	member.go, method.go              plans of the members of a class; methods
//	gamelib.go                        rows for the classes and functions of a game
//	field.go, fieldtext.go, form.go   fields of classes; tables in a field
//	vec.go, tags.go, client.go         vectors, tagged strings, clients of the server
//	options.go                         tables of options
//	describe.go, node.go, printer.go  values for people; also explain.go
package bind
