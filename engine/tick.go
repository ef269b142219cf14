package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/torc-engine/torc/netcore"
)

// tickPhases are the phases of each step of a tick, in their order.
var tickPhases = [Steps][]func(h *Host){
	StepReceive: {
		func(h *Host) { h.scripts.BeginTick() },  // a new time budget; completed saves are reported
		func(h *Host) { h.endpoint.Tick(h.now) }, // timeouts, held packets, handshakes
		func(h *Host) { h.Dialer.watch() },       // a name that is not resolved in time
		(*Host).beginTick,                        // the next number
		(*Host).drain,                            // joins, commands, datablocks, ends
		(*Host).watchJoins,                       // joins without progress end, and deferred requests
		(*Host).watchTransfers,                   // players on the way to other servers, and from them
		func(h *Host) { h.conns.watchLines() },   // interrupted lines, and the screens of players
	},
	StepMoves: {
		func(h *Host) { h.conns.steer() }, // moves of peers and bots, then of this side
	},
	StepSimulate: {
		func(h *Host) { h.world.Tick(h.tick) }, // every Ticker without a controller
	},
	StepScripts: {
		(*Host).deliver, // events of objects
		func(h *Host) { h.schedule.Run(h.Now()) }, // due callbacks, by time and then by id
		func(h *Host) { h.Drain.step() },          // onDrain, and players who are sent on
		func(h *Host) { h.scripts.Tick(h.tick) },  // onTick
		(*Host).deliver,                           // the events emitted since
		func(h *Host) { h.scripts.EndTick() },     // changes of fields
	},
	StepReplicate: {
		(*Host).sweep,                            // deleted objects leave the world
		(*Host).replicate,                        // snapshots, then each connection's scope and control state
		(*Host).askAcks,                          // the acks until the next tick
		func(h *Host) { h.Voices.talk() },        // the voices of this tick
		func(h *Host) { h.conns.sendElements() }, // news of the HUD
		func(h *Host) { // pictures, when all others have posted
			if canServe && h.tick%pictureEvery == 0 {
				h.conns.sendPictures()
			}
		},
	},
}

// beginTick counts the tick.
func (h *Host) beginTick() {
	h.tick++
	h.world.BeginTick(h.tick)
}

// tickPaused is Tick while the host is paused. A client goes on reading, to learn of the end.
func (h *Host) tickPaused() {
	h.endpoint.Tick(h.now)
	h.Voices.talk()
	h.askAcks()
	if canServe && h.cfg.Server {
		h.requests.refuseDeferred(pausedText)
		h.conns.sendElements()
		h.conns.sendPictures()
		for _, c := range h.conns {
			if c.ghosts != nil {
				c.ghosts.StandStill()
			}
		}
		return
	}
	h.scripts.BeginTick()
	h.Dialer.watch()
	h.drain()
	h.sweep()
}

// drain processes the inboxes: first the host's, then each connection's. Connections that have used
// no more than a fair part of the script time come first. Of several that have used as much, those
// with few waiting events come first. Without script time, the rest waits for the next tick.
func (h *Host) drain() {
	h.scope.fork(applyFates)
	done := 0
	for ; done < len(h.inbox) && !h.scripts.Busy(); done++ {
		h.inbox[done]()
	}
	rest := copy(h.inbox, h.inbox[done:])
	clear(h.inbox[rest:])
	h.inbox = h.inbox[:rest]
	h.order = append(h.order[:0], h.conns...)
	busy := func(c *Connection) bool { return h.scripts.Ahead(c) > 0 }
	if slices.ContainsFunc(h.order, busy) {
		slices.SortStableFunc(h.order, func(a, b *Connection) int {
			return cmp.Or(cmp.Compare(h.scripts.Ahead(a), h.scripts.Ahead(b)), cmp.Compare(len(a.inbox.items), len(b.inbox.items)))
		})
	}
	for _, c := range h.order {
		c.inbox.drain()
		c.Watching.step()
	}
	clear(h.order)
}

// watchJoins ends joins without progress, connect requests that scripts have not decided, and a
// hold.
func (h *Host) watchJoins() {
	if canServe {
		h.requests.watchDeferred()
		h.Hold.watch()
	}
	for _, c := range h.conns {
		if c.Join.checkProgress(); c.Join.overdue() {
			text := fmt.Sprintf("the join made no progress for %v in phase %s", c.Join.timeout(), c.Join.phase)
			c.net.Close(netcore.Reason{Code: netcore.TimedOut, Text: text}) // so the client tries again
		}
	}
}

// watchTransfers sends players to other servers, and lets those play whom other servers have sent.
func (h *Host) watchTransfers() {
	if canServe {
		h.transfers.step()
		h.arrivals.watch()
	}
}

// askAcks asks scripts whether they want to hear of acked ghosts. The answer is for the acks that
// come from now on. Those before are applied first, so the point at which a packet or a scope
// applies them changes nothing.
func (h *Host) askAcks() {
	watches := h.scripts.WatchesAcks()
	if watches == h.watchesAcks {
		return
	}
	for _, c := range h.conns {
		if c.ghosts != nil {
			c.ghosts.ApplyFates()
		}
	}
	h.watchesAcks = watches
}

// applyFates applies the acks of a connection if scripts hear of them, or if they are progress of a
// join: at the same point of a tick however often the host has sent since. Else they wait for the
// scope or the next packet, so the data of the connection comes into the CPU cache once less.
func applyFates(_ *scopeMemory, c *Connection) {
	if c.ghosts != nil && (c.host.watchesAcks || c.Join.phase != PhaseGame) {
		c.ghosts.ApplyFates()
	}
}

// deliver delivers object events to scripts while they have time.
func (h *Host) deliver() { h.world.Deliver(h.deliverEvent) }

// Step is a part of a tick, in execution order.
type Step int

const (
	StepReceive   Step = iota // inboxes: commands, answers, ghosts, joins
	StepMoves                 // moves of peers, bots and this side
	StepSimulate              // tick of the world
	StepScripts               // events, the schedule, onTick
	StepReplicate             // removal of deleted objects, snapshots, scope
	Steps                     // number of steps
)
