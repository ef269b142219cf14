package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Reader reads a journal.
type Reader struct {
	in     io.Reader
	zip    *zstd.Decoder
	packed bytes.Buffer
	raw    bytes.Buffer
	rest   []byte // of raw
	last   time.Duration
	Header Header
}

// ErrDamaged says that a journal ends in the middle of a block, or that a block was changed. All
// entries before were read.
var ErrDamaged = errors.New("the journal is damaged or cut off here")

// Is reports whether b is the beginning of a journal.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte(Magic)) }

// NewReader reads the header. The error of another format is one sentence.
func NewReader(in io.Reader) (*Reader, error) {
	head := make([]byte, len(Magic)+1)
	if _, err := io.ReadFull(in, head); err != nil || !Is(head) {
		return nil, errors.New("this is no journal of torc")
	}
	if v := head[len(Magic)]; v != Version {
		return nil, fmt.Errorf("this journal has format %d, and this program reads format %d", v, Version)
	}
	zip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8*windowSize))
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in, zip: zip}
	if err := r.block(); err != nil {
		return nil, fmt.Errorf("the header of the journal cannot be read: %w", err)
	}
	if len(r.rest) > maxHeader {
		return nil, errHeader
	}
	if err := json.Unmarshal(r.rest, &r.Header); err != nil {
		return nil, fmt.Errorf("the header of the journal cannot be read: %w", err)
	}
	r.rest = nil
	return r, nil
}

// Next returns the next entry. Its Data is valid until the next call. The error is io.EOF at the
// end, and ErrDamaged if the rest cannot be read.
func (r *Reader) Next() (e Entry, err error) {
	for len(r.rest) == 0 {
		if err := r.block(); err != nil {
			return e, err
		}
	}
	if r.rest, err = e.parse(r.rest, r.last); err != nil {
		return Entry{}, ErrDamaged
	}
	r.last = e.Time
	return e, nil
}

// block reads the next block. The buffers grow only with bytes that are there.
func (r *Reader) block() error {
	var head [headSize]byte
	switch _, err := io.ReadFull(r.in, head[:]); {
	case err == io.EOF:
		return err
	case err != nil:
		return ErrDamaged
	}
	size := binary.LittleEndian.Uint32(head[:])
	r.packed.Reset()
	if n, err := io.CopyN(&r.packed, r.in, int64(min(size, maxBlock))); err != nil || n != int64(size) {
		return ErrDamaged
	}
	if Sum(0, r.packed.Bytes()) != binary.LittleEndian.Uint32(head[4:]) {
		return ErrDamaged
	}
	if err := r.zip.Reset(&r.packed); err != nil {
		return ErrDamaged
	}
	r.raw.Reset()
	if n, err := io.CopyN(&r.raw, r.zip, maxBlock+1); err != io.EOF || n > maxBlock {
		return ErrDamaged
	}
	r.rest = r.raw.Bytes()
	return nil
}
