package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// incoming is what came from the peer and waits for Tick, and how much may come.
type incoming struct {
	inbox []inboxItem
	calls allowance
	bytes allowance
	args  []sim.Value // buffer of dispatch
}

// An inboxItem is a received event that waits for Tick.
type inboxItem interface{ run(c *Connection) }

// maxInbox is the most events of one peer that can wait for scripts.
const maxInbox = 4096

// arrived queues an event for the next Tick, because only Tick changes the world.
func (c *Connection) arrived(i inboxItem) error {
	if len(c.inbox) >= maxInbox {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many events are queued for scripts"}
	}
	c.inbox = append(c.inbox, i)
	return nil
}

// admits reports whether a command is within its sender's rate limit.
func (c *Connection) admits(e *remoteCommand) bool {
	now := c.host.Now()
	if !c.inbound || c.calls.take(now, 1) && c.bytes.take(now, float64(e.size)) {
		return true
	}
	c.refuse()
	return false
}

// refuse counts a command beyond the rate limit.
func (c *Connection) refuse() {
	c.Stats.RefusedCommands++
	c.logPeer("too many commands", "player", c.PlayerName)
}

// run dispatches a command. It refuses the command if the expansion of earlier ones has used up the
// sender's byte allowance.
func (e *remoteCommand) run(c *Connection) {
	if c.inbound && !c.bytes.take(c.host.Now(), 0) {
		c.refuse()
		return
	}
	c.Stats.Commands++
	c.dispatch(e)
}

// drain runs the queued events in order of arrival. Without script time, the rest waits for the
// next tick.
func (c *Connection) drain() {
	done := 0
	for ; done < len(c.inbox) && !c.ended && !c.host.scripts.Busy(); done++ {
		c.inbox[done].run(c)
		c.progress()
	}
	rest := copy(c.inbox, c.inbox[done:])
	clear(c.inbox[rest:])
	c.inbox = c.inbox[:rest]
	c.drainAcks()
}

// drainAcks reports acked ghosts to scripts while they have time.
func (c *Connection) drainAcks() {
	done := 0
	for ; done < len(c.acked) && !c.ended && !c.host.scripts.Busy(); done++ {
		if o := c.acked[done]; !o.Ident().Dead() {
			c.host.scripts.GhostAcked(c, o)
		}
	}
	rest := copy(c.acked, c.acked[done:])
	clear(c.acked[rest:])
	c.acked = c.acked[:rest]
}
