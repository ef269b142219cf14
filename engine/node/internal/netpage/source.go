package netpage

import (
	"context"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// Want is what a page asks a Source for.
type Want struct {
	Client  sim.ID // whose view the map shows; 0 is the first client
	Details bool   // also the parts that change slowly: mods, classes, the distribution of tick times
}

// A Source is where the snapshots of a page come from: a running server, or a recorded one. Several pages
// call it, each on a goroutine of its own.
type Source interface {
	// Take fills s with the present state. It can reuse the memory in s.
	Take(ctx context.Context, w Want, s *Snapshot) error
}

// A Timeline is a Source with a past. All of its pages see the same time.
type Timeline interface {
	Source
	// Times returns the first and the last time of the range, since the start of the server.
	Times() (first, last time.Duration)
	// Seek makes a time of the range the present. From there, the source goes on by itself.
	Seek(ctx context.Context, to time.Duration) error
}
