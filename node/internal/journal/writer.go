package journal

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Magic is the beginning of a journal.
const Magic = "torc-journal\n"

// Version is the version of the format. In format 1, blocks had no number, and their length had no
// checksum. Format 2 lacks the kinds Reread and Edited.
const Version = 3

// oldest is the oldest version that a Reader reads.
const oldest = 2

const (
	blockSize  = 64 << 10  // bytes of entries that close a block
	maxBlock   = 17 << 20  // bytes of the longest block, before and after compression
	maxHeader  = 4 << 20   // bytes of the header
	windowSize = 128 << 10 // of the compression
)

// castagnoli is the polynomial of all checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum continues a CRC-32C.
func Sum(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli, b) }

var errHeader = fmt.Errorf("the header of the journal has more than %d MiB", maxHeader>>20)

// A Header describes the server of a journal.
type Header struct {
	Protocol uint32            `json:"protocol"`         // version of the wire protocol
	Classes  string            `json:"classes"`          // hash of the class list
	Prints   map[string]uint32 `json:"prints,omitempty"` // fingerprints of the classes by name; earlier programs wrote none
	Events   map[string]uint32 `json:"events,omitempty"` // those of the program's own kinds of events
	Program  string            `json:"program"`          // version of the program
	Build    string            `json:"build"`            // its revision, and how it was built; "" if unknown
	Config   json.RawMessage   `json:"config"`           // of the server, in a form of its own
}

// A Writer writes a journal. It does not allocate in steady state.
type Writer struct {
	out    io.Writer
	zip    *zstd.Encoder
	raw    []byte // entries of the current block
	packed []byte
	count  uint32 // of the blocks so far
	times  times
	began  time.Duration // time of the first entry of the block
	err    error
}

// NewWriter writes the header.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowSize),
		zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(true)) // most bytes are sealed: no code makes them shorter
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeader {
		return nil, errHeader
	}
	w := &Writer{out: out, zip: zip}
	if _, err := out.Write([]byte(Magic + string(rune(Version)))); err != nil {
		return nil, err
	}
	return w, w.block(text)
}

// Write adds an entry. It keeps none of its bytes. After an error, all further calls return it.
func (w *Writer) Write(e *Entry) error {
	if w.err != nil {
		return w.err
	}
	if n := max(len(e.Name), len(e.Data)); n > MaxField {
		return errLong(n)
	}
	before := w.times.last
	if err := w.times.add(e); err != nil {
		return err
	}
	if len(w.raw) == 0 {
		w.began = before
	}
	w.raw = e.append(w.raw, before)
	if len(w.raw) >= blockSize {
		return w.Flush()
	}
	return nil
}

// Age returns the time between the first and the last entry of the block that is not written yet.
func (w *Writer) Age() time.Duration {
	if len(w.raw) == 0 {
		return 0
	}
	return w.times.last - w.began
}

// Flush writes the entries so far as a block.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.raw) == 0 {
		return w.err
	}
	w.err = w.block(w.raw)
	w.raw = w.raw[:0]
	return w.err
}

// block writes a block in one call.
func (w *Writer) block(raw []byte) error {
	w.packed = append(w.packed[:0], make([]byte, headSize)...)
	w.packed = w.zip.EncodeAll(raw, w.packed)
	body := w.packed[headSize:]
	blockHead{number: w.count, size: uint32(len(body)), sum: Sum(0, body)}.put(w.packed)
	w.count++
	_, err := w.out.Write(w.packed)
	return err
}
