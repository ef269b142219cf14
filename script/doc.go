// Package script runs mods: Lua 5.1 on gopher-lua, one state per mod and side, behind one door.
//
//	mod.toml ──► order ──► loader ──► Mod ──► State (a gopher-lua state, fenced)
//	                                   ▲
//	   engine event, import, override ─┴─ Host.Enter: pooled thread, meter, chain, fault
//
// # Two directions
//
// What Lua may call is a list of rows (Lib, Func): name, Signature, realm, a sentence, a Go function. The rows install
// themselves, refuse calls on the wrong side with a sentence, and make the Reference, from which come help, mods/API.md,
// data, stubs for editors, and what script/lint knows.
// What the engine calls in Lua goes through Host.Dispatch (an event; its errors become faults) or Host.Enter
// (import, override, a method of a datablock or a class; its errors go to the caller). Nothing else runs Lua.
//
// # The door
//
// Every entry runs on a pooled thread of the mod's state, because gopher-lua cuts the upvalues of all frames of a
// thread when an error passes through it: on a thread of its own only the frames that really end are cut. Entries
// nest to a depth of 16; deeper is an error that prints the chain. A coroutine cannot yield through a door, a pcall,
// a metamethod, an iterator or a callback of sort or gsub; it is told so.
//
// # Methods, functions and events
//
// What a game's classes can do besides their fields (sim.Method), and what can be asked of its world (sim.Function),
// become rows when a host's scripts are made, with arguments checked on the way in: finite numbers, living objects.
// What happens to objects (sim.World.Emit) runs the callbacks of their class and datablock after all have ticked.
//
// # Classes from Lua
//
// A class that a mod declares belongs to the session: it is sim's, described by data, and stays when the mod goes. The
// functions of its handle are kept by name in the state that defined them, like those of datablocks; on a client they
// wait there for what the server sends. Who answers to a name is a chain: overrides, then the mod loaded last that
// defines it, then the same of the class it inherits from.
//
// # Budgets
//
// The meter is the context of every thread: the VM asks it before each instruction. The outermost entry owns the
// budget (10 ms and 2 M instructions for a callback, 5 s for loading, 1 s for a console line, 20 ms for all
// callbacks of one tick) and everything nested draws on it; each mod is charged for what it ran itself. When the
// root is exhausted nothing can catch it. Work that Go does for Lua (pattern steps, copied bytes, moved slots) is
// charged as instructions, so limits by instructions are the same on every run. Clock and heap come from outside. A mod's
// share of a tick is a quarter: what others have had beyond theirs takes nothing away from it (Host.leftFor).
//
// The clock is read now and then, and shared by instructions (meter.go). What each event of a mod came to is in
// Mod.Events. What mods print and log has a budget per second.
//
// # Storage
//
// What a mod stores is in memory, by the mod's name, and a reload finds it there. The changes of a tick go to a Store as one
// batch at its end, two batches at most at a time; the tick after the disk has one calls done. A batch that fails puts back
// what is safe. Values have a code of their own (storecode.go), in which equal ones have equal bytes.
//
// # Mistakes
//
// A fault says which mod, file and line, with a traceback of at most 24 levels. Five faults of a handler in ten
// seconds suspend it; three suspended handlers, or a broken memory budget, suspend the mod. The game goes on.
//
// # Tests
//
// The files of test/ are read in the state of their mod (trial.go). A test is a coroutine: where it waits, a Stage of the
// edge lets time pass.
//
// # Reload
//
// A mod that is reloaded is another Mod of the same name in the same place (swap). While its files run, what they declare,
// make and register can be taken back; afterwards nothing of the old state is kept. What goes over is copied (inheritance).
//
// # Differences from Lua 5.1
//
// docs/lua.md lists them, each with a case in decided_test.go. All else is compared with PUC Lua 5.1 by tests.
package script
