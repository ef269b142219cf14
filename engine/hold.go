package engine

import (
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// A Hold makes the connect requests of a server wait, for example while it reads who is banned.
// They wait like those that scripts defer (Join.Defer), but scripts do not know them yet: when the
// hold ends, scripts decide, and can defer a request for a time of their own. The zero Hold is off.
type Hold struct {
	host    *Host
	text    string        // what the clients show; "": it is off
	until   uint64        // the tick that ends it
	waiting []heldRequest // the oldest first
}

// A heldRequest is a connect request that waits for the end of a hold. It has the right to join.
type heldRequest struct {
	request *netcore.ConnectRequest
	arrived *Arrival // what its ticket said, which counts once; nil: it had none
}

// Begin makes connect requests wait until End, or for a time at most, which is counted in ticks.
// Then they go on. Their clients show the text, which must not be empty.
func (d *Hold) Begin(text string, most time.Duration) {
	d.text = text
	d.until = d.host.Pace.tickAfter(most)
}

// End lets the requests go on with the next Send. Places are asked for again, and then scripts.
func (d *Hold) End() { d.text = "" }

// On reports whether connect requests wait.
func (d *Hold) On() bool { return d.text != "" }

// watch ends a hold that has lasted too long.
func (d *Hold) watch() {
	if d.On() && d.host.tick >= d.until {
		d.End()
	}
}

// add makes a request wait.
func (d *Hold) add(r *netcore.ConnectRequest, arrived *Arrival) {
	r.Deferred = d.text
	d.waiting = append(d.waiting, heldRequest{r, arrived})
}

// settle decides about the requests whose hold has ended, as many as scripts can decide about in
// this tick, and forgets those whose clients have gone. It reports whether there is something to
// send. A pause ends no hold, but it refuses these requests.
func (d *Hold) settle() (told bool) {
	h := d.host
	d.waiting = slices.DeleteFunc(d.waiting, func(w heldRequest) bool { return w.request.Over() })
	for h.requests.deciding == nil && len(d.waiting) > 0 && (h.Pace.paused || !d.On() && h.scripts.CanCheck()) {
		next := d.waiting[0]
		d.waiting = d.waiting[1:] // first, because a script can stand still while it decides
		d.decide(next)
		told = true
	}
	return told
}

// decide decides about a request whose hold has ended.
func (d *Hold) decide(w heldRequest) {
	q, r := &d.host.requests, w.request
	r.Deferred = ""
	older, refuse := q.admit(r)
	if refuse == "" {
		refuse = q.ask(r, w.arrived, older)
	}
	q.answer(r, refuse)
}
