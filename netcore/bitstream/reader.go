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
