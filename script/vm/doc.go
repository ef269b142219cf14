// Package vm runs untrusted Lua 5.1 code. It sandboxes and meters gopher-lua.
//
//	Runtime  all Lua of one side: its mods in load order, one meter, the rows that Lua can call
//	  Mod    one state with a name, its limits, its use of time and memory, its faults
//	    Entry  one call from Go into Lua, on a pooled thread
//
// # Rows
//
// A row (Func) defines one function of the API: its name, its Signature, the sides on which it can
// be called, one sentence of documentation, and a Go function that takes Args. Rows are grouped in
// a Lib. New installs the rows of Lua's own library; Install adds others. A state makes a function
// when a script first reads its name.
//
// # Entries
//
// Go calls Lua only through an entry. Dispatch runs an event and turns its error into a Fault.
// Enter returns the results and the error to its caller. Every entry runs on a pooled thread of the
// mod's state. When an error passes through a thread, gopher-lua closes the upvalues of all its
// frames. A thread per entry therefore keeps the caller's frames intact. Entries nest to a depth of
// 16. No coroutine can yield across an entry, a protected call, a metamethod or an iterator.
//
// # Budgets
//
// The meter is the context.Context of every thread, so the VM calls it before each instruction. The
// outermost entry sets the budget: 1 million instructions for a callback, and 2 million for all
// callbacks of a tick. Nested entries use the same budget, and each mod is charged for its own
// work. Lua cannot catch the error of an exhausted outermost budget. Work that Go does for Lua,
// such as copied bytes or pattern steps, is charged as instructions.
//
// A coroutine for long work (Sliced) stops after 250,000 instructions and goes on in a later entry.
// gopher-lua cannot stop between two instructions. So the meter panics, with the thread's parent
// removed: then gopher-lua passes the panic on and leaves the calls of the thread as they are. Only
// the program counter is one instruction too far. A detour (slice.go) corrects it.
//
// Elapsed time ends nothing: a busy machine must not cut a handler in half. It only postpones work
// that has not begun (Busy). An entry that takes longer than 2 ms is pinned to its thread. From
// then on each 32 ns of CPU time cost an instruction, so that a few slow steps cannot take long.
// The limit of CPU time is a last resort.
//
// # Faults
//
// A Fault names mod, file and line, with a traceback. Five faults of one event within ten seconds
// suspend its handler; three suspended handlers, or an exhausted memory budget, suspend the mod.
// The other mods continue.
//
// A mistake takes this way. Lua raises an error, and the state adds a traceback on the thread of
// the entry. The entry closes with an Error that names the mod. In a nested entry, the caller gets
// the error. At depth 0, Runtime.Fail turns it into a Fault. It counts the fault for the event
// (usage.go), reports it at most once in ten seconds, and keeps it for `mod faults`. A handler that
// calls a function for each client with pcallFor runs it in a nested entry with the share of a
// client. A fault there is booked to the client and to the function, and the handler goes on.
//
// # Decisions
//
//   - The peer that causes a fault pays for it (peer.go). The fault is booked to the client and the
//     handler, and that command of that client is refused for a pause. The handler runs on for the
//     others, however many addresses cause faults: else some hostile clients could close a command,
//     a mod, or with onConnectRequest the server.
//   - A suspension ends by itself, and a check that cannot run refuses. No game waits for an
//     operator, and no error opens a door.
//   - Each client has a tenth of a tick's instructions. The calls that its commands, its objects
//     and their timers start are charged to it. Beyond its share, only its own events wait.
//   - Time that a mod uses beyond a quarter of a tick is not charged to other mods. Only its own
//     timers and events wait. Otherwise one slow mod that breaks no budget would delay all others
//     forever.
//
// # Differences from Lua 5.1
//
// Reading a global that the mod never assigns gives nil and a warning. There are no files and
// processes. Errors of the VM are reworded to those of Lua 5.1 (vmerror.go). The compiler rewrites
// some operators (rewrite.go), so that no single step takes long.
//
// # Where to read
//
//	runtime.go, new.go                 all Lua of one side, and its mods
//	entry.go, protect.go               the way into a mod
//	limits.go, meter.go, slowness.go   budgets; CPU time that costs instructions; also large.go
//	cpushare.go                        warns of mods that use much CPU time, and suspends them
//	transaction.go                     one budget of CPU time for all loads of a reload
//	verdict.go                         repeats the decisions of clocks
//	usage.go, peer.go                  what mods and clients have used
//	fault.go, suspension.go            errors, and the pauses after them
//	trace.go, tracer.go, debugger.go   tracebacks; observers of calls and of lines
//	slice.go                           coroutines that stop between two instructions
//	state.go, globals.go               a state, its threads and its globals
//	chunk.go, compile.go               source to functions
//	protos.go, sharedprotos.go         caches of compiled files, of a goroutine and of a process
//	loader.go, modules.go              files of a mod, and require
//	declared.go, explain.go            warns of unknown globals; what the host knows of names
//	vmerror.go, vmfield.go             error messages with names of variables
//	arithmetic.go, assign.go, concat.go  guards of operators; also scan.go
//	rows.go, signature.go, args.go     rows: declared, described, called
//	base.go, compatlib.go              Lua's library; also coroutine.go, oslib.go, date.go
//	bitlib.go, utf8lib.go              bits, and characters of more than a byte
//	numbers.go                         random numbers
//	tables.go, sort.go                 its functions for tables
//	strings.go, pattern.go, format.go  its functions for strings; also directive.go, numeral.go
package vm
