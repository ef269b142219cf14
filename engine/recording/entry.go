package recording

import "encoding/binary"

// The kinds of entries.
const (
	entryTick    = iota // the tick is complete: its number, as difference from the one before
	entryReset          // a state follows: nothing before it counts
	entryClass          // a class was declared: its description
	entryBlock          // a datablock was declared or has changed: its description
	entryCreate         // an object exists: its number, its class
	entryGroup          // a group of an object has changed: number, group, values
	entryDelete         // an object is gone: its number
	entryCommand        // a command to all viewers
	entryKeep           // a command whose effect lasts: its key, the command
	entryView           // what the recording player sees: the number of the object, flags, degrees
	entryVoice          // a frame of a player's voice
	entries
)

// Limits of a recording. They bound the memory of a player.
const (
	maxObjects = 1 << 16
	maxID      = 1<<32 - 1
	maxGroups  = 32
	maxCells   = 1 << 10 // of a group, and texts
	maxTotal   = 1 << 22 // cells of all objects
	maxBytes   = 1 << 20 // of a description, a command, a text
	maxKept    = 256     // lasting commands
	maxKey     = 64      // bytes of the key of one
	maxFOV     = 360     // degrees
)

// Values are the values of a group of an object.
type Values struct {
	Cells []uint64
	Texts []string
	Raw   []byte // of a hand-written group
	Bits  int    // of Raw
}

// A View is what the player who records sees: from the eyes of which object, and how wide.
type View struct {
	Object      uint32 // 0 for none
	FirstPerson bool
	FOV         int // degrees
}

func appendView(b []byte, v View) []byte {
	b = binary.AppendUvarint(append(b, entryView), uint64(v.Object))
	first := uint64(0)
	if v.FirstPerson {
		first = 1
	}
	b = binary.AppendUvarint(b, first)
	return binary.AppendUvarint(b, uint64(v.FOV))
}

func appendKept(b []byte, key string, data []byte) []byte {
	return appendBytes(appendBytes(append(b, entryKeep), key), data)
}

// appendValues encodes values, the cells as differences from those before.
func appendValues(b []byte, v *Values, before []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(v.Cells)))
	for i, c := range v.Cells {
		if i < len(before) {
			c -= before[i]
		}
		b = binary.AppendVarint(b, int64(c))
	}
	b = binary.AppendUvarint(b, uint64(len(v.Texts)))
	for _, t := range v.Texts {
		b = appendBytes(b, t)
	}
	b = binary.AppendUvarint(b, uint64(v.Bits))
	return append(b, v.Raw[:(v.Bits+7)/8]...)
}

func appendBytes[T string | []byte](b []byte, data T) []byte {
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}

// A source reads the entries of a chunk. After an error, all numbers are 0.
type source struct {
	b   []byte
	bad bool
}

// number reads a number that is at most most.
func (s *source) number(most uint64) uint64 {
	v, n := binary.Uvarint(s.b)
	if s.bad || n <= 0 || v > most {
		s.bad = true
		return 0
	}
	s.b = s.b[n:]
	return v
}

// difference reads a signed number.
func (s *source) difference() uint64 {
	v, n := binary.Varint(s.b)
	if s.bad || n <= 0 {
		s.bad = true
		return 0
	}
	s.b = s.b[n:]
	return uint64(v)
}

// bytes reads n bytes. They belong to the chunk.
func (s *source) bytes(n int) []byte {
	if s.bad || n > len(s.b) {
		s.bad = true
		return nil
	}
	data := s.b[:n:n]
	s.b = s.b[n:]
	return data
}

func (s *source) data() []byte { return s.bytes(int(s.number(maxBytes))) }

func (s *source) view() View {
	return View{Object: uint32(s.number(maxID)), FirstPerson: s.number(1) == 1, FOV: int(s.number(maxFOV))}
}

// values reads values into v. cells are the cells before, and become the new ones.
func (s *source) values(v *Values, cells []uint64) []uint64 {
	n := int(s.number(maxCells))
	if n > len(s.b) { // each has at least a byte
		s.bad = true
		return cells
	}
	for len(cells) < n {
		cells = append(cells, 0)
	}
	cells = cells[:n]
	for i := range cells {
		cells[i] += s.difference()
	}
	v.Cells, v.Texts = cells, v.Texts[:0]
	for n := s.number(maxCells); n > 0 && !s.bad; n-- {
		v.Texts = append(v.Texts, string(s.data()))
	}
	v.Bits = int(s.number(8 * maxBytes))
	v.Raw = s.bytes((v.Bits + 7) / 8)
	return cells
}
