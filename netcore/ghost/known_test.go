package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOldValuesAreNoBaseline checks that the span to a value stays exact, up to the highest one,
// and that a value before that counts as none.
func TestOldValuesAreNoBaseline(t *testing.T) {
	for _, tt := range []struct {
		tick, earlier uint32
		want          uint16
	}{{100, 40, 60}, {65540, 5, 65535}, {65541, 5, 0}, {65545, 5, 0}, {70_000, 0, 0}, {7, 0, 7}} {
		assert.Equal(t, tt.want, spanTo(tt.tick, tt.earlier), "%v", tt)
	}
}
