package netcore

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/congestion"
)

const (
	budgetGrid   = 2 * time.Millisecond  // connections without a grant wake together
	budgetBurst  = 64 * time.Millisecond // of the budget can be sent at once after a pause
	budgetPeriod = 128 * time.Millisecond
	unlimited    = math.MaxInt
)

// budget shares what an endpoint can send among its connections. It is start-time fair queueing:
// each connection has an account of the bytes that it has sent, and the lowest accounts get the
// next packets. So each connection gets what it needs, up to a common share: the highest that the
// budget allows. No connection can push another below an equal share.
//
// A connection that had nothing to send begins again at the accounts of the others. So nobody saves
// up a share. Handshakes do not count: otherwise strangers could use up the budget.
type budget struct {
	rate    float64 // bytes per second with IP and UDP headers; 0 for no bound
	tokens  float64 // bytes
	at      Time    // of the tokens
	served  float64 // the lowest account of those that wanted to send last
	wanting []*Conn // in this Send, the lowest account first
	period  Time    // when the present period began
}

// grant is the part of a connection in the budget. All counts are bytes.
type grant struct {
	left    int     // that the connection can still send in this Send
	spent   int     // in this Send
	account float64 // all that it has sent, and what it has given up while it had nothing to send
	used    int     // in the present period
	held    bool    // it could have sent more in the present period
	share   float64 // bytes per second that it can count on
}

// spend takes the bytes of a packet.
func (g *grant) spend(size int) {
	g.spent += size
	if g.left != unlimited {
		g.left -= size
	}
}

func (g *grant) start() { *g = grant{left: unlimited, share: math.Inf(1)} }

// SetBandwidth limits what all connections of the endpoint together send, in bytes per second with
// IP and UDP headers. 0 is no limit. Handshakes and connections inside the process do not count.
func (e *Endpoint) SetBandwidth(bytesPerSecond float64) {
	if e.budget.rate == bytesPerSecond {
		return
	}
	e.budget = budget{rate: bytesPerSecond, at: e.now, period: e.now}
	for _, c := range e.conns {
		c.rate.grant.start()
	}
}

// counts reports whether a connection has a part in the budget.
func (b *budget) counts(c *Conn) bool { return b.rate > 0 && c.cfg.Addr.Kind != AddrLocal }

// grant says which connections can send in this Send, and how much.
func (b *budget) grant(now Time, conns []*Conn) {
	if b.rate == 0 {
		return
	}
	b.tokens = min(b.tokens+(now-b.at).Seconds()*b.rate, max(b.rate*budgetBurst.Seconds(), MaxDatagram))
	b.at = max(b.at, now)
	b.wanting = b.wanting[:0]
	round := 0
	for _, c := range conns {
		if !b.counts(c) {
			continue
		}
		g := &c.rate.grant
		g.left, g.spent = 0, 0
		if c.wants(now) {
			g.account = max(g.account, b.served)
			b.wanting = append(b.wanting, c)
			round += c.PacketSize() + congestion.HeaderBytes
		}
	}
	if len(b.wanting) == 0 {
		return
	}
	slices.SortStableFunc(b.wanting, func(x, y *Conn) int { return cmp.Compare(x.rate.grant.account, y.rate.grant.account) })
	b.served = b.wanting[0].rate.grant.account
	b.share(round)
}

// share gives the tokens to the connections that want to send, packet by packet. round is the size
// of one packet for each.
func (b *budget) share(round int) {
	left := b.tokens
	rounds := max(int(left)/round, 0)
	left -= float64(rounds * round)
	for _, c := range b.wanting {
		size := c.PacketSize() + congestion.HeaderBytes
		c.rate.grant.left = rounds * size
		if left > 0 {
			c.rate.grant.left += size
			left -= float64(size)
		}
	}
}

// settle takes what the connections have sent in this Send.
func (b *budget) settle(now Time, conns []*Conn) {
	if b.rate == 0 {
		return
	}
	for _, c := range b.wanting {
		if g := &c.rate.grant; g.left <= 0 {
			g.held = true
		}
	}
	for _, c := range conns {
		if g := &c.rate.grant; b.counts(c) {
			b.tokens -= float64(g.spent)
			g.account += float64(g.spent)
			g.used += g.spent
		}
	}
	if now-b.period >= budgetPeriod {
		b.endPeriod(now, conns)
	}
}

// endPeriod computes the share of the connections that the budget has held back: what the others
// leave, in equal parts, and at least an equal part of all. After an idle time the others can have
// sent more than the rate. The size of their packets follows it.
func (b *budget) endPeriod(now Time, conns []*Conn) {
	left, held, all := b.rate*(now-b.period).Seconds(), 0, 0
	for _, c := range conns {
		if b.counts(c) {
			all++
		}
		switch g := &c.rate.grant; {
		case !b.counts(c):
		case g.held:
			held++
		default:
			left -= float64(g.used)
		}
	}
	share := max(left/(now-b.period).Seconds()/float64(max(held, 1)), b.rate/float64(max(all, 1)))
	for _, c := range conns {
		g := &c.rate.grant
		if g.share = math.Inf(1); g.held && b.counts(c) {
			g.share = share
		}
		g.used, g.held = 0, false
	}
	b.period = now
}

// due returns when the budget allows the next packet.
func (b *budget) due() Time {
	if b.rate == 0 || b.tokens > 0 {
		return 0
	}
	t := b.at + Time(-b.tokens/b.rate*1e9) + 1
	return (t + budgetGrid - 1) / budgetGrid * budgetGrid
}

// wants reports whether the connection has a packet to send that waits for nothing but the budget.
func (c *Conn) wants(now Time) bool {
	if c.end.over || !c.ackDue() && !(c.out.room() && c.streamsDue(now) <= now) {
		return false
	}
	return c.rate.ready(now)
}
