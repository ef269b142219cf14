package move

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCopiesForALine(t *testing.T) {
	for loss, want := range map[float64]int{
		-1: 2, 0: 2, 1e-9: 2, .005: 3, .02: 3, .05: 4, .1: 4, .2: 6, .3: 8, .5: 13, .9: Max, 1: Max, 2: Max,
	} {
		got := CopiesFor(loss)
		assert.Equal(t, want, got, "%g", loss)
		if loss > 0 && got < Max {
			assert.LessOrEqual(t, 1875*math.Pow(loss, float64(got)), .3, "%g: lost moves a minute", loss)
		}
	}
	assert.Equal(t, Max, CopiesFor(math.NaN()))
}
