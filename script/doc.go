// Package script runs mods in Lua 5.1 on gopher-lua. Each mod has one state per side, and all calls
// into Lua go through Runtime.Enter.
//
//	mod.toml ──► order ──► loader ──► Mod ──► State (a gopher-lua state, sandboxed)
//	                                   ▲
//	   engine event, import, override ─┴─ Runtime.Enter: pooled thread, meter, chain, fault
//
// Package vm runs the Lua: states, entries, budgets, faults and Lua's own library. Package manifest
// reads mod.toml. Package reference describes the API. This package connects them to the engine.
//
// # Bindings
//
// A binding is a chapter of rows, in the file api_NAME.go. Package bind has what all of them need: the
// rows, the readers of their arguments, and the engine's values in the state of a mod. wiring.go lists
// all bindings. The struct instance holds their data for one mod.
//
// Events of the engine enter Lua through hooks.go and dispatch.go. Calls between mods, overrides, and callbacks of
// datablocks and classes enter through chains.go, callback.go and calls.go.
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
// # Storage
//
// The stored values of a mod are in memory under the mod's name, and survive a reload. At the end
// of a tick its changes go to a Store as one batch. At most two batches are in progress. On the
// tick after the disk has written a batch, its done callbacks run. A failed batch restores the
// previous values where that is safe. Values have a canonical encoding (storecode.go): equal values
// have equal bytes.
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
