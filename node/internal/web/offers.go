package web

import (
	"math"
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
)

const (
	offerRate  = 50  // offers per second of all addresses
	offerBurst = 300 // as many at once as can wait for their browsers, and more

	addressOffers     = 2 // per second of one address
	addressOfferBurst = 8
)

// offers limits how often browsers offer WebRTC: each address, and all together.
type offers struct {
	began    time.Time // of the first offer
	own, all rate.Limit
	shared   netcore.SharedLimiter
}

// joined gives back an offer whose browser has joined the game.
func (o *offers) joined(now time.Time, from netcore.Addr) { o.shared.Return(now.Sub(o.began), from) }

func newOffers() offers {
	return offers{
		own: rate.Limit{PerSecond: addressOffers, Burst: addressOfferBurst},
		all: rate.Limit{PerSecond: offerRate, Burst: offerBurst},
	}
}

// allow counts an offer and reports whether the server answers it.
func (o *offers) allow(now time.Time, from netcore.Addr, l netcore.Limits) bool {
	if o.began.IsZero() {
		o.began = now
	}
	own := o.own
	if l.Allows(from) {
		own.Burst = math.Inf(1)
	} else {
		more := float64(l.Scale(addressOfferBurst)) / addressOfferBurst
		own = rate.Limit{PerSecond: own.PerSecond * more, Burst: own.Burst * more}
	}
	return o.shared.Admit(now.Sub(o.began), from, own, o.all)
}
