package line

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

func TestRows(t *testing.T) {
	for _, row := range Rows() {
		t.Run(row.Name, func(t *testing.T) {
			for seed := range min(testenv.Seeds(t, 1, 20), 20) {
				result, err := row.Measure(NewSimulated(seed), seed, testenv.Length(20*time.Second, 60*time.Second))
				require.NoError(t, err)
				assert.True(t, result.Pass(), "seed %d: required %s; measured %s", seed, row.Required, result.Measured)
				t.Logf("seed %d: %s", seed, result.Measured)
			}
		})
	}
}
