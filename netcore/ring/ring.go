// Package ring provides a queue in a ring buffer. It imports nothing.
//
// The streams of package netcore keep one record for each packet in flight in such a queue. A
// queue that has reached its size allocates nothing.
package ring

// Queue is a first-in, first-out queue. The zero Queue is empty and ready to use.
type Queue[T any] struct {
	items []T // its length is a power of two
	first int
	n     int
}

// Len returns the number of items in the queue.
func (q *Queue[T]) Len() int { return q.n }

// Push appends v. A full queue doubles its buffer, which begins with 32 items.
func (q *Queue[T]) Push(v T) {
	if q.n == len(q.items) {
		q.grow()
	}
	q.items[(q.first+q.n)&(len(q.items)-1)] = v
	q.n++
}

func (q *Queue[T]) grow() {
	items := make([]T, max(32, 2*q.n))
	for i := range q.n {
		items[i] = *q.At(i)
	}
	q.items, q.first = items, 0
}

// Front returns the oldest item. The queue must not be empty.
func (q *Queue[T]) Front() *T { return &q.items[q.first] }

// At returns the item i places behind the front, 0 <= i < Len.
func (q *Queue[T]) At(i int) *T { return &q.items[(q.first+i)&(len(q.items)-1)] }

// Pop removes the oldest item and returns it. The queue must not be empty.
func (q *Queue[T]) Pop() T {
	v := q.items[q.first]
	q.first = (q.first + 1) & (len(q.items) - 1)
	q.n--
	return v
}

// Clear removes all items and keeps the buffer.
func (q *Queue[T]) Clear() { q.first, q.n = 0, 0 }
