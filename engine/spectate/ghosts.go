package spectate

import (
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// ghosts is what a client sees, as a Source. It gives the ghosts in a group numbers.
type ghosts struct {
	group   *sim.Group
	objects []sim.Object // by number; 0 is unused
	numbers map[sim.ID]uint32
	free    []uint32
	members []sim.Object // buffer
}

func newGhosts(group *sim.Group) *ghosts {
	return &ghosts{group: group, objects: make([]sim.Object, 1), numbers: map[sim.ID]uint32{}}
}

func (s *ghosts) Numbers() uint32                        { return uint32(len(s.objects)) }
func (s *ghosts) ObjectOf(n uint32) sim.Object           { return s.objects[n] }
func (s *ghosts) NumberOf(o sim.Object) uint32           { return s.numbers[o.Ident().ID()] }
func (s *ghosts) Public(sim.Object) bool                 { return true }
func (s *ghosts) Secret(sim.Object) (groups uint32)      { return 0 }
func (s *ghosts) Watch(uint32)                           {}
func (s *ghosts) Unwatch(uint32)                         {}
func (s *ghosts) Refresh(uint32)                         {}
func (s *ghosts) Repeat(uint32, uint32)                  {}
func (s *ghosts) EachReferrer(uint32, func(uint32, int)) {}

// eachNew gives the new members of the group numbers, and calls do with them.
func (s *ghosts) eachNew(do func(n uint32)) {
	s.members = s.group.Members(s.members[:0])
	for _, o := range s.members {
		if o.Ident().Class().Kind == sim.NetClass && s.NumberOf(o) == 0 {
			do(s.add(o))
		}
	}
	clear(s.members)
}

func (s *ghosts) add(o sim.Object) (n uint32) {
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
	} else {
		n = uint32(len(s.objects))
		s.objects = append(s.objects, nil)
	}
	s.objects[n], s.numbers[o.Ident().ID()] = o, n
	return n
}

// remove frees the number of an object and returns it, 0 if it has none.
func (s *ghosts) remove(o sim.Object) (n uint32) {
	if n = s.NumberOf(o); n != 0 {
		s.objects[n] = nil
		delete(s.numbers, o.Ident().ID())
		s.free = append(s.free, n)
	}
	return n
}

// maxCoded is the largest size of a hand-written group in bytes.
const maxCoded = 1 << 10

// A groupReader reads the values of groups.
type groupReader struct {
	values sim.Values
	writer bitstream.Writer
	room   [maxCoded]byte
}

// read returns the values of a group, valid until the next call. References become numbers. ok is
// false if a hand-written group is too large.
func (r *groupReader) read(o sim.Object, group int, number func(sim.ID) uint32) (v recording.Values, ok bool) {
	class := o.Ident().Class()
	if code := class.Coder(group); code != nil {
		r.writer.Reset(r.room[:])
		code(&sim.GroupCoder{Codec: &r.writer.Codec, End: func(string) {}}, o)
		return recording.Values{Raw: r.writer.Bytes(), Bits: r.writer.Pos()}, r.writer.Err() == nil
	}
	class.Quantise(o, group, &r.values)
	if class.Refers(group) {
		for i, cell := range class.Cells(group) {
			if cell.Kind == sim.CellRef {
				r.values.Cells[i] = uint64(number(sim.ID(r.values.Cells[i])))
			}
		}
	}
	return recording.Values{Cells: r.values.Cells, Texts: r.values.Texts}, true
}
