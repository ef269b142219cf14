package core

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// clock measures the time since a node was made.
type clock struct{ epoch time.Time }

// NewClock returns a clock that begins now.
func NewClock() clock { return clock{time.Now()} }

// at returns the time of an event, such as the arrival of a packet.
func (c clock) at(t time.Time) netcore.Time { return t.Sub(c.epoch) }

// Now returns the time since the clock began.
func (c clock) Now() netcore.Time { return time.Since(c.epoch) }
