package node

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// queuedLines is how many lines of a capture can wait for the disk: those of ten seconds at the
// default rates.
const queuedLines = 1024

var errSlowDisk = errors.New("the disk does not keep up")

// A lineQueue writes lines on a goroutine, so a slow disk never stops the game. After an error it
// takes no more: the file has all lines up to a point.
type lineQueue struct {
	lines  chan []byte
	done   chan struct{}
	failed atomic.Pointer[error]
}

func newLineQueue(to io.Writer) *lineQueue {
	q := &lineQueue{lines: make(chan []byte, queuedLines), done: make(chan struct{})}
	go q.run(to)
	return q
}

// Write queues a line. It returns the error of an earlier one once the disk has reported it.
func (q *lineQueue) Write(b []byte) (int, error) {
	if err := q.failed.Load(); err != nil {
		return 0, *err
	}
	select {
	case q.lines <- bytes.Clone(b):
		return len(b), nil
	default:
		return 0, errSlowDisk
	}
}

// Close waits until all lines are written.
func (q *lineQueue) Close() error {
	close(q.lines)
	<-q.done
	if err := q.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (q *lineQueue) run(to io.Writer) {
	defer close(q.done)
	for b := range q.lines {
		if q.failed.Load() != nil {
			continue
		}
		if _, err := to.Write(b); err != nil {
			q.failed.Store(&err)
		}
	}
}
