// Package debug is a debugger for a mod of a running host. It speaks the Debug Adapter Protocol.
//
// A Session belongs to one client and one mod. The owner of the host passes it the client's requests
// between two ticks, by Handle. The session answers by Config.Send.
//
// # How it follows Lua
//
// The VM calls the context of a thread before each instruction. While a session is attached, the
// threads of its mod have a watch as their context. It looks whether the thread begins a new line, and
// passes the call on to the meter. Without a session the threads have the meter itself, so debugging
// costs nothing then. When a session ends, each watch removes itself at its next instruction.
//
// # How Lua stands still
//
// At a breakpoint the watch calls Config.Stand and returns when that returns. So the goroutine that owns the
// host stands in the middle of a handler. Stand must go on passing requests to Handle until Running is
// true. Requests that evaluate an expression make a nested entry, with a budget of its own. Nothing
// else may run Lua. The time is not charged to the mod (vm.Runtime.Aside).
//
// # Where to read
//
//	session.go      the requests, and the state of a session
//	watch.go        lines, steps, errors
//	breakpoint.go   breakpoints with conditions, and the files of the mod
//	frames.go       the stack of a stop
//	variables.go    locals, upvalues, globals, tables
//	evaluate.go     expressions
package debug
