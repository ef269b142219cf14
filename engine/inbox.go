package engine

import (
	"github.com/torc-engine/torc/netcore"
)

// An inbox has the events of a peer that wait for Tick.
type inbox struct {
	conn    *Connection
	items   []inboxItem
	tooMany int   // refused commands that waited for script time, not reported yet
	toldAt  int64 // simulation time of the last report in ms
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

// add queues an event for the next Tick, because only Tick changes the world.
func (b *inbox) add(i inboxItem) error {
	if len(b.items) >= maxInbox {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many events are queued for scripts"}
	}
	b.items = append(b.items, i)
	return nil
}

// drain runs the queued events in order of arrival. Without script time, or if the peer has used
// its share, the rest waits for the next tick.
func (b *inbox) drain() {
	c := b.conn
	done := 0
	for ; done < len(b.items) && !c.ended && !b.mustWait(); done++ {
		b.items[done].run(c)
		c.Join.progress()
	}
	rest := copy(b.items, b.items[done:])
	clear(b.items[rest:])
	b.items = b.items[:rest]
	if rest > maxWaiting && !c.ended && c.host.scripts.OverShare(c) {
		b.refuseWaiting()
	}
	b.tellRefused()
	c.Ghosting.drainAcks()
}

// mustWait reports whether events of the peer wait for the next tick.
func (b *inbox) mustWait() bool {
	c := b.conn
	return c.host.scripts.Busy() || c.host.scripts.OverShare(c)
}

// refuseWaiting removes the newest waiting commands beyond maxWaiting.
func (b *inbox) refuseWaiting() {
	kept, waiting := b.items[:0], 0
	for _, i := range b.items {
		if asksScripts(i) {
			if waiting++; waiting > maxWaiting {
				b.tooMany++
				continue
			}
		}
		kept = append(kept, i)
	}
	clear(b.items[len(kept):])
	b.items = kept
}

// asksScripts reports whether an event counts as a command: also an answer to a form.
func asksScripts(i inboxItem) bool {
	switch i.(type) {
	case *remoteCommand, *formEvent:
		return true
	}
	return false
}

// tellRefused reports refused commands to scripts, and in the log.
func (b *inbox) tellRefused() {
	c := b.conn
	now := c.host.Now()
	if b.tooMany == 0 || c.ended || b.toldAt > 0 && now < b.toldAt+tellEvery {
		return
	}
	n := b.tooMany
	b.tooMany, b.toldAt = 0, now
	c.Commands.Stats.RefusedCommands += n
	c.logPeer("commands refused: they use too much script time", "player", c.PlayerName)
	c.host.scripts.CommandsRefused(c, n)
}
