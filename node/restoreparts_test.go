package node

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/fleet"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// buckets are those of a fleet in which some have values.
type buckets struct {
	full     map[bus.Bucket]bool
	restored []bus.Bucket
}

func (b *buckets) Restore(_ context.Context, name bus.Bucket, _ bus.Epoch, _ map[string][]bus.Value) error {
	if b.full[name] {
		return fmt.Errorf("%s: %w", name, bus.ErrNotEmpty)
	}
	b.restored = append(b.restored, name)
	return nil
}

// TestRestoreOfWhatWasLost: a bucket with values is left alone and named. If nothing else was lost,
// that is an error, and no bucket is touched.
func TestRestoreOfWhatWasLost(t *testing.T) {
	some := map[string][]bus.Value{"x": {{Key: "k"}}}
	for _, c := range []struct {
		shared, lists map[string][]bus.Value // of the copies
		full          map[bus.Bucket]bool
		restored      []bus.Bucket
		left          int
		fails         bool
	}{
		{some, some, nil, []bus.Bucket{bus.Shared, bus.Lists}, 0, false},
		{some, some, map[bus.Bucket]bool{bus.Shared: true}, []bus.Bucket{bus.Lists}, 1, false},
		{some, some, map[bus.Bucket]bool{bus.Lists: true}, []bus.Bucket{bus.Shared}, 1, false},
		{some, some, map[bus.Bucket]bool{bus.Shared: true, bus.Lists: true}, nil, 0, true},
		{some, nil, map[bus.Bucket]bool{bus.Shared: true}, nil, 0, true},
		{nil, some, map[bus.Bucket]bool{bus.Lists: true}, nil, 0, true},
		{nil, some, nil, []bus.Bucket{bus.Lists, bus.Shared}, 0, false},
	} {
		to := &buckets{full: c.full}
		epoch := bus.Epoch{Count: 1}
		left, err := restoreParts(t.Context(), to, &fleet.Restoration{Shared: fleet.Restored{Epoch: epoch, Values: c.shared}, Lists: fleet.Restored{Epoch: epoch, Values: c.lists}})
		assert.Equal(t, c.restored, to.restored)
		assert.Len(t, left, c.left)
		if c.fails {
			require.ErrorIs(t, err, bus.ErrNotEmpty)
		} else {
			require.NoError(t, err)
		}
	}
}
