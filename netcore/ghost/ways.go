package ghost

// Ways counts how updates were made. Each update of a stream is in one of Looped, Joined and
// Composed. A reader who wants an interval subtracts the counts at its beginning.
type Ways struct {
	Looped   uint64             // copied whole, from the table of updates
	Joined   uint64             // joined from shared bits of groups, because that table has no place for them
	Composed [causeCount]uint64 // composed for this connection only, by Cause
	Filled   uint64             // updates for which bits of a group were composed and shared; some were not sent
	Lookups  uint64             // searches for shared bits, of a group or of an update
	Misses   uint64             // those for a group that found none
}

// Cause is the reason why an update was composed for one connection only.
type Cause uint8

const (
	CauseLong      Cause = iota // it is too long to be shared
	CauseReference              // it has references, texts or hand-written bits
	CauseCheck                  // the connection has marks after fields
	causeCount
)

func (c Cause) String() string {
	return [...]string{"too long", "references", "marks"}[c]
}

// Updates returns the number of updates.
func (n *Ways) Updates() (updates uint64) {
	for _, composed := range n.Composed {
		updates += composed
	}
	return updates + n.Looped + n.Joined
}

// Copies returns the number of updates for which no group was composed. It can be too low: an
// update that is composed twice, or not sent, counts in Filled too.
func (n *Ways) Copies() uint64 {
	all := n.Looped + n.Joined
	return all - min(all, n.Filled)
}

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
