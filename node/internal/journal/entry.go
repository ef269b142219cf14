package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// MaxField is the size of the longest name or data of an entry, in bytes.
const MaxField = 8 << 20

// An Entry is one step of a journal. A kind has only some of the fields.
type Entry struct {
	Kind   Kind
	Time   time.Duration // of the server's clock
	Number uint64
	Name   string
	Data   []byte
}

var errEntry = errors.New("an entry is damaged")

// errLong rejects a field.
func errLong(n int) error {
	return fmt.Errorf("an entry has a field of %d bytes: the limit is %d", n, MaxField)
}

// append appends the bytes of an entry. before is the Time of the last entry that had one.
func (e *Entry) append(b []byte, before time.Duration) []byte {
	has := fieldsOf[e.Kind]
	b = append(b, byte(e.Kind))
	if has&hasTime != 0 {
		b = binary.AppendVarint(b, int64(e.Time-before))
	}
	if has&hasNumber != 0 {
		b = binary.AppendUvarint(b, e.Number)
	}
	if has&hasName != 0 {
		b = binary.AppendUvarint(b, uint64(len(e.Name)))
		b = append(b, e.Name...)
	}
	if has&hasData != 0 {
		b = binary.AppendUvarint(b, uint64(len(e.Data)))
		b = append(b, e.Data...)
	}
	return b
}

// parse reads an entry at the beginning of b, and returns the rest. Data is a part of b.
func (e *Entry) parse(b []byte, before time.Duration) (rest []byte, err error) {
	s := source{b: b}
	*e = Entry{Kind: Kind(s.byte()), Time: before}
	has, known := fieldsOf[e.Kind]
	if !known {
		return nil, errEntry
	}
	if has&hasTime != 0 {
		e.Time += time.Duration(s.varint())
	}
	if has&hasNumber != 0 {
		e.Number = s.uvarint()
	}
	if has&hasName != 0 {
		e.Name = string(s.bytes())
	}
	if has&hasData != 0 {
		e.Data = s.bytes()
	}
	if s.bad {
		return nil, errEntry
	}
	return s.b, nil
}

// source reads values from bytes. After a value that is not whole, bad is set and all further ones
// are zero.
type source struct {
	b   []byte
	bad bool
}

func (s *source) byte() (v byte) {
	if s.bad = s.bad || len(s.b) == 0; !s.bad {
		v, s.b = s.b[0], s.b[1:]
	}
	return v
}

func (s *source) uvarint() uint64 {
	v, n := binary.Uvarint(s.b)
	if s.bad = s.bad || n <= 0; s.bad {
		return 0
	}
	s.b = s.b[n:]
	return v
}

func (s *source) varint() int64 {
	v := s.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (s *source) bytes() (v []byte) {
	n := s.uvarint()
	if s.bad = s.bad || n > uint64(len(s.b)) || n > MaxField; s.bad {
		return nil
	}
	v, s.b = s.b[:n:n], s.b[n:]
	return v
}
