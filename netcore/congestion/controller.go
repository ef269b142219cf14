package congestion

import "time"

// Time is a point in time, as in netcore.
type Time = time.Duration

// HeaderBytes are the IPv4 and UDP headers of a datagram. All sizes and rates of this package
// include them.
const HeaderBytes = 28

// Rates are in bytes per second.
const (
	initialRate  = 38_400    // a packet of 1,200 bytes of payload per tick of 32 ms
	leastRate    = 1_200     // on the worst line
	leastTrickle = 700       // while the queue is very long
	highestRate  = 6_250_000 // 50 Mbit/s
	lossFloor    = 16_000    // losses alone do not push the rate lower: 128 kbit/s
)

const (
	fullSize = 1200 + HeaderBytes // bytes

	leastRound = 64 * time.Millisecond // two ticks
	grid       = 2 * time.Millisecond  // send times are multiples of it
	firstBurst = 4 * fullSize          // bytes that a new connection can send at once
	firstLimit = 13 * fullSize         // bytes in flight before the first ack
	fastBytes  = 3 * fullSize          // one ack of more bytes shows a line of 1 Mbit/s or more;
	fastBurst  = 10 * fullSize         // a new connection can then send so many bytes at once
	mostLate   = 64 * time.Millisecond // of an owner that is only late: two ticks

	// A busy machine delays packets, but never all of them for so long or by so much.
	busyTime = 3 * time.Second
	busyWait = 400 * time.Millisecond

	trickle = 16 // with too much in flight, the rate is divided by this, but not below leastRate
)

// peer says what is between the two ends.
type peer uint8

const (
	behindLine peer = iota
	onMachine       // on this machine, and perhaps behind a line all the same
	inProcess       // in this process
)

// Controller decides when a connection can send. Its owner sends only while it is Ready, and calls
// Sent for every packet and Acked for every ack. It must be started.
type Controller struct {
	shortAt  Time // when the queue was short last
	rate     float64
	tokens   float64 // bytes; a packet can be sent while this is positive
	at       Time    // of the tokens
	inFlight int     // bytes

	delay    delayModel
	delivery deliveryModel
	ackGap   Time // the longest time in which packets in flight got no ack; decays
	ackAt    Time
	round    round

	peer     peer
	phase    phase
	waits    bool    // the owner has something to send, and was not Ready
	speed    float64 // of the increase
	known    float64 // arrival rate when the line was full last, 0 before
	resume   float64 // the rate after draining
	holdTill Time    // until then a reduction has no effect yet
	checked  Time    // the queue at the last check while draining or competing

	use    float64 // share of the rate that the last rounds used
	demand float64 // bytes per second sent in the busiest of the last rounds

	settled, lost int32   // packets in the present look of brake
	police        *police // after losses

	peak       float64 // the highest known rate, slowly forgotten
	lostAt     Time    // when a packet was reported as lost last
	unanswered int     // reductions that did not shorten the queue, while others squeezed this connection
	squeezedAt Time    // since then other senders have squeezed this connection
	competeAt  Time    // the begin of the last time of competing
	until      Time    // its latest end, or its end
	cutAt      Time    // when losses lowered the rate while competing
}

// round collects the events of about a round trip.
type round struct {
	at              Time
	sent            int     // bytes
	delivered, lost int32   // packets
	settled         float64 // the highest settledRate
	timed           bool
}

// Start begins a new connection.
func (c *Controller) Start(now Time) {
	*c = Controller{rate: initialRate, tokens: firstBurst, at: now, speed: 1, use: 1, ackAt: now, squeezedAt: now, shortAt: now}
	c.round.at = now
}

// Move begins anew on another path. Packets in flight stay so.
func (c *Controller) Move(now Time) {
	inFlight := c.inFlight
	c.Start(now)
	c.inFlight = inFlight
}

// NoLine says that there is no line between the two ends: they are in one process. Only a busy
// machine delays their packets, so the rate never falls below that of a new connection.
func (c *Controller) NoLine() { c.peer = inProcess }

// OneMachine says that the peer has an address of this machine. It is a program here, or a tunnel
// with a line behind it. The rate falls below that of a new connection only when a line shows: by
// losses above 5 %, or by a longer queue than that of a busy machine.
func (c *Controller) OneMachine() { c.peer = onMachine }

// floor returns the lowest rate, 0 for the lowest of any line.
func (c *Controller) floor() float64 {
	if c.peer == behindLine {
		return 0
	}
	return initialRate
}

// Rate returns the rate in bytes per second.
func (c *Controller) Rate() float64 { return c.rate }

// Queue returns how long packets wait in the queue of the line.
func (c *Controller) Queue() Time { return c.delay.standing }

// Ready reports whether a packet can be sent, to an owner that has something to send. If not, the
// owner waits until it sends.
func (c *Controller) Ready(now Time) bool {
	if !c.Allows(now) {
		c.waits = true
		return false
	}
	return true
}

// Allows reports whether a packet can be sent, to an owner that does not know whether it has
// something to send.
func (c *Controller) Allows(now Time) bool {
	c.fill(now)
	return c.tokens > 0
}

