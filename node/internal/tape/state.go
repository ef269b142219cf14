package tape

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script/vm"
)

// StateEvery is the number of ticks between two hashes of the world.
const StateEvery = 256

// state knows the hashes of all objects at the last State entry.
type state struct {
	known map[sim.ID][]uint16 // one hash for each field
	seen  map[sim.ID]bool     // scratch
	text  []byte              // scratch
}

// append appends the body of a State entry: the hash of all objects and the number of objects, the
// counter and the random numbers of scripts, then the objects that have changed since the last one.
func (s *state) append(b []byte, w *sim.World, r *vm.Runtime) []byte {
	if s.known == nil {
		s.known, s.seen = map[sim.ID][]uint16{}, map[sim.ID]bool{}
	}
	clear(s.seen)
	var changed []byte
	whole, objects, n := uint32(0), 0, 0
	w.Each(nil, func(o sim.Object) bool {
		id := o.Ident()
		hashes := s.hashes(o)
		s.seen[id.ID()] = true
		objects++
		start := len(changed)
		changed = appendObject(changed, id, hashes)
		whole = journal.Sum(whole, changed[start:])
		if slices.Equal(s.known[id.ID()], hashes) {
			changed = changed[:start]
			return true
		}
		s.known[id.ID()] = hashes
		n++
		return true
	})
	for id := range s.known { // in any order: only deletes
		if !s.seen[id] {
			delete(s.known, id)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, whole)
	b = binary.LittleEndian.AppendUint64(b, r.Fingerprint())
	b = binary.AppendUvarint(b, uint64(r.InstructionCount()))
	b = binary.AppendUvarint(b, uint64(objects))
	b = binary.AppendUvarint(b, uint64(n))
	return append(b, changed...)
}

// appendObject appends an object: id, class, and one hash for each field.
func appendObject(b []byte, id *sim.Identity, hashes []uint16) []byte {
	b = binary.AppendUvarint(b, uint64(id.ID()))
	b = binary.AppendUvarint(b, uint64(len(id.Class().Name)))
	b = append(b, id.Class().Name...)
	b = binary.AppendUvarint(b, uint64(len(hashes)))
	for _, h := range hashes {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b
}

// hashes returns a hash for each field of an object.
func (s *state) hashes(o sim.Object) []uint16 {
	fields := o.Ident().Class().AllFields()
	list := make([]uint16, len(fields))
	for i, f := range fields {
		list[i] = s.hash(f.Get(o))
	}
	return list
}

func (s *state) hash(v sim.Value) uint16 {
	b := append(s.text[:0], byte(v.Kind()))
	switch v.Kind() {
	case sim.KindNumber:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Number()))
	case sim.KindVec:
		p := v.Vec()
		for _, x := range [...]float64{p.X, p.Y, p.Z} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	default:
		b = append(b, v.String()...)
	}
	s.text = b
	sum := journal.Sum(0, b)
	return uint16(sum) ^ uint16(sum>>16)
}

// compare returns what differs between a State entry and the world, in words; "" if nothing does.
// It must be called for each State entry, like append.
func (s *state) compare(recorded []byte, w *sim.World, r *vm.Runtime) string {
	before := s.known
	if before != nil {
		before = make(map[sim.ID][]uint16, len(s.known))
		for id, hashes := range s.known {
			before[id] = hashes
		}
	}
	own := s.append(nil, w, r)
	if slices.Equal(own, recorded) {
		return ""
	}
	then, ok := parseState(recorded)
	now, _ := parseState(own)
	if !ok {
		return "the State entry is damaged"
	}
	for _, o := range then.objects {
		if text := s.difference(o, w); text != "" {
			return text
		}
	}
	for _, o := range now.objects { // changed here only
		if !slices.ContainsFunc(then.objects, func(t stateObject) bool { return t.id == o.id }) {
			return s.difference(stateObject{o.id, o.class, before[sim.ID(o.id)]}, w)
		}
	}
	switch {
	case then.count != now.count:
		return fmt.Sprintf("the world has %d objects, and had %d", now.count, then.count)
	case then.instructions != now.instructions:
		return fmt.Sprintf("scripts have run %d instructions, and had run %d", now.instructions, then.instructions)
	}
	return "the random numbers of scripts differ"
}

// difference describes how an object differs from a recorded one; "" if it does not.
func (s *state) difference(o stateObject, w *sim.World) string {
	found := w.Find(sim.ID(o.id))
	if found == nil {
		return fmt.Sprintf("object %d, a %s, does not exist", o.id, o.class)
	}
	c := found.Ident().Class()
	if c.Name != o.class {
		return fmt.Sprintf("object %d is a %s, and was a %s", o.id, c.Name, o.class)
	}
	for i, f := range c.AllFields() {
		switch {
		case o.hashes == nil:
			return fmt.Sprintf("object %d, a %s, did not exist", o.id, o.class)
		case i >= len(o.hashes) || s.hash(f.Get(found)) != o.hashes[i]:
			return fmt.Sprintf("object %d, a %s: field %s is %s", o.id, o.class, f.Name, f.Get(found).Print(w))
		}
	}
	return ""
}

// recordedState is a State entry.
type recordedState struct {
	whole        uint32
	random       uint64
	instructions uint64
	count        uint64
	objects      []stateObject
}

type stateObject struct {
	id     uint64
	class  string
	hashes []uint16
}

// parseState reads a State entry.
func parseState(b []byte) (s recordedState, ok bool) {
	if len(b) < 12 {
		return s, false
	}
	s.whole, s.random = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:])
	r := reader{b: b[12:]}
	s.instructions, s.count = r.uvarint(), r.uvarint()
	for n := r.uvarint(); n > 0 && !r.bad; n-- {
		o := stateObject{id: r.uvarint(), class: string(r.bytes(r.uvarint()))}
		hashes := r.bytes(2 * min(r.uvarint(), uint64(len(b))))
		for i := 0; i < len(hashes); i += 2 {
			o.hashes = append(o.hashes, binary.LittleEndian.Uint16(hashes[i:]))
		}
		s.objects = append(s.objects, o)
	}
	return s, !r.bad && len(r.b) == 0
}

// reader reads values from bytes. After a value that is not whole, bad is set and all further ones
// are zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.bad = r.bad || n <= 0; r.bad {
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) bytes(n uint64) (v []byte) {
	if r.bad = r.bad || n > uint64(len(r.b)); r.bad {
		return nil
	}
	v, r.b = r.b[:n:n], r.b[n:]
	return v
}
