package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// A server sends a player to another server in these steps. The player plays on meanwhile.
//
//	Connection.Transfer ──queue──► order ──client has joined there──► the client ends this connection
//	                                 │                                    with netcore.Transferred
//	                                 └── a refusal, or no answer in time: the player stays

// The times of a transfer. They are counted in ticks.
const (
	transferPause  = time.Second / 20 // between two orders of a server
	transferSilent = 25 * time.Second // from the order to an answer: a client waits 8 s for the player, then 15 s
	transferJoins  = time.Minute      // from the verdict of the other server to the end of the connection
)

// A handoffPhase is how far the transfer of a connection is.
type handoffPhase uint8

const (
	handoffNone handoffPhase = iota
	handoffQueued
	handoffOrdered
	handoffAccepted // by the other server
)

// A handoff is the transfer of one connection, and afterwards the last one.
type handoff struct {
	phase  handoffPhase
	number uint64 // of orders that were sent on this connection, or received by a client
	order  TransferOrder
	data   []byte // for the ticket
	by     string // who has ordered it: the name of a mod
	seq    uint64 // its place in the queue
	until  uint64 // the tick that gives it up
	done   func(ok bool, reason string)
}

// handoff returns the transfer of a connection, nil if there never was one.
func (c *Connection) handoff() *handoff {
	if c.rare == nil {
		return nil
	}
	return c.rare.handoff
}

// Transfer sends the player of an inbound connection to another server. It plays on until it is
// there. data goes to the mods of that server, in the ticket that this one makes. by is who orders
// it: the places of the queue are shared by it. Of the order, Ticket is not used.
//
// done runs once in a tick, with true before the end of the connection and with false if the player
// stays; reason is then a sentence for people. The error says why there is no transfer at all.
func (c *Connection) Transfer(o TransferOrder, data []byte, by string, done func(ok bool, reason string)) error {
	if !canServe {
		return errNoTransfers
	}
	if err := c.mayTransfer(&o, data); err != nil {
		return err
	}
	c.host.world.OnCommit(func() { c.host.transfers.queue(c, o, data, by, done) })
	return nil
}

// Transferring reports whether a transfer of the connection is queued or under way.
func (c *Connection) Transferring() bool {
	t := c.handoff()
	return t != nil && t.phase != handoffNone
}

var (
	errNoTransfers  = errors.New("only a server with a key can transfer players")
	errGone         = errors.New("the player has left, or has not joined yet")
	errTwoTransfers = errors.New("the player is being transferred already")
)

// mayTransfer returns why a connection cannot be transferred.
func (c *Connection) mayTransfer(o *TransferOrder, data []byte) error {
	switch {
	case !c.inbound || c.host.cfg.SealTicket == nil:
		return errNoTransfers
	case c.bot:
		return errors.New("a bot cannot be transferred: it has no client")
	case c.spectator:
		return errors.New("a spectator cannot be transferred")
	case c.address == localAddress:
		return errors.New("the player of this program's own client cannot be transferred: the server ends with it")
	case c.over() || c.net == nil:
		return errGone
	case !c.events.Knows(transferID):
		return errors.New("the client of this player cannot be transferred: it has another program")
	case o.Key == c.host.cfg.Identity.Public:
		return errors.New("the player is at that server already")
	case c.Transferring():
		return errTwoTransfers
	case len(o.Address) > maxTransferAddress || len(o.Name) > maxTransferName:
		return fmt.Errorf("the address of a server has at most %d bytes, and its name at most %d", maxTransferAddress, maxTransferName)
	case len(data) > seal.MaxTicketData:
		return fmt.Errorf("a transfer carries at most %d bytes of data, got %d", seal.MaxTicketData, len(data))
	}
	return nil
}

// transfers are the transfers of a server.
type transfers struct {
	host    *Host
	waiting []*Connection // in the queue
	under   []*Connection // with an order that has no end yet, oldest first
	next    float64       // the tick from which on the next order can be sent
	seq     uint64        // of the queue
	served  map[string]uint64
	sent    uint64 // orders so far
}

