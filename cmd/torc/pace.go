package main

import (
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

const (
	behindMost = 8                    // ticks that are made up for at once
	jumpMost   = 64                   // ticks of delay after which time is skipped: the machine slept
	linesTime  = 8 * time.Millisecond // of a tick that console lines may start in
)

// pacer says when ticks are due: at fixed times, so that a late tick delays no other.
type pacer struct{ next netcore.Time }

// due returns how many ticks to run now, and how many were given up because the process stood still
// for too long.
func (p *pacer) due(now netcore.Time) (ticks, skipped int) {
	if late := int((now - p.next) / engine.TickTime); now >= p.next && late >= jumpMost {
		skipped = late
		p.next += netcore.Time(late) * engine.TickTime
	}
	for now >= p.next && ticks < behindMost {
		p.next += engine.TickTime
		ticks++
	}
	return ticks, skipped
}
