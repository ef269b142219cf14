package prompt

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/torc-engine/torc/console"
)

// maxBacklog is the maximum size of unwritten output, in bytes.
const maxBacklog = 1 << 20

// A backlog holds lines of output until they are written. Beyond maxBacklog it
// drops the oldest lines and puts their number in their place.
type backlog struct {
	mu      sync.Mutex
	text    []byte // whole lines, each with its newline
	head    int    // text[:head] is taken or dropped
	dropped int    // lines dropped since the last take
}

// add appends a text of one or more lines.
func (b *backlog) add(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, console.ReadableText(text)...)
	b.text = append(b.text, '\n')
	for len(b.text)-b.head > maxBacklog {
		b.head += bytes.IndexByte(b.text[b.head:], '\n') + 1
		b.dropped++
	}
	if b.head > maxBacklog { // copied once per maxBacklog bytes of output
		b.text = b.text[:copy(b.text, b.text[b.head:])]
		b.head = 0
	}
}

// take removes the oldest lines and appends them to dst: about limit bytes, and
// at least one line.
func (b *backlog) take(dst []byte, limit int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dropped > 0 {
		dst = fmt.Appendf(dst, "(%d lines dropped)\n", b.dropped)
		b.dropped = 0
	}
	rest := b.text[b.head:]
	if len(rest) > limit {
		end := bytes.LastIndexByte(rest[:limit], '\n') + 1
		if end == 0 {
			end = bytes.IndexByte(rest, '\n') + 1
		}
		b.head += end
		return append(dst, rest[:end]...)
	}
	dst = append(dst, rest...)
	b.text, b.head = b.text[:0], 0
	return dst
}

// empty reports whether no output waits.
func (b *backlog) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head == len(b.text) && b.dropped == 0
}
