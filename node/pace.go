package node

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	maxBehind = 8  // ticks run at once to catch up
	maxDelay  = 64 // ticks of delay after which ticks are skipped: the machine slept
)

// pacer says when ticks are due. Ticks have fixed times, so a late tick does not delay the next.
type pacer struct{ next netcore.Time }

// due returns how many ticks of the given length to run now. skipped counts the ticks that were given up because the
// process was stopped for too long.
func (p *pacer) due(now netcore.Time, length time.Duration) (ticks, skipped int) {
	if late := int((now - p.next) / length); now >= p.next && late >= maxDelay {
		skipped = late
		p.next += netcore.Time(late) * length
	}
	for now >= p.next && ticks < maxBehind {
		p.next += length
		ticks++
	}
	return ticks, skipped
}
