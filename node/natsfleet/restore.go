package natsfleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Restore fills an empty bucket with the values of groups, by group, and gives it an epoch above
// another one. The servers of the fleet then take the values. It can be repeated if it was
// interrupted.
func (c Config) Restore(ctx context.Context, name bus.Bucket, above bus.Epoch, values map[string][]bus.Value) error {
	if err := c.Check(); err != nil {
		return err
	}
	b := &fleetBus{config: c, in: newInbox()}
	b.ctx, b.end = context.WithCancel(ctx)
	defer b.end()
	b.tally, b.line = newTally(b), newLine(b)
	if err := b.connect(); err != nil {
		return err
	}
	defer b.nc.Close()
	wait, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if !b.line.wait(wait) {
		return errors.New("no NATS server of the fleet answers")
	}
	r := restorer{bucket: newBucket(b, string(name)), life: life{Epoch: bus.Epoch{Count: above.Count + 1, ID: draw()}, restoring: true}}
	return r.run(ctx, values)
}

// restorer fills a bucket.
type restorer struct {
	*bucket
	life life
}

func (r *restorer) run(ctx context.Context, values map[string][]bus.Value) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	for group, list := range values { // any order: all are there before the end
		for _, v := range list {
			if v.Data == nil {
				continue
			}
			m := message(r.value(group, v.Key), content{owner: v.Owner, data: v.Data}.encode())
			if _, err := publish(ctx, r.bus.nc, m); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	_, err := publish(ctx, r.bus.nc, message(r.subject(epochKey), life{Epoch: r.life.Epoch}.encode()))
	return err
}

// begin takes a bucket that has no values, or the values of an interrupted call.
func (r *restorer) begin(ctx context.Context) error {
	nc := r.bus.nc
	if _, err := r.create(ctx, nc, r.settings(len(r.bus.config.URLs))); err != nil {
		return err
	}
	old, err := last(ctx, nc, r.stream(), r.subject(epochKey))
	if err != nil {
		return err
	}
	was, err := decodeLife(old.Data)
	if err == nil && was.Count >= r.life.Count {
		r.life.Count = was.Count + 1
	}
	if err != nil || !was.restoring {
		switch n, err := r.count(ctx, old); {
		case err != nil:
			return err
		case n > 0:
			return fmt.Errorf("%s has %d keys: %w", r.name, n, bus.ErrNotEmpty)
		}
	}
	_, err = put(ctx, nc, message(r.subject(epochKey), r.life.encode()), old.Seq)
	return err
}

// count returns how many keys have a message, beside the record of the epoch. NATS names only the
// records, because a bucket has many keys.
func (r *restorer) count(ctx context.Context, epoch stored) (n int, err error) {
	var i struct {
		State struct {
			All     int               `json:"num_subjects"`
			Records map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	if err = request(ctx, r.bus.nc, "STREAM.INFO."+r.stream(), map[string]string{"subjects_filter": r.subject(recordKey + "*")}, &i); err != nil {
		return 0, err
	}
	n = i.State.All - len(i.State.Records)
	if epoch.Seq > 0 {
		n--
	}
	return n, nil
}
