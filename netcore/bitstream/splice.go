package bitstream

import "encoding/binary"

// Peek returns the 64 bits from bit pos on, whether they were read or not. Bits
// after the end of the buffer are zero. Peek does not move the position and
// never fails.
func (s *Codec) Peek(pos int) uint64 {
	if pos < 0 || pos >= 8*len(s.buf) {
		return 0
	}
	return s.at(pos)
}

// Splice writes n bits of b unchanged, starting at bit from. It fails with
// ErrRange if b has fewer bits. Only a writing stream can splice.
func (s *Codec) Splice(b []byte, from, n int) {
	if s.reading || from < 0 || n < 0 || n > 8*len(b)-from {
		s.Fail(ErrRange)
		return
	}
	if n > s.Left() {
		s.Fail(ErrFull)
		return
	}
	source := Codec{buf: b}
	s.copyBits(&source, from, n)
}

// Extract copies n bits that were read or written, starting at bit from, to bit
// at of b. It overwrites the rest of b after them and sets the spare bits of the
// last byte to zero. It fails with ErrRange if the bits extend past the position
// or b has no room.
func (s *Codec) Extract(b []byte, at, from, n int) {
	if from < 0 || at < 0 || n < 0 || n > s.pos-from || n > 8*len(b)-at {
		s.Fail(ErrRange)
		return
	}
	target := Writer{Codec{buf: b, pos: at, end: at + n}}
	target.copyBits(s, from, n)
	target.Bytes()
}

// copyBits appends n bits of source. The caller has checked that they exist and fit.
func (s *Codec) copyBits(source *Codec, from, n int) {
	words := min(n, 8*len(s.buf)-s.pos-64, 8*len(source.buf)-from-8) >> 6
	if words > 0 {
		s.copyWords(source.buf, from, words)
		from, n = from+64*words, n-64*words
	}
	for ; n > 64; n -= 64 {
		s.write(source.at(from), 64)
		from += 64
	}
	s.write(source.at(from)&(1<<uint(n)-1), n)
}

// copyWords appends words of 64 bits of b. Both buffers must have a word more.
func (s *Codec) copyWords(b []byte, from, words int) {
	to, b := s.buf[s.pos>>3:], b[from>>3:]
	have, skip := uint(s.pos)&7, uint(from)&7
	acc := uint64(to[0]) & (1<<have - 1)
	s.pos += 64 * words
	for ; words > 0 && len(to) >= 9 && len(b) >= 9; words-- {
		v := binary.LittleEndian.Uint64(b)>>skip | uint64(b[8])<<(64-skip)
		binary.LittleEndian.PutUint64(to, acc|v<<have)
		acc = v >> (64 - have)
		to, b = to[8:], b[8:]
	}
	to[0] = byte(acc)
}

// ForgetText makes the next Text use no previous text. The bits after this call
// can then be spliced into another stream, or read separately.
func (s *Codec) ForgetText() { s.prevText = "" }

// Window returns the bytes of the buffer from the position on, for a loop that writes many short
// values by itself. acc holds the first n bits of the first byte, n = 0..7, which belong to earlier
// values. The loop must keep them. It then calls Advance.
func (w *Writer) Window() (buf []byte, acc uint64, n int) {
	n = w.pos & 7
	buf = w.buf[w.pos>>3:]
	if n > 0 {
		acc = uint64(buf[0]) & (1<<n - 1)
	}
	return buf, acc, n
}

// Advance moves the position behind n bits that a loop wrote to the window. It fails with ErrFull
// if they extend past the end.
func (w *Writer) Advance(n int) {
	if n > w.Left() {
		w.Fail(ErrFull)
		return
	}
	w.pos += n
}
