package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Reader reads a journal.
type Reader struct {
	blocks blockReader
	rest   []byte // of the newest block
	times  times
	ended  bool // the newest entry is the end
	Header Header
}

// Is reports whether b is the beginning of a journal.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte(Magic)) }

var errForeign = errors.New("this is no journal of torc")

// NewReader reads the header. Files of another format, and older and newer journals, have an error
// of their own.
func NewReader(in io.Reader) (r *Reader, err error) {
	head := make([]byte, len(Magic)+1)
	switch n, err := io.ReadFull(in, head); {
	case err != nil && !isEnd(err):
		return nil, err
	case !Is(head[:n]):
		return nil, errForeign
	case err != nil:
		return nil, unreadable(ErrCut)
	}
	if err := readable(head[len(Magic)]); err != nil {
		return nil, err
	}
	r = &Reader{}
	if r.blocks, err = newBlockReader(in, int64(len(head))); err != nil {
		return nil, err
	}
	text, err := r.blocks.read()
	switch {
	case err == io.EOF:
		return nil, unreadable(ErrCut)
	case err != nil:
		return nil, unreadable(err)
	case len(text) > maxHeader:
		return nil, errHeader
	}
	if err := json.Unmarshal(text, &r.Header); err != nil {
		return nil, unreadable(err)
	}
	return r, nil
}

// readable reports whether this program reads a version of the format.
func readable(version byte) error {
	switch {
	case version < oldest:
		return fmt.Errorf("this journal has the older format %d, and this program reads formats %d to %d: replay it with the torc that wrote it", version, oldest, Version)
	case version > Version:
		return fmt.Errorf("this journal has the newer format %d, and this program reads formats %d to %d: replay it with a newer torc", version, oldest, Version)
	}
	return nil
}

func unreadable(err error) error {
	if block := (*BlockError)(nil); errors.As(err, &block) {
		err = block.Err // its place is the same in each journal
	}
	return fmt.Errorf("the header of the journal cannot be read: %w", err)
}

// Next returns the next entry. Its Data is valid until the next call. The error is io.EOF at the
// end, and a *BlockError if the rest cannot be used.
func (r *Reader) Next() (e Entry, err error) {
	for len(r.rest) == 0 && err == nil {
		r.rest, err = r.blocks.read()
	}
	if r.ended && (err == nil || errors.Is(err, ErrCut)) {
		return e, r.blocks.fail(errAfterEnd)
	}
	if err != nil {
		return e, err
	}
	r.rest, err = e.parse(r.rest, r.times.last)
	if err == nil {
		err = r.times.add(&e)
	}
	if err != nil {
		return Entry{}, r.blocks.fail(err)
	}
	r.ended = e.Kind == End
	return e, nil
}
