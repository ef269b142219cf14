package netcore

import "time"

const (
	keyLife    = 2 * time.Minute // after which a side renews its key
	keyPackets = 1 << 16         // sealed packets after which it does so earlier
	keyOverlap = 2 * time.Second // for which the receiver still accepts the key before
)

// keyRenewal renews the keys of a connection. Each side renews the one that it seals with:
//
//	its time is over ──▶ a data packet announces the new key, repeated until it is delivered
//	delivered        ──▶ every further packet is sealed with the new key
//	first such packet ─▶ the receiver keeps the key before for two seconds
type keyRenewal struct {
	announcement
	began  Time   // when the current key was taken into use
	sealed uint64 // data and control packets sealed before it
	ends   Time   // when the overlap of the peer's keys ends; 0 for none
}

// renewKeys announces a new key when the time of the current one is over, and ends the overlap of
// the peer's keys.
func (c *Conn) renewKeys() {
	k := &c.rates.keys
	old := c.now-k.began >= keyLife || c.stats.Sent+c.stats.ControlSent-k.sealed >= keyPackets
	if old && !k.announced() {
		k.pending = true
	}
	switch {
	case !c.cfg.Keys.Overlaps():
	case k.ends == 0:
		k.ends = c.now + keyOverlap
	case c.now >= k.ends:
		c.cfg.Keys.ForgetPrevious()
		k.ends = 0
	}
}

// useNewKey begins with the new key: the peer is known to expect it.
func (c *Conn) useNewKey() {
	c.cfg.Keys.RenewSealing()
	k := &c.rates.keys
	k.began, k.sealed = c.now, c.stats.Sent+c.stats.ControlSent
}

// announcement is something that one data packet must carry to the peer.
type announcement struct {
	pending bool
	carrier Seq // the packet that carries it; 0 for none
}

// announced reports whether the announcement waits for a packet, or for the fate of one.
func (a *announcement) announced() bool { return a.pending || a.carrier != 0 }

// carry notes that a packet carries the announcement.
func (a *announcement) carry(seq Seq) { a.pending, a.carrier = false, seq }

// settle takes the fate of a packet. It returns true if the announcement was delivered. After a
// loss the announcement is repeated.
func (a *announcement) settle(seq Seq, delivered bool) bool {
	if seq != a.carrier || a.carrier == 0 {
		return false
	}
	a.pending, a.carrier = !delivered, 0
	return delivered
}
