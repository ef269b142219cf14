package engine

// The measures of a peer's moves.
const (
	creditPerTick = 1.01 // moves that a tick is worth: a clock that is 1 % fast is an honest one
	creditMost    = 8.0  // and that can be saved up
	patience      = 3    // ticks for which an object waits for a move that is late
	queueMost     = 3    // moves that may wait for good
	queueTicks    = 16   // ticks that are for good
	slowest       = 16   // ticks at most that a peer's packets may be apart, to wait for each
	unheardMost   = 64   // ticks at most for which a peer is waited for that has yet to hear what it controls
)

// credit is how many moves a peer may still have done, by the time of this side,
// and how its moves come in.
type credit struct {
	left    float64
	late    int // ticks in a row that had no move
	unheard int // ticks without a move since the peer heard what it controls
	least   int // moves that waited at the end of every tick of this stretch
	ticks   int // of it
}

// tick adds what a tick is worth.
func (k *credit) tick() { k.left = min(k.left+creditPerTick, creditMost) }

// spend pays for a move, if there is enough.
func (k *credit) spend() bool {
	if k.left < 1 {
		return false
	}
	k.left--
	return true
}

// misses notes how many moves a tick had, and reports whether the object has
// waited for long enough to get a NULL move. interval is how many ticks the
// peer's packets are apart. Of a peer that has not heard yet what it controls no
// moves can be late: NULL moves then would only make wrong what it is told. One
// that never says it has heard is not waited for again with each of its moves.
func (k *credit) misses(done, interval int, heard bool) bool {
	if heard {
		k.unheard = 0
	}
	if done > 0 {
		k.late = 0
		return false
	}
	if !heard && k.unheard < unheardMost {
		k.unheard++
		return false
	}
	k.late++
	return k.late >= patience+min(interval, slowest) && k.spend()
}

// surplus notes how many moves still wait at the end of a tick, and returns how
// many of them to give up: those that have been too many for a while only make
// what the player does late.
func (k *credit) surplus(waiting int) int {
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
