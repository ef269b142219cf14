//go:build !js

package node

import (
	"context"

	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/store"
)

// A FleetBucket keeps the values of a fleet. natsfleet.Config is one over NATS.
type FleetBucket interface {
	// Restore fills a bucket that has no values, and gives it an epoch above another one.
	Restore(ctx context.Context, name bus.Bucket, above bus.Epoch, values map[string][]bus.Value) error
}

// RestoreFleet writes what the files fleet.db of servers have together into a fleet that has lost it. It
// returns what was restored. No server must use the files.
func RestoreFleet(ctx context.Context, to FleetBucket, files []string) (done string, err error) {
	var all fleet.Restoration
	for _, file := range files {
		has, err := store.Read(file)
		if err != nil {
			return "", err
		}
		if err := all.Add(file, has); err != nil {
			return "", err
		}
	}
	if err := to.Restore(ctx, bus.Shared, all.Epoch, all.Values); err != nil {
		return "", err
	}
	return all.String(), nil
}
