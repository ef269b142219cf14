package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// joinRequests are the requests to join a server, and the wrong passwords in them.
type joinRequests struct {
	host     *Host
	guesses  *guessLimiter
	deciding *deferral   // the request that scripts decide about now
	deferred []*deferral // those that they decide later, the oldest first
}

// decideAsked decides on the players who ask to join, and on those whom scripts or a hold have made
// wait. It reports whether there is an answer. Scripts can stand still while they decide, and the
// owner can receive and send meanwhile.
func (q *joinRequests) decideAsked(now netcore.Time) (asked bool) {
	h := q.host
	asked = q.settleDeferred()
	asked = h.Hold.settle() || asked
	for r := h.endpoint.Asked(now); r != nil; r = h.endpoint.Asked(h.now) {
		q.answer(r, q.decide(r))
		asked = true
	}
	return asked
}

// answer passes on what was decided about a request.
func (q *joinRequests) answer(r *netcore.ConnectRequest, refuse string) {
	h := q.host
	h.endpoint.Answer(h.now, r, refuse)
	if c, made := r.User.(*Connection); made && r.Conn == nil && r.Deferred == "" {
		h.lifetimes.discard(c) // the player has gone meanwhile
	}
}

// decide answers a connect request with a proven address and key. During a hold, one with the right
// to join waits.
func (q *joinRequests) decide(r *netcore.ConnectRequest) (refuse string) {
	h := q.host
	if r.Later = !h.Hold.On() && !h.scripts.CanCheck(); r.Later {
		return ""
	}
	if refuse := h.lists.refuse(r); refuse != "" {
		return refuse
	}
	older, refuse := q.admit(r)
	if refuse != "" {
		return refuse
	}
	arrived, refuse := q.checkRight(r)
	if refuse != "" {
		return refuse
	}
	if h.Hold.On() {
		h.Hold.add(r, arrived)
		return ""
	}
	return q.ask(r, arrived, older)
}

// ask asks scripts about a connect request with the right to join. It creates the connection's
// object, so that scripts can examine it. A refusal deletes the object. arrived is what the ticket
// of the request said, and older the spectator whose place it gets; both can be nil.
func (q *joinRequests) ask(r *netcore.ConnectRequest, arrived *Arrival, older *Connection) (refuse string) {
	h := q.host
	c := h.newConnection(true)
	c.address, c.Line.from, c.key, c.PlayerName, c.spectator = addressOf(r.From), r.From, r.Key, r.Name, r.Roles&roleSpectator != 0
	c.setLanguage(r.Language)
	if arrived != nil {
		c.setRare(func(of *rare) { of.arrival = &arrival{Arrival: *arrived} })
	}
	if r.Other {
		c.setRare(func(of *rare) { of.foreign = &foreign{parts: r.Parts} })
		r.Welcome = h.lists.welcome()
	}
	h.world.Add(c)
	d := &deferral{request: r, conn: c}
	q.deciding = d
	refuse = h.scripts.ConnectRequest(c, r.Args)
	q.deciding = nil
	if refuse != "" {
		h.lifetimes.discard(c)
		return refuse
	}
	c.Join.connArgs = append([]string(nil), r.Args...)
	r.User = c
	if d.text != "" {
		q.wait(d)
		return ""
	}
	older.giveWay()
	return ""
}

// admit returns why there is no place for a client now, or "". older is the spectator whose place
// it gets, or nil.
func (q *joinRequests) admit(r *netcore.ConnectRequest) (older *Connection, refuse string) {
	h := q.host
	n := q.inboundCount(r.Key)
	switch {
	case h.Pace.paused:
		return nil, pausedText
	case r.Roles&roleSpectator != 0:
		return h.Demos.checkWatcher(r)
	case h.Drain.on && n == q.inboundCount(seal.Key{}):
		return nil, DrainText
	case !h.Admission.Accepting && n == q.inboundCount(seal.Key{}):
		return nil, ClosedText
	case n >= h.Admission.MaxClients:
		return nil, fmt.Sprintf(fullText+" (%d)", h.Admission.MaxClients)
	}
	return nil, q.checkReserved(r)
}

// inboundCount counts the inbound connections of players, without those that a new one with the key
// would replace.
func (q *joinRequests) inboundCount(key seal.Key) (n int) {
	for _, c := range q.host.conns {
		if c.inbound && !c.spectator && !c.over() && (c.bot || c.key != key) {
			n++
		}
	}
	return n
}

// knows reports whether a player was here before, holds a role, or is on this machine's own client.
func (q *joinRequests) knows(from netcore.Addr, key seal.Key) bool {
	known := q.host.cfg.Known
	return from.Kind == netcore.AddrLocal || known != nil && known(key)
}

// checkReserved returns why a stranger gets none of the reserved places, or "". Bots have places of
// strangers.
func (q *joinRequests) checkReserved(r *netcore.ConnectRequest) (refuse string) {
	a := &q.host.Admission
	if a.Reserved == 0 || q.knows(r.From, r.Key) {
		return ""
	}
	strangers := 0
	for _, c := range q.host.conns {
		if c.inbound && !c.spectator && !c.over() && (c.bot || c.key != r.Key && !q.knows(c.Line.from, c.key)) {
			strangers++
		}
	}
	if strangers < a.MaxClients-a.Reserved {
		return ""
	}
	return fmt.Sprintf(fullText+" (%d) for new players: %d places are kept for those who were here before", a.MaxClients, min(a.Reserved, a.MaxClients))
}

// replaceOlder ends the other inbound connections with the key of c: a player whose program has
// crashed comes back at once, and nobody plays twice with one key.
func (q *joinRequests) replaceOlder(c *Connection) {
	for _, o := range slices.Clone(q.host.conns) {
		if o != c && o.inbound && !o.bot && o.net != nil && o.key == c.key {
			o.net.Close(netcore.Reason{Code: netcore.Replaced, Text: "replaced by another connection with your key"})
		}
	}
}

// checkRight returns why a request has no right to join, or "". A ticket stands for the password.
func (q *joinRequests) checkRight(r *netcore.ConnectRequest) (a *Arrival, refuse string) {
	if len(r.Ticket) > 0 {
		return q.checkTicket(r)
	}
	return nil, q.checkPassword(r)
}

// checkPassword returns why a request is refused for its password, or "".
func (q *joinRequests) checkPassword(r *netcore.ConnectRequest) (refuse string) {
	h := q.host
	if h.Admission.Password == "" {
		return ""
	}
	right := seal.Equal(r.Password, h.Admission.Password)
	if wait := q.guesses.wait(h.now, r.From, r.Key); wait > 0 {
		return fmt.Sprintf("too many wrong passwords from your address"+tryAgain+" in %v, or ask the operator to raise sv.addressLimit", (wait + time.Second - 1).Truncate(time.Second))
	}
	if right {
		if q.guesses.passed(r.Key) && h.cfg.Passed != nil {
			h.cfg.Passed(r.Key)
		}
		return ""
	}
	if r.Password == "" {
		return "this server needs a password: --password"
	}
	if pause := q.guesses.failed(h.now, r.From); pause > 0 && q.guesses.lines.allow("password guesses", h.Now()) {
		at := addressOf(r.From)
		h.cfg.Log.Warn("too many wrong passwords", "address", at, "key", r.Key.String(), "name", r.Name, "pause", pause.String())
		if h.cfg.Guessed != nil {
			h.cfg.Guessed(at, pause)
		}
	}
	return "wrong password"
}
