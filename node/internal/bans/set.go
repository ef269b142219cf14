package bans

import (
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// A Foreign is an entry that another server has made.
type Foreign struct {
	Ban
	From string // the name of that server, as it says; "": nobody knows
}

// A Set has the entries of a fleet, one per target. They are in no file. The caller bounds their
// number. The zero Set is empty.
type Set struct {
	entries map[Target]Foreign
	ranges  ranges
}

// Replace replaces all entries.
func (s *Set) Replace(all []Foreign) {
	*s = Set{}
	for _, f := range all {
		s.Put(f)
	}
}

// Put adds an entry. It replaces the earlier one of the target.
func (s *Set) Put(f Foreign) {
	if s.entries == nil {
		s.entries = map[Target]Foreign{}
	}
	f.Name, f.Reason = word(f.Name), word(f.Reason)
	f.From = word(f.From)
	if _, is := s.entries[f.Target]; !is {
		s.ranges.count(f.Target, 1)
	}
	s.entries[f.Target] = f
}

// Remove removes the entry of a target. It reports whether there was one.
func (s *Set) Remove(t Target) (was bool) {
	if _, was = s.entries[t]; was {
		s.ranges.count(t, -1)
		delete(s.entries, t)
	}
	return was
}

// Get returns the entry of a target, in force or not.
func (s *Set) Get(t Target) (f Foreign, found bool) {
	f, found = s.entries[t]
	return f, found
}

// Len returns the number of entries.
func (s *Set) Len() int { return len(s.entries) }

// find returns an entry in force that has a player: that of the key, or that of the narrowest
// range.
func (s *Set) find(key seal.Key, address netip.Addr, now time.Time) (b Ban, found bool) {
	for t := range s.ranges.targets(key, address) {
		if f, is := s.entries[t]; is && !f.over(now) {
			return f.Ban, true
		}
	}
	return Ban{}, false
}

// lines returns the entries in force, sorted by their targets.
func (s *Set) lines(now time.Time) (lines []string) {
	for _, f := range s.entries {
		if !f.over(now) {
			lines = append(lines, f.line(now))
		}
	}
	slices.Sort(lines)
	return lines
}

// line returns an entry for people, with its origin.
func (f Foreign) line(now time.Time) string {
	line := "fleet " + f.Ban.line(now)
	if f.From != "" {
		line += " (" + f.From + ")"
	}
	return line
}
