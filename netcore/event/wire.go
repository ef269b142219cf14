package event

import (
	"errors"
	"hash/fnv"
	"math/bits"
	"slices"
)

// A Wire is how the ids of one end's kinds travel on a connection: the ids on the wire are those of
// the server. A kind that only one end has is not sent.
type Wire struct {
	width int      // bits of an id
	out   []KindID // on the wire, by the id of this end; noKind: the peer lacks it
	in    []KindID // the id of this end, by that on the wire; noKind: this end lacks it
}

const noKind KindID = 1<<16 - 1

// MaxWire is the most kinds of a server on the wire, besides those of the stream itself.
const MaxWire = 240

var (
	errWireKinds = errors.New("events: the server has no or too many kinds")
	errWireTwice = errors.New("events: the server has a kind twice")
)

// wire returns a table for n ids on the wire, in which nothing is joined.
func (k *Kinds) wire(n int) *Wire {
	w := &Wire{width: bits.Len(uint(n - 1)), out: make([]KindID, len(k.kinds)), in: make([]KindID, n)}
	for i := range w.out {
		w.out[i] = noKind
	}
	for i := range w.in {
		w.in[i] = noKind
	}
	return w
}

// join joins the id of this end with that on the wire.
func (w *Wire) join(own, wire KindID) { w.out[own], w.in[wire] = wire, own }

// Fingerprints returns a number for each kind but those of the stream itself, by id. It is equal at
// two ends whose kinds are equal.
func (k *Kinds) Fingerprints() (list []uint32) {
	for i := range k.kinds[ownKinds:] {
		h := fnv.New64a()
		k.kinds[int(ownKinds)+i].describe(h)
		list = append(list, uint32(h.Sum64()))
	}
	return list
}

// For returns the table of a server for a client that has kinds with these fingerprints, among
// others.
func (k *Kinds) For(client []uint32) *Wire {
	w := k.wire(len(k.kinds))
	for i := range ownKinds {
		w.join(i, i)
	}
	for i, print := range k.Fingerprints() {
		if slices.Contains(client, print) {
			w.join(ownKinds+KindID(i), ownKinds+KindID(i))
		}
	}
	return w
}

// As returns the table of a client of a server with the kinds of these fingerprints.
func (k *Kinds) As(server []uint32) (*Wire, error) {
	if len(server) < 1 || len(server) > MaxWire {
		return nil, errWireKinds
	}
	w := k.wire(len(server) + int(ownKinds))
	for i := range ownKinds {
		w.join(i, i)
	}
	own := k.Fingerprints()
	for i, print := range server {
		at := slices.Index(own, print)
		switch {
		case at < 0:
		case w.out[int(ownKinds)+at] != noKind:
			return nil, errWireTwice
		default:
			w.join(ownKinds+KindID(at), ownKinds+KindID(i))
		}
	}
	return w, nil
}

// Has reports whether the peer has a kind of this end.
func (w *Wire) Has(id KindID) bool { return w.out[id] != noKind }

// Translate sets the kinds of a peer with another table. Call it before the first event. Post then
// takes only events that the peer Knows.
func (e *Stream) Translate(w *Wire) { e.wire = w }

// Knows reports whether the peer has a kind.
func (e *Stream) Knows(id KindID) bool { return e.wire.Has(id) }
