package engine

import (
	"bytes"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// describeClasses sends the peer the descriptions of newly declared classes, in order of
// declaration.
func (c *Connection) describeClasses() {
	declared := c.host.world.Classes().Declared()
	for c.gate.classes < len(declared) && !c.ended {
		class := declared[c.gate.classes]
		c.gate.classes++
		w := bitstream.NewWriter(c.host.room())
		c.host.world.Classes().PackClass(w, class)
		if w.Err() != nil {
			panic("BUG: class " + class.Name + " cannot be described")
		}
		c.post(&description{class: true, data: slices.Clone(w.Bytes()), to: c, n: c.gate.classes}, bulk)
	}
}

// declaredAt returns the index of a class among the declared ones.
func (h *Host) declaredAt(class *sim.Class) int {
	classes := h.world.Classes()
	return classes.WireID(class) - classes.WireID(classes.Declared()[0])
}

// declareClass declares a class from the peer's description.
func (h *Host) declareClass(description []byte) error {
	if h.serves() && h.declares(description) {
		return nil
	}
	h.reader.Reset(description)
	_, err := h.world.Classes().UnpackClass(&h.reader)
	return err
}

// declares reports whether this host has declared the same class with the same number. This is the
// case if it runs the same mods as the peer.
func (h *Host) declares(description []byte) bool {
	for _, class := range h.world.Classes().Declared() {
		w := bitstream.NewWriter(h.room())
		h.world.Classes().PackClass(w, class)
		if bytes.Equal(w.Bytes(), description) {
			return true
		}
	}
	return false
}
