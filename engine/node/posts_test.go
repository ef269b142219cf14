package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestForwardRefusesWhatComesTooLate checks that a value is refused after the posts are closed, so no
// caller waits for its answer.
func TestForwardRefusesWhatComesTooLate(t *testing.T) {
	p, from, refused := newPosts(), make(chan int), make(chan int)
	go forward(p, from, func(int) { t.Error("nobody runs it") }, func(v int) { refused <- v })
	from <- 7
	p.close()
	assert.Equal(t, 7, <-refused)
}
