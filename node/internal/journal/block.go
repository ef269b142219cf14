package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A BlockError says which block of a journal cannot be used, and why. All entries before were read.
type BlockError struct {
	Number uint32 // of the block, from 0
	At     int64  // of its first byte in the file
	Err    error  // ErrCut, or the damage
}

func (e *BlockError) Error() string {
	return fmt.Sprintf("block %d of the journal, at byte %d, cannot be used: %v", e.Number, e.At, e.Err)
}

func (e *BlockError) Unwrap() error { return e.Err }

// ErrCut is the reason of a block that is not whole. A killed process leaves one, and that is no
// damage.
var ErrCut = errors.New("the file ends in it: the process was killed, or the file was cut off")

var (
	errHead     = errors.New("the checksum of its length and number is wrong")
	errSum      = errors.New("its checksum is wrong")
	errPacked   = errors.New("it cannot be decompressed")
	errTooLong  = fmt.Errorf("it has more than %d MiB", maxBlock>>20)
	errAfterEnd = errors.New("it goes on after the end of the journal")
)

// errOrder refuses a block with the number of another one.
func errOrder(number, want uint32) error {
	if number < want {
		return fmt.Errorf("it is block %d again: blocks are doubled or swapped", number)
	}
	return fmt.Errorf("block %d stands in its place: blocks are missing or swapped", number)
}

// isEnd reports whether an error of io.ReadFull means that the file ends.
func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// A blockHead stands before each block.
type blockHead struct {
	number uint32 // 0 is the header of the journal
	size   uint32 // of the body, in bytes
	sum    uint32 // CRC-32C of the body
}

// headSize is the size of a blockHead, in bytes: its fields and a checksum of them. Without that
// checksum, a damaged length looks like a file that is cut off.
const headSize = 16

// put writes a head to the beginning of b.
func (h blockHead) put(b []byte) {
	binary.LittleEndian.PutUint32(b, h.number)
	binary.LittleEndian.PutUint32(b[4:], h.size)
	binary.LittleEndian.PutUint32(b[8:], h.sum)
	binary.LittleEndian.PutUint32(b[12:], Sum(0, b[:12]))
}

// parse reads a head. It reports whether the checksum is right.
func (h *blockHead) parse(b []byte) (ok bool) {
	h.number = binary.LittleEndian.Uint32(b)
	h.size = binary.LittleEndian.Uint32(b[4:])
	h.sum = binary.LittleEndian.Uint32(b[8:])
	return Sum(0, b[:12]) == binary.LittleEndian.Uint32(b[12:])
}

// A blockReader reads the blocks of a journal. Its buffers grow only with bytes that are there.
type blockReader struct {
	in     io.Reader
	zip    *zstd.Decoder
	packed bytes.Buffer
	raw    bytes.Buffer
	count  uint32 // of the blocks that were begun
	at     int64  // of the newest one in the file
	next   int64  // of the one after it
}

// newBlockReader reads blocks that begin at a byte of a file.
func newBlockReader(in io.Reader, at int64) (blockReader, error) {
	zip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8*windowSize))
	return blockReader{in: in, zip: zip, next: at}, err
}

// fail is an error of the newest block.
func (r *blockReader) fail(why error) error { return &BlockError{r.count - 1, r.at, why} }

// read returns the content of the next block, which is valid until the next call. The error is
// io.EOF if there is none.
func (r *blockReader) read() ([]byte, error) {
	h, err := r.head()
	if err == io.EOF {
		return nil, err
	}
	if err == nil {
		err = r.body(h)
	}
	if err == nil {
		err = r.unpack()
	}
	if err != nil {
		return nil, r.fail(err)
	}
	return r.raw.Bytes(), nil
}

// head reads the head of the next block.
func (r *blockReader) head() (h blockHead, err error) {
	var b [headSize]byte
	if _, err = io.ReadFull(r.in, b[:]); err == io.EOF {
		return h, err
	}
	want := r.count
	r.count++
	r.at = r.next
	switch {
	case err == io.ErrUnexpectedEOF:
		return h, ErrCut
	case err != nil:
		return h, err
	case !h.parse(b[:]):
		return h, errHead
	case h.number != want:
		return h, errOrder(h.number, want)
	case h.size > maxBlock:
		return h, errTooLong
	}
	r.next += headSize + int64(h.size)
	return h, nil
}

// body reads the bytes of a block.
func (r *blockReader) body(h blockHead) error {
	r.packed.Reset()
	switch _, err := io.CopyN(&r.packed, r.in, int64(h.size)); {
	case err == io.EOF:
		return ErrCut
	case err != nil:
		return err
	case Sum(0, r.packed.Bytes()) != h.sum:
		return errSum
	}
	return nil
}

// unpack decompresses the bytes of a block.
func (r *blockReader) unpack() error {
	if err := r.zip.Reset(&r.packed); err != nil {
		return errPacked
	}
	r.raw.Reset()
	switch n, err := io.CopyN(&r.raw, r.zip, maxBlock+1); {
	case n > maxBlock:
		return errTooLong
	case err != io.EOF:
		return errPacked
	}
	return nil
}
