package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
)

// This file has a store and rights that keep everything in memory.

// MemoryStore is a Store in memory, for tests. The zero value is empty.
type MemoryStore struct {
	Err error // result of every batch from now on; nil: batches are kept

	mods map[string]map[string][]byte
	last uint64
	done []Outcome
}

// NewMemoryStore makes an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

// Load returns a copy of the values of a mod.
func (s *MemoryStore) Load(mod string) (map[string][]byte, error) {
	return maps.Clone(s.mods[mod]), nil
}

// Commit keeps a batch, or discards it if Err is set.
func (s *MemoryStore) Commit(batch []StoredChange) uint64 {
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

// Done returns the batches that have ended since the last call.
func (s *MemoryStore) Done() []Outcome {
	done := s.done
	s.done = nil
	return done
}

// memoryRights implements Rights in memory: permissions as "mod permission", and no roles.
type memoryRights map[string]bool

func (g memoryRights) Roles(*engine.Connection) []string   { return nil }
func (g memoryRights) Muted(*engine.Connection) string     { return "" }
func (g memoryRights) May(*engine.Connection, string) bool { return false }
func (g memoryRights) Granted(mod, permission string) bool { return g[mod+" "+permission] }

func (g memoryRights) Grant(mod, permission string, on bool) error {
	if !on {
		delete(g, mod+" "+permission)
		return nil
	}
	g[mod+" "+permission] = true
	return nil
}

func (g memoryRights) Grants() string { return strings.Join(slices.Sorted(maps.Keys(g)), "\n") }
