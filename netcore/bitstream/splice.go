package bitstream

// Peek returns the 64 bits from bit pos on, read or not, and zeros behind the
// end of the bytes. It moves nothing and never fails.
func (s *Stream) Peek(pos int) uint64 {
	if pos < 0 || pos >= 8*len(s.buf) {
		return 0
	}
	return s.at(pos)
}

// Splice writes n bits of b, from bit from on, as they are. More than b has
// fails with ErrRange. Only a writing stream can splice.
func (s *Stream) Splice(b []byte, from, n int) {
	if s.reading || from < 0 || n < 0 || n > 8*len(b)-from {
		s.Fail(ErrRange)
		return
	}
	if n > s.Left() {
		s.Fail(ErrFull)
		return
	}
	source := Stream{buf: b}
	s.copyBits(&source, from, n)
}

// Extract copies n bits that were read or written, from bit from on, to bit at
// of b. What b has behind them is lost; spare bits of their last byte are zero.
// It fails with ErrRange if they lie behind the position, or b has no room.
func (s *Stream) Extract(b []byte, at, from, n int) {
	if from < 0 || at < 0 || n < 0 || n > s.pos-from || n > 8*len(b)-at {
		s.Fail(ErrRange)
		return
	}
	target := Writer{Stream{buf: b, pos: at, end: at + n}}
	target.copyBits(s, from, n)
	target.Bytes()
}

// copyBits appends n bits of source, known to be there and to fit.
func (s *Stream) copyBits(source *Stream, from, n int) {
	for ; n > 64; n -= 64 {
		s.write(source.at(from), 64)
		from += 64
	}
	s.write(source.at(from)&(1<<uint(n)-1), n)
}

// ForgetText makes the next Text do without a previous one, so that what
// follows can be spliced into another stream, or read again by itself.
func (s *Stream) ForgetText() { s.last = "" }
