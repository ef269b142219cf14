package core

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	maxBehind = 8  // ticks run at once to catch up
	maxDelay  = 64 // ticks of delay after which ticks are skipped: the machine slept
)

// Pacer says when ticks are due. Ticks have fixed times, so a late tick does not delay the next.
type Pacer struct{ Next netcore.Time }

// begin begins to count: loading has taken its time. As many ticks as run at once are due.
func (p *Pacer) begin(now netcore.Time, length time.Duration) {
	p.Next = max(p.Next, now-maxBehind*length)
}

// Due returns how many ticks of the given length to run now. skipped counts the ticks that were
// given up because the process was stopped for too long.
func (p *Pacer) Due(now netcore.Time, length time.Duration) (ticks, skipped int) {
	if late := int((now - p.Next) / length); now >= p.Next && late >= maxDelay {
		skipped = late
		p.Next += netcore.Time(late) * length
	}
	for now >= p.Next && ticks < maxBehind {
		p.Next += length
		ticks++
	}
	return ticks, skipped
}