// maxServed is how many owners of orders are remembered. More begin a new round.
const maxServed = 1 << 13

// queue adds a transfer to the queue. A connection has one at a time, so the queue has no more
// places than the server.
func (q *transfers) queue(c *Connection, o TransferOrder, data []byte, by string, done func(bool, string)) {
	if c.Transferring() || c.over() { // one change of the world has two orders, or its player has left
		q.refuse(c, done)
		return
	}
	q.seq++
	c.setRare(func(r *rare) {
		if r.handoff == nil {
			r.handoff = new(handoff)
		}
		t := r.handoff
		*t = handoff{phase: handoffQueued, number: t.number, order: o, data: data, by: by, seq: q.seq, done: done}
	})
	q.waiting = append(q.waiting, c)
}

// refuse tells in the next tick that an order cannot be sent any more.
func (q *transfers) refuse(c *Connection, done func(ok bool, reason string)) {
	reason := errGone.Error()
	if !c.over() {
		reason = errTwoTransfers.Error()
	}
	if done != nil {
		q.host.inbox = append(q.host.inbox, func() { done(false, reason) })
	}
}

// step sends the orders that are due, and gives up those without an answer. It runs once a tick.
func (q *transfers) step() {
	now := float64(q.host.tick)
	for len(q.waiting) > 0 && q.next <= now {
		at := q.choose()
		c := q.waiting[at]
		q.waiting = slices.Delete(q.waiting, at, at+1)
		q.next = max(q.next, now-1) + q.host.Pace.ticksIn(transferPause)
		q.send(c)
	}
	for _, c := range slices.Clone(q.under) {
		if t := c.handoff(); q.host.tick >= t.until {
			q.end(c, false, t.late())
		}
	}
}

// late is the reason of a transfer that took too long.
func (t *handoff) late() string {
	if t.phase == handoffAccepted {
		return t.order.Name + " took too long to let the player in" + tryAgain
	}
	return "the client did not answer in time" + tryAgain
}

// choose returns whose order is sent next. The mods take turns, and the addresses within a mod: a
// mod that sends all its players away does not delay the player of another one.
func (q *transfers) choose() (at int) {
	for i, c := range q.waiting[1:] {
		if q.before(c, q.waiting[at]) {
			at = i + 1
		}
	}
	best := q.waiting[at]
	if len(q.served) >= maxServed || q.served == nil {
		q.served = map[string]uint64{}
	}
	q.sent++
	q.served[best.handoff().by] = q.sent
	q.served[addressShare(best)] = q.sent
	return at
}

// before reports whether the order of a comes before that of b.
func (q *transfers) before(a, b *Connection) bool {
	s, t := a.handoff(), b.handoff()
	return cmp.Or(
		cmp.Compare(q.served[s.by], q.served[t.by]),
		cmp.Compare(q.served[addressShare(a)], q.served[addressShare(b)]),
		cmp.Compare(s.seq, t.seq),
	) < 0
}

// addressShare is the share of a mod that the address of a connection has in the queue. Names of
// mods have no space.
func addressShare(c *Connection) string { return c.handoff().by + " " + ownerOf(c) }

// send sends an order.
func (q *transfers) send(c *Connection) {
	t := c.handoff()
	ticket, err := q.host.cfg.SealTicket(t.order.Key, c.key, t.data)
	if err != nil {
		q.end(c, false, err.Error())
		return
	}
	t.number++
	t.order.Ticket, t.data = ticket, nil
	t.phase, t.until = handoffOrdered, q.host.Pace.tickAfter(transferSilent)
	q.under = append(q.under, c)
	c.post(&transferEvent{use: transferOrdered, number: t.number, order: t.order}, commands)
	t.order.Ticket = nil
}

