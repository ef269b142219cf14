package bitstream

// Writer writes bits into a buffer of fixed size.
type Writer struct{ Codec }

// NewWriter returns a Writer that fills buf, up to its length.
func NewWriter(buf []byte) *Writer {
	w := new(Writer)
	w.Reset(buf)
	return w
}

// Reset restarts at the beginning of buf, with no error and no previous text.
func (w *Writer) Reset(buf []byte) {
	w.reset(buf)
}

// Bytes returns the written bits in whole bytes, with spare bits set to zero.
// The slice is valid until the next write, Rewind or Reset.
func (w *Writer) Bytes() []byte {
	n := (w.pos + 7) >> 3
	if off := w.pos & 7; off != 0 {
		w.buf[n-1] &= 1<<off - 1
	}
	return w.buf[:n]
}

// WriteBits writes the n low bits of v, n = 0..64. It fails with ErrRange if v does not fit.
func (w *Writer) WriteBits(v uint64, n int) { w.write(v, n) }

// WriteFlag writes one bit and returns it.
func (w *Writer) WriteFlag(b bool) bool {
	w.writeFlag(b)
	return b
}

// Limit sets the bit position up to which bits can be written and returns the
// old one. The limit is at most the buffer's length. With a limit below the
// position nothing more fits.
func (w *Writer) Limit(bits int) int {
	old := w.limit
	w.limit = min(bits, 8*len(w.buf))
	w.bound()
	return old
}

// Mark is a state of a Writer that Rewind can restore.
type Mark struct {
	pos  int
	last string
	err  error
}

// Mark returns the position, the error and the previous text.
func (w *Writer) Mark() Mark { return Mark{w.pos, w.prevText, w.err} }

// Rewind undoes everything since m, including an error. The limit does not
// change. m must be a mark of this Writer since its last Reset, and not beyond
// the current position.
func (w *Writer) Rewind(m Mark) {
	w.pos, w.prevText, w.err = m.pos, m.last, m.err
	w.bound()
}

// bound computes end from the limit, the position and the error.
func (w *Writer) bound() {
	w.end = max(w.limit, w.pos)
	if w.err != nil {
		w.end = w.pos
	}
}
