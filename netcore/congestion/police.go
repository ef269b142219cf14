package congestion

import (
	"math"
	"time"
)

// A policer drops packets above its rate, and so does a queue shorter than a packet and a half. No
// queue shows that in the round-trip times, and losses at random look alike. A question tells them
// apart: the rate is higher and lower in turns. Losses at random do not heed it, those of a policer
// belong to the fast turns.
const (
	dither      = .25                    // of the rate, more and less
	askedRate   = 1.1                    // of the arrival rate: a slow turn is below that of a policer
	askFaster   = 1.1                    // of the rate, if no turn of a pair loses a packet
	leastTurn   = 160 * time.Millisecond // and two round trips, and four counted packets
	quiet       = 3 * time.Second        // without a queue, before a question
	askSoon     = 10 * time.Second       // after a question without an answer
	askAgain    = time.Minute            // after losses at random; twice as long each time, up to
	askSeldom   = 10 * askAgain
	evident     = 9.2 // logarithm of the odds: of 10,000 lines with random loss, one seems policed
	improbable  = -1. // logarithm of the odds
	heeding     = .98 // probability that a policer drops in the fast turn, if in one of both
	leastLossy  = 3   // pairs with losses before most of them speak against a policer
	mostPairs   = 60  // of a question
	policedRate = .97 // of the arrival rate of the fast turns
)

// Changes of the rate behind a policer.
const (
	creepBy   = .02             // of the rate in a second
	creepPast = 1.25            // of the known rate: that of the policer has risen, as nothing is lost
	closeLoss = 1.6             // a loss adds this to the tally,
	farLoss   = .05             // a delivery takes this off, and
	alarm     = 2.6             // means two losses close together
	alarmCut  = .9              // of the rate
	cutPause  = 2 * time.Second // cuts in a row come faster
	mostCuts  = 5               // in a row: the losses do not heed the rate, so the line has changed
)

// policing is what losses have shown.
type policing uint8

const (
	unpoliced policing = iota
	asking
	policed
)

// police is the answer to losses above 5 %.
type police struct {
	policing
	question
	look
	since  Time    // of the question, or when a queue showed last
	wait   Time    // after the last losses at random
	askAt  Time    // no question before
	before float64 // bytes per second before the question, or before the cuts in a row
	from   int     // bytes: packets with later fates were sent in the present turn, or since the cut
	tally  float64 // of losses behind a policer
	cuts   int     // in a row
	cutAt  Time
}

// look is the begin of a look of brake. It is only known after losses.
type look struct {
	at        Time
	delivered int // bytes so far
}

// question compares turns.
type question struct {
	fast                 bool // the present turn
	lossy, fastLossy     bool // the present turn, and the fast one before, lost a packet
	pairs, alike, contra int8 // pairs of turns; of them both turns lossy, and only the slow one
	heeded               int8 // and only the fast one
	turnAt               Time
	score                float64 // logarithm of the odds that there is a policer
	arrived, all         int     // bytes of fast turns at the present rate
}

// policing returns what losses have shown.
func (c *Controller) policing() policing {
	if c.police == nil {
		return unpoliced
	}
	return c.police.policing
}

// tolerated returns the longest queue that is tolerated. During a question, it is as long as one
// that only loses packets: estimates of it are longer than it is while the rate is too high.
func (c *Controller) tolerated() Time {
	if c.policing() == asking {
		return max(c.delay.target(), 3*c.packetTime()/2)
	}
	return c.delay.target()
}

// packetTime returns the time of a packet at the present rate.
func (c *Controller) packetTime() Time {
	return Time(float64(c.Size(fullSize)) / c.rate * 1e9)
}

// turnRate returns the rate of the present turn in bytes per second.
func (c *Controller) turnRate() float64 {
	switch {
	case c.policing() != asking:
		return c.rate
	case c.police.fast:
		return (1 + dither) * c.rate
	default:
		return (1 - dither) * c.rate
	}
}

// ask begins a question after losses. before is the rate that lost packets, arrived the arrival
// rate meanwhile.
func (c *Controller) ask(now Time, before, arrived float64) {
	if c.police == nil {
		c.police = &police{since: now, look: look{now, c.delivery.delivered}}
	}
	p := c.police
	if c.phase != steady || !c.used() || c.rate <= lossFloor || now < p.since+quiet || now < p.askAt {
		return
	}
	*p = police{policing: asking, wait: p.wait, before: before, since: now}
	c.rate = max(min(before, askedRate*arrived), lossFloor)
	c.turn(now)
}