// Due returns when the next packet can be sent.
func (c *Controller) Due() Time {
	if c.tokens > 0 {
		return c.at
	}
	t := c.at + Time(-c.tokens/c.pace()*1e9) + 1
	return (t + grid - 1) / grid * grid
}

// Spare returns how many bytes can be sent from now on, so that a packet can leave at until: none
// while packets wait in the queue of the line. most is another limit of the rate, in bytes per
// second.
func (c *Controller) Spare(now, until Time, most float64) int {
	if !c.Allows(now) || c.overfull() || c.delay.standing > c.delay.target()/2 {
		return 0
	}
	return int(c.tokens + min(c.pace(), most)*(until-now).Seconds())
}

// fill adds the tokens of the time that has passed. After a pause, what the rate allows in twice
// the grid can be sent at once, and always one packet. An owner that waits is only late: a busy
// host, or a page with its frames, asks again some ticks after the time that Due told. It gets all
// tokens of that time, unless it comes so late that it has paused.
func (c *Controller) fill(now Time) {
	if now <= c.at {
		return
	}
	tokens, most := c.tokens+(now-c.at).Seconds()*c.pace(), 1+c.rate*2*grid.Seconds()
	c.at = now
	switch {
	case c.waits && tokens <= c.rate*mostLate.Seconds():
		c.tokens = tokens
	case c.waits:
		c.waits, c.tokens = false, min(tokens, most)
	case c.tokens < most:
		c.tokens = min(tokens, most)
	}
}

// pace returns the rate at which packets leave at present.
func (c *Controller) pace() float64 {
	if c.overfull() {
		if c.delay.standing > 3*c.delay.target() {
			return max(leastTrickle, c.rate/trickle, c.floor())
		}
		return max(leastRate, c.rate/trickle, c.floor())
	}
	return c.turnRate()
}

// overfull reports whether too much is in flight: more than the line and the pauses between acks
// explain.
func (c *Controller) overfull() bool {
	if c.delay.low == 0 {
		return c.inFlight > firstLimit
	}
	t := c.delay.low + c.ackGap
	switch c.phase {
	case draining:
		t += 10 * time.Millisecond
	case competing:
		t += 400 * time.Millisecond
	default:
		t += c.ackGap + 100*time.Millisecond
	}
	more := c.inFlight - int(c.rate*t.Seconds())
	return more > 0 && more > 2*c.Size(fullSize)
}

// Size returns how large the packets of a busy connection should be, at most most bytes.
func (c *Controller) Size(most int) int { return SizeAt(c.rate, most) }

// SizeAt returns how large packets should be at a rate in bytes per second. Up to most bytes they
// are as large as one packet per tick needs. On a slow line, packets of 300 bytes come less often.
func SizeAt(rate float64, most int) int {
	const perSecond, slowest = 31.25, 8. // packets
	const small, smallest = 300 + HeaderBytes, 100 + HeaderBytes
	size := max(rate/perSecond, min(small, rate/slowest), smallest)
	return min(int(size), most)
}

// Sent counts a packet.
func (c *Controller) Sent(now Time, size int) {
	c.fill(now)
	if c.inFlight == 0 {
		c.ackAt, c.shortAt = now, now
	}
	c.waits = false
	c.tokens -= float64(size)
	c.inFlight += size
	c.round.sent += size
}

// Acked handles an ack.
func (c *Controller) Acked(now Time, a Ack) {
	c.fill(now)
	c.inFlight -= a.Delivered + a.Lost
	c.ackGap = min(max(now-c.ackAt, c.ackGap-c.ackGap/16), time.Second)
	c.ackAt = now
	c.round.delivered += int32(a.DeliveredCount)
	c.round.lost += int32(a.LostCount)
	if a.LostCount > 0 {
		c.lostAt = now
		c.cut(now)
	}
	if a.Delivered > fastBytes && c.phase == startup && c.delivery.delivered < firstLimit {
		c.tokens = max(c.tokens, fastBurst)
	}
	c.delivery.count(a)
	c.heed(now, a)
	if a.Timed {
		c.round.timed = true
		c.delivery.sample(now - a.Delay)
		c.round.settled = max(c.round.settled, c.delivery.settledRate())
		c.delay.sample(now, max(now-a.Sent-a.Delay, 1), a.Size, c.rate)
		c.react(now)
	}
	c.endRound(now)
	c.watchFloor(now)
	c.rate = max(c.rate, c.floor())
}

// watchFloor gives up the floor if the queue is longer than that of a busy machine.
func (c *Controller) watchFloor(now Time) {
	if c.delay.standing <= c.delay.target() {
		c.shortAt = now
	}
	if c.peer == onMachine && (c.delay.standing > busyWait || now-c.shortAt > busyTime) {
		c.lineShows(now)
	}
}

// lineShows gives up the floor. The connection did not answer the queue, so it has learned nothing
// about other senders.
func (c *Controller) lineShows(now Time) {
	c.peer = behindLine
	c.unanswered, c.squeezedAt = 0, now
	if c.phase == competing {
		c.enter(steady, now)
	}
}
