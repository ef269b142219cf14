// Package messages carries messages and questions of mods to the same mod on other servers.
//
//	fleet.send, fleet.ask ──► Set.Flush, at the end of a tick ──► Carrier ──► the other servers
//	onFleetMessage, onFleetAsk, done ◄── Set.Begin, at the start of a tick ◄── Receive, Reply
//
// A Set holds what waits between two ticks. So nothing runs Lua but a tick, and a mod that fails to
// load has sent nothing.
//
// The other servers are strangers. Receive bounds what waits for a mod, and takes it in turns from
// the servers that sent it: a server that sends without end delays only itself. A message is
// charged to the mod that reads it, by its bytes.
//
// Time is that of the simulation: a question ends after AskTime of ticks. So a replay ends it in
// the same tick.
//
// # Where to read
//
//	set.go    the Set, and its two moments in a tick
//	lib.go    the functions of mods
//	ask.go    questions that wait for an answer
//	inbox.go  messages that wait for a mod
package messages
