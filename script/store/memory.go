package store

import (
	"cmp"
	"maps"
	"slices"
)

// Memory is a Store in memory, for tests. The zero value is empty.
type Memory struct {
	Err  error // result of every batch from now on; nil: batches are kept
	Next error // result of the next batch alone, if it is not nil

	mods map[string]map[string][]byte
	last uint64
	done []Outcome
}

// NewMemory makes an empty store.
func NewMemory() *Memory { return &Memory{} }

// Load returns a copy of the values of a mod.
func (s *Memory) Load(mod string) (map[string][]byte, error) {
	return maps.Clone(s.mods[mod]), nil
}

// Usage returns the mods with values.
func (s *Memory) Usage() (all []Usage, err error) {
	for _, mod := range slices.Sorted(maps.Keys(s.mods)) {
		if len(s.mods[mod]) > 0 {
			all = append(all, UsageOf(mod, s.mods[mod]))
		}
	}
	return all, nil
}

// Commit keeps a batch, or discards it if Err or Next is set.
func (s *Memory) Commit(batch []Write) uint64 {
	s.last++
	err := cmp.Or(s.Next, s.Err)
	s.Next = nil
	s.done = append(s.done, Outcome{Batch: s.last, Err: err})
	if err != nil {
		return s.last
	}
	if s.mods == nil {
		s.mods = map[string]map[string][]byte{}
	}
	for _, c := range batch {
		switch {
		case c.Purge:
			delete(s.mods, c.Mod)
		case c.Value == nil:
			delete(s.mods[c.Mod], c.Key)
		case s.mods[c.Mod] == nil:
			s.mods[c.Mod] = map[string][]byte{c.Key: c.Value}
		default:
			s.mods[c.Mod][c.Key] = c.Value
		}
	}
	return s.last
}

// Done returns the batches that have ended since the last call.
func (s *Memory) Done() []Outcome {
	done := s.done
	s.done = nil
	return done
}
