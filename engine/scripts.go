package engine

import "github.com/torc-engine/torc/engine/sim"

// Scripts is every call the engine makes upward. The script package implements
// it with Lua; NoScripts does nothing. All calls come from Tick, except
// ConnectRequest, which comes while a datagram is received.
type Scripts interface {
	// BeginTick gives scripts the time of a new tick.
	BeginTick()
	// Busy reports whether they have used it up: what waits in the inboxes then
	// waits for the next tick.
	Busy() bool
	// Sated reports whether a mod has had its share of it, "" for none: what is
	// to happen in that mod waits, and holds up no other.
	Sated(mod string) bool

	// ConnectRequest is asked once per proven connect request, on the side that
	// was called. A non-empty answer refuses, and is told to the caller.
	ConnectRequest(c *Connection, args []string) (refuse string)
	// Connected tells the called side that a connection has begun.
	Connected(c *Connection, args []string)
	// Dropped tells the called side that a connection has ended.
	Dropped(c *Connection, reason string)

	// Accepted tells the calling side that its connection has begun and who the
	// server is (ServerName, ServerMods).
	Accepted(c *Connection)
	// Entered tells the calling side that the join is complete.
	Entered(c *Connection)
	// ConnectionEnded tells the calling side that its connection has ended;
	// timedOut is set when the peer just fell silent.
	ConnectionEnded(c *Connection, reason string, timedOut bool)
	// ConnectFailed tells the calling side that no connection came to be.
	ConnectFailed(address, reason string)

	// Command delivers a remote command. It reports whether anybody handles it.
	Command(c *Connection, name string, args []sim.Value) (handled bool)

	// DataBlocksDone: the peer has every block of transmission seq.
	DataBlocksDone(c *Connection, seq uint32)
	// DataBlockReceived: block index of total has come (calling side).
	DataBlockReceived(c *Connection, index, total int)
	// GhostAlwaysDone: the peer has every always-ghost.
	GhostAlwaysDone(c *Connection)

	// EnteredGame tells the called side that a client it let into the game
	// (EnterGame) is there, or a bot.
	EnteredGame(c *Connection)
	// InitialControlSet tells the calling side, once in each join, that what it
	// controls is here.
	InitialControlSet(c *Connection)

	// GhostAdded: the ghost of one of the peer's objects is here, and whole.
	GhostAdded(c *Connection, o sim.Object)
	// GhostRemoved: a ghost is about to leave; it is still whole.
	GhostRemoved(c *Connection, o sim.Object)
	// GhostAcked: the peer has the ghost of an object of this side; commands
	// may name it from here on.
	GhostAcked(c *Connection, o sim.Object)
	// InScope asks whether a connection may know of an object. asked is false
	// if no script has anything to say about objects of this class.
	InScope(o sim.Object, c *Connection) (visible, asked bool)

	// Added and Removed follow every object into and out of the world.
	Added(o sim.Object)
	Removed(o sim.Object)
	// Undone comes instead of Removed for an object that sim.Change.Rollback
	// takes back: nobody is to hear of it.
	Undone(o sim.Object)

	// Event: something has happened to an object (sim.World.Emit). It reports
	// whether that was told; if not, it comes again in the next tick.
	Event(o sim.Object, name string, args []sim.Value) (told bool)

	// Tick runs once per tick, after the world and the schedule.
	Tick(n uint64)
}

// NoScripts is a Scripts that does nothing: every connect request is accepted
// and every command goes unhandled. Embed it to implement a few calls only.
type NoScripts struct{}

func (NoScripts) BeginTick()                                    {}
func (NoScripts) Busy() bool                                    { return false }
func (NoScripts) Sated(string) bool                             { return false }
func (NoScripts) ConnectRequest(*Connection, []string) string   { return "" }
func (NoScripts) Connected(*Connection, []string)               {}
func (NoScripts) Dropped(*Connection, string)                   {}
func (NoScripts) Accepted(*Connection)                          {}
func (NoScripts) Entered(*Connection)                           {}
func (NoScripts) ConnectionEnded(*Connection, string, bool)     {}
func (NoScripts) ConnectFailed(string, string)                  {}
func (NoScripts) Command(*Connection, string, []sim.Value) bool { return false }
func (NoScripts) DataBlocksDone(*Connection, uint32)            {}
func (NoScripts) DataBlockReceived(*Connection, int, int)       {}
func (NoScripts) GhostAlwaysDone(*Connection)                   {}
func (NoScripts) GhostAdded(*Connection, sim.Object)            {}
func (NoScripts) GhostRemoved(*Connection, sim.Object)          {}
func (NoScripts) GhostAcked(*Connection, sim.Object)            {}
func (NoScripts) InScope(sim.Object, *Connection) (visible, asked bool) {
	return true, false
}
func (NoScripts) Added(sim.Object)                           {}
func (NoScripts) Removed(sim.Object)                         {}
func (NoScripts) Undone(sim.Object)                          {}
func (NoScripts) EnteredGame(*Connection)                    {}
func (NoScripts) InitialControlSet(*Connection)              {}
func (NoScripts) Event(sim.Object, string, []sim.Value) bool { return true }
func (NoScripts) Tick(uint64)                                {}
