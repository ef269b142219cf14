// Package script runs mods in Lua 5.1 on gopher-lua. Each mod has one state per side, and all calls
// into Lua go through Runtime.Enter.
//
//	mod.toml ──► order ──► loader ──► Mod ──► State (a gopher-lua state, sandboxed)
//	                                   ▲
//	   engine event, import, override ─┴─ Runtime.Enter: pooled thread, meter, chain, fault
//
// Package vm runs the Lua: states, entries, budgets, faults and Lua's own library. Package manifest
// reads mod.toml. Package reference describes the API. Package bind is the kernel of the bindings.
// Package store keeps the stored values of mods, package sockets their connections, package
// messages what they say to other servers, and package trial runs their tests. This package
// connects them to the engine.
//
// # Bindings
//
// A binding is a chapter of rows, in the file api_NAME.go. Package bind has what all of them need:
// the rows, the readers of their arguments, and the engine's values in the state of a mod.
// wiring.go lists all bindings. The struct instance holds their data for one mod.
//
// Events of the engine enter Lua through hooks.go and dispatch.go. Calls between mods, overrides,
// and callbacks of datablocks and classes enter through chains.go, callback.go and calls.go.
//
// # Methods, functions and events
//
// The methods of a game's classes (sim.Method) and the functions of its world (sim.Function) become
// rows when NewScripts creates the scripts of a host. Their rows check the arguments: numbers must
// be finite, objects must be alive.
//
// World.Emit queues an event of an object in the middle of a tick. When all objects have ticked,
// the host calls hooks.Event. It runs the callbacks of the object's class, for example `function
// Flag:onCollision(other)`, then those of its datablock. A class or datablock with onDamageRequest
// decides first: World.Check queues the damage between the events, and the verdict of hooks.Check
// applies or refuses it. Scripts therefore never run while objects move. If the mod has used up its
// time, its events wait for the next tick. Objects that die meanwhile receive no event.
//
// # A command
//
//  1. commandToClient(client, "Hit", 12, target) checks the side and converts the arguments to
//     values of package sim.
//  2. Commands.Send (engine/command.go) checks the limits, and Stream.Post of netcore/event queues
//     the call in the lane of the mod. The text of a tag crosses a connection once.
//  3. On the client, the event stream restores the order of events and puts the call into the inbox
//     of the connection.
//  4. In Tick, the client resolves the tags, expands %n, and calls hooks.Command. It finds the
//     handler and runs it in Lua within a budget.
//
// # Classes from Lua
//
// A class declared by a mod belongs to the session. Package sim holds it as data, and it remains
// when the mod is removed. The functions of a class handle, like those of a datablock handle, are
// stored by name in the defining mod's state. On a client they wait there until the server sends
// the class. A call of such a function searches a chain: the overrides, then the last loaded mod
// with a definition, then the same for the parent class.
//
// The class is a table of plain data (Classes.Declare). Its fields live in cells of the Identity,
// so each object is a real Go object, such as a *game.Item. At the end of the tick each peer
// receives the description in the bulk channel, and declares the same class with the same number.
// The gate of the engine admits the first object when the peer has acknowledged description and
// datablock.
//
// A reload can declare the class with other fields. Classes.Redeclare gives it the next number, and
// Transaction.Commit moves every object to the cells of its new class. Values stay where name and
// kind are the same. Host.reclassed gives each object a new number among the snapshots. So every
// gate removes the old ghost, and admits a new one when the peer has the description.
//
// # Reload
//
// A reload creates another Mod of the same name at the same place in the load order
// (reloadtx.go). While its files run, everything they declare, create and register can be undone.
// Afterwards nothing refers to the old state. Values for the new state are copied (migration.go).
//
//  1. `mod reload ctf` makes a plan from the new manifest and the load order. A trial loads the
//     mod and runs its tests first, on another goroutine (Setup.RunTests).
//  2. A transaction of the world begins, and the console names of the old instance are removed.
//  3. The new Mod gets copies of its `own` tables and its random numbers, runs the files, and calls
//     onReload(old).
//  4. An error restores everything. Otherwise timers and overrides of the old instance end, and
//     joining clients get the new list of mods (Host.SetMods).
//
// Imports refer to mods by name, so they find the new instance. Changed datablocks and classes
// reach clients as in any other tick. A closure of the old state would keep all of it alive, and
// half of a game would run old code. So a reload copies the state that the mod names, and drops the
// rest. It costs as much as loading, and a hundred reloads leave nothing behind.
//
// # Permissions
//
// A mod calls kick(client). The name is a console command, so two things must hold: the manifest
// requests `console.kick`, and Setup.Rights says that the operator granted it. Then Console.Call
// runs the command, and Setup.Audit records it.
//
// Overrides, the deletion of objects and the names of settings ask permissions.go. It compares the
// owner of the function, the object or the name with the dependencies and the permissions of the
// mod. A chain of overrides asks again whenever it is built, so a revoked permission ends the
// overrides that exist.
//
// A player types `/kick Bob`. If a mod has a command of that name and the player has its role, that
// command runs. If no mod has one, the console's command runs, provided that the role allows it.
// Otherwise the answer is "no such command".
//
// Rights belong to keys and names of mods, not to connections and loaded mods. So the operator can
// grant them in advance.
//
// # Decisions
//
//   - One table of rows describes the API. It makes the functions, `help`, completion, mods/API.md,
//     the JSON, the stubs for editors and the names for `torc mod check`. So every function is
//     documented everywhere, with the same types.
//   - Overrides that mods activate while they load are in the load order of their mods. So a
//     reloaded mod keeps its place. Later activations are outside of these, the newest outermost.
//   - A client unloads the mods of a server when it leaves the server. A mod that fails to load
//     leaves no registrations.
//
// # Differences from Lua 5.1
//
// docs/lua.md lists them, each with a case in vm/decided_test.go. Tests compare everything else
// with PUC Lua 5.1.
//
// # Where to read
//
//	scripts.go, wiring.go              the Lua side of a host, and what it is made of
//	parts.go                           what a page in a browser does without
//	instance.go, caps.go               one instance of a mod, and its limits
//	loadmods.go, modroster.go          mods are loaded; the list of mods
//	hooks.go, dispatch.go              events of the engine run functions of mods
//	voice.go, drain.go                 mods say who hears whom, and where players of a draining server go
//	fleet.go                           players go to other servers, and come from them
//	fleetchange.go                     mods hear of other servers
//	allocation.go                      somebody has taken the server for a match
//	forms.go, binds.go                 the ends of forms and binds, and their commands of a client
//	callback.go, chains.go, calls.go   which function runs, with its overrides; calls between mods
//	packages.go                        overrides that are switched, and end with a mission
//	causes.go, gate.go                 who causes a call; the decision about a join
//	joincheck.go                       a decision that comes later
//	ghosts.go, objects.go, ticks.go    callbacks of ghosts; who made an object; onTick
//	fieldchanges.go                    onFieldChange of objects and ghosts
//	owners.go, permissions.go          who owns a name; permissions
//	commandrule.go, chat.go            the rules of commands; commands from the chat
//	threads.go                         functions that spawn has started
//	settings.go, mission.go            settings of mods; the mission
//	screen.go, text.go                 what the program shows of scripts
//	warnings.go                        mistakes of a mod that cause no error
//	reload.go, reloadtx.go, migration.go  a reload, its transaction, and the data that moves
//	emptied.go                         frees the memory of a suspended mod
//	watch.go, watchedfiles.go          reloads a mod whose files have changed
//	memory.go                          rights in memory, for tests
//	modcommand.go, top.go              console commands about mods; also timertable.go, calltrace.go
//	prompt.go, luapath.go              Lua at the console, and its completion
//	reference.go                       the model of the API
//	api_object.go, api_class.go        bindings: objects and classes; also api_datablock.go
//	api_connection.go, players.go      connections and players; also api_pilot.go, api_scope.go
//	api_net.go, toall.go               commands
//	api_chat.go, api_hud.go            chat and texts on the screen; also api_form.go, api_mission.go, api_bind.go
//	api_console.go, api_output.go      console and output; also api_inspect.go, api_setting.go
//	api_text.go, textvalue.go          texts in the languages of the players
//	api_mods.go, api_time.go           other mods; time; also api_json.go
package script
