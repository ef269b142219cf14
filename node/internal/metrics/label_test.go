package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLabelled: each metric of a server in a fleet has its name, and one without a fleet has none.
func TestLabelled(t *testing.T) {
	text := "# TYPE a gauge\na 1\nb{mod=\"x y\",event=\"on{Tick\"} 2.5\n"
	assert.Equal(t, text, Labelled(text, ""))
	assert.Equal(t, "# TYPE a gauge\na{server=\"arena-1\"} 1\nb{server=\"arena-1\",mod=\"x y\",event=\"on{Tick\"} 2.5\n", Labelled(text, "arena-1"))
}
