package rights

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Holder is a player who has roles in a fleet.
type Holder struct {
	Key   seal.Key
	Name  string // of the player, for people
	From  string // the server that gave the roles, as it says; "": nobody knows
	Roles []string
}

// A Set has the roles of players in a fleet. They are in no file. The caller bounds their number.
// The zero Set is empty.
type Set struct{ holders map[seal.Key]Holder }

// Replace replaces the roles of all players.
func (s *Set) Replace(all []Holder) {
	*s = Set{}
	for _, h := range all {
		s.Put(h)
	}
}

// Put replaces the roles of a player. Texts that are no names of roles are dropped, and a player
// without a role is forgotten.
func (s *Set) Put(h Holder) {
	h.Roles = slices.DeleteFunc(slices.Clone(h.Roles), func(r string) bool { return !names.Short(r) })
	slices.Sort(h.Roles)
	h.Roles = slices.Compact(h.Roles)
	if len(h.Roles) == 0 {
		delete(s.holders, h.Key)
		return
	}
	h.Name, h.From = word(h.Name), word(h.From)
	if s.holders == nil {
		s.holders = map[seal.Key]Holder{}
	}
	s.holders[h.Key] = h
}

// Get returns the roles of a player. The caller must not change them.
func (s *Set) Get(key seal.Key) (h Holder, found bool) {
	h, found = s.holders[key]
	return h, found
}

// Len returns the number of players with roles.
func (s *Set) Len() int { return len(s.holders) }

// lines returns the roles for people, one per line, sorted by key. Those that do not count say so.
func (s *Set) lines(trust Trust) (lines []string) {
	for key, h := range s.holders { // any order: the lines are sorted
		for _, r := range h.Roles {
			line := strings.TrimRight("fleet "+key.String()+" "+r+" "+h.Name, " ")
			if h.From != "" {
				line += " (" + h.From + ")"
			}
			if !trust.Has(r) {
				line += " (does not count: fleet.trustRoles)"
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}
