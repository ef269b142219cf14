// Package tape stands between a server and its machine. A Recorder passes everything through and
// writes it into a journal. A Player has only a journal, and answers as the machine did.
//
// All of it belongs to the goroutine that owns the server. Only the files of mods are also read by
// trials.
//
// # A journal
//
//  1. A Recorder stands between the server and all that it takes from its machine. Without a
//     journal, Untaped passes everything through.
//  2. The server tells it of each datagram, round of packets, tick and console line: the calls of a
//     journal. Before, Host.ReceiveStateless gets each datagram, and Host.SendStateless sends the
//     answers. The journal and its checksums leave these packets out, so strangers cannot fill it.
//  3. Stored values, connections of mods, names, results of trials, files of mods and secrets of
//     key exchanges pass through it: the answers. Verdicts of the meter (vm.Verdict) stand for
//     clocks and the heap.
//  4. Each tick has a checksum of all datagrams before it. Each 256 ticks have hashes of all
//     changed objects, field by field.
//  5. A replay is a server whose tape is a Player. It makes the calls, gives the answers, and
//     compares. It has neither the private key of the server nor a socket.
//  6. A goroutine writes the blocks (node/internal/journals). If the disk is too slow, the journal
//     ends and the game goes on.
//
// # Where to read
//
//	tape.go      what both have in common
//	recorder.go  the Recorder: calls, answers, marks
//	player.go    the Player: reads calls, and has the answers to them
//	folder.go    the files of mods
//	key.go       the private key of the server, and its entropy
//	stored.go    stored values
//	tickets.go   tickets of players of other servers, and what these servers say
//	news.go      news of the fleet
//	edited.go    lists that people change in their files
//	sockets.go   connections of mods
//	addr.go      addresses, and the checksum of datagrams
//	lookup.go    names, trials, pages over plain HTTP
//	command.go   lines of the console, and commands of the program
//	state.go     hashes of the world, and what differs
package tape
