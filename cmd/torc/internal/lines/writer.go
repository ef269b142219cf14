package lines

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// MaxWaiting is how many bytes may wait for a reader.
const MaxWaiting = 1 << 20

// Writer writes whole lines in order without ever making its caller wait.
type Writer struct {
	mu      sync.Mutex
	more    *sync.Cond
	queue   []string
	waiting int // bytes in queue
	dropped int // lines lost in front of queue[0]
	closed  bool
	done    chan struct{}
}

// NewWriter starts writing to w. When w fails, lines go nowhere from then on.
func NewWriter(w io.Writer) *Writer {
	l := &Writer{done: make(chan struct{})}
	l.more = sync.NewCond(&l.mu)
	go l.run(w)
	return l
}

// Print adds a line, which may itself hold newlines.
func (l *Writer) Print(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.queue = append(l.queue, line)
	l.waiting += len(line) + 1
	for l.waiting > MaxWaiting {
		l.waiting -= len(l.queue[0]) + 1
		l.queue[0] = ""
		l.queue = l.queue[1:]
		l.dropped++
	}
	l.more.Signal()
}

// Close takes no more lines and waits until all are written, but no longer than wait.
func (l *Writer) Close(wait time.Duration) {
	l.mu.Lock()
	l.closed = true
	l.more.Signal()
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-time.After(wait):
	}
}

func (l *Writer) run(w io.Writer) {
	defer close(l.done)
	var failed error
	for {
		text, open := l.next()
		if !open {
			return
		}
		if failed == nil {
			_, failed = w.Write(text)
		}
	}
}

// next waits for lines and takes up to 64 KiB of them, or the one that is longer.
func (l *Writer) next() (text []byte, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && l.dropped == 0 && !l.closed {
		l.more.Wait()
	}
	if l.dropped > 0 {
		text = fmt.Appendf(text, "(%d lines dropped)\n", l.dropped)
		l.dropped = 0
	}
	for len(l.queue) > 0 && (len(text) == 0 || len(text)+len(l.queue[0]) < 64<<10) {
		text = append(append(text, l.queue[0]...), '\n')
		l.waiting -= len(l.queue[0]) + 1
		l.queue[0] = ""
		l.queue = l.queue[1:]
	}
	return text, len(text) > 0
}
