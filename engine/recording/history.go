package recording

import "slices"

// A History keeps the newest chunks of a recording. It begins with a state.
type History struct {
	most   int // bytes
	chunks []Chunk
	before int // chunks that have left
	bytes  int
}

// NewHistory returns a history of at most so many bytes.
func NewHistory(most int) *History { return &History{most: most} }

// Add adds the next chunk. Beyond the limit, the oldest ones leave: then dropped is true.
func (h *History) Add(c Chunk) (dropped bool) {
	h.chunks = append(h.chunks, c)
	h.bytes += len(c.Body)
	drop := 0
	for left := h.bytes; left > h.most && drop < len(h.chunks); drop++ {
		left -= len(h.chunks[drop].Body)
	}
	h.drop(drop)
	return drop > 0
}

// Covers reports whether a new viewer who may see everything up to a tick can begin.
func (h *History) Covers(tick uint64) bool {
	return len(h.chunks) > 0 && h.chunks[0].Last <= tick
}

// Forget removes the chunks that nobody needs who begins with the newest state up to a tick.
func (h *History) Forget(tick uint64) {
	for i := len(h.chunks) - 1; i > 0; i-- {
		if c := &h.chunks[i]; c.State && c.Last <= tick {
			h.drop(i)
			return
		}
	}
}

// drop removes the first n chunks, and those behind them up to the next state.
func (h *History) drop(n int) {
	for n > 0 && n < len(h.chunks) && !h.chunks[n].State {
		n++
	}
	for i := range n {
		h.bytes -= len(h.chunks[i].Body)
	}
	h.chunks = slices.Delete(h.chunks, 0, n)
	h.before += n
}

// A Cursor is the place of a viewer in a History. The zero value is before the first chunk.
type Cursor struct {
	next int
	tick uint64 // the last that the viewer has
}

// Next returns the next chunk for a viewer who may see everything up to a tick, and moves the
// cursor behind it. A new viewer, and one that has fallen out of the history, gets the newest state
// first. A state of the tick that a viewer has is left out. ok is false if there is none yet.
func (h *History) Next(at *Cursor, until uint64) (c Chunk, ok bool) {
	if i := at.next - h.before; at.next > 0 && i >= 0 {
		for i < len(h.chunks) && h.chunks[i].State && h.chunks[i].Last == at.tick {
			i++
		}
		return h.take(at, i, until)
	}
	for i := len(h.chunks) - 1; i >= 0; i-- {
		if c := &h.chunks[i]; c.State && c.Last <= until {
			return h.take(at, i, until)
		}
	}
	return c, false
}

// take returns chunk i, if there is one up to a tick.
func (h *History) take(at *Cursor, i int, until uint64) (c Chunk, ok bool) {
	if i == len(h.chunks) || h.chunks[i].Last > until {
		return c, false
	}
	c = h.chunks[i]
	*at = Cursor{h.before + i + 1, c.Last}
	return c, true
}

// Bytes returns the size of the history.
func (h *History) Bytes() int { return h.bytes }
