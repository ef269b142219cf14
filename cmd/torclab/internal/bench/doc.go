// Package bench holds the workloads of `torclab bench`. They are small programs that drive the
// protocol like a game does, and measure its speed.
//
//	replicate  a world of moving objects and its clients, in two processes
//	events     one connection over loopback, ordered events at full speed
//	loss       ordered events, commands one by one, and the convergence of ghosts, with packet loss
//	connect    handshakes per second, time to connect, spoofed requests
//	play       a match of capture the flag with many players, and the cost of moves
//	mods       the scripts of a match with a hundred mods
//	reload     the match of play, with repeated reloads of its mod
//	line       connections, players and objects on bad lines, with requirements
//
// A workload measures and emits rows. bench.go prints them, as a table for people or as one JSON
// object per line for programs. The workloads use only loopback, and the system picks every port.
//
// The server of replicate runs in the process of torclab bench: its world (movers.go), its scripts
// (simserver.go), its socket and clock (liveserver.go). The clients (crowd.go) run in a second
// process of the same program (child.go). So the CPU time of the first process is the server's. In
// lockstep, both tick in turn (loop.go), and the clients simulate a line (crowdline.go).
//
// line runs the rows of netcore/netsim/line, and rows with hosts at the ends of the line:
// linerows.go, linepackets.go and the player of lineplayer.go, whose server and client run all
// their Lua (side.go). player.go and force.go count what the player sees. livesockets.go is the
// line of real sockets.
//
// play measures the complete server (scenario.go), with a swarm of players (swarm.go) in clients'
// processes. Most players are deaf and make recorded moves (swarmplayer.go). packers.go measures
// packing on several threads, and drawn.go what players see of each other. playmove.go measures
// moves alone. reload runs the same match, and mods.go one of bots.
//
// A test with limits measures what players see of a match at different round-trip times and packet
// loss: view_test.go plays recorded bots (track_test.go) and drivers (drive_test.go) over links
// (match_test.go), and ownview_test.go measures the view of each player.
//
// Workloads on real sockets run in real time. Workloads with packet loss run on netsim in virtual
// time, so other load on the machine does not change their figures. A row of 200 runs takes a
// second.
//
// # Where to read
//
//	bench.go, options.go              workloads and their rows
//	connect.go, flood.go              connect: handshakes, and what floods cost
//	events.go, counter.go, peer.go    events: one connection at full speed
//	loss.go, commands.go              loss: events, ghosts and commands over a bad line;
//	firstbytes.go                     the first bytes of a connection
//	replicate.go, movers.go           replicate: moving objects; also manyobjects.go, converge.go
//	simserver.go, liveserver.go       its server, without and with a socket
//	child.go, crowd.go, crowdline.go  its clients, in another process
//	loop.go                           the loop of a server, in real time or in turn with its clients
//	play.go, playmove.go, drawn.go    play: a match; also scenario.go, packers.go
//	swarm.go, swarmplayer.go          its clients, in processes like those of replicate
//	mods.go                           mods: scripts of a match of bots
//	reload.go                         reload: a mod, again and again
//	lines.go, linerows.go             line: netcore/netsim/line, and hosts on bad lines
//	lineplayer.go, linepackets.go     a match on a bad line; also player.go, side.go
//	force.go, tickinghost.go          what pushes a player; ticks in shorter steps
//	livesockets.go                    a line of real sockets and a relay
//	kernel.go, kernel_linux.go        beside TCP of the kernel; also kernel_other.go
//	cpu_linux.go, cpu_other.go        CPU time and memory
package bench
