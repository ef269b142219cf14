package engine

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// The receiving side of ghosting. The ghost stream decodes the changes of a packet and keeps them.
// An item in the connection's inbox marks their turn, so that a ghost exists before a command
// refers to it.

// replication is what a connection shows, and the ghosts that it is shown.
type replication struct {
	peerGhosts               // ghosts of the peer's objects on this side
	gate       ghostGate     // gate for this side's objects
	visible    visibleSet    // visible set of the peer
	always     ghostPhase    // progress of the ghost phase
	ghostSeq   uint32        // sequence number of the ghost phase
	arrival    sim.Arrival   // how late the peer's states are
	acked      []sim.Object  // this side's objects with ghosts acked since the last tick
	ackedCount uint64        // total of acked ghosts
	oversize   bool          // an object too large for the peer was logged
	numberRun  sim.NumberRun // of the newest update
}

// ghostPacket stands for the changes of one packet.
type ghostPacket struct{}

// ghostsArrived queues an inbox item for the changes of a packet.
func (c *Connection) ghostsArrived() error { return c.arrived(ghostPacket{}) }

// run applies the changes of one packet to the world.
func (ghostPacket) run(c *Connection) {
	for ch := c.ghosts.Next(); ch != nil; ch = c.ghosts.Next() {
		if c.ended {
			continue // a script has ended the connection
		}
		if err := c.change(ch); err != nil {
			c.fail(fmt.Sprintf("ghost %d (%s): %v", uint16(ch.Token), ch.Layout.Name, err))
		}
	}
}

// change applies one change to the world.
func (c *Connection) change(ch *ghost.Change) error {
	if ch.Kind == ghost.Reset {
		c.forgetGhosts()
		return nil
	}
	e := c.entry(ch.Token)
	switch {
	case ch.Kind == ghost.Kill:
		c.killGhost(e)
		return nil
	case ch.Kind == ghost.Create && (e == nil || e.object == nil):
		return c.createGhost(ch)
	case e == nil || e.object == nil || e.ident.Dead():
		return nil // this side has deleted it
	}
	e.updates++
	// The prediction is ahead of the control groups of an object that this side controls.
	groups := ch.Mask &^ (ch.Repeated &^ e.divergedGroups) &^ c.prediction.peerChain.groups(e.object)
	if groups == 0 {
		return nil
	}
	e.divergedGroups &^= groups
	if e.interpolated {
		return c.moveGhost(e, ch, groups)
	}
	return c.restoreGroups(e, ch, groups)
}

// createGhost makes a complete ghost and adds it to the connection's group.
func (c *Connection) createGhost(ch *ghost.Change) error {
	class := c.host.world.Classes().ByWire(int(ch.Layout.ID))
	if class == nil || class.Name != ch.Layout.Name {
		return nil // from a server that this side has left
	}
	o := c.host.world.Make(class)
	o.Ident().SetGhost(true)
	if err := c.restore(o, ch, ch.Mask&^ch.Repeated); err != nil {
		return err
	}
	if c.host.world.Add(o) == 0 {
		return errors.New("all object ids are used: restart the server")
	}
	c.put(ch.Token, o, numbersFor(ch.Layout, class, o))
	if err := c.Add(o); err != nil {
		return err
	}
	c.host.scripts.GhostAdded(c, o)
	if c.phase != PhaseGame {
		c.alwaysGhosts.received++
		c.tellAlwaysGhosts()
	}
	return nil
}

// numbersFor returns the places of the numbers of a new ghost, if its class has the groups of
// numbers of the layout. It can have others if the class was declared again after the create was
// read. The updates of a ghost have the layout of its create.
func numbersFor(l *ghost.Layout, class *sim.Class, o sim.Object) sim.Numbers {
	if l.SmoothGroups() != class.NumberGroups() {
		return nil
	}
	return class.NumbersOf(o)
}

// moveGhost sets the given groups of a ghost that moves between updates.
func (c *Connection) moveGhost(e *ghostEntry, ch *ghost.Change, groups uint32) error {
	moving := e.object.(sim.Interpolator)
	before := moving.Place()
	if err := c.restoreGroups(e, ch, groups); err != nil {
		return err
	}
	c.host.world.Receive(moving, before, c.arrival.Late(c.host.tick, ch.Tick))
	return nil
}

// restoreGroups sets the fields of the given groups of a ghost, most of them by the places of its
// numbers.
func (c *Connection) restoreGroups(e *ghostEntry, ch *ghost.Change, groups uint32) error {
	if e.numbers == nil {
		return c.restore(e.object, ch, groups)
	}
	class := e.ident.Class()
	if !c.numberRun.Is(class, ch.Mask) {
		c.numberRun = class.NumberRun(ch.Mask)
	}
	if groups == ch.Mask && !c.numberRun.Empty() {
		return c.numberRun.Restore(e.ident, e.numbers, ch.Smooth())
	}
	rest, err := class.RestoreNumbers(e.ident, e.numbers, ch.Mask, groups, ch.Smooth())
	if err != nil || rest == 0 {
		return err
	}
	return c.restore(e.object, ch, rest)
}

