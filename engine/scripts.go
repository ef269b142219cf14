package engine

import (
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// Scripts is the interface of the engine to scripts. Package script implements it with Lua.
// NopScripts does nothing. The engine calls it from Tick. The exceptions are CanCheck,
// ConnectRequest and StillRefuses, called by Send when the protocol has sent. No frame of the
// protocol is on the stack during a call: a debugger can stop a script, and the program receives
// and sends meanwhile.
type Scripts interface {
	// BeginTick starts the time budget of a new tick.
	BeginTick()
	// Busy reports whether the time budget is used up. Then the inboxes wait for the next tick.
	Busy() bool
	// OverBudget reports whether a mod has used its share of the budget. "" means no mod. Then
	// callbacks of that mod wait, without delaying other mods.
	OverBudget(mod string) bool

	// OverShare reports whether a client has used its share of the budget. Then its events wait,
	// without delaying other clients.
	OverShare(c *Connection) bool
	// Ahead returns how much a client has used recently beyond its fair part of the budget, 0 for
	// most. Clients with a smaller value are served first.
	Ahead(c *Connection) int64
	// CommandsRefused reports that n commands of a client were refused, because too many waited for
	// its share of the budget.
	CommandsRefused(c *Connection, n int)

	// CanCheck reports whether ConnectRequest can be called in this tick. If not, connect requests
	// wait for the next tick, up to 2 s.
	CanCheck() bool
	// ConnectRequest runs on the server once per complete introduction of a client. A non-empty
	// result refuses the client and is sent to it. If it has called Join.Defer, Join.Decide decides
	// later. StillRefuses then returns why the client is refused all the same, or "".
	ConnectRequest(c *Connection, args []string) (refuse string)
	StillRefuses(c *Connection) (refuse string)
	// Connected reports to the server side that a connection has begun.
	Connected(c *Connection, args []string)
	// Arrived reports to the server side that a player whom another server has sent plays here now.
	Arrived(c *Connection)
	// Dropped reports to the server side that a connection has ended.
	Dropped(c *Connection, reason string)

	// Accepted reports to the client side that its connection has begun. Name and mods in
	// Connection.Server are set.
	Accepted(c *Connection)
	// Entered reports to the client side that the join is complete.
	Entered(c *Connection)
	// ConnectionEnded reports to the client side that its connection has ended. timedOut is set if
	// the server stopped responding.
	ConnectionEnded(c *Connection, reason string, timedOut bool)
	// ConnectFailed reports to the client side that the connect failed.
	ConnectFailed(address, reason string)

	// Command delivers a remote command. handled is false if no script handles it.
	Command(c *Connection, name string, args []sim.Value) (handled bool)

	// FormEnded gives a mod of the server the end of a form that it has opened at a client. The
	// engine calls it once for each form, also if the client has left.
	FormEnded(c *Connection, number uint32, a FormAnswer)

	// DataBlocksDone reports that the peer has every block of transmission seq.
	DataBlocksDone(c *Connection, seq uint32)
	// DataBlockReceived reports the arrival of block index of total (client side).
	DataBlockReceived(c *Connection, index, total int)
	// GhostAlwaysDone reports that the peer has all always-ghosts.
	GhostAlwaysDone(c *Connection)

	// EnteredGame reports to the server side, after Join.Enter, that a client or bot is in the
	// game.
	EnteredGame(c *Connection)
	// ConnectionEvent reports a change that needs no answer to the client side, by the name of its
	// callback in Lua: the control object, a screen effect, the line, the progress of a join.
	ConnectionEvent(c *Connection, name string, args ...sim.Value)
	// InitialControlSet reports to the client side, once per join, that its control object has
	// arrived.
	InitialControlSet(c *Connection)

	// GhostAdded reports a complete new ghost of one of the peer's objects.
	GhostAdded(c *Connection, o sim.Object)
	// GhostRemoved reports that a ghost is about to be removed; it is still complete.
	GhostRemoved(c *Connection, o sim.Object)
	// WatchesFields reports whether scripts want FieldsReceived and FieldsDone. It is asked once
	// per packet.
	WatchesFields() bool
	// FieldsReceived reports that these groups of a ghost hold what a packet has brought. Right
	// after the call a ghost in motion can go on from its old place. The peer's values of an object
	// that this side controls are not reported.
	FieldsReceived(o sim.Object, groups uint32)
	// FieldsDone reports the end of a packet with ghosts, when all of its changes have been
	// applied.
	FieldsDone()
	// GhostAcked reports that the peer has the ghost of an object of this side. From now on
	// commands can refer to it.
	GhostAcked(c *Connection, o sim.Object)
	// WatchesAcks reports whether scripts want GhostAcked. It is asked at the end of each tick, for
	// the acks until the next one ends.
	WatchesAcks() bool
	// InScope asks whether a connection may see an object. last is the previous answer, false if
	// there is none: it holds if the scripts cannot answer. asked is false if no script has a
	// callback for objects of this class.
	InScope(o sim.Object, c *Connection, last bool) (visible, asked bool)

	// VoiceAudience asks who hears a client on a channel: "proximity", "team", "all" or "mod". It
	// returns the ids of connections; others are ignored.
	VoiceAudience(c *Connection, channel string) []sim.ID

	// Drain reports that this server drains, and for how long at most. taken says that scripts
	// decide where the players go.
	Drain(most time.Duration) (taken bool)

	// Removed reports every object that leaves the world. Nothing reports those that enter: the
	// protocol itself adds the object of a connection, and the scripts know what they make.
	Removed(o sim.Object)
	// Undone replaces Removed for an object removed by sim.Transaction.Rollback. Mods must not be
	// told.
	Undone(o sim.Object)

	// Checker runs the checks of a game (sim.World.Check).
	sim.Checker

	// Event delivers an event of an object (sim.World.Emit). told is false if there was no time;
	// the next tick delivers it again.
	Event(o sim.Object, name string, args []sim.Value) (told bool)

	// Tick runs once per tick, after the world and the schedule.
	Tick(n uint64)
	// EndTick runs once per tick, after Tick and the events since then.
	EndTick()
}

// NopScripts is a Scripts that does nothing: it accepts every connect request and handles no
// command. Embed it to implement only a few methods.
type NopScripts struct{}

func (NopScripts) BeginTick()                                    {}
func (NopScripts) Busy() bool                                    { return false }
func (NopScripts) OverBudget(string) bool                        { return false }
func (NopScripts) CanCheck() bool                                { return true }
func (NopScripts) OverShare(*Connection) bool                    { return false }
func (NopScripts) Ahead(*Connection) int64                       { return 0 }
func (NopScripts) CommandsRefused(*Connection, int)              {}
func (NopScripts) ConnectRequest(*Connection, []string) string   { return "" }
func (NopScripts) StillRefuses(*Connection) string               { return "" }
func (NopScripts) Connected(*Connection, []string)               {}
func (NopScripts) Arrived(*Connection)                           {}
func (NopScripts) Dropped(*Connection, string)                   {}
func (NopScripts) Accepted(*Connection)                          {}
func (NopScripts) Entered(*Connection)                           {}
func (NopScripts) ConnectionEnded(*Connection, string, bool)     {}
func (NopScripts) ConnectFailed(string, string)                  {}
func (NopScripts) Command(*Connection, string, []sim.Value) bool { return false }
func (NopScripts) FormEnded(*Connection, uint32, FormAnswer)     {}
func (NopScripts) DataBlocksDone(*Connection, uint32)            {}
func (NopScripts) DataBlockReceived(*Connection, int, int)       {}
func (NopScripts) GhostAlwaysDone(*Connection)                   {}
func (NopScripts) GhostAdded(*Connection, sim.Object)            {}
func (NopScripts) GhostRemoved(*Connection, sim.Object)          {}
func (NopScripts) WatchesFields() bool                           { return false }
func (NopScripts) FieldsReceived(sim.Object, uint32)             {}
func (NopScripts) FieldsDone()                                   {}
func (NopScripts) GhostAcked(*Connection, sim.Object)            {}
func (NopScripts) WatchesAcks() bool                             { return false }
func (NopScripts) InScope(sim.Object, *Connection, bool) (visible, asked bool) {
	return true, false
}
func (NopScripts) VoiceAudience(*Connection, string) []sim.ID { return nil }
func (NopScripts) Checks(sim.Object, string) bool             { return false }
func (NopScripts) Check(sim.Object, string, []sim.Value) (verdict sim.Value, told bool) {
	return sim.Nil(), true
}
func (NopScripts) Drain(time.Duration) bool                          { return false }
func (NopScripts) Removed(sim.Object)                                {}
func (NopScripts) Undone(sim.Object)                                 {}
func (NopScripts) EnteredGame(*Connection)                           {}
func (NopScripts) ConnectionEvent(*Connection, string, ...sim.Value) {}
func (NopScripts) InitialControlSet(*Connection)                     {}
func (NopScripts) Event(sim.Object, string, []sim.Value) bool        { return true }
func (NopScripts) Tick(uint64)                                       {}
func (NopScripts) EndTick()                                          {}
