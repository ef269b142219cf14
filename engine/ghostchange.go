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

// ghostPacket stands for the changes of one packet.
type ghostPacket struct{}

// arrived queues an inbox item for the changes of a packet.
func (t *PeerGhosts) arrived() error { return t.conn.inbox.add(ghostPacket{}) }

// run applies the changes of one packet to the world.
func (ghostPacket) run(c *Connection) {
	watched := c.host.scripts.WatchesFields()
	c.PeerGhosts.watched = watched
	for ch := c.ghosts.Next(); ch != nil; ch = c.ghosts.Next() {
		if c.ended {
			continue // a script has ended the connection
		}
		if err := c.PeerGhosts.change(ch); err != nil {
			c.fail(fmt.Sprintf("ghost %d (%s): %v", uint16(ch.Token), ch.Layout.Name, err))
		}
	}
	if watched {
		c.host.scripts.FieldsDone()
	}
	c.Join.alwaysGhosts.wait.answer(c)
}

// change applies one change to the world.
func (t *PeerGhosts) change(ch *ghost.Change) error {
	if ch.Kind == ghost.Reset {
		t.forget()
		t.epoch = uint8(ch.Token)
		return nil
	}
	e := t.entry(ch.Token)
	switch {
	case ch.Kind == ghost.Kill:
		t.kill(e)
		return nil
	case ch.Kind == ghost.Create && (e == nil || e.object == nil):
		return t.create(ch)
	case e == nil || e.object == nil || e.ident.Dead():
		return nil // this side has deleted it
	}
	e.updates++
	// The prediction is ahead of the control groups of an object that this side controls.
	groups := ch.Mask &^ (ch.Repeated &^ e.divergedGroups) &^ t.conn.prediction.peerChain.groups(e.object)
	if groups == 0 {
		return nil
	}
	e.divergedGroups &^= groups
	if e.interpolated {
		return t.move(e, ch, groups)
	}
	err := t.restoreGroups(e, ch, groups)
	if t.watched && err == nil {
		t.conn.host.scripts.FieldsReceived(e.object, groups)
	}
	return err
}

