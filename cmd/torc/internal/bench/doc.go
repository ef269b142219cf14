// Package bench holds the workloads of `torc bench`: small programs that drive
// the protocol as a game would and say how fast it went.
//
//	replicate  a world of moving objects and its clients, in two processes
//	events     one connection over loopback, ordered events as fast as it goes
//	loss       a thousand ordered events, and ghosts that come to rest, over a
//	           line that loses packets
//	connect    handshakes per second, time to connect, invented requests
//	overhead   what a packet costs beside what the game put into it
//	micro      bits, numbers, text
//	play       a match of capture the flag with many players, and what moves cost
//	lag        what players get of a match over lines of every kind
//	reload     the match of play, whose mod is reloaded again and again
//
// A workload measures and emits rows; bench.go prints them, as a table for
// people or as one JSON object per line for programs. Nothing here touches a
// network but loopback, and every port is one the system picked.
//
// replicate has rooms of its own: the world (movers.go), the server that leads
// clients into it (stage.go), its socket and clock (theatre.go), and the clients
// (crowd.go) in a process of theirs (child.go), which is this program once more.
// So what the server's process computes is what the server does.
//
// lag, too: a server and clients with their Lua (lagside.go), players who go after
// recorded bots (lagtrack.go) or drive (lagdrive.go), and what each of them is
// seen to get (lagplayer.go, lagview.go).
//
// play does as replicate does, with the whole server (arena.go) and torc swarm
// for its clients; playmove.go measures moves alone. reload is the same match.
//
// What takes place on real sockets runs in real time. What is about loss runs
// on netsim in virtual time: what else the machine does changes no figure, and
// a row of two hundred runs takes a second.
package bench
