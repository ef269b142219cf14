// Package script runs mods in Lua 5.1 on gopher-lua. Each mod has one state per side, and all calls
// into Lua go through Runtime.Enter.
//
//	mod.toml ──► order ──► loader ──► Mod ──► State (a gopher-lua state, fenced)
//	                                   ▲
//	   engine event, import, override ─┴─ Runtime.Enter: pooled thread, meter, chain, fault
//
// # Two directions
//
// The functions of the Lua API are a list of rows (Lib, Func). A row has a name, a Signature, a
// realm, one sentence of documentation and a Go function. The Runtime installs the rows in each state
// and rejects calls on the wrong side. The reference.Model is made from the rows. It supplies help,
// mods/API.md, its JSON data, editor stubs and the names known to script/lint.
//
// All events and calls of the engine enter Lua through Runtime.Dispatch or Runtime.Enter.
// Runtime.Dispatch runs an event and turns its errors into faults. Runtime.Enter serves imports,
// overrides, and methods of datablocks and classes. It returns errors to the caller.
//
// # Entries
//
// Every entry runs on a pooled thread of the mod's state. When an error passes through a thread,
// gopher-lua closes the upvalues of all its frames. With a thread per entry it closes only those of
// the frames that end. Entries nest to a depth of 16; a deeper call is an error with the chain of
// mods. A coroutine cannot yield across an entry, a pcall, a metamethod, an iterator or a callback
// of sort or gsub. The attempt is an error.
//
// # Methods, functions and events
//
// The methods of a game's classes (sim.Method) and the functions of its world (sim.Function) become
// rows when NewScripts creates the scripts of a host. Their rows check the arguments: numbers must
// be finite, objects must be alive. Events of objects (sim.World.Emit) run the callbacks of the
// object's class and datablock after all objects have ticked.
//
// # Classes from Lua
//
// A class declared by a mod belongs to the session. Package sim holds it as data, and it remains
// when the mod is removed. The functions of a class handle, like those of a datablock handle, are
// stored by name in the defining mod's state. On a client they wait there until the server sends
// the class. A call of such a function searches a chain: the overrides, then the last loaded mod
// with a definition, then the same for the parent class.
//
// # Budgets
//
// The meter is the context.Context of every thread, so the VM calls it before each instruction. The
// outermost entry sets the budget: 10 ms and 2 million instructions for a callback, 5 s for
// loading, 1 s for a console line, and 20 ms for all callbacks of one tick. Nested entries use the
// same budget, and each mod is charged for its own work. Lua cannot catch the error of an exhausted
// root budget. Work done in Go for Lua (pattern steps, copied bytes, moved slots) is charged as
// instructions, so instruction limits give the same result on every run. Config supplies the clock
// and the heap size. A mod's share of a tick is a quarter. The time that other mods use beyond
// their shares is not subtracted from it (Runtime.timeLeft).
//
// The meter reads the clock at intervals and divides the time by instructions (vm/meter.go).
// Mod.Events returns the totals for each event of a mod. Printing and logging have a budget per
// second.
//
// # Storage
//
// The stored values of a mod are in memory under the mod's name, and survive a reload. At the end
// of a tick its changes go to a Store as one batch. At most two batches are in progress. On the
// tick after the disk has written a batch, its done callbacks run. A failed batch restores the
// previous values where that is safe. Values have a canonical encoding (storecode.go): equal values
// have equal bytes.
//
// # Mistakes
//
// A fault reports the mod, file and line, with a traceback of at most 24 levels. Five faults of a
// handler in ten seconds suspend the handler. Three suspended handlers, or an exhausted memory
// budget, suspend the mod. The game continues.
//
// # Tests
//
// The files of test/ are loaded into the state of their mod (trial.go). A test is a coroutine. When
// it waits, the TestNetwork lets simulation time pass.
//
// # Reload
//
// A reload creates another Mod of the same name at the same place in the load order
// (reloadtx.go). While its files run, everything they declare, create and register can be undone.
// Afterwards nothing refers to the old state. Values for the new state are copied (migration.go).
//
// # Differences from Lua 5.1
//
// docs/lua.md lists them, each with a case in vm/decided_test.go. Tests compare everything else with
// PUC Lua 5.1.
package script
