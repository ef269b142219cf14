package store

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/torc-engine/torc/script/store"
)

const (
	maxQueue = 16               // batches in the queue; scripts have two at a time
	logEvery = 10 * time.Second // at most one log line about disk failures
)

// Store is a store.Store of script on a file. Its methods may be called from any goroutine.
type Store struct {
	file *file
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	work   sync.Cond // signals a new task, or the close
	queue  []task
	done   []store.Outcome
	last   uint64
	closed bool
	ended  chan struct{} // closed when the goroutine has ended

	logged time.Time // time of the last log line
	silent int       // failures without a log line since then
}

type task struct {
	number  uint64
	changes []store.Write
	err     error // why it is refused without being tried
}

var errBehind = errors.New("the disk does not keep up")

// Open opens the file at path, or creates it. The log gets a line when the disk fails, at most one
// in ten seconds. The error is one sentence.
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

// Load returns the synced values of a mod, by key.
func (s *Store) Load(mod string) (map[string][]byte, error) { return s.file.load(mod) }

// Usage returns the mods with synced values.
func (s *Store) Usage() ([]store.Usage, error) { return s.file.usage() }

// Commit queues a batch and returns its number.
func (s *Store) Commit(batch []store.Write) uint64 {
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

// Done returns the batches that have ended since the last call, in order.
func (s *Store) Done() []store.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.done
	s.done = nil
	return done
}

// Close waits until every queued batch is synced or has failed, and closes the file.
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

// run writes the batches, on a goroutine of its own.
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
		s.done = append(s.done, store.Outcome{Batch: t.number, Err: t.err})
		s.mu.Unlock()
	}
}

// take waits for a task. more is false when no more will come.
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

// tell logs a failure, unless it logged one shortly before.
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