// create makes a complete ghost and adds it to the connection's group.
func (t *PeerGhosts) create(ch *ghost.Change) error {
	c := t.conn
	class := c.host.world.Classes().ByWire(int(ch.Layout.ID))
	if class == nil || class.Name != ch.Layout.Name {
		return nil // from a server that this side has left
	}
	o := c.host.world.Make(class)
	o.Ident().SetGhost(true)
	if err := t.restore(o, ch, ch.Mask&^ch.Repeated); err != nil {
		return err
	}
	if c.host.world.Add(o) == 0 {
		return errors.New("all object ids are used: restart the server")
	}
	t.put(ch.Token, o, numbersFor(ch.Layout, class, o))
	if err := c.Add(o); err != nil {
		return err
	}
	c.host.scripts.GhostAdded(c, o)
	if c.Join.phase != PhaseGame {
		c.Join.alwaysGhosts.received++
		c.Join.tellAlwaysGhosts()
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

// move sets the given groups of a ghost that moves between updates.
func (t *PeerGhosts) move(e *ghostEntry, ch *ghost.Change, groups uint32) error {
	moving := e.object.(sim.Interpolator)
	before := moving.Place()
	if err := t.restoreGroups(e, ch, groups); err != nil {
		return err
	}
	if t.watched {
		t.conn.host.scripts.FieldsReceived(e.object, groups)
	}
	t.conn.host.world.Receive(moving, before, t.arrival.Late(t.conn.host.tick, ch.Tick))
	return nil
}

// restoreGroups sets the fields of the given groups of a ghost, most of them by the places of its
// numbers.
func (t *PeerGhosts) restoreGroups(e *ghostEntry, ch *ghost.Change, groups uint32) error {
	if e.numbers == nil {
		return t.restore(e.object, ch, groups)
	}
	class := e.ident.Class()
	if !t.numberRun.Is(class, ch.Mask) {
		t.numberRun = class.NumberRun(ch.Mask)
	}
	if groups == ch.Mask && !t.numberRun.Empty() {
		return t.numberRun.Restore(e.ident, e.numbers, ch.Smooth())
	}
	rest, err := class.RestoreNumbers(e.ident, e.numbers, ch.Mask, groups, ch.Smooth())
	if err != nil || rest == 0 {
		return err
	}
	return t.restore(e.object, ch, rest)
}

// restore sets the fields of the given groups.
func (t *PeerGhosts) restore(o sim.Object, ch *ghost.Change, groups uint32) error {
	class := o.Ident().Class()
	var values sim.Values
	for left := groups; left != 0; left &= left - 1 {
		g := bits.TrailingZeros32(left)
		v := ch.Values(g)
		if code := class.Coder(g); code != nil {
			if err := t.decode(o, v, code); err != nil {
				return err
			}
			o.Ident().Mark(1 << g)
			continue
		}
		values.Cells, values.Texts = v.Cells, v.Texts
		if class.Refers(g) {
			t.translate(class, g, &values)
		}
		if err := class.Restore(o, g, &values); err != nil {
			return err
		}
	}
	if class.DataBlock != "" && groups&t.conn.host.snapshots.blockGroup(class) != 0 {
		return t.hasBlock(o)
	}
	return nil
}

// translate converts references to values of this side. References to ghosts become object ids. If
// this side declares datablocks, the peer's datablocks become this side's datablocks of the same
// name.
func (t *PeerGhosts) translate(class *sim.Class, group int, v *sim.Values) {
	c := t.conn
	own := append(c.host.snapshots.values.Cells[:0], v.Cells...)
	for i, cell := range class.Cells(group) {
		switch {
		case cell.Kind == sim.CellRef:
			own[i] = uint64(t.idOf(uint32(own[i])))
		case cell.Kind == sim.CellBits && cell.Field.Kind == sim.KindObject && c.host.cfg.Server:
			own[i] = uint64(t.ownBlock(sim.BlockRef(own[i])))
		}
	}
	v.Cells, c.host.snapshots.values.Cells = own, own
}

// ownBlock returns this side's datablock with the same name as one of the peer's, or 0.
func (t *PeerGhosts) ownBlock(theirs sim.BlockRef) sim.BlockRef {
	if block := t.conn.Blocks.table().At(theirs); block != nil {
		if own := t.conn.host.world.Blocks.ByName(block.Ident().Name()); own != nil {
			return dataOf(own).Ref()
		}
	}
	return 0
}

// hasBlock checks that a ghost has the datablock that its class requires. Classes can then rely on
// it.
func (t *PeerGhosts) hasBlock(o sim.Object) error {
	class := o.Ident().Class()
	block := t.conn.host.world.Find(class.Lookup("dataBlock").Get(o).Object())
	if block == nil || !block.Ident().Class().IsA(t.conn.host.world.Classes().Lookup(class.DataBlock)) {
		return fmt.Errorf("its datablock of class %s is missing", class.DataBlock)
	}
	return nil
}

// decode reads a hand-written group again, this time into the object.
func (t *PeerGhosts) decode(o sim.Object, v *ghost.Values, code func(*sim.GroupCoder, sim.Object)) error {
	r := &t.conn.host.reader
	r.Reset(v.Raw)
	t.conn.host.snapshots.code(code, &r.Codec, ignoreEnd, o)
	return r.Err()
}

func ignoreEnd(string) {}

// idOf returns the object id of a token's ghost, or 0 if it is gone.
func (t *PeerGhosts) idOf(token uint32) sim.ID {
	if o := t.Ghost(token); o != nil && o.Ident().Alive() {
		return o.Ident().ID()
	}
	return 0
}

// kill deletes a ghost whose object is deleted or out of scope.
func (t *PeerGhosts) kill(e *ghostEntry) {
	if e == nil || e.object == nil {
		return
	}
	o := e.object
	if o.Ident().Alive() {
		t.conn.host.scripts.GhostRemoved(t.conn, o)
		t.deleteGhost(o)
	}
	t.drop(e)
}

func (t *PeerGhosts) deleteGhost(o sim.Object) {
	if err := t.conn.host.world.Delete(o); err != nil {
		panic("BUG: " + err.Error())
	}
}

// forget deletes all ghosts, because the peer has restarted ghosting or disconnected.
func (t *PeerGhosts) forget() {
	t.Each(func(o sim.Object) bool {
		t.kill(t.entry(t.tokens[o.Ident().ID()]))
		return true
	})
}
