// Package remote connects other processes of the same user to the console of a running server, over
// a unix socket in the server's data folder.
//
// A process that can open the socket has the operator's rights. So the socket and its folder are
// for their owner alone (0700).
//
// # On the wire
//
//	→ N attach             from now on the client also gets the console's output
//	→ N type LINE          runs a line, or adds it to an unfinished chunk
//	→ N run LINE           runs a whole line; an error makes the answer fail
//	→ N cancel             discards an unfinished chunk
//	→ N end                no more lines come: an unfinished chunk is an error
//	→ N complete AT LINE   completes a line at a byte: the start of the word, then the candidates
//	→ N secret LINE        yes, if the line must be kept out of a history
//	→ N backup NAME        copies the stored values of mods, and returns the path
//	→ N debug MOD          from now on the client is the debugger of a mod, until it leaves
//	→ N dap JSON           a message of the Debug Adapter Protocol
//	→ N beat               the debugger lives; the owner expects it while a script stands still
//	←  text                each line of an answer, after a space
//	← |text                a line of the console's output
//	← !JSON                a message of the Debug Adapter Protocol
//	← ok N                 the end of the answer to request N, or
//	← more N               the end, when a chunk is unfinished, or
//	← wrong N              the end, when a typed line failed; the answer has its error, or
//	← failed N why         the end, when the request failed
//	← error: why           the connection is refused, or the line was no request
//	← bye                  the server ends
//
// The same words go through a pipe in the process for users who came another way, over SSH for
// example (Dial). Such a User can be limited to some commands.
//
// The server accepts eight connections at a time. Each connection waits for an answer before its
// next line is read. A client that does not read does not block the server: at most 1 MiB waits for
// it. Then the server drops the oldest lines, answers included, and sends "(N lines dropped)". The
// server does not run a last line without a newline, because its client died while writing it.
//
// A line waits for the next tick of the server. Output of the console goes to all attached clients
// of the operator. `torc backup` and `torc check` come over the same socket: the server copies the
// contents of one read transaction.
package remote
