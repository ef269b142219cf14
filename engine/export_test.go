package engine

import "github.com/torc-engine/torc/netcore"

// Kinds is the table of the engine's events, for tests that speak it by hand.
var Kinds = kinds

// Watched is how many connections all objects of a host are in scope of, in sum.
func Watched(h *Host) (n int) {
	for _, m := range h.images.objects {
		n += m.watchers
	}
	return n
}

// LayoutOf is what a host's class is on the wire.
func LayoutOf(h *Host, class string) *netcore.Layout {
	classes := h.world.Classes()
	return h.images.of(uint16(classes.WireID(classes.Lookup(class))))
}
