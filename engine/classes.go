package engine

import (
	"bytes"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

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
		w := bitstream.NewWriter(h.blockBuffer())
		h.world.Classes().PackClass(w, class)
		if bytes.Equal(w.Bytes(), description) {
			return true
		}
	}
	return false
}
