package move

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestStreamSize keeps a stream within 768 bytes, a size of the allocator, with its header, and
// checks that it has no buffers for the role that it does not play.
func TestStreamSize(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Stream{}), uintptr(768-8))
	server := New(Config{ReceivesMoves: true})
	assert.Nil(t, server.sender.moves)
	assert.Nil(t, server.sender.bits)
	client := New(Config{SendsMoves: true})
	assert.Nil(t, client.receiver.queue)
}
