// Package ring provides a queue in a ring buffer. It imports nothing.
//
// The streams of package netcore keep one record for each packet in flight in such a queue. A
// queue that has reached its size allocates nothing. Trim frees what a burst has left.
package ring

const least = 4 // items in the smallest buffer

// Size returns the length of a buffer for n items: a power of two.
func Size(n int) int {
	size := least
	for size < n {
		size *= 2
	}
	return size
}

// The fates of packets after which a stream trims its memory: firstTrim, twice as many, and so on,
// and then every lastTrim. So the memory of a join is soon free, and a stream that needs its memory
// now and then keeps it.
const (
	firstTrim = 64
	lastTrim  = 1024
)

// TrimAfter reports whether a stream trims its memory after that many fates of packets.
func TrimAfter(fates uint64) bool {
	return fates%lastTrim == 0 || fates >= firstTrim && fates&(fates-1) == 0
}

// Trimmed returns the length to which to shorten a buffer of length now that has held up to most
// items for some time: 0 if it has held none. It returns now unless that saves three quarters, so
// that a buffer does not change often.
func Trimmed(now, most int) int {
	if most == 0 {
		return 0
	}
	if size := Size(most); size <= now/4 {
		return size
	}
	return now
}

// Queue is a first-in, first-out queue. The zero Queue is empty and ready to use.
type Queue[T any] struct {
	items []T // its length is a power of two
	first int
	n     int
	most  int // items at a time since the last Trim
}

// Len returns the number of items in the queue.
func (q *Queue[T]) Len() int { return q.n }

// Push appends v. A full queue doubles its buffer.
func (q *Queue[T]) Push(v T) {
	if q.n == len(q.items) {
		q.resize(Size(q.n + 1))
	}
	q.items[(q.first+q.n)&(len(q.items)-1)] = v
	q.n++
	q.most = max(q.most, q.n)
}

// Trim frees memory that the queue has not needed since the last Trim.
func (q *Queue[T]) Trim() {
	if size := Trimmed(len(q.items), q.most); size < len(q.items) {
		q.resize(size)
	}
	q.most = q.n
}

// resize moves the items to another buffer.
func (q *Queue[T]) resize(size int) {
	items := make([]T, size)
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