// restore sets the fields of the given groups.
func (c *Connection) restore(o sim.Object, ch *ghost.Change, groups uint32) error {
	class := o.Ident().Class()
	var values sim.Values
	for left := groups; left != 0; left &= left - 1 {
		g := bits.TrailingZeros32(left)
		v := ch.Values(g)
		if code := class.Coder(g); code != nil {
			if err := c.decode(o, v, code); err != nil {
				return err
			}
			o.Ident().Mark(1 << g)
			continue
		}
		values.Cells, values.Texts = v.Cells, v.Texts
		if class.Refers(g) {
			c.translate(class, g, &values)
		}
		if err := class.Restore(o, g, &values); err != nil {
			return err
		}
	}
	if class.DataBlock != "" && groups&c.host.snapshots.blockGroup(class) != 0 {
		return c.hasBlock(o)
	}
	return nil
}

// translate converts references to values of this side. References to ghosts become object ids. If
// this side declares datablocks, the peer's datablocks become this side's datablocks of the same
// name.
func (c *Connection) translate(class *sim.Class, group int, v *sim.Values) {
	own := append(c.host.snapshots.values.Cells[:0], v.Cells...)
	for i, cell := range class.Cells(group) {
		switch {
		case cell.Kind == sim.CellRef:
			own[i] = uint64(c.ghostFor(uint32(own[i])))
		case cell.Kind == sim.CellBits && cell.Field.Kind == sim.KindObject && c.host.cfg.Server:
			own[i] = uint64(c.ownBlock(sim.BlockRef(own[i])))
		}
	}
	v.Cells, c.host.snapshots.values.Cells = own, own
}

// ownBlock returns this side's datablock with the same name as one of the peer's, or 0.
func (c *Connection) ownBlock(theirs sim.BlockRef) sim.BlockRef {
	if block := c.blocks().At(theirs); block != nil {
		if own := c.host.world.Blocks.ByName(block.Ident().Name()); own != nil {
			return dataOf(own).Ref()
		}
	}
	return 0
}

// hasBlock checks that a ghost has the datablock that its class requires. Classes can then rely on
// it.
func (c *Connection) hasBlock(o sim.Object) error {
	class := o.Ident().Class()
	block := c.host.world.Find(class.Lookup("dataBlock").Get(o).Object())
	if block == nil || !block.Ident().Class().IsA(c.host.world.Classes().Lookup(class.DataBlock)) {
		return fmt.Errorf("its datablock of class %s is missing", class.DataBlock)
	}
	return nil
}

// decode reads a hand-written group again, this time into the object.
func (c *Connection) decode(o sim.Object, v *ghost.Values, code func(*sim.GroupCoder, sim.Object)) error {
	r := &c.host.reader
	r.Reset(v.Raw)
	c.host.snapshots.code(code, &r.Codec, ignoreEnd, o)
	return r.Err()
}

func ignoreEnd(string) {}

// ghostFor returns the object id of a token's ghost, or 0 if it is gone.
func (c *Connection) ghostFor(token uint32) sim.ID {
	if o := c.Ghost(token); o != nil && o.Ident().Alive() {
		return o.Ident().ID()
	}
	return 0
}

// killGhost deletes a ghost whose object is deleted or out of scope.
func (c *Connection) killGhost(e *ghostEntry) {
	if e == nil || e.object == nil {
		return
	}
	o := e.object
	if o.Ident().Alive() {
		c.host.scripts.GhostRemoved(c, o)
		c.deleteGhost(o)
	}
	c.drop(e)
}

func (c *Connection) deleteGhost(o sim.Object) {
	if err := c.host.world.Delete(o); err != nil {
		panic("BUG: " + err.Error())
	}
}

// forgetGhosts deletes all ghosts, because the peer has restarted ghosting or disconnected.
func (c *Connection) forgetGhosts() {
	c.EachGhost(func(o sim.Object) bool {
		c.killGhost(c.entry(c.tokens[o.Ident().ID()]))
		return true
	})
}

// ghostAcked records that the peer has the ghost of an object.
func (c *Connection) ghostAcked(number uint32) {
	c.ackedCount++
	if o := c.host.ObjectOf(number); o != nil {
		c.acked = append(c.acked, o)
	}
}

// watchSize logs, once per connection, an object too large for a packet. Only hand-written groups
// can be that large.
func (c *Connection) watchSize() {
	if o := c.host.ObjectOf(c.ghosts.Oversize()); o != nil && !c.oversize {
		c.oversize = true
		c.logPeer("object too large for a packet: not sent to the player", "object", o.Ident().String())
	}
}

// ghostsConfig configures the ghost stream for sending, receiving or both.
func (c *Connection) ghostsConfig() ghost.Config {
	h := c.host
	g := ghost.Config{
		Check:       c.net.Check(),
		NoBaselines: h.cfg.NoDeltas,
		Acked:       c.ghostAcked,
		Arrived:     c.ghostsArrived,
	}
	if c.sends() {
		g.Snapshots, g.Weigh = h.snapshots.Snapshots, c.visible.weigh
	}
	if c.receives() {
		g.Layout = h.snapshots.of
	}
	return g
}
