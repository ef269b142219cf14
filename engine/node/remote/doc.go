// Package remote lets other processes of the same user reach the console of a running server, over a unix socket in its
// data folder.
//
// Whoever can open the socket has the operator's rights, so it is for its owner alone (0700, in a folder that is 0700).
//
// # On the wire
//
//	→ N attach             from now on what the console prints is told, too
//	→ N type LINE          runs a line, which may be the next of a chunk
//	→ N cancel             throws away what was begun of a chunk
//	→ N end                no more lines come: an unfinished chunk is an error
//	→ N complete AT LINE   what Tab makes of a line at a byte: where the word begins, then what it may become
//	→ N secret LINE        yes, if the line must be kept out of a history
//	→ N backup NAME        copies what mods have stored, and tells where to
//	←  text                each line of an answer, after a space
//	← |text                a line that the console has printed
//	← ok N                 the end of the answer to request N, or
//	← more N               the end, when a chunk is unfinished, or
//	← failed N why         the end, when there is no answer
//	← error: why           what is wrong with the connection, or with a line that was no request
//	← bye                  the server ends
//
// Eight connections at a time are heard, and each waits for the answer before its next line is read. Who does not read
// holds nobody: at most 1 MiB waits for him, then the oldest lines go, answers too, and "(N lines dropped)" says so. A line
// without an end, of a client that died while it wrote, is not run.
package remote
