// Package engine is the host: a server or a client made of a world, its
// connections and a clock of ticks. It knows the protocol (netcore) and the
// world (sim); it knows no game class, no Lua, no socket and no clock.
//
// A Host is a machine with four verbs, driven by the edge:
//
//	Receive(now, from, datagram)   bytes come in; streams unpack them; what
//	                               concerns the world waits in an inbox
//	Tick(now)                      one 32 ms step of the simulation; the only
//	                               place where the world changes
//	Send(now, out)                 every connection fills the packets its rate
//	                               allows; legal at any time after a Tick
//	Due()                          when Tick or Send is wanted next
//
// One tick, in order (Host.Tick reads like this list):
//
//	scripts   their time of a new tick begins; they hear what is safe on the disk
//	netcore   timeouts, held packets, handshakes
//	inboxes   each connection in id order: joins, commands, datablocks, ends
//	deadlines joins that make no progress are ended
//	moves     of peers and bots, each connection in id order; then our own
//	world     every Ticker that nobody controls, in id order
//	events    what has happened to objects, told to scripts
//	schedule  what is due, by time and then by id
//	scripts   onTick, and what has happened since
//	sweep     deleted objects leave the world
//	replicate images of what has changed, then each connection's scope, and the
//	          control state of whom must be told
//
// After that the world rests until the next tick: connections may Send at any
// time, and all at once, for they only read it.
//
// A Connection is an object too (class GameConnection, a group: what it holds
// goes when it goes). Server and client are the same type: roles belong to a
// connection, so two servers can join each other and one server can hold a
// connection to another.
//
// A net object has a number and, while somebody has it in scope, an image: its
// state as it travels, made once a tick for all peers (images.go). Scope says who
// may know of it (scope.go, sight.go), the gate lets it through when the peer
// has its class and its datablock (gate.go), netcore.Ghosts does the rest. What
// comes in becomes ghosts in this world (ghosting.go): members of their
// connection, which follow their originals and go with it. A host may be the
// client of one server and show what it sees there to its own.
//
// What a peer controls here it drives by moves: they are done when they come, as
// far as its credit goes (control.go, credit.go). What this side controls at a
// peer's is its ghost here, on which moves are done as soon as they are made;
// where the peer's state turns out to be another, it is taken over and the moves
// since are done once more (predict.go). A bot (bot.go) is a connection without
// a peer; its moves come from a pilot (pilot.go), and so do those of a client
// that nobody else makes any for.
//
// Joining is a conversation that scripts lead and the engine carries:
//
//	server                                client
//	hello (name, mods)         ────►      loads its own halves of those mods
//	… commands of mods/base …
//	TransmitDataBlocks(seq)    ────►      classes, blocks, then datablocksDone(seq)
//	DataBlocksDone(seq)        ◄────      datablocksReady(seq)
//	ActivateGhosting()         ────►      ghostsStart(seq), what is always in scope,
//	                                      and when it is all there ghostsDone(seq)
//	GhostAlwaysDone()          ◄────      ghostsReady(seq); the rest of the scope
//	EnterGame()                ────►      in the game
//
// Calls upward go through one short interface, Scripts.
package engine
