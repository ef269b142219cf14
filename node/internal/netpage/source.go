package netpage

import (
	"context"

	"github.com/torc-engine/torc/engine/sim"
)

// Want is what a page asks a Source for.
type Want struct {
	Client  sim.ID // whose view the map shows; 0 is the first client
	Details bool   // also the parts that change slowly: mods, classes, the distribution of tick times
	After   uint64 // the newest sample that the page has; 0: it has none
}

// A Source is where the snapshots of a page come from: a running server, or a recorded one. Several
// pages call it, each on a goroutine of its own.
type Source interface {
	// Take fills s with the present state. It can reuse the memory in s.
	Take(ctx context.Context, w Want, s *Snapshot) error
}

// A Timeline is a Source with a past. All of its pages see the same time.
type Timeline interface {
	Source
	// Steer changes where the source goes. It does not wait until the source is there.
	Steer(ctx context.Context, s Steering) error
}

// Steering is what a page asks of a Timeline.
type Steering struct {
	Seeks bool
	Tick  uint64 // to seek; behind the last tick, the last one
	Paces bool
	Speed float64 // times real time, at most MaxSpeed; 0 pauses
}

// MaxSpeed is the highest speed, times real time.
const MaxSpeed = 1000
