package ghost

// Ways counts how updates were made. Each update of a stream is in one of Looped, Joined and
// Composed. A reader who wants an interval subtracts the counts at its beginning.
type Ways struct {
	Looped   uint64             // copied in the fast loop, from the bits that the connections of a worker share
	Joined   uint64             // copied from these bits one by one
	Composed [causeCount]uint64 // composed for this connection only, by Cause
	Filled   uint64             // those of Looped and Joined whose bits were missing, and were composed and shared
	Lookups  uint64             // searches for shared bits
	Misses   uint64             // those that found none
}

// Cause is the reason why an update was composed for one connection only.
type Cause uint8

const (
	CauseSplit     Cause = iota // the groups of the ghost have different baselines
	CauseLong                   // it is too long to be shared
	CauseReference              // it has references, texts or hand-written bits
	CauseOther                  // the rest: repeated states, parts of an update, marks after fields
	causeCount
)

func (c Cause) String() string {
	return [...]string{"different baselines", "too long", "references", "other"}[c]
}

// Updates returns the number of updates.
func (n *Ways) Updates() (updates uint64) {
	for _, composed := range n.Composed {
		updates += composed
	}
	return updates + n.Looped + n.Joined
}

// Copies returns the number of updates for which no group was composed.
func (n *Ways) Copies() uint64 { return n.Looped + n.Joined - n.Filled }

// Add adds other counts.
func (n *Ways) Add(other Ways) {
	for i := range n.Composed {
		n.Composed[i] += other.Composed[i]
	}
	n.Looped, n.Joined = n.Looped+other.Looped, n.Joined+other.Joined
	n.Filled, n.Lookups = n.Filled+other.Filled, n.Lookups+other.Lookups
	n.Misses += other.Misses
}

// Sub subtracts earlier counts.
func (n *Ways) Sub(earlier Ways) {
	for i := range n.Composed {
		n.Composed[i] -= earlier.Composed[i]
	}
	n.Looped, n.Joined = n.Looped-earlier.Looped, n.Joined-earlier.Joined
	n.Filled, n.Lookups = n.Filled-earlier.Filled, n.Lookups-earlier.Lookups
	n.Misses -= earlier.Misses
}
