package node

import (
	"context"
	"errors"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// These are the types of a fleet. Package natsfleet joins one over NATS.
type (
	// Fleet is how a server joins the others of its fleet.
	Fleet = fleet.Joins
	// FleetBus is the line of a server to its fleet.
	FleetBus = bus.Bus
	// FleetServer is a server as the others of its fleet see it.
	FleetServer = bus.Server
	// FleetReport lists the servers of a fleet.
	FleetReport = fleet.Report
)

// lookEvery is the time between two looks at the news of a fleet.
const lookEvery = 20 * time.Millisecond

// LookAtFleet returns the servers of a fleet, as soon as it answers, and closes the line. The error
// says why it does not.
func LookAtFleet(ctx context.Context, line FleetBus) (FleetReport, error) {
	defer func() { _ = line.Close(time.Second) }() // nothing waits to be sent
	why := errors.New("the fleet does not answer")
	for {
		for _, n := range line.Take() {
			switch {
			case n.Servers != nil:
				return fleet.ReportOf(n.Servers.List), nil
			case n.Line != nil && !n.Line.Up && n.Line.Warn != "":
				why = errors.New(n.Line.Warn)
			}
		}
		select {
		case <-ctx.Done():
			return FleetReport{}, why
		case <-time.After(lookEvery):
		}
	}
}
