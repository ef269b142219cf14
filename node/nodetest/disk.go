package nodetest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script/store"
)

// disk keeps the stored values of mods. It outlives the servers that use it.
type disk struct {
	saved  map[string]map[string][]byte // by mod and key
	now    func() netcore.Time
	random *rand.Rand
	worst  time.Duration // the longest time to save a batch
	faulty float64       // probability that a batch is not saved
}

// diskView is a disk as one server sees it. It implements store.Store of script.
type diskView struct {
	*disk
	queue   []queuedBatch // in order
	batches uint64
	closed  bool
}

type queuedBatch struct {
	number  uint64
	changes []store.Write
	done    netcore.Time
	err     error
}

// Load returns the saved values of a mod.
func (s *diskView) Load(mod string) (map[string][]byte, error) { return maps.Clone(s.saved[mod]), nil }

// Usage returns the mods with saved values.
func (s *diskView) Usage() (all []store.Usage, err error) {
	for _, mod := range slices.Sorted(maps.Keys(s.saved)) {
		if len(s.saved[mod]) > 0 {
			all = append(all, store.UsageOf(mod, s.saved[mod]))
		}
	}
	return all, nil
}

// Commit queues a batch.
func (s *diskView) Commit(changes []store.Write) uint64 {
	s.batches++
	b := queuedBatch{number: s.batches, changes: append([]store.Write(nil), changes...), done: s.now()}
	if s.worst > 0 {
		b.done += time.Duration(s.random.Int64N(int64(s.worst)))
	}
	if n := len(s.queue); n > 0 {
		b.done = max(b.done, s.queue[n-1].done)
	}
	if s.random.Float64() < s.faulty {
		b.err = errDisk
	}
	if !s.closed {
		s.queue = append(s.queue, b)
	}
	return s.batches
}

// Done returns the batches that have ended.
func (s *diskView) Done() (ended []store.Outcome) {
	for len(s.queue) > 0 && s.queue[0].done <= s.now() {
		ended = append(ended, s.end())
	}
	return ended
}

// end ends the oldest batch.
func (s *diskView) end() store.Outcome {
	b := s.queue[0]
	s.queue = s.queue[1:]
	if b.err == nil {
		s.save(b.changes)
	}
	return store.Outcome{Batch: b.number, Err: b.err}
}

func (d *disk) save(changes []store.Write) {
	for _, c := range changes {
		if d.saved[c.Mod] == nil {
			d.saved[c.Mod] = map[string][]byte{}
		}
		if c.Purge {
			clear(d.saved[c.Mod])
		} else if c.Value == nil {
			delete(d.saved[c.Mod], c.Key)
		} else {
			d.saved[c.Mod][c.Key] = append([]byte{}, c.Value...)
		}
	}
}

// finish saves everything, as the orderly end of a server does.
func (s *diskView) finish() {
	for len(s.queue) > 0 {
		s.queue[0].err = nil
		s.end()
	}
	s.closed = true
}

// crash ends the store as the death of its process does. Some of the waiting batches are on the
// disk already, in order.
func (s *diskView) crash() {
	for range s.random.IntN(len(s.queue) + 1) {
		s.end()
	}
	s.queue, s.closed = nil, true
}
