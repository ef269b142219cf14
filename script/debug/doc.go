// Package debug is a debugger for a mod of a running host. It speaks the Debug Adapter Protocol.
//
// A Session belongs to one client and one mod. The owner of the host passes it the client's
// requests between two ticks, by Handle. The session answers by Config.Send.
//
// # How it follows Lua
//
// The VM calls the context of a thread before each instruction. While a session is attached, the
// threads of its mod have a watch as their context. It looks whether the thread begins a new line,
// and passes the call on to the meter. Without a session the threads have the meter itself, so
// debugging costs nothing then. When a session ends, each watch removes itself at its next
// instruction.
//
// # How Lua stands still
//
// At a breakpoint the watch calls Config.Stand and returns when that returns. So the goroutine that
// owns the host stands in the middle of a handler. Stand must go on passing requests to Handle
// until Running is true. Requests that evaluate an expression make a nested entry, with a budget of
// its own. Nothing else may run Lua. The time is not charged to the mod (vm.Runtime.Aside).
//
// # A breakpoint
//
//  1. `torc mod debug ctf` connects to the socket of node/remote. Its requests are urgent functions
//     of the node's loop. The node attaches a Session to the mod.
//  2. At a breakpoint the session sends a `stopped` event. Runtime.Aside saves the meter, and
//     Loop.StandStill of node/internal/core takes the goroutine in the middle of the handler.
//  3. StandStill pauses the host. Its rounds receive, send, and call Host.Idle in place of
//     Host.Tick: connections live on, end and are made, but no tick runs and no other script. The
//     clients are told, and stop too. Console lines, tasks and functions of other goroutines wait.
//  4. The client asks for frames and variables. An expression is a nested entry with a budget of
//     its own.
//  5. On `continue` or a step, StandStill returns, the meter is restored, and the handler goes on.
//     The pause ends after the tick.
//
// The session also ends if its connection ends or if the node ends, and while a script stands, if
// the client gives no sign of life for 15 s. Then the handler goes on.
//
// The goroutine that owns the world stops, not only the mod. So nothing can change under a stopped
// handler, and a step continues in the same tick. The price is that the whole server is paused.
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
