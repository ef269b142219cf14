package netcore

import (
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

const (
	minDifficulty  = 12                     // 4,096 hashes on average: under a millisecond
	mostDifficulty = 20                     // a million: a tenth of a second on one core
	raiseEvery     = 250 * time.Millisecond // a burst of a thousand clients gets 16, a longer flood 20 after two seconds
	easeEvery      = 5 * time.Second
	slack          = 2 // levels by which a puzzle can be easier than the present ones
)

// difficulty is the difficulty of the puzzles that clients must solve before a key exchange. It is
// 0 unless there are more requests than key exchanges, or the table of half-open sessions fills up.
type difficulty struct {
	level   byte
	changed Time
}

// update adapts the difficulty.
func (d *difficulty) update(now Time, crowded bool) {
	wait := now - d.changed
	switch {
	case crowded && (d.level == 0 || wait >= raiseEvery):
		d.level, d.changed = min(max(d.level+1, minDifficulty), mostDifficulty), now
	case crowded || d.level == 0 || wait < easeEvery:
	case d.level == minDifficulty:
		d.level, d.changed = 0, now
	default:
		d.level, d.changed = d.level-1, now
	}
}

// accepts reports whether a solved puzzle was hard enough. Puzzles made just before the last raise
// are.
func (d *difficulty) accepts(solved byte) bool { return solved+slack >= d.level }

var _ = [1]int{}[mostDifficulty/(seal.MaxDifficulty+1)] // clients accept every difficulty
