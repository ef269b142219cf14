package natsfleet

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestFairShares: servers that fill a list share what a server with few entries leaves. Of each the
// oldest entries stay.
func TestFairShares(t *testing.T) {
	for _, floods := range testenv.Crowds {
		values, rev := map[string]bus.Value{}, bus.Revision(0)
		put := func(owner string, n int) {
			for i := range n {
				rev++
				key := fmt.Sprint(owner, " ", i)
				values[key] = bus.Value{Key: key, Owner: owner, Rev: rev}
			}
		}
		for i := range floods {
			put(fmt.Sprint("flood-", i), 4000/floods)
		}
		put("honest", 3)
		put("other", 2)
		lost := fair(values, 1000)
		assert.Len(t, lost, floods)
		share := 995 / floods
		assert.Len(t, values, 5+floods*share, "%d floods", floods)
		for i := range 3 {
			assert.Contains(t, values, fmt.Sprint("honest ", i))
		}
		assert.Contains(t, values, fmt.Sprintf("flood-0 %d", share-1))
		assert.NotContains(t, values, fmt.Sprintf("flood-0 %d", share))
		assert.Nil(t, fair(values, 1000))
	}
}
