package script

import "maps"

// MemoryStore is a Store that ends with the process: for tests and trials. The zero value is empty.
type MemoryStore struct {
	Err error // what batches end with from now on; nil: they are kept

	mods map[string]map[string][]byte
	last uint64
	done []Outcome
}

// NewMemoryStore makes an empty one.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

// Load copies what was kept of a mod.
func (s *MemoryStore) Load(mod string) (map[string][]byte, error) {
	return maps.Clone(s.mods[mod]), nil
}

// Commit keeps a batch, or fails with Err.
func (s *MemoryStore) Commit(batch []Change) uint64 {
	s.last++
	s.done = append(s.done, Outcome{Batch: s.last, Err: s.Err})
	if s.Err != nil {
		return s.last
	}
	if s.mods == nil {
		s.mods = map[string]map[string][]byte{}
	}
	for _, c := range batch {
		switch {
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

// Done lists the batches since it was called last.
func (s *MemoryStore) Done() []Outcome {
	done := s.done
	s.done = nil
	return done
}
