package bus

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEpochsRiseByRestores: a restore raises the epoch, also one that was tried often. A number
// that leaves none for a restore does not count on a server that has seen a lower one.
func TestEpochsRiseByRestores(t *testing.T) {
	seen := Epoch{Count: 7, ID: 1}
	assert.True(t, Epoch{Count: 8}.Follows(seen))
	assert.True(t, Epoch{Count: 1007}.Follows(seen))
	assert.True(t, Epoch{Count: 1 << 40}.Follows(Epoch{}))
	for _, n := range []uint64{6, 7, 1008, math.MaxUint64} {
		assert.False(t, Epoch{Count: n, ID: 2}.Follows(seen), n)
	}
}
