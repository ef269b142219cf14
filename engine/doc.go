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
//	Due()                          returns when the protocol next needs Send or Tick;
//	                               the program has the clock of the ticks
//
// One tick has these steps, in the order of tickPhases (tick.go):
//
//	scripts   BeginTick: a new time budget; completed saves are reported
//	netcore   timeouts, held packets, handshakes, names that are not resolved in time
//	inboxes   of connections: joins, commands, datablocks, ends; first those of clients that
//	          have used little script time, then those with few events, then by id
//	deadlines end joins without progress, and connect requests that scripts have not decided
//	transfers players on their way to other servers, and from them
//	lines     interrupted lines are told, and the screens of players
//	moves     of peers and bots, each connection in id order; then the moves of this side
//	world     every Ticker without a controller, in id order
//	events    events of objects, delivered to scripts
//	schedule  due callbacks, by time and then by id
//	drain     of a server that is to end: onDrain, and the next players who go to other servers
//	scripts   onTick, the events emitted since the last delivery, and changes of fields
//	sweep     deleted objects leave the world
//	replicate snapshots of changed objects, then each connection's scope and
//	          control state; whether scripts hear of the acks until the next tick ends
//	media     voices, news of the HUD, pictures
//
// While a server is paused (pace.go), nothing moves. Tick runs the netcore step, voices, the HUD
// and pictures, and refuses the joins of others. The ghosts of its peers reach their newest state
// (ghost.Stream.StandStill). The clients are told by an event, and stop too: besides the netcore
// step they only read their inboxes, and remove what is deleted. While a debugger holds a script,
// perhaps in the middle of a tick, the owner calls Idle instead of Tick. Connections live on, end
// and are made, and nothing moves. Pace.TickLength is the real time from one tick to the next, so a
// slower game changes nothing else.
//
// After Tick the world does not change until the next one. Connections can Send at any time, and in
// parallel, because they only read the world. With many connections, scope is updated in parallel,
// too.
//
// A Connection is also an object of class GameConnection, and a group: its members are deleted with
// it. Server and client use the same type, because roles belong to a connection. Two servers can
// join each other, and a server can be the client of another. Each part of the work is a value of
// the connection, with a file of its own: Line, Join, Blocks, Visible, Ghosting, PeerGhosts,
// Control, prediction, Pilot, Camera, Tints, Commands, Voice, Forms, Watching, Server, inbox,
// references.
//
// A net object has a number. While any connection has it in scope, it also has a snapshot: its
// encoded state, made once per tick for all peers (snapshots.go). Scope decides which objects a
// peer may see (scope.go, visibleset.go). It searches the neighbourhood of a camera every eight
// ticks, and at once after a jump of the camera or a change of the rules. The gate holds an object
// back until the peer has its class and datablock (gate.go): the phases of the join are not enough,
// because a mod can declare both during the game. ghost.Stream sends the object (ghosting.go). On
// the receiving side, updates create and change ghosts in the local world (ghostchange.go). Ghosts
// are members of their connection and are deleted with it. A host can be the client of one server
// and show its ghosts to its own clients. Nothing is sent back to their source.
//
// A peer drives its control object on this side by moves. The host applies moves as they arrive,
// within the peer's credit (control.go, credit.go). This side's control object at a peer is a ghost
// here. This side applies its own moves to the ghost immediately. If the peer reports a different
// state, this side adopts it and replays the later moves (predict.go). A bot (bot.go) is a
// connection without a peer. A pilot (pilot.go) makes the moves of bots, and of clients without
// another source of moves.
//
// A spectator is a client that gets a recording of the game instead (watch.go). It has no part in
// anything above. Servers and clients record demos for files, and a host without a server shows
// them (demo.go).
//
// # A join
//
// The handshake of netcore leads to an introduction. Host.Send asks the endpoint for it
// (Endpoint.Asked) after it has sent the packets. joinRequests.decide checks places and password,
// and asks bans and the mods' onConnectRequest. Host.Send then sends again, because the verdict
// waits for no tick. A script can stand still while it decides: the owner goes on, and the other
// introductions wait. It can also defer the request (Join.Defer): then no other waits, and the
// places and bans are asked again at the answer. The server itself can make all requests wait
// (Host.Hold), for example while it reads who is banned. That comes before the bans and the mods.
// lifetimes.connected ends older connections with the same key. In the next tick scripts get the
// player.
//
// A client with other classes or kinds of events than the server says in its introduction what it
// has. It takes over the server's numbers until the connection ends, and gets descriptions of the
// classes that it lacks (lists.go). Nothing else on either side knows of it: a Go class of the
// client is used only if all that its code relies on is equal, and a described one is like a class
// in Lua.
//
// From then on, scripts control the join, as in Torque, and the engine carries it out. A join
// without progress ends after five seconds. Below, step… and answer… are the events of join.go:
//
//	server                                client
//	hello (name, mods)           ────►    loads its own halves of those mods
//	BlockTransfer.Transmit(seq)  ────►    classes, blocks, then stepDataBlocksDone(seq)
//	… commands of mods/base …
//	DataBlocksDone(seq)          ◄────    answerDataBlocks(seq)
//	Ghosting.Activate()          ────►    stepGhostsStart(seq), stepGhostsDone(seq) with the
//	                                      number of objects always in scope, and these objects
//	GhostAlwaysDone()            ◄────    answerGhosts(seq); the rest of the scope
//	Join.Enter()                 ────►    in the game
//
// A step waits only for answers that decide something. The client answers stepGhostsDone when it
// has the ghosts (ghostwait.go), and the server believes it when it knows that they have arrived.
// With base on both sides a client enters the game five round trips after its first packet, three
// of them for the handshake.
//
// The engine calls scripts only through the Scripts interface.
//
// # A correction
//
//  1. The checksums of a move differ, or the client has a new control object. At the end of the
//     tick, Control.tell passes the control state to Stream.SetState of netcore/move. Packets carry
//     it with the number of the last applied move.
//  2. On the client the state waits in the inbox for its turn, between the ghosts of the packets
//     before and after. It marks the point from which updates of an object arrive.
//  3. The client compares it with its own state after the same move (prediction.adopt). If they are
//     equal, nothing happens.
//  4. Otherwise it takes over the server's state. World.Replay applies the later moves again,
//     without repeating their events, and the client computes their checksums again.
//  5. The difference becomes a smooth movement on the screen.
//
// # Decisions about control
//
//   - A move costs credit (credit.go). A client earns 1.01 per tick and saves at most 8. So a clock
//     faster than the server's gains nothing. The server waits three ticks for late moves. Then it
//     applies NULL moves, which cost credit too. So the object never hangs in the air.
//   - A client receives no updates of the objects that it drives, a chain of at most four: its own
//     prediction is ahead of them. When it stops driving an object, the server says so until the
//     client knows. Then the client receives the full state at once, because its prediction can be
//     wrong even where nothing changed on the server.
//   - References in control state use the names of ghosts in events. So both sides hash the same
//     bits.
//   - A packet carries one checksum, of the control state after its newest move: 16 bits. A
//     checksum per move would find a difference no earlier than in the same packet.
//   - Numbers in control state are on a grid: 1/1,024 for quantities and 1/65,536 of a turn for
//     angles. Each tick ends by rounding to it. So equal states have equal bits, and a state
//     survives the wire unchanged.
//   - After 30 unacknowledged moves, the client's control object stops. A client without a
//     connection would otherwise walk on for seconds and then be pulled back.
//
// # Decisions about scope and scripts
//
//   - The marks of an object that nobody sees stay in the world. Its place in the spatial index
//     follows within 8 ticks while it moves, and within 32 ticks if no client looks within 256 m of
//     it (lookout.go). An object that a script moves is found at once (Identity.MarkLeap). So a
//     large world costs little. A moving object comes into view a quarter of a second late at most,
//     and one that leaps to a client from far away a second late.
//   - The engine pushes scope, and it depends on data: 64-bit groups, sets, weights, and the stored
//     answers of inScope. The owner asks inScope, within a budget. So no script runs while
//     connections pack.
//   - When the mods have used up half of a tick's instructions or time, the rest of the inboxes
//     waits for the next tick. A peer with 4,096 events in its inbox is disconnected, so waiting
//     cannot fill the memory.
//
// # Where to read
//
//	host.go, pace.go, settings.go       a host; its speed; its settings
//	drain.go, onward.go                 a server takes nobody in, sends its players on, and ends
//	tick.go                             the phases of a tick
//	scripts.go, protocol.go             what the engine asks of scripts, and the types for them
//	canserve.go, canserve_page.go       a client for browsers has no server
//	vars.go, status.go, summary.go      variables and commands, and the numbers of a host
//	radar.go                            a picture of the world in text
//	connection.go, kinds.go             a connection, and the kinds of its events
//	line.go, limiter.go                 how good its line is; limits of log lines
//	inbox.go                            events of a peer that wait for a tick
//	dial.go, address.go, link.go        a client finds its server; joinwatch.go: and waits
//	joinrequest.go, admission.go        a server decides about a player; guesses.go for passwords
//	deferral.go, hold.go                scripts decide later; the server makes all requests wait
//	refusal.go, joinlog.go, hello.go    why not; its log; the first event to a client
//	language.go                         the language of a player
//	lifetime.go                         a connection begins, moves and ends
//	handoff.go, handoffevent.go         a player goes to another server; the event of that
//	arrival.go                          a player comes from another server
//	join.go, ghostwait.go               the phases of a join; a client waits for its first ghosts
//	transfer.go, description.go         datablocks and classes cross a connection
//	lists.go                            peers with other classes and kinds of events
//	customevent.go                      events of a program that embeds torc
//	command.go, argument.go, expand.go  remote calls, their arguments and tags
//	allowance.go                        how many commands may come
//	forms.go, formevent.go              forms of mods, their events and the answers of players
//	elements.go, recordedelements.go    the HUD of mods at places of the screen; that in recordings
//	binds.go                            keys that mods ask players for
//	pictures.go                         pictures in forms and in the HUD: when the next piece leaves
//	references.go                       objects in events
//	snapshots.go, layouts.go            the state of all net objects, once per tick
//	replicate.go, reclass.go            the last step of a tick; objects with a new class
//	scope.go, visibility.go, lookout.go  which objects a peer may see
//	scopefork.go                        several workers find that out
//	visibleset.go, entryindex.go        what one connection sees; also bitset.go, point.go
//	question.go, priority.go, eviction.go  what scripts hide; what is urgent; what must go
//	camera.go, playercamera.go, tint.go  from where it looks; what a player has before the eyes
//	gate.go, ghosting.go                objects on their way to ghosts
//	ghostchange.go, ghosttable.go       updates become ghosts of this side
//	ghostinfo.go, ghostview.go          ghosts for people who look
//	control.go, chain.go, credit.go     the peer's control object: moves, and their price
//	controlstate.go, controlinfo.go     its state as bits; its figures
//	predict.go                          this side's control object at the peer
//	pilot.go, steering.go, bot.go       moves without a person
//	watch.go, demo.go                   spectators; recordings and demos
//	voices.go, talker.go, audience.go   who talks on a server, and who hears it
//	speech.go, listening.go             the events of voice; what a client says and hears
//	recordedvoice.go                    the voices of demos and spectators
package engine
