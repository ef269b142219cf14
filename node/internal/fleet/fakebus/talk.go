package fakebus

import "github.com/torc-engine/torc/node/internal/fleet/bus"

// send passes a message on.
func (w *World) send(from *Member, o bus.Send) {
	for _, m := range w.members {
		if m != from && !m.gone && (o.To == "" || o.To == m.self.Name) {
			m.later(bus.News{Message: &bus.Message{From: from.self.Name, Note: o.Note}})
		}
	}
}

// ask passes a question on, and ends it if no answer comes.
func (m *Member) ask(o bus.Ask) {
	m.asked[o.Number] = true
	m.world.after(bus.AskTime, func() { m.reply(bus.Reply{Number: o.Number, Err: o.To + " does not answer"}) })
	m.arrives(func() {
		to := m.world.named(o.To)
		if len(to) == 0 {
			m.world.after(m.world.delay, func() {
				m.reply(bus.Reply{Number: o.Number, Err: "the fleet has no server " + o.To})
			})
		}
		for _, peer := range to {
			peer.later(bus.News{Message: &bus.Message{From: m.self.Name, Question: true, Number: o.Number, Note: o.Note}})
		}
	})
}

// answer passes an answer on.
func (w *World) answer(o bus.Answer) {
	for _, m := range w.named(o.To) {
		m.arrives(func() { m.reply(bus.Reply{Number: o.Number, Value: o.Value, Err: o.Err}) })
	}
}

// reply ends a question.
func (m *Member) reply(r bus.Reply) {
	if m.asked[r.Number] {
		delete(m.asked, r.Number)
		m.tell(bus.News{Reply: &r})
	}
}
