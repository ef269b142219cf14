// Package engine implements the host: a server or client with a world, connections and simulation
// ticks. It uses the protocol (netcore) and the world (sim). It has no game classes, Lua, sockets
// or clock.
//
// The program drives a Host through four methods:
//
//	Receive(now, from, datagram)   reads a datagram; streams unpack it; changes
//	                               of the world wait in an inbox
//	Tick(now)                      runs one 32 ms simulation step; only Tick
//	                               changes the world
//	Send(now, out)                 fills the packets that each rate limit allows;
//	                               legal at any time after a Tick
//	Due()                          returns the time of the next Tick or Send
//
// One tick has these steps, in the order of Host.Tick:
//
//	scripts   BeginTick: a new time budget; completed saves are reported
//	netcore   timeouts, held packets, handshakes
//	inboxes   each connection: joins, commands, datablocks, ends
//	deadlines end joins without progress
//	moves     of peers and bots, each connection in id order; then the moves of this side
//	world     every Ticker without a controller, in id order
//	events    events of objects, delivered to scripts
//	schedule  due callbacks, by time and then by id
//	scripts   onTick, and the events emitted since the last delivery
//	sweep     deleted objects leave the world
//	replicate snapshots of changed objects, then each connection's scope and
//	          control state
//
// While a server is paused (pace.go), Tick runs only the netcore step, and the joins of others are
// refused. A debugger that holds a script in the middle of a tick calls Pause, and goes on calling
// Receive, Tick and Send.
//
// After Tick the world does not change until the next one. Connections can Send at any time, and in
// parallel, because they only read the world.
//
// A Connection is also an object of class GameConnection, and a group: its members are deleted with
// it. Server and client use the same type, because roles belong to a connection. Two servers can
// join each other, and a server can be the client of another. Each part of the work is a value of the
// connection, with a file of its own: Line, Join, Blocks, Visible, Ghosting, PeerGhosts, Control,
// prediction, Pilot, Camera, Tints, Commands, Watching, inbox, references.
//
// A net object has a number. While any connection has it in scope, it also has a snapshot: its
// encoded state, made once per tick for all peers (snapshots.go). Scope decides which objects a peer
// may see (scope.go, visibleset.go). The gate holds an object back until the peer has its class and
// datablock (gate.go). ghost.Stream sends it (ghosting.go). On the receiving side, updates create and change
// ghosts in the local world (ghostchange.go). Ghosts are members of their connection and are deleted
// with it. A host can be the client of one server and show its ghosts to its own clients.
//
// A peer drives its control object on this side by moves. The host applies moves as they arrive,
// within the peer's credit (control.go, credit.go). This side's control object at a peer is a ghost
// here. This side applies its own moves to the ghost immediately. If the peer reports a different
// state, this side adopts it and replays the later moves (predict.go). A bot (bot.go) is a
// connection without a peer. A pilot (pilot.go) makes the moves of bots, and of clients without
// another source of moves.
//
// A spectator is a client that gets a recording of the game instead (watch.go). It has no part in
// anything above. Servers and clients record demos for files, and a host without a server shows them (demo.go).
//
// Scripts control the join, and the engine carries it out. Below, step… and answer… are the events of
// phases.go:
//
//	server                                client
//	hello (name, mods)           ────►    loads its own halves of those mods
//	… commands of mods/base …
//	BlockTransfer.Transmit(seq)  ────►    classes, blocks, then stepDataBlocksDone(seq)
//	DataBlocksDone(seq)          ◄────    answerDataBlocks(seq)
//	Ghosting.Activate()          ────►    stepGhostsStart(seq), objects always in scope,
//	                                      then stepGhostsDone(seq)
//	GhostAlwaysDone()            ◄────    answerGhosts(seq); the rest of the scope
//	Join.Enter()                 ────►    in the game
//
// The engine calls scripts only through the Scripts interface.
package engine
