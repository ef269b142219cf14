package engine

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestConnectionSize keeps a connection within 2,304 bytes, a size of Go's allocator. A server has a
// thousand of them.
func TestConnectionSize(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Connection{}), uintptr(2304))
}

// TestVisibleEntrySize keeps an entry within 8 bytes. A connection has one for each object near it.
func TestVisibleEntrySize(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(visibleEntry{}), uintptr(8))
}
