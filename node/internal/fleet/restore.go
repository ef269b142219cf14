package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// A Restoration is what the copies of several servers have together, for buckets that were lost.
type Restoration struct {
	Shared Restored // the values of mods
	Lists  Restored // the lists of players
}

// Restored is what the copies have of a bucket.
type Restored struct {
	Epoch  bus.Epoch              // of the values: the newest one of the copies; zero: none has any
	Values map[string][]bus.Value // by group, sorted by key
	Unsent int                    // changes that the fleet has not taken: they are left out
	Older  []string               // copies of an older epoch: they are left out
	from   []string               // the copies with the epoch
}

// Add adds the copy of a server: what its file has, by bucket and key. Of two values of a key the
// one with the higher revision counts, and values of an older epoch do not. A key that one of the
// servers has lost sight of stays: a deleted value can come back, and none gets lost. The error
// names the file.
func (r *Restoration) Add(file string, has map[string]map[string][]byte) error {
	c := &copyFile{load: func(name string) (map[string][]byte, error) { return has[name], nil }}
	ofValues, _ := c.life(lifeKey)
	ofLists, _ := c.life(listsLifeKey)
	if ofValues.Count == 0 && ofLists.Count == 0 {
		return fmt.Errorf("%s has no values of a fleet", file)
	}
	for _, part := range []struct {
		to  *Restored
		of  bus.Epoch
		add func()
	}{
		{&r.Shared, ofValues, func() { r.addSets(c, ofValues, has) }},
		{&r.Lists, ofLists, func() { r.addLists(c) }},
	} {
		if counts, err := part.to.begin(file, part.of); err != nil {
			return err
		} else if counts {
			part.add()
		}
	}
	if err := c.failed(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// begin begins a copy of the bucket with an epoch. It reports whether the copy counts.
func (r *Restored) begin(file string, epoch bus.Epoch) (counts bool, err error) {
	switch {
	case epoch.Count == 0:
		return false, nil
	case epoch.Count == r.Epoch.Count && epoch.ID != r.Epoch.ID:
		return false, fmt.Errorf("%s and %s are copies of two fleets", r.from[0], file)
	case epoch.Count > r.Epoch.Count:
		*r = Restored{Epoch: epoch, Values: map[string][]bus.Value{}, Older: append(r.Older, r.from...)}
	case epoch.Count < r.Epoch.Count:
		r.Older = append(r.Older, file)
		return false, nil
	}
	r.from = append(r.from, file)
	return true, nil
}

// addSets adds the values of mods.
func (r *Restoration) addSets(c *copyFile, epoch bus.Epoch, has map[string]map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(has)) {
		set, is := strings.CutPrefix(name, valuesBucket)
		if !is || c.epochOf(set) != epoch {
			continue
		}
		values, unsent := c.set(set)
		group := groupOf(set).Name
		r.Shared.Values[group] = newest(r.Shared.Values[group], busValues(values))
		r.Shared.Unsent += len(unsent)
	}
}

// addLists adds the lists.
func (r *Restoration) addLists(c *copyFile) {
	for _, name := range listNames {
		if list := c.list(name); len(list) > 0 {
			r.Lists.Values[name] = newest(r.Lists.Values[name], list)
		}
	}
}

// busValues returns the values of a set as the bus has them.
func busValues(values []store.Value) (list []bus.Value) {
	for _, v := range values {
		list = append(list, bus.Value{Key: v.Key, Data: v.Data, Rev: bus.Revision(v.Rev), Owner: v.Owner})
	}
	return list
}

// newest merges two lists that are sorted by key. Of two values of a key the newer one stays.
func newest(a, b []bus.Value) (list []bus.Value) {
	by := map[string]bus.Value{}
	for _, v := range a {
		by[v.Key] = v
	}
	for _, v := range b {
		if v.Rev > by[v.Key].Rev {
			by[v.Key] = v
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
	for _, of := range []*Restored{&r.Shared, &r.Lists} {
		for _, group := range slices.Sorted(maps.Keys(of.Values)) {
			fmt.Fprintf(&b, "\n  %-20s %d", group, len(of.Values[group]))
		}
	}
	if r.Shared.Unsent > 0 {
		fmt.Fprintf(&b, "\nchanges that it had never taken, and are left out: %d", r.Shared.Unsent)
	}
	for _, file := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(r.Shared.Older), r.Lists.Older...)))) {
		fmt.Fprintf(&b, "\nan older copy, left out: %s", file)
	}
	return b.String()
}
