package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// A Restoration is what the copies of several servers have together, for a bucket that was lost.
type Restoration struct {
	Epoch  bus.Epoch              // of the values: the newest one of the copies
	Values map[string][]bus.Value // by group, sorted by key
	Unsent int                    // changes of servers that the fleet has not taken: they are left out
	Older  []string               // copies of an older epoch: they are left out
	from   []string               // the copies with the epoch
}

// Add adds the copy of a server: what its file has, by bucket and key. Of two values of a key the one with
// the higher revision counts, and values of an older epoch do not. A key that one of the servers has lost
// sight of stays: a deleted value can come back, and none gets lost. The error names the file.
func (r *Restoration) Add(file string, has map[string]map[string][]byte) error {
	c := copyFile{load: func(name string) (map[string][]byte, error) { return has[name], nil }}
	epoch, _ := c.life()
	switch {
	case epoch.Count == 0:
		return fmt.Errorf("%s has no values of a fleet", file)
	case epoch.Count == r.Epoch.Count && epoch.ID != r.Epoch.ID:
		return fmt.Errorf("%s and %s are copies of two fleets", r.from[0], file)
	case epoch.Count > r.Epoch.Count:
		*r = Restoration{Epoch: epoch, Values: map[string][]bus.Value{}, Older: append(r.Older, r.from...)}
	case epoch.Count < r.Epoch.Count:
		r.Older = append(r.Older, file)
		return nil
	}
	r.from = append(r.from, file)
	for _, name := range slices.Sorted(maps.Keys(has)) {
		set, is := strings.CutPrefix(name, valuesBucket)
		if !is || c.epochOf(set) != epoch {
			continue
		}
		values, unsent := c.set(set)
		group := groupOf(set).Name
		r.Values[group] = newest(r.Values[group], values)
		r.Unsent += len(unsent)
	}
	if err := c.failed(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// newest merges two lists that are sorted by key. Of two values of a key the newer one stays.
func newest(a []bus.Value, b []store.Value) (list []bus.Value) {
	by := map[string]bus.Value{}
	for _, v := range a {
		by[v.Key] = v
	}
	for _, v := range b {
		if rev := bus.Revision(v.Rev); rev > by[v.Key].Rev {
			by[v.Key] = bus.Value{Key: v.Key, Data: v.Data, Rev: rev, Owner: v.Owner}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		list = append(list, by[key])
	}
	return list
}

// String says what was restored: how many values each group has.
func (r *Restoration) String() string {
	var b strings.Builder
	b.WriteString("the fleet has these values again:")
	for _, group := range slices.Sorted(maps.Keys(r.Values)) {
		fmt.Fprintf(&b, "\n  %-20s %d", group, len(r.Values[group]))
	}
	if r.Unsent > 0 {
		fmt.Fprintf(&b, "\nchanges that it had never taken, and are left out: %d", r.Unsent)
	}
	for _, file := range r.Older {
		fmt.Fprintf(&b, "\nan older copy, left out: %s", file)
	}
	return b.String()
}
