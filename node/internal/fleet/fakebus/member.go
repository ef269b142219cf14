package fakebus

import (
	"errors"
	"slices"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A Member is the bus of one server.
type Member struct {
	world   *World
	self    bus.Server
	inbox   []bus.News
	cut     bool // its line is away
	gone    bool // it is dead or closed
	follows map[bus.Group]bus.Follow
	asked   map[uint64]bool // questions without a reply; never iterated

	batches []bus.Batch            // without an outcome, in order
	sending bool                   // the first of them is on its way
	answers map[uint64]bus.Outcome // what became of batches at the centre; never iterated
	writes  map[place]result       // the last write of this server to a key; never iterated
}

// errAway is the error of Close while the line is down.
var errAway = errors.New("the fleet does not answer: changes can be missing there")

// Do queues an order.
func (m *Member) Do(o bus.Order) {
	if m.gone {
		return
	}
	switch o := o.(type) {
	case bus.Present:
		m.self = o.Server
		m.arrives(func() { m.world.present(m) })
	case bus.Send:
		m.arrives(func() { m.world.send(m, o) })
	case bus.Ask:
		m.ask(o)
	case bus.Answer:
		m.arrives(func() { m.world.answer(o) })
	case bus.Follow:
		m.follows[o.Group] = o
		m.arrives(func() { m.load(o.Group) })
	case bus.Commit:
		m.batches = append(m.batches, o.Batch)
		m.pump()
	}
}

// Take returns the news since the last call, up to the first part of the values of a group.
func (m *Member) Take() []bus.News {
	news := m.inbox
	if i := slices.IndexFunc(news, func(n bus.News) bool { return n.Loaded != nil && n.Loaded.More }); i >= 0 {
		m.inbox = news[i+1:]
		return news[:i+1]
	}
	m.inbox = nil
	return news
}

// Close sends what is queued at once: virtual time stands still meanwhile.
func (m *Member) Close(time.Duration) error {
	if m.gone {
		return nil
	}
	defer func() { m.gone = true }()
	if !m.up() {
		if len(m.batches) > 0 {
			return errAway
		}
		return nil
	}
	for _, b := range m.batches {
		m.outcome(m.world.commit(m, b))
	}
	m.batches = nil
	m.world.leave(m)
	return nil
}

// up reports whether the server has a line to the centre.
func (m *Member) up() bool { return !m.gone && !m.cut && !m.world.down }

// line tells the server what its line is like.
func (m *Member) line(warn string) {
	m.tell(bus.News{Line: &bus.Line{Up: m.up(), Warn: warn, Sync: "always"}})
}

// tell gives the server news.
func (m *Member) tell(n bus.News) {
	if !m.gone {
		m.inbox = append(m.inbox, n)
	}
}

// arrives lets something happen at the centre, unless the line is down then.
func (m *Member) arrives(do func()) {
	m.world.after(m.world.delay, func() {
		if m.up() {
			do()
		}
	})
}

// later gives the server news after the delay, unless the line is down then.
func (m *Member) later(n bus.News) { m.arrives(func() { m.tell(n) }) }

// catchUp tells the server what it has missed.
func (m *Member) catchUp() {
	if !m.up() {
		return
	}
	m.later(m.others(m.world.living()))
	for _, g := range sortedGroups(m.follows) {
		m.load(g)
	}
	m.pump()
}
