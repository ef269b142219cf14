package node

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// clock measures the time since a node was made.
type clock struct{ epoch time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) now() netcore.Time { return time.Since(c.epoch) }
