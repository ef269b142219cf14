package script

import "github.com/torc-engine/torc/console"

// caps are how much of the engine one mod may hold at a time.
type caps struct {
	objects int // made by new and alive
	tags    int // texts of tagged strings
	timers  int // pending events
	store   int // bytes of what it has stored
}

var defaultCaps = caps{objects: 65_536, tags: 65_536, timers: 4096, store: 16 << 20}

// bind makes the caps variables of the console.
func (c *caps) bind(to *console.Console) error {
	for _, v := range []console.Var{
		{Name: "mod.maxObjects", Help: "objects one mod may have", Value: console.Int(&c.objects, 1, 1<<24)},
		{Name: "mod.maxTags", Help: "tagged strings one mod may have", Value: console.Int(&c.tags, 1, 1<<20)},
		{Name: "mod.maxTimers", Help: "timers one mod may have", Value: console.Int(&c.timers, 1, 1<<20)},
		{Name: "mod.maxStore", Help: "bytes one mod may store", Value: console.Int(&c.store, 0, 1<<30)},
	} {
		if err := to.Bind(v); err != nil {
			return err
		}
	}
	return nil
}
