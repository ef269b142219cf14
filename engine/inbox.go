package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
)

// incoming is what came from the peer and waits for Tick, and how much may come.
type incoming struct {
	inbox []inboxItem
	calls rate.Bucket
	bytes rate.Bucket

	refusals rate.Bucket // of commands that break a rule
	tooMany  int         // refused commands that waited for script time, not reported yet
	toldAt   int64       // simulation time of the last report in ms

	args []sim.Value // buffer of dispatch
}

// An inboxItem is a received event that waits for Tick.
type inboxItem interface{ run(c *Connection) }

// maxInbox is the most events of one peer that can wait for scripts.
const maxInbox = 4096

// maxWaiting is the most commands of one peer that can wait because the peer has used its share of
// script time. tellEvery is the time between two reports of refused ones, in ms.
const (
	maxWaiting = 64
	tellEvery  = 5000
)

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
	now := millis(c.host.Now())
	if c.inbound && c.spectator {
		c.CountRefusal()
		return false
	}
	if !c.inbound || c.calls.Take(now, commandCalls, 1) && c.bytes.Take(now, commandBytes, float64(e.size)) {
		return true
	}
	c.refuse()
	return false
}

// CountRefusal counts a command that breaks a rule for commands: its rate, or its arguments. Too many
// of them in a short time end the connection.
func (c *Connection) CountRefusal() {
	if c.inbound && !c.refusals.Take(millis(c.host.Now()), refusedCalls, 1) {
		c.fail("too many of your commands were refused")
	}
}

// refuse counts a command beyond the rate limit.
func (c *Connection) refuse() {
	c.CountRefusal()
	c.Stats.RefusedCommands++
	c.logPeer("too many commands", "player", c.PlayerName)
}

// run dispatches a command. It refuses the command if the expansion of earlier ones has used up the
// sender's byte allowance.
func (e *remoteCommand) run(c *Connection) {
	if c.inbound && !c.bytes.Has(millis(c.host.Now()), commandBytes, 0) {
		c.refuse()
		return
	}
	c.Stats.Commands++
	c.dispatch(e)
}

// drain runs the queued events in order of arrival. Without script time, or if the peer has used its
// share, the rest waits for the next tick.
func (c *Connection) drain() {
	done := 0
	for ; done < len(c.inbox) && !c.ended && !c.mustWait(); done++ {
		c.inbox[done].run(c)
		c.progress()
	}
	rest := copy(c.inbox, c.inbox[done:])
	clear(c.inbox[rest:])
	c.inbox = c.inbox[:rest]
	if rest > maxWaiting && !c.ended && c.host.scripts.OverShare(c) {
		c.refuseWaiting()
	}
	c.tellRefused()
	c.drainAcks()
}

// mustWait reports whether events of the peer wait for the next tick.
func (c *Connection) mustWait() bool {
	return c.host.scripts.Busy() || c.host.scripts.OverShare(c)
}

// refuseWaiting removes the newest waiting commands beyond maxWaiting.
func (c *Connection) refuseWaiting() {
	kept, waiting := c.inbox[:0], 0
	for _, i := range c.inbox {
		if _, ok := i.(*remoteCommand); ok {
			if waiting++; waiting > maxWaiting {
				c.tooMany++
				continue
			}
		}
		kept = append(kept, i)
	}
	clear(c.inbox[len(kept):])
	c.inbox = kept
}

// tellRefused reports refused commands to scripts, and in the log.
func (c *Connection) tellRefused() {
	now := c.host.Now()
	if c.tooMany == 0 || c.ended || c.toldAt > 0 && now < c.toldAt+tellEvery {
		return
	}
	n := c.tooMany
	c.tooMany, c.toldAt = 0, now
	c.Stats.RefusedCommands += n
	c.logPeer("commands refused: they use too much script time", "player", c.PlayerName)
	c.host.scripts.CommandsRefused(c, n)
}

const keptAcks = 64 // acked ghosts whose memory a connection keeps

// drainAcks reports acked ghosts to scripts while they have time.
func (c *Connection) drainAcks() {
	done := 0
	for ; done < len(c.acked) && !c.ended && !c.mustWait(); done++ {
		if o := c.acked[done]; !o.Ident().Dead() {
			c.host.scripts.GhostAcked(c, o)
		}
	}
	rest := copy(c.acked, c.acked[done:])
	clear(c.acked[rest:])
	if c.acked = c.acked[:rest]; rest == 0 && cap(c.acked) > keptAcks {
		c.acked = nil // it was long after the join
	}
}
