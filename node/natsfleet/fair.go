package natsfleet

import (
	"cmp"
	"maps"
	"slices"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Limits of what a server keeps of one list.
const (
	maxListKeys  = 16_384
	maxListValue = 2 << 10 // bytes
)

// fair leaves so many values at most, shared by the servers that say they have written them. Of a
// server with more than its share the oldest ones stay. It returns the servers that have lost some.
func fair(values map[string]bus.Value, most int) (lost []string) {
	if len(values) <= most {
		return nil
	}
	of := map[string][]bus.Value{}
	for _, v := range values { // any order: they are sorted below
		of[v.Owner] = append(of[v.Owner], v)
	}
	share := shareOf(slices.Collect(maps.Values(of)), most)
	for _, owner := range slices.Sorted(maps.Keys(of)) {
		list := of[owner]
		if len(list) <= share {
			continue
		}
		lost = append(lost, owner)
		slices.SortFunc(list, func(a, b bus.Value) int { return cmp.Compare(a.Rev, b.Rev) })
		for _, v := range list[share:] {
			delete(values, v.Key)
		}
	}
	return lost
}

// shareOf returns how many values each owner can keep, so that all together keep so many at most.
func shareOf(owners [][]bus.Value, most int) (share int) {
	counts := make([]int, len(owners))
	for i, list := range owners {
		counts[i] = len(list)
	}
	slices.Sort(counts)
	for i, n := range counts {
		share = most / (len(counts) - i)
		if n > share {
			break
		}
		most -= n
	}
	return share
}
