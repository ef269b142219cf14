package core

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestForwardRefusesWhatComesTooLate checks that a value is refused after the posts are closed, so
// no caller waits for its answer.
func TestForwardRefusesWhatComesTooLate(t *testing.T) {
	p, from, refused := NewPosts(), make(chan int), make(chan int)
	go Forward(p, from, func(int) { t.Error("nobody runs it") }, func(v int) { refused <- v })
	from <- 7
	p.close()
	assert.Equal(t, 7, <-refused)
}

// TestPostsAreBounded fills the queue of a node that does not run. Offer then drops its
// function, and Post waits.
func TestPostsAreBounded(t *testing.T) {
	p, ran := NewPosts(), 0
	for range queuedPosts + 5 {
		p.Offer(func() { ran++ })
	}
	assert.Len(t, p.Queue, queuedPosts)
	posted := make(chan bool)
	go func() { posted <- p.Post(func() { ran++ }) }()
	for range queuedPosts + 1 {
		(<-p.Queue)()
	}
	assert.True(t, <-posted)
	assert.Equal(t, queuedPosts+1, ran)
}
