package node

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

const (
	maxBehind = 8  // ticks run at once to catch up
	maxDelay  = 64 // ticks of delay after which ticks are skipped: the machine slept
)

// pacer says when ticks are due. Ticks have fixed times, so a late tick does not delay the next.
type pacer struct{ next netcore.Time }

// due returns how many ticks to run now. skipped counts the ticks that were given up because the
// process was stopped for too long.
func (p *pacer) due(now netcore.Time) (ticks, skipped int) {
	if late := int((now - p.next) / engine.TickTime); now >= p.next && late >= maxDelay {
		skipped = late
		p.next += netcore.Time(late) * engine.TickTime
	}
	for now >= p.next && ticks < maxBehind {
		p.next += engine.TickTime
		ticks++
	}
	return ticks, skipped
}
