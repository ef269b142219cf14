// Package tape stands between a server and its machine. A Recorder passes everything through and writes it into a journal. A
// Player has only a journal, and answers as the machine did.
//
//	tape.go      what both have in common
//	recorder.go  the Recorder: calls, answers, marks
//	player.go    the Player: reads calls, and has the answers to them
//	folder.go    the files of mods
//	key.go       the private key of the server, and its entropy
//	stored.go    stored values
//	sockets.go   connections of mods
//	lookup.go    names, trials, pages over plain HTTP
//	command.go   lines of the console, and commands of the program
//	state.go     hashes of the world, and what differs
//
// All of it belongs to the goroutine that owns the server. Only the files of mods are also read by trials.
package tape
