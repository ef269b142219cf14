//go:build !js

package node

import (
	"context"
	"errors"

	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/store"
)

// A FleetBucket keeps the values of a fleet. natsfleet.Config is one over NATS.
type FleetBucket interface {
	// Restore fills a bucket that has no values, and gives it an epoch above another one. For a
	// bucket with values, the error has bus.ErrNotEmpty.
	Restore(ctx context.Context, name bus.Bucket, above bus.Epoch, values map[string][]bus.Value) error
}

// RestoreFleet writes what the files fleet.db of servers have together into a fleet that has lost
// it. It returns what was restored. No server must use the files.
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
	left, err := restoreParts(ctx, to, &all)
	if err != nil {
		return "", err
	}
	done = all.String()
	for _, err := range left {
		done += "\nleft alone: " + err.Error()
	}
	return done, nil
}

// restoreParts restores the values and the lists. It returns why one of them was left alone: only
// the other one was lost. If nothing is left to restore then, it is an error.
func restoreParts(ctx context.Context, to FleetBucket, all *fleet.Restoration) (left []error, err error) {
	parts := map[bus.Bucket]*fleet.Restored{bus.Shared: &all.Shared, bus.Lists: &all.Lists}
	empty := func(name bus.Bucket) bool { return len(parts[name].Values) == 0 }
	order := []bus.Bucket{bus.Shared, bus.Lists}
	if empty(bus.Shared) {
		order = []bus.Bucket{bus.Lists, bus.Shared}
	}
	restored := false
	for _, name := range order {
		r := parts[name]
		if r.Epoch.Count == 0 || empty(name) && len(left) > 0 {
			continue
		}
		err := to.Restore(ctx, name, r.Epoch, r.Values)
		if errors.Is(err, bus.ErrNotEmpty) {
			left, *r = append(left, err), fleet.Restored{}
			continue
		}
		if err != nil {
			return nil, err
		}
		restored = true
	}
	if !restored {
		return nil, errors.Join(left...)
	}
	return left, nil
}
