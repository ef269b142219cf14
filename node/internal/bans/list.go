package bans

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

// List is one list of a server, oldest entry first. The zero List is empty and has no file. A
// search costs the same for one entry and for thousands.
type List struct {
	data.EditedFile[Ban]
	Fleet *Set // the entries of its fleet; nil: the server is in none

	entries map[Target][]numbered // of the file
	ranges  ranges
	version uint64 // of the file that these are made from
}

// numbered is an entry with its place in the file.
type numbered struct {
	Ban
	at int
}

// Open reads the list. A missing file is an empty list.
func Open(path string, editor data.Editor) (*List, error) {
	f, err := data.OpenEdited(path, data.Form[Ban]{Parse: Parse, Format: Format}, editor)
	if err != nil {
		return nil, fmt.Errorf("the file %s cannot be read: %w", filepath.Base(path), err)
	}
	return &List{EditedFile: *f}, nil
}

// Add adds a ban to the file and saves it. It replaces the earlier bans of the target.
func (l *List) Add(b Ban) error {
	b.Name, b.Reason = word(b.Name), word(b.Reason)
	return l.Put(b, of(b.Target))
}

// Lift removes the bans of a target from the file. It reports whether there was one.
func (l *List) Lift(t Target) (bool, error) { return l.Remove(of(t)) }

// of selects the bans of a target. A hand-written file can have several.
func of(t Target) func(Ban) bool { return func(b Ban) bool { return b.Target == t } }

// Find returns the entry in force that has a player: that of the file (Own), or that of the fleet.
// address can be invalid.
func (l *List) Find(key seal.Key, address netip.Addr, now time.Time) (b Ban, found bool) {
	if b, found = l.Own(key, address, now); found || l.Fleet == nil {
		return b, found
	}
	return l.Fleet.find(key, address, now)
}

// Own returns the oldest entry in force of the file that has a player.
func (l *List) Own(key seal.Key, address netip.Addr, now time.Time) (b Ban, found bool) {
	l.arrange()
	oldest := numbered{}
	for t := range l.ranges.targets(key, address) {
		for _, e := range l.entries[t] {
			if !e.over(now) && (!found || e.at < oldest.at) {
				oldest, found = e, true
			}
		}
	}
	return oldest.Ban, found
}

// arrange makes the index again if the entries have changed.
func (l *List) arrange() {
	if l.version == l.Version() {
		return
	}
	l.version = l.Version()
	l.entries, l.ranges = map[Target][]numbered{}, ranges{}
	at := 0
	for b := range l.All() {
		l.entries[b.Target] = append(l.entries[b.Target], numbered{b, at})
		l.ranges.count(b.Target, 1)
		at++
	}
}

// String returns the entries in force, one per line: KEY END NAME REASON, with a range in place of
// the key. On a server with a fleet, each line begins with its origin: here or fleet.
func (l *List) String(now time.Time) string {
	var lines []string
	origin := ""
	if l.Fleet != nil {
		origin = "here "
	}
	for b := range l.All() {
		if !b.over(now) {
			lines = append(lines, origin+b.line(now))
		}
	}
	if l.Fleet != nil {
		lines = append(lines, l.Fleet.lines(now)...)
	}
	return strings.Join(lines, "\n")
}
