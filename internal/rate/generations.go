package rate

import "time"

// Generations is a table of strangers that never has to search for old entries: it has two
// generations, and drops the older one as a whole. A full generation ends early, so many strangers
// cannot keep out a new one.
type Generations[K comparable, V any] struct {
	begun             time.Duration
	current, previous map[K]V // never ranged over: the order of a map is random
}

// Turn begins a generation if the newest has lasted a period or has most entries. A table has at
// most twice as many.
func (g *Generations[K, V]) Turn(now time.Duration, most int, period time.Duration) {
	switch {
	case g.current == nil:
		g.current, g.previous = map[K]V{}, map[K]V{}
	case now-g.begun >= period || len(g.current) >= most:
		g.current, g.previous = g.previous, g.current
		clear(g.current)
	default:
		return
	}
	g.begun = now
}

// Get returns the value of a key, or the zero value.
func (g *Generations[K, V]) Get(key K) V {
	if v, known := g.current[key]; known {
		return v
	}
	return g.previous[key]
}

// Set keeps a value in the newest generation. Turn comes first.
func (g *Generations[K, V]) Set(key K, v V) { g.current[key] = v }

// Len returns the number of keys kept, those in both generations twice.
func (g *Generations[K, V]) Len() int { return len(g.current) + len(g.previous) }
