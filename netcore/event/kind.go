package event

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"sort"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// KindID is the number of an event kind: its index in the table of Kinds.
type KindID uint16

// Event is a message between the two ends of a connection. It is delivered as its Post asks and is
// processed once. The stream owns an event from Post until its fate is known.
type Event interface {
	// KindID returns the id of the event's kind, from Kinds.ID.
	KindID() KindID
	// Serialize describes the event once for both directions. When it writes, it can run several
	// times and in parallel with events of other connections. It must then change nothing, and
	// write the same values each time. Pointers passed to Codec.Tag must stay valid until Process.
	Serialize(s *Codec)
	// Process runs at the receiver, for ordered events in their order. An error ends the
	// connection, because the peer has broken a rule.
	Process(c *netcore.Conn) error
}

// The optional methods of an event.
type (
	// fateHandler: the sender calls Fate once, with whether the event was delivered. When a
	// connection ends, all pending events get false.
	fateHandler interface{ Fate(delivered bool) }
	// processedHandler: the sender calls Processed once, when the peer has processed the ordered
	// event and all events before it in its channel. An event has either this method or Fate.
	processedHandler interface{ Processed() }
	// releaser: the receiver calls Release when the stream no longer needs the event. Its memory
	// can then be reused.
	releaser interface{ Release() }
)

// Guarantee is the delivery guarantee of an event.
type Guarantee uint8

// The delivery guarantees. The zero value is the most common one.
const (
	Ordered      Guarantee = iota // exactly once, in the order posted within its channel and lane
	Guaranteed                    // exactly once, in any order
	Unguaranteed                  // at most once
)

// Direction restricts the sender of an event kind.
type Direction uint8

// The directions.
const (
	ToEither Direction = iota
	ToServer
	ToClient
)

// Kind describes a kind of event. Both ends need the same description.
type Kind struct {
	Name   string       // unique; Kinds are sorted by it
	Dir    Direction    // who can send it
	Phases uint8        // mask of the phases (1 << phase) in which it can be processed; 0 for all
	New    func() Event // returns an empty event to read into, new or from a pool
}

// The kinds of the event stream itself.
const (
	kindAnnounce KindID = iota // gives a string its number
	kindFragment               // a piece of a large event
	kindClaim                  // runs an event whose pieces came ahead of it
	ownKinds
)

// Kinds is the table of the event kinds of a program. The handshake compares the Hash. Ends with
// unequal tables need Stream.Translate.
type Kinds struct {
	kinds []Kind // by id
	equal *Wire  // of a peer with the same table
}

// NewKinds returns a table with the kinds sorted by name. It panics if a name is empty or repeated,
// or if a constructor is missing.
func NewKinds(kinds ...Kind) *Kinds {
	k := &Kinds{kinds: []Kind{
		kindAnnounce: {Name: "announce"}, kindFragment: {Name: "fragment"}, kindClaim: {Name: "claim"},
	}}
	k.kinds = append(k.kinds, kinds...)
	own := k.kinds[ownKinds:]
	sort.Slice(own, func(i, j int) bool { return own[i].Name < own[j].Name })
	for i := range own {
		if own[i].Name == "" || own[i].New == nil || i > 0 && own[i].Name == own[i-1].Name {
			panic(fmt.Sprintf("BUG: event kind %q needs a unique name and a constructor", own[i].Name))
		}
	}
	k.equal = k.wire(len(k.kinds))
	for i := range k.kinds {
		k.equal.join(KindID(i), KindID(i))
	}
	return k
}

// ID returns the id of the kind with this name. It panics if there is none.
func (k *Kinds) ID(name string) KindID {
	for i := int(ownKinds); i < len(k.kinds); i++ {
		if k.kinds[i].Name == name {
			return KindID(i)
		}
	}
	panic(fmt.Sprintf("BUG: unknown event kind %q", name))
}

// List returns the kinds by id, with those of the event stream itself. The slice belongs to k.
func (k *Kinds) List() []Kind { return k.kinds }

// Name returns the name of a kind.
func (k *Kinds) Name(id KindID) string { return k.kinds[id].Name }

// Hash returns the same number for equal tables.
func (k *Kinds) Hash() uint64 {
	h := fnv.New64a()
	for i := range k.kinds {
		k.kinds[i].describe(h)
	}
	return h.Sum64()
}

// describe writes everything of a kind that two ends must agree on.
func (kind *Kind) describe(h io.Writer) {
	var b [10]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(kind.Name)))
	b[8], b[9] = byte(kind.Dir), kind.Phases
	_, _ = h.Write(b[:]) // a hash, which never fails
	_, _ = h.Write([]byte(kind.Name))
}

// References translates objects between this process and the wire. On the wire an object is the
// name of its ghost (see Stream.NameOf in netcore/ghost). 0 means no object in both directions. An
// object that the other side does not have becomes 0.
type References interface {
	ToWire(obj uint32) uint32
	FromWire(id uint32) uint32
}

// TagRef is a tagged string in an event. The sender sets Text. At the receiver Text is set before
// Process runs.
type TagRef struct {
	Text string
	slot uint32
}

// Codec is the bit stream that an event writes itself to or reads itself from. It also encodes
// object references and tagged strings; these depend on the connection.
type Codec struct {
	*bitstream.Codec
	events *Stream
	// For writing: where the event goes, and the strings in it.
	use  tagUse
	tags []uint32
	tag  int // how many of tags are written so far
	// varies: another packet can need other bits for a reference in the event.
	varies bool
	// For writing in pieces: an object can be gone when the event is read, so references include
	// the birth of the ghost.
	inPieces bool
	// For reading: tagged strings to fill in before Process.
	refs []*TagRef
}

// Object encodes a reference to an object of the sender. v is this side's number of the object, 0
// for none. If the receiver does not have the object, the reference arrives as 0.
func (s *Codec) Object(v *uint32) { s.object(s.events.cfg.Refs, v) }

// YourObject encodes a reference to an object of the receiver; the sender has it as a ghost.
// Otherwise it works like Object.
func (s *Codec) YourObject(v *uint32) { s.object(s.events.cfg.YourRefs, v) }

func (s *Codec) object(refs References, v *uint32) {
	id := uint64(0)
	if !s.Reading() && refs != nil {
		s.varies = true
		id = uint64(refs.ToWire(*v))
		if !s.inPieces {
			id &= netcore.NameMask
		}
	}
	s.Var(&id)
	if !s.Reading() {
		return
	}
	*v = 0
	if refs != nil && id <= 1<<32-1 {
		*v = refs.FromWire(uint32(id))
	}
}
