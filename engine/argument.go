package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore/event"
)

// Limits of a remote command. If a call breaks one, it fails on the sending side. A peer that sends
// such a call has violated the protocol.
const (
	maxArgs    = spectate.MaxArgs
	maxTag     = spectate.MaxTag
	maxString  = spectate.MaxString
	maxCommand = spectate.MaxCommand
)

// argBytes is more than what an argument takes on the wire beside its text.
const argBytes = 32

// argKind is the kind of an argument on the wire. Tags are sent as references into the string
// table, objects as ids of this connection, datablocks by index.
type argKind uint8

const (
	argNil argKind = iota
	argFalse
	argTrue
	argInteger
	argNumber
	argString
	argTag
	argVec
	argRot
	argObject     // the sender's object, a ghost at the receiver
	argBlock      // the sender's datablock
	argYourBlock  // the receiver's datablock
	argYourObject // the receiver's object, a ghost at the sender
	argClient     // a client of the server: its id there, and its name
	argKinds
)

// takes returns the number of texts and numbers in an argument of this kind.
func (k argKind) takes() (texts, numbers int) {
	switch k {
	case argString, argTag:
		return 1, 0
	case argClient:
		return 1, 1
	case argVec, argRot:
		return 0, 3
	case argInteger, argNumber, argObject, argYourObject, argBlock, argYourBlock:
		return 0, 1
	}
	return 0, 0
}

// serialize reads or writes an argument. Its values are the first of texts and numbers.
func (k argKind) serialize(s *event.Codec, texts []event.TagRef, numbers []float64) {
	switch k {
	case argString:
		s.Text(&texts[0].Text, maxString)
	case argTag:
		s.Tag(&texts[0])
	case argInteger:
		serializeInteger(s, &numbers[0])
	case argNumber:
		s.Float64(&numbers[0])
	case argVec, argRot:
		for i := range 3 {
			s.Float64(&numbers[i])
		}
	case argObject, argYourObject:
		object := uint32(numbers[0])
		if k == argObject {
			s.Object(&object)
		} else {
			s.YourObject(&object)
		}
		if s.Reading() {
			numbers[0] = float64(object)
		}
	case argBlock, argYourBlock:
		block := uint64(numbers[0])
		s.Var(&block)
		if s.Reading() {
			numbers[0] = float64(min(block, math.MaxUint16))
		}
	case argClient:
		id := uint64(numbers[0])
		s.Var(&id)
		s.Tag(&texts[0])
		if s.Reading() {
			numbers[0] = float64(min(id, math.MaxUint32))
		}
	}
}

// outgoing returns an argument in the form in which it crosses a connection: a client of this host
// is its id and name. An object that the peer merely lacks arrives as nil. One that can never be a
// ghost is an error.
func (h *Host) outgoing(v sim.Value) (sim.Value, error) {
	o := h.world.Find(v.Object())
	if o == nil {
		return v, nil
	}
	if c, ok := o.(*Connection); ok && c.inbound {
		return sim.Client(c.ID(), c.PlayerName), nil
	}
	if class := o.Ident().Class(); class.Kind == sim.PlainClass {
		return v, fmt.Errorf("an object of class %s, which never has ghosts: send its fields", class.Name)
	}
	return v, nil
}

// NameOf returns the name of an object as texts have it. A client is its player.
func (h *Host) NameOf(id sim.ID) string {
	if c, ok := h.world.Find(id).(*Connection); ok && c.inbound {
		return c.PlayerName
	}
	return h.world.NameOf(id)
}

// isWireInteger reports whether f can be sent as sign and magnitude: whole, below 2^53, and not
// negative zero.
func isWireInteger(f float64) bool {
	return f == float64(int64(f)) && f > -1<<53 && f < 1<<53 && (f != 0 || 1/f > 0)
}

func serializeInteger(s *event.Codec, f *float64) {
	negative, n := *f < 0, uint64(math.Abs(*f))
	s.Flag(&negative)
	s.Var(&n)
	if n >= 1<<53 {
		s.Fail(errors.New("an integer argument exceeds 2^53"))
		return
	}
	if !s.Reading() {
		return
	}
	if *f = float64(n); negative {
		*f = -*f
	}
}
