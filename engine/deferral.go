package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// DeferTime is how long scripts can defer a connect request. It is counted in ticks.
const DeferTime = 10 * time.Second

// A deferral is a connect request that scripts decide later. Its connection is an object of the
// world that no list of players has: it takes no place in the game.
type deferral struct {
	request *netcore.ConnectRequest
	conn    *Connection
	text    string // what the client shows; "": scripts have not deferred it
	by      string // who decides, for people
	until   uint64 // the tick that refuses it

	decided bool
	refuse  string // "" accepts it
}

// decide decides on a request. The next Send passes it on. The first decision counts.
func (d *deferral) decide(refuse string) bool {
	if d.decided || d.request.Over() || !d.conn.Alive() {
		return false
	}
	d.decided, d.refuse = true, refuse
	return true
}

// of returns the deferral of a connection, or nil.
func (q *joinRequests) of(c *Connection) *deferral {
	if d := q.deciding; d != nil && d.conn == c {
		return d
	}
	if i := slices.IndexFunc(q.deferred, func(d *deferral) bool { return d.conn == c }); i >= 0 {
		return q.deferred[i]
	}
	return nil
}

// Defer makes a connect request wait for Decide. The client shows the text, which must not be
// empty. Scripts call Defer in ConnectRequest, and again to change the text or by, which says for
// people who decides. Without a decision in DeferTime the request is refused.
func (j *Join) Defer(text, by string) {
	if d := j.conn.host.requests.of(j.conn); d != nil {
		d.text, d.by = text, by
	}
}

// Deferred reports whether the connect request of a connection still waits for Decide.
func (j *Join) Deferred() bool {
	d := j.conn.host.requests.of(j.conn)
	return d != nil && d.text != "" && !d.decided && !d.request.Over() && j.conn.Alive()
}

// Decide decides on a deferred connect request: "" lets the client join if there is room for it
// then, another text refuses it. It returns false if the request does not wait any more.
func (j *Join) Decide(refuse string) bool {
	return j.Deferred() && j.conn.host.requests.of(j.conn).decide(refuse)
}

// wait makes a request wait that scripts have deferred.
func (q *joinRequests) wait(d *deferral) {
	d.until = q.host.Pace.tickAfter(DeferTime)
	d.request.Deferred = d.text
	q.deferred = append(q.deferred, d)
}

// watchDeferred refuses the requests that have waited too long.
func (q *joinRequests) watchDeferred() {
	for _, d := range q.deferred {
		if q.host.tick >= d.until {
			d.decide("the request was not checked in time by " + cmp.Or(d.by, "the server") + tryAgain)
		}
	}
}

// refuseDeferred refuses all requests that wait.
func (q *joinRequests) refuseDeferred(why string) {
	for _, d := range q.deferred {
		d.decide(why)
	}
}

// settleDeferred passes on what scripts have decided, and forgets the requests whose clients have
// gone. It reports whether there is something to send.
func (q *joinRequests) settleDeferred() (changed bool) {
	if len(q.deferred) == 0 {
		return false
	}
	waiting := q.deferred
	q.deferred = nil
	for _, d := range waiting {
		over, told := q.settle(d)
		changed = changed || told
		if !over {
			q.deferred = append(q.deferred, d)
		}
	}
	return changed
}

// settle passes on what scripts have decided about one request, or its new text.
func (q *joinRequests) settle(d *deferral) (over, told bool) {
	h, r := q.host, d.request
	refuse := d.refuse
	switch {
	case r.Over():
		h.lifetimes.discard(d.conn)
		return true, true
	case !d.conn.Alive():
		refuse = endedText
	case !d.decided && r.Deferred == d.text:
		return false, false
	case !d.decided:
		r.Deferred = d.text
		h.endpoint.Answer(h.now, r, "")
		return false, true
	case refuse == "":
		refuse = q.admitAgain(d)
	}
	r.Deferred = ""
	h.endpoint.Answer(h.now, r, refuse)
	if r.Conn == nil {
		h.lifetimes.discard(d.conn)
	}
	return true, true
}

// admitAgain asks all again that can have changed while a request waited. It returns why the client
// is refused now, or "".
func (q *joinRequests) admitAgain(d *deferral) (refuse string) {
	older, refuse := q.admit(d.request)
	if refuse == "" {
		refuse = q.host.scripts.StillRefuses(d.conn)
	}
	if refuse == "" {
		older.giveWay()
	}
	return refuse
}

// giveWay ends the connection of a spectator whose place another one gets. nil does nothing.
func (c *Connection) giveWay() {
	if c != nil {
		c.Disconnect("another address got this place for spectators")
	}
}
