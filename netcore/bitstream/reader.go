package bitstream

// Reader reads bits from untrusted bytes. For any input it neither panics nor
// allocates more memory than the input can describe.
type Reader struct{ Codec }

// NewReader returns a Reader of b.
func NewReader(b []byte) *Reader {
	r := new(Reader)
	r.Reset(b)
	return r
}

// Reset restarts at the beginning of b, with no error and no previous text.
func (r *Reader) Reset(b []byte) {
	r.reset(b)
	r.reading = true
}

// ReadBits reads an unsigned integer of n bits, n = 0..64.
func (r *Reader) ReadBits(n int) uint64 { return r.read(n) }

// ReadFlag reads one bit.
func (r *Reader) ReadFlag() bool { return r.readFlag() }

// Window returns the bytes of the buffer and the position, for a loop that reads many short values
// by itself. It then calls Seek.
func (r *Reader) Window() (buf []byte, pos int) { return r.buf, r.pos }

// Seek moves the position on to bit pos, behind bits that a loop has read from the window. It fails
// with ErrShort if pos is past the end, or before the position.
func (r *Reader) Seek(pos int) {
	if pos < r.pos || pos > r.end {
		r.Fail(ErrShort)
		return
	}
	r.pos = pos
}
