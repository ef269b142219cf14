package bitstream

import "encoding/binary"

// Bytes codes a length as Var and then the bytes. More than max bytes fail with
// ErrRange, in both directions. Before it allocates, a reader checks that the
// bytes are there. It makes a new slice, or nil if the length is 0.
func (s *Codec) Bytes(v *[]byte, max int) {
	if !s.reading {
		s.writeBytes(*v, max)
		return
	}
	*v = nil
	if n := s.readLength(max); n > 0 {
		*v = make([]byte, n)
		s.fill(*v)
	}
}

func (s *Codec) writeBytes(b []byte, max int) {
	if len(b) > max {
		s.Fail(ErrRange)
		return
	}
	n := uint64(len(b))
	s.Var(&n)
	for ; len(b) >= 8; b = b[8:] {
		s.write(binary.LittleEndian.Uint64(b), 64)
	}
	for _, c := range b {
		s.write(uint64(c), 8)
	}
}

// readLength reads a number of bytes. It fails and returns 0 if the number is
// above max or the stream has fewer bytes left.
func (s *Codec) readLength(max int) int {
	n := s.readVar()
	if max < 0 || n > uint64(max) {
		s.Fail(ErrRange)
	}
	if n > uint64(s.Left())/8 {
		s.Fail(ErrShort)
	}
	if s.err != nil {
		return 0
	}
	return int(n)
}

// fill reads len(b) bytes. The caller has checked that they are there.
func (s *Codec) fill(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, s.read(64))
	}
	for i := range b {
		b[i] = byte(s.read(8))
	}
}
