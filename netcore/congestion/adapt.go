package congestion

type phase uint8

const (
	startup phase = iota
	steady
	draining
	competing
)

// Changes of the rate.
const (
	drainShare  = .85  // of the arrival rate, while the queue is too long
	resumeShare = .84  // of the arrival rate, when the queue is empty again
	idleShare   = .9   // of the rate, if this connection sends less than its rate
	idleFloor   = 9600 // bytes per second; and twice what it sends
	increase    = 4000 // bytes per second in a second, and
	increaseBy  = .05  // of the rate in a second, but
	mostStep    = .07  // of the rate in a round
	mostSpeed   = .25  // of the rate in a round, however fast the increase has become
)

// react adapts the rate to the queue.
func (c *Controller) react(now Time) {
	q, target := c.delay.standing, c.tolerated()
	if c.squeezed(now, q, target) && c.phase != competing {
		c.compete(now)
	}
	switch {
	case c.phase == competing:
		if now >= c.until || now >= c.competeAt+leastCompeting && q <= target/4 {
			c.yield(now)
		}
	case q <= target:
		if c.phase == draining && q <= target/2 {
			c.enter(steady, now)
			c.rate = max(c.rate, c.resume)
		}
		if c.phase == steady && q <= target/2 && now-c.until > certainTime {
			c.delay.keep = false
		}
	case c.phase == draining && c.overfull():
		if arrived := c.delivery.rate(); arrived > 0 && arrived < c.known {
			c.learn(arrived)
		}
	case now < c.holdTill:
	case !c.used():
		c.rate = min(c.rate, max(2*c.demand, idleShare*c.rate, idleFloor))
		c.holdTill = now + max(c.delay.smooth, leastRound)
	case c.phase != draining:
		c.learn(c.delivery.rate())
		c.checked, c.holdTill = q, now+max(c.delay.smooth, leastRound)
		c.enter(draining, now)
	default:
		if q > c.checked-c.checked/8 { // the last reduction has not shortened the queue
			c.unanswered++
			c.learn(c.delivery.rate())
		}
		c.checked, c.holdTill = q, now+max(c.delay.smooth, leastRound)
	}
}

// enter begins a phase.
func (c *Controller) enter(p phase, now Time) {
	c.leave(now)
	c.phase, c.speed = p, 1
	c.newRound(now)
}

// learn lowers the rate below the rate at which packets arrive over the full line.
func (c *Controller) learn(arrived float64) {
	if arrived == 0 {
		arrived = c.rate / 2
	}
	c.rate = max(min(c.rate, drainShare*arrived), leastRate)
	c.resume, c.known = resumeShare*arrived, arrived
	c.peak = max(.99*c.peak, arrived)
	c.delay.slower(c.peak, arrived)
}

// used reports whether the connection has sent about as much as it can.
func (c *Controller) used() bool { return c.use >= .75 }

// endRound ends a round, if it was long enough. Without a measured time nothing grows.
func (c *Controller) endRound(now Time) {
	t := now - c.round.at
	if t < max(leastRound, c.delay.smooth) {
		return
	}
	sent := float64(c.round.sent) / t.Seconds()
	c.demand = max(sent, .95*c.demand)
	if c.phase != draining {
		c.use = (c.use + sent/c.rate) / 2
	}
	switch grow := c.used() && c.round.timed; {
	case c.phase == competing:
		c.rival(grow)
	case c.phase == startup && grow:
		c.rate *= 2
	case c.policing() == asking:
	case c.phase == steady && grow && c.policing() == policed:
		c.creep(t.Seconds())
	case c.phase == steady && grow:
		c.increase(t.Seconds())
	}
	c.rate = min(c.rate, highestRate)
	c.brake(now)
	c.newRound(now)
}

func (c *Controller) newRound(now Time) { c.round = round{at: now} }

// increase raises the rate, faster and faster if it is higher than ever on a full line. It waits
// while a queue begins, or while packets do not arrive as fast as they are sent. An owner that is
// called late sends several packets at once: only with the last of them has all arrived that was
// sent in the time. So the highest rate of the round counts.
func (c *Controller) increase(seconds float64) {
	if c.delay.standing > c.delay.target()/2 || c.rate > 1.05*c.round.settled {
		return
	}
	if c.rate > 1.1*c.known {
		c.speed *= 2
	}
	step := min((increase+increaseBy*c.rate)*seconds, mostStep*c.rate) * c.speed
	c.rate += min(step, mostSpeed*c.rate)
}

// brake lowers the rate when more packets are lost than on a line with 5 % of random loss, beyond
// doubt. It looks at 40 to 160 packets. No busy machine loses so many. Then a question begins
// whether the losses heed the rate (police.go).
func (c *Controller) brake(now Time) {
	if c.policing() != unpoliced {
		c.look(now)
		return
	}
	c.settled += c.round.delivered + c.round.lost
	c.lost += c.round.lost
	if c.settled < 40 {
		return
	}
	n, lost := float64(c.settled), float64(c.lost)
	excess := lost - .05*n
	proven := excess > 0 && excess*excess > 12*.05*n
	if proven && c.peer == onMachine {
		c.lineShows(now)
	}
	brake := proven && c.phase != competing
	arrived := c.lookedRate(now)
	if brake || c.settled >= 160 {
		c.look(now)
	}
	if !brake {
		return
	}
	before := c.rate
	c.rate = max(c.rate*(1-lost/n), min(c.rate, lossFloor))
	c.speed = 1
	if c.phase == startup {
		c.phase, c.known = steady, c.rate
		return
	}
	c.ask(now, before, arrived)
}

// look begins a look of brake.
func (c *Controller) look(now Time) {
	c.settled, c.lost = 0, 0
	if c.police != nil {
		c.police.look = look{now, c.delivery.delivered}
	}
}

// lookedRate returns the arrival rate in the present look of brake, 0 before the first losses.
func (c *Controller) lookedRate(now Time) float64 {
	if c.police == nil {
		return 0
	}
	l := c.police.look
	return float64(c.delivery.delivered-l.delivered) / max(now-l.at, 1).Seconds()
}
