package store

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/torc-engine/torc/script"
)

const (
	maxQueue = 16               // batches that wait for the disk; scripts give two at a time
	logEvery = 10 * time.Second // at most one line about a disk that fails
)

// Store is a script.Store on a file. Its methods may be called from any goroutine.
type Store struct {
	file *file
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	work   sync.Cond // there is something in the queue, or no more comes
	queue  []task
	done   []script.Outcome
	last   uint64
	closed bool
	ended  chan struct{} // closed when the goroutine has ended

	logged time.Time // when a failure was told last
	silent int       // failures that were not told since
}

type task struct {
	number  uint64
	changes []script.Change
	err     error // it is refused already
}

var errBehind = errors.New("the disk does not keep up")

// Open opens the file at path, and makes it where there is none. The log gets a line when the disk fails, at most one in
// ten seconds. The error is one sentence.
func Open(path string, log *slog.Logger) (*Store, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	s := &Store{file: f, log: log, now: time.Now, ended: make(chan struct{})}
	s.work.L = &s.mu
	go s.run()
	return s, nil
}

// Load is all that is safe of a mod, by key.
func (s *Store) Load(mod string) (map[string][]byte, error) { return s.file.load(mod) }

// Commit queues a batch and returns its number.
func (s *Store) Commit(batch []script.Change) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	t := task{number: s.last, changes: batch}
	if len(s.queue) >= maxQueue || s.closed {
		t = task{number: s.last, err: errBehind}
	}
	s.queue = append(s.queue, t)
	s.work.Signal()
	return s.last
}

// Done lists, in order, the batches that have ended since it was called last.
func (s *Store) Done() []script.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.done
	s.done = nil
	return done
}

// Close returns when everything in the queue is safe, or has failed, and the file is closed.
func (s *Store) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.work.Signal()
	s.mu.Unlock()
	<-s.ended
	if was {
		return nil
	}
	return s.file.close()
}

// run is the goroutine that waits for the disk.
func (s *Store) run() {
	defer close(s.ended)
	for {
		t, more := s.take()
		if !more {
			return
		}
		if t.err == nil {
			t.err = s.file.commit(t.changes)
		}
		if t.err != nil {
			s.tell(t)
		}
		s.mu.Lock()
		s.done = append(s.done, script.Outcome{Batch: t.number, Err: t.err})
		s.mu.Unlock()
	}
}

// take waits for a task; more is false when there will be none.
func (s *Store) take() (t task, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 {
		if s.closed {
			return t, false
		}
		s.work.Wait()
	}
	t, s.queue = s.queue[0], s.queue[1:]
	return t, true
}

// tell logs a failure, unless one was told a moment ago.
func (s *Store) tell(t task) {
	now := s.now()
	if !s.logged.IsZero() && now.Sub(s.logged) < logEvery {
		s.silent++
		return
	}
	text := fmt.Sprintf("a batch of %d changes is not stored: %v", len(t.changes), t.err)
	if s.silent > 0 {
		text += fmt.Sprintf(" (%d more since the last line)", s.silent)
	}
	s.log.Error(text)
	s.logged, s.silent = now, 0
}
