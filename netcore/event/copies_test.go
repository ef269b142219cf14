package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestOldestEventGetsCopies checks that the oldest event is found, however many events behind it
// have arrived: all of them wait for it.
func TestOldestEventGetsCopies(t *testing.T) {
	c := &sendChannel{}
	for range 3 * maxCopyScan {
		_, it := c.number()
		it.carriers, it.delivered, it.sent = 1, true, 0
	}
	c.at(c.base).delivered = false
	n, due := c.nextCopy(maxCopyScan, 0, time.Second)
	assert.Equal(t, c.base, n)
	assert.Equal(t, time.Second, due)
	n, due = c.nextCopy(maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, c.base, n)
	assert.LessOrEqual(t, due, time.Minute)

	last := c.at(c.next - 1)
	last.delivered = false
	c.at(c.base).delivered = true
	n, _ = c.nextCopy(c.next-maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, c.next-1, n)
	_, due = c.nextCopy(maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, netcore.Never, due, "it is not among the examined ones")
	_, due = new(sendChannel).nextCopy(0, 0, time.Second)
	assert.Equal(t, netcore.Never, due)
}
