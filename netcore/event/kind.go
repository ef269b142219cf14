package event

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"sort"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// KindID is the number of a kind of event: its place in the table of Kinds.
type KindID uint16

// Event is a message between the two ends of a connection, delivered as its
// Post asked and processed once. An event belongs to the event stream from
// Post until its fate is known.
type Event interface {
	// KindID returns the id that Kinds.ID gives for the event's kind.
	KindID() KindID
	// Serialize describes the event once for both directions. Writing, it may
	// run several times, and at once with events of other connections, and must
	// change nothing. Pointers given to Codec.Tag must stay good until
	// Process.
	Serialize(s *Codec)
	// Process runs at the receiver when the event's turn has come. An error
	// ends the connection: the peer has broken a rule.
	Process(c *netcore.Conn) error
}

// An event may also have these methods.
type (
	// fated hears at the sender, once, whether the event was delivered; a
	// connection that ends tells false to everything that is still pending.
	fated interface{ Fate(delivered bool) }
	// processed hears at the sender, once, that the peer has processed the
	// ordered event: it has arrived, and so has all before it in its channel.
	// An event has this method or Fate.
	processed interface{ Processed() }
	// released hears at the receiver that the event stream is done with it,
	// so that its memory can be used again.
	released interface{ Release() }
)

// Guarantee says how an event is delivered.
type Guarantee uint8

// The delivery classes; the zero value is the usual one.
const (
	Ordered      Guarantee = iota // exactly once, in the order posted within its channel and lane
	Guaranteed                    // exactly once, in any order
	Unguaranteed                  // at most once
)

// Direction says who may send a kind of event.
type Direction uint8

// The directions.
const (
	ToEither Direction = iota
	ToServer
	ToClient
)

// Kind describes a kind of event to both ends.
type Kind struct {
	Name   string       // unique; what Kinds are sorted by
	Dir    Direction    // who may send it
	Phases uint8        // mask of the phases (1 << phase) in which its turn may come; 0 for any
	New    func() Event // an empty event to unpack into, new or from a pool
}

// The kinds that the event stream itself needs.
const (
	kindAnnounce KindID = iota // gives a string its number
	kindFragment               // a piece of an event too large for its place
	kindClaim                  // the place of an event that came ahead, in fragments
	ownKinds
)

// Kinds is the table of the kinds of event a program knows. Both ends must
// have equal tables; Hash goes into the handshake.
type Kinds struct {
	kinds []Kind // by id
	width int    // bits of an id on the wire
}

// NewKinds makes the table: sorted by name, ids in that order. It panics on an
// empty or repeated name or a missing constructor.
func NewKinds(kinds ...Kind) *Kinds {
	k := &Kinds{kinds: []Kind{
		kindAnnounce: {Name: "announce"}, kindFragment: {Name: "fragment"}, kindClaim: {Name: "claim"},
	}}
	k.kinds = append(k.kinds, kinds...)
	own := k.kinds[ownKinds:]
	sort.Slice(own, func(i, j int) bool { return own[i].Name < own[j].Name })
	for i := range own {
		if own[i].Name == "" || own[i].New == nil || i > 0 && own[i].Name == own[i-1].Name {
			panic(fmt.Sprintf("BUG: event kind %q needs a name of its own and a constructor", own[i].Name))
		}
	}
	k.width = bits.Len(uint(len(k.kinds) - 1))
	return k
}

// ID returns the id of the kind of that name; it panics if there is none.
func (k *Kinds) ID(name string) KindID {
	for i := int(ownKinds); i < len(k.kinds); i++ {
		if k.kinds[i].Name == name {
			return KindID(i)
		}
	}
	panic(fmt.Sprintf("BUG: no event kind is called %q", name))
}

// Name returns the name of a kind.
func (k *Kinds) Name(id KindID) string { return k.kinds[id].Name }

// Hash is equal for equal tables.
func (k *Kinds) Hash() uint64 {
	h := fnv.New64a()
	for _, kind := range k.kinds {
		var b [10]byte
		binary.LittleEndian.PutUint64(b[:], uint64(len(kind.Name)))
		b[8], b[9] = byte(kind.Dir), kind.Phases
		h.Write(b[:])
		h.Write([]byte(kind.Name))
	}
	return h.Sum64()
}

// References translates objects between this process and the wire: ghosts by
// their names on a connection (Ghosts.NameOf). 0 is no object, both ways, and what
// an object becomes that the other side does not have.
type References interface {
	ToWire(obj uint32) uint32
	FromWire(id uint32) uint32
}

// TagRef is a tagged string in an event. Its sender sets Text; at the receiver
// Text is there when Process runs.
type TagRef struct {
	Text string
	slot uint32
}

// Codec is a bit stream that also knows what only a connection can
// translate. It is what an event describes itself to.
type Codec struct {
	*bitstream.Stream
	events *Stream
	// Writing: which strings may be named by number, and which were named.
	use  tagUse
	tags []uint32
	tag  int // how many of tags were named so far
	// Writing for pieces: what is named may be gone when it is read.
	pieces bool
	// Reading: references that wait for the event's turn.
	refs []*TagRef
}

// Object is a reference to an object: v is this side's number of it, 0 for
// none. What the other side does not have arrives as 0.
func (s *Codec) Object(v *uint32) { s.object(s.events.cfg.Refs, v) }

// YourObject is a reference to an object of the receiver's, which the sender
// knows as a ghost; else it is as Object.
func (s *Codec) YourObject(v *uint32) { s.object(s.events.cfg.YourRefs, v) }

func (s *Codec) object(refs References, v *uint32) {
	id := uint64(0)
	if !s.Reading() && refs != nil {
		id = uint64(refs.ToWire(*v))
		if !s.pieces {
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