// leave ends a question or a verdict: another phase begins, or losses are at random.
func (c *Controller) leave(now Time) {
	p := c.police
	if p == nil {
		return
	}
	if p.policing == asking {
		p.postpone(now)
		if p.contra == 0 {
			p.askAt = now + askSoon
		}
	}
	since := p.since
	if c.delay.standing > c.packetTime() { // longer than that of a policer
		since = now
	}
	*p = police{look: p.look, since: since, askAt: p.askAt, wait: p.wait}
}

// postpone sets the time of the next question.
func (p *police) postpone(now Time) {
	p.wait = min(max(askAgain, 2*p.wait), askSeldom)
	p.askAt = now + p.wait
}

// heed takes the fates of packets, after delivery has counted them.
func (c *Controller) heed(now Time, a Ack) {
	switch c.policing() {
	case asking:
		c.count(now, a)
	case policed:
		c.watchPolicer(now, a)
	}
}

// settledBytes returns the bytes with known fates.
func (c *Controller) settledBytes() int { return c.delivery.delivered + c.delivery.lost }

// turn begins a turn.
func (c *Controller) turn(now Time) {
	p := c.police
	p.fast, p.turnAt, p.lossy = !p.fast, now, false
	p.from = c.settledBytes() + c.inFlight
}

// count counts packets of the present turn, as many bytes of a fast one as of a slow one. The first
// ones find the queue that the turn before has left, so they do not count.
func (c *Controller) count(now Time, a Ack) {
	p, size := c.police, float64(c.Size(fullSize))
	after := float64(c.settledBytes() - p.from)
	before := after - float64(a.Delivered+a.Lost)
	begin := max(size, c.rate*leastTurn.Seconds()/3)
	end := begin + max(4*size, c.rate*leastTurn.Seconds()/2)
	if before >= begin && before < end {
		p.lossy = p.lossy || a.LostCount > 0
		if p.fast {
			p.arrived += a.Delivered
			p.all += a.Delivered + a.Lost
		}
	}
	if now-p.turnAt < max(leastTurn, 2*c.delay.smooth) || after < end {
		return
	}
	if p.fast {
		p.fastLossy = p.lossy
	} else {
		c.judge(now)
	}
	if p.policing == asking {
		c.turn(now)
	}
}

// judge compares a slow turn with the fast one before. The score is a sequential test of Wald: at
// random, a loss in one turn only is as often in the slow one.
func (c *Controller) judge(now Time) {
	p := c.police
	p.pairs++
	switch {
	case p.fastLossy && p.lossy:
		p.alike++
	case p.fastLossy:
		p.heeded++
		p.score += math.Log(2 * heeding)
	case p.lossy:
		p.contra++
		p.score += math.Log(2 * (1 - heeding))
	default:
		c.rate *= askFaster
		p.arrived, p.all = 0, 0
	}
	against := p.alike + p.contra
	switch {
	case p.score > evident:
		c.known = (1 + dither) * c.rate * float64(p.arrived) / float64(max(p.all, 1))
		c.rate = policedRate * c.known
		*p = police{policing: policed, wait: p.wait, from: c.settledBytes() + c.inFlight}
	case p.score < improbable, against+p.heeded >= leastLossy && against >= p.heeded, p.pairs > mostPairs:
		c.rate = max(c.rate, p.before)
		c.leave(now)
	}
}

// watchPolicer lowers the rate after losses close together, as the rate has crept above that of the
// policer. Losses that do not heed the rate end the verdict.
func (c *Controller) watchPolicer(now Time, a Ack) {
	p := c.police
	if c.settledBytes()-a.Delivered-a.Lost < p.from {
		return
	}
	p.tally = max(p.tally-farLoss*float64(a.DeliveredCount), 0) + closeLoss*float64(a.LostCount)
	if p.tally < alarm {
		return
	}
	if now-p.cutAt > cutPause {
		p.cuts, p.before = 0, c.rate
	}
	p.cuts++
	p.cutAt = now
	if p.cuts >= mostCuts {
		c.rate = p.before
		c.leave(now)
		p.postpone(now)
		return
	}
	c.known, c.rate, c.speed = policedRate*c.rate, alarmCut*c.rate, 1
	p.tally, p.from = 0, c.settledBytes()+c.inFlight
}

// creep raises the rate behind a policer, in seconds without a queue.
func (c *Controller) creep(seconds float64) {
	if c.rate > creepPast*c.known {
		c.increase(seconds)
		return
	}
	c.rate *= 1 + creepBy*seconds
}
