package recording

import (
	"errors"
	"io"
	"sort"
)

// A File is a recording in a file, or in memory. Its chunks are found by their heads.
type File struct {
	Header Header
	// Damage says why the recording ends before the file does; nil if it does not. The chunks
	// before the damage can be played.
	Damage error

	from   io.ReaderAt
	places []place
}

// A place is where a chunk is in a file.
type place struct {
	state       bool
	first, last uint64 // ticks
	at          int64
	size        int // bytes of the whole chunk
}

// maxPlaces is the most chunks of a file: those of more than 100 hours.
const maxPlaces = 1 << 20

var (
	errCut   = errors.New("the demo is cut off")
	errEmpty = errors.New("the demo is damaged from its beginning: nothing of it can be played")
)

// Open finds the chunks of a recording of size bytes. It reads their heads only. An error says that
// there is nothing to play.
func Open(from io.ReaderAt, size int64) (*File, error) {
	begin := make([]byte, min(size, maxHeader))
	if n, err := from.ReadAt(begin, 0); n < len(begin) {
		return nil, err
	}
	f := &File{from: from}
	h, n, err := parseHeader(begin)
	if err != nil {
		return nil, err
	}
	f.Header = h
	f.Damage = f.find(int64(n), size)
	if len(f.places) == 0 {
		return nil, errEmpty
	}
	return f, nil
}

// find finds the whole chunks. It returns why it cannot go on to the end of the file.
func (f *File) find(at, size int64) error {
	head := make([]byte, maxHead)
	for at < size {
		b := head[:min(maxHead, size-at)]
		if n, err := f.from.ReadAt(b, at); n < len(b) {
			return err
		}
		c, n, body, err := parseHead(b)
		switch {
		case err != nil:
			return errDamaged
		case n == 0 || int64(n+body) > size-at:
			return errCut
		case !f.follows(&c) || len(f.places) == maxPlaces:
			return errDamaged
		}
		f.places = append(f.places, place{c.State, c.First, c.Last, at, n + body})
		at += int64(n + body)
	}
	return nil
}

// follows reports whether a chunk can follow those found so far.
func (f *File) follows(c *Chunk) bool {
	if len(f.places) == 0 {
		return c.State && c.First == c.Last
	}
	last := f.Last()
	return c.State && c.First == c.Last && c.Last >= last || !c.State && c.First == last+1
}

// First returns the first tick.
func (f *File) First() uint64 { return f.places[0].last }

// Last returns the last tick of the chunks that were found.
func (f *File) Last() uint64 { return f.places[len(f.places)-1].last }

// StateBefore returns the number of the newest state up to a tick, or of the first one.
func (f *File) StateBefore(tick uint64) int {
	i := sort.Search(len(f.places), func(i int) bool { return f.places[i].last > tick })
	for i--; i > 0 && !f.places[i].state; i-- {
	}
	return max(i, 0)
}

// Chunks returns the number of chunks.
func (f *File) Chunks() int { return len(f.places) }

// Chunk returns the bytes of chunk i, for Player.Write.
func (f *File) Chunk(i int) ([]byte, error) {
	p := &f.places[i]
	b := make([]byte, p.size)
	if n, err := f.from.ReadAt(b, p.at); n < len(b) {
		return nil, err
	}
	return b, nil
}

// Repeats reports whether chunk i is only a state of a tick that a player has reached.
func (f *File) Repeats(i int, tick uint64) bool { return f.places[i].state && f.places[i].last == tick }
