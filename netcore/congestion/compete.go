package congestion

import "time"

// Other senders squeeze a connection if its share of a full line falls below squeezedShare of the
// best, for squeezedTime or until it has lowered its rate mostUnanswered times in vain. Two
// connections get half each, so they do not squeeze each other.
const (
	squeezedShare  = .4
	squeezedTime   = 4 * time.Second // half as long again soon after competing
	soonAfter      = 30 * time.Second
	freshLoss      = 1500 * time.Millisecond
	mostUnanswered = 6

	leastCompeting = time.Second
	competingTime  = 6 * time.Second // and up to competingExtra more
	competingExtra = 5 * time.Second
	certainTime    = 10 * time.Second // after that without a TCP there is none
)

// Changes of the rate beside a TCP. The increase is that of a TCP with CUBIC's reduction: RFC 9438,
// 4.3.
const (
	startShare  = .7           // of the best rate
	cutShare    = .8           // of the rate, after a loss
	rivalBytes  = .53 * 1500   // more bytes per round trip in each round trip
	leastWindow = 4 * fullSize // bytes per round trip, at most
	leastShare  = .7           // of the best rate
)

// squeezed reports whether another sender keeps the queue full: this connection has got much less
// than before, lowering its rate does not help, and there is a queue. When the capacity falls,
// lowering the rate does help. A connection that sends less than its rate is not squeezed.
//
// A TCP whose window is two segments long empties the queue of a slow line for a moment in each
// round trip. So the line is calm only if no packet of some time has waited for long, and none got
// lost.
func (c *Controller) squeezed(now, q, target Time) bool {
	fair := c.known >= squeezedShare*c.peak
	if calm := now-c.lostAt > freshLoss && c.delay.longest() < target/2; fair || calm || c.tokens > 0 && !c.used() {
		c.squeezedAt, c.unanswered = now, 0
	}
	wait := squeezedTime
	if c.until > 0 && now-c.until < soonAfter {
		wait += wait / 2
	}
	return c.unanswered >= mostUnanswered || now-c.squeezedAt >= wait && q > target/2
}

// compete begins the phase competing. Its length varies, so that two connections that take each
// other for a TCP end it. The lowest round-trip times stay those of the time before, and the line
// is not slower.
func (c *Controller) compete(now Time) {
	c.enter(competing, now)
	c.competeAt, c.cutAt, c.until = now, now, now+competingTime+now%competingExtra
	c.unanswered, c.checked = 0, 0
	c.delay.keep, c.delay.slow = true, 0
	c.rate = max(c.rate, startShare*c.peak, c.least())
}

// yield ends the phase competing.
func (c *Controller) yield(now Time) {
	c.enter(steady, now)
	c.known = c.rate
	c.until, c.squeezedAt = now, now
}

// cut lowers the rate of a competing connection after losses, once per round trip. The queue of a
// line without other senders is empty soon afterwards.
func (c *Controller) cut(now Time) {
	if c.phase != competing || now-c.cutAt < c.delay.smooth {
		return
	}
	c.cutAt, c.checked = now, c.delay.standing
	c.rate = max(cutShare*c.rate, c.least())
	c.newRound(now)
}

// rival ends a round of a competing connection. The rate grows as that of a TCP does, but not while
// the queue becomes clearly shorter: so it shows whether the line is empty.
func (c *Controller) rival(grow bool) {
	shorter := c.delay.standing < c.checked-c.checked/8
	c.checked = c.delay.standing
	if grow && !shorter {
		c.rate += min(rivalBytes/max(c.delay.smooth, 10*time.Millisecond).Seconds(), mostSpeed*c.rate)
	}
}

// least returns the lowest rate of a competing connection. A TCP also has a least window.
func (c *Controller) least() float64 {
	window := leastWindow / max(c.delay.smooth, time.Millisecond).Seconds()
	return max(min(window, leastShare*c.peak), leastRate)
}
