package engine

import (
	"slices"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
)

// lifetimes begin and end the connections of a host.
type lifetimes struct{ host *Host }

// streams returns a connection's packet streams. Their fixed order is their priority: moves before
// events, ghosts last.
func (l *lifetimes) streams(n *netcore.Conn) []netcore.Stream {
	h := l.host
	c, ok := n.User.(*Connection)
	if !ok {
		c = h.newConnection(false)
		c.address, c.key, c.spectator = addressOf(n.Addr()), n.Peer(), h.Dialer.dialing != nil && h.Dialer.dialing.options.Roles&roleSpectator != 0
		h.world.Add(c)
		n.User = c
	}
	c.net = n
	c.moves = move.New(c.Control.config())
	c.events = event.New(event.Config{
		Kinds:    h.kinds,
		Server:   c.inbound,
		Mutual:   h.cfg.Mutual,
		Check:    n.Check(),
		Refs:     c.refs.own(),
		YourRefs: c.refs.peer(),
		Budget:   &h.budget,
		Scratch:  &h.posting,
	})
	c.ghosts = ghost.New(c.Ghosting.config())
	own := []netcore.Stream{c.moves, c.events, c.ghosts}
	if h.cfg.Streams != nil {
		return h.cfg.Streams(own)
	}
	return own
}

// connected adds a new connection. Scripts receive it at the next tick.
func (l *lifetimes) connected(n *netcore.Conn, welcome []byte) {
	h, c := l.host, owner(n)
	if c.inbound {
		h.requests.replaceOlder(c)
		if c.Arriving() {
			h.arrivals.count++
		}
	}
	h.conns.add(c)
	if c.inbound {
		h.lists.give(c)
	} else {
		h.Dialer.dialing = nil
		if err := h.lists.take(c, welcome); err != nil {
			c.fail(err.Error())
		}
	}
	h.inbox = append(h.inbox, func() { l.begin(c) })
	if c.inbound {
		c.post(&hello{server: h.Admission.Name, tick: h.tick, mods: h.cfg.Mods}, commands)
		if h.Pace.told != 100 && !c.spectator {
			h.Pace.tellTo(c)
		}
	}
}

// begin runs in the first tick of an inbound connection.
func (l *lifetimes) begin(c *Connection) {
	h := l.host
	if c.ended || !c.inbound {
		return
	}
	if c.spectator {
		c.Join.phase = PhaseGame
		h.requests.logJoined(c)
		return
	}
	c.Join.progress()
	h.world.Clients.Add(c)
	c.Join.connected, c.Join.since = true, h.now
	h.scripts.Connected(c, c.Join.connArgs)
	c.Join.connArgs = nil
	h.requests.logJoined(c)
}

// entered reports a complete outgoing join to scripts and program.
func (l *lifetimes) entered(c *Connection) {
	h := l.host
	h.scripts.Entered(c)
	if h.cfg.Entered != nil {
		h.cfg.Entered(c)
	}
}

// mayMove reports whether a connection can follow its client to another address.
func (l *lifetimes) mayMove(n *netcore.Conn, to netcore.Addr) bool {
	h := l.host
	return h.cfg.MayMove == nil || h.cfg.MayMove(owner(n), addressOf(to))
}

// moved handles the new address of a client.
func (l *lifetimes) moved(n *netcore.Conn, _ netcore.Addr) {
	c := owner(n)
	from := c.address
	c.address = addressOf(n.Addr())
	l.host.requests.logMoved(c, from)
}

// connEnded handles the end of a connection. Scripts receive it at the next tick, after everything
// that arrived before the end.
func (l *lifetimes) connEnded(n *netcore.Conn, r netcore.Reason) {
	h, c := l.host, owner(n)
	h.inbox = append(h.inbox, func() { l.end(c, r) })
}

func (l *lifetimes) end(c *Connection, r netcore.Reason) {
	h := l.host
	if c.ended {
		return
	}
	c.inbox.drain()
	c.ended = true
	if h.Demos.demo.Of(&c.Group) {
		h.Demos.end(true)
	}
	h.conns.remove(c)
	r = h.transfers.left(c, r)
	h.requests.logLeft(c, r)
	c.Visible.reset()
	c.Ghosting.gate.reset()
	c.PeerGhosts.forget()
	c.forms.endAll()
	switch {
	case !c.inbound:
		h.scripts.ConnectionEnded(c, r.String(), r.Code == netcore.TimedOut)
	case c.Join.connected:
		h.scripts.Dropped(c, r.String())
	}
	c.Control.release()
	if h.cfg.Ended != nil {
		h.cfg.Ended(c, r.String())
	}
	l.discard(c)
}

// discard deletes a connection's object, and the datablocks and classes that its peer declared or
// described.
func (l *lifetimes) discard(c *Connection) {
	h := l.host
	if !c.inbound || c.Blocks.peerBlocks != nil {
		c.Blocks.table().Clear()
	}
	if err := h.world.Delete(c); err != nil {
		panic("BUG: " + err.Error())
	}
	if !c.inbound && !h.serves() {
		h.world.Classes().ClearDeclared()
		h.world.Classes().Revert()
	}
}

// connections is a list in id order.
type connections []*Connection

// add adds a connection at its place: a script that decides about a player can add bots, and these
// have higher ids than the player.
func (l *connections) add(c *Connection) {
	at := len(*l)
	for at > 0 && (*l)[at-1].ID() > c.ID() {
		at--
	}
	*l = slices.Insert(*l, at, c)
}

func (l *connections) remove(c *Connection) {
	if i := slices.Index(*l, c); i >= 0 {
		*l = append((*l)[:i], (*l)[i+1:]...) // slices.Delete clears the end, which a walk can still read
	}
}

// steer applies the moves of this tick: first of peers and bots, then this side's own moves on its
// ghosts.
func (l *connections) steer() {
	for _, c := range *l {
		c.Control.applyMoves()
	}
	for i := 0; i < len(*l); i++ { // scripts can change the list
		(*l)[i].prediction.predict()
	}
}
