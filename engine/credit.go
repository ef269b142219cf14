package engine

// Limits for a peer's moves.
const (
	creditPerTick   = 1.01 // moves earned per tick; above 1 because a client's clock can be 1 % fast
	creditMax       = 8.0  // most moves that can be saved up
	nullMoveDelay   = 3    // ticks that an object waits for a late move
	queueMost       = 3    // moves that may stay in the queue
	queueTicks      = 16   // ticks over which a longer queue is tolerated
	intervalMost    = 16   // longest packet interval, in ticks, that the server waits for
	unconfirmedMost = 64   // ticks that the server waits for a peer that lacks its control object
)

// credit limits the moves of a peer to the time that has passed on this side, and watches their
// arrival.
type credit struct {
	left    float64
	late    int // ticks in a row without a move
	unheard int // ticks without a move since the peer last confirmed its control object
	least   int // shortest queue at the end of a tick in this period
	ticks   int // ticks in this period
}

// tick adds the credit of one tick.
func (k *credit) tick() { k.left = min(k.left+creditPerTick, creditMax) }

// spend pays for one move. It returns false if the credit is too low.
func (k *credit) spend() bool {
	if k.left < 1 {
		return false
	}
	k.left--
	return true
}

// needsNullMove counts the moves of a tick. It reports whether the object has waited long enough
// for a NULL move. interval is the peer's packet interval in ticks. heard means that the peer has
// confirmed its newest control object. Before that, its moves cannot be late, and a NULL move would
// only invalidate the state in flight to it. A peer that never confirms gets this extra wait once,
// not with every move.
func (k *credit) needsNullMove(done, interval int, heard bool) bool {
	if heard {
		k.unheard = 0
	}
	if done > 0 {
		k.late = 0
		return false
	}
	if !heard && k.unheard < unconfirmedMost {
		k.unheard++
		return false
	}
	k.late++
	return k.late >= nullMoveDelay+min(interval, intervalMost) && k.spend()
}

// excess takes the queue length at the end of a tick and returns the number of moves to drop.
// Moves that stay queued for a whole period only add latency.
func (k *credit) excess(waiting int) int {
	if k.ticks == 0 || waiting < k.least {
		k.least = waiting
	}
	if k.ticks++; k.ticks < queueTicks {
		return 0
	}
	k.ticks = 0
	if k.least <= queueMost {
		return 0
	}
	return k.least
}