// end ends the transfer of a connection, if there is one.
func (q *transfers) end(c *Connection, ok bool, reason string) {
	if !c.Transferring() {
		return
	}
	is := func(o *Connection) bool { return o == c }
	q.waiting = slices.DeleteFunc(q.waiting, is)
	q.under = slices.DeleteFunc(q.under, is)
	t := c.handoff()
	done := t.done
	t.phase, t.done, t.data = handoffNone, nil, nil
	if done != nil {
		done(ok, reason)
	}
}

// answered handles what a client says about the order with a number. Answers to other orders come
// too late, or are lies: both change nothing.
func (q *transfers) answered(c *Connection, e *transferEvent) {
	t := c.handoff()
	if t == nil || e.number != t.number || t.phase < handoffOrdered {
		return
	}
	if e.use == transferRefused {
		q.end(c, false, cmp.Or(console.Readable(e.refusal), "the client refuses"))
		return
	}
	if t.phase == handoffOrdered {
		t.phase, t.until = handoffAccepted, q.host.Pace.tickAfter(transferJoins)
	}
}

// transferredTo begins the reason of a connection whose player has gone to another server, for
// people and for scripts.
const transferredTo = "transferred to "

// left ends the transfer of a connection that has ended. It returns why that was, for people and
// for scripts. A client has no influence on the name of the other server, and without an order that
// is under way it has only left, whatever it says.
func (q *transfers) left(c *Connection, r netcore.Reason) netcore.Reason {
	t := c.handoff()
	switch ordered := t != nil && t.phase >= handoffOrdered; {
	case !c.inbound:
	case r.Code == netcore.Transferred && ordered:
		r.Text = transferredTo + t.order.Name
	case r.Code == netcore.Transferred, r.Code == netcore.Closed && strings.HasPrefix(r.Text, transferredTo):
		r = netcore.Reason{Code: netcore.Closed}
	}
	q.end(c, r.Code == netcore.Transferred, r.String())
	return r
}

// takeOrder passes the order of a server to the program of a client.
func (c *Connection) takeOrder(e *transferEvent) {
	busy := c.Transferring()
	if !busy {
		c.setRare(func(r *rare) {
			r.handoff = &handoff{phase: handoffOrdered, number: e.number, order: e.order}
		})
	}
	switch {
	case busy:
		c.refuseOrder(e.number, "the client follows another order already")
	case c.host.cfg.Transfer == nil:
		c.AnswerTransfer("this client cannot be transferred")
	default:
		c.host.cfg.Transfer(c, e.order)
	}
}

// refuseOrder tells the server that the client does not follow an order.
func (c *Connection) refuseOrder(number uint64, refusal string) {
	refusal = strings.ToValidUTF8(refusal[:min(len(refusal), netcore.MaxReasonText)], "")
	c.post(&transferEvent{use: transferRefused, number: number, refusal: refusal}, commands)
}

// AcceptTransfer tells the server that the other server has accepted this client. It then waits
// longer for AnswerTransfer. The program calls it on the connection of its Config.Transfer.
func (c *Connection) AcceptTransfer() {
	if t := c.handoff(); t != nil && t.phase == handoffOrdered && !c.inbound {
		t.phase = handoffAccepted
		c.post(&transferEvent{use: transferAccepted, number: t.number}, commands)
	}
}

// AnswerTransfer ends the transfer that Config.Transfer has got. A refusal, a sentence for people,
// means that the player stays. "" means that the player plays at the other server now: this
// connection ends. Without a transfer under way AnswerTransfer does nothing.
func (c *Connection) AnswerTransfer(refusal string) {
	t := c.handoff()
	if t == nil || t.phase == handoffNone || c.inbound {
		return
	}
	t.phase = handoffNone
	if refusal != "" {
		c.refuseOrder(t.number, refusal)
		return
	}
	if c.net != nil && !c.ended {
		c.net.Close(netcore.Reason{Code: netcore.Transferred, Text: transferredTo + t.order.Name})
	}
}

// Arrive tells the server that another server has sent this client to: from now on the player plays
// here. The program calls it when it swaps.
func (c *Connection) Arrive() {
	if !c.inbound {
		c.post(&transferEvent{use: transferArrived}, commands)
	}
}
