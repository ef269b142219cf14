package fleet

import "github.com/torc-engine/torc/node/internal/fleet/bus"

// handlers handle the news of a fleet, by kind, in the server and in its replay. Each may be nil.
// They run between two ticks, so they call no mod: inTick does that.
type handlers struct {
	message func(*bus.Message)
	reply   func(*bus.Reply)
	values  map[bus.Bucket]valueHandler
	line    []func(*bus.Line) // behind that of the service itself
	ended   map[uint64]func(*bus.Outcome)
	batch   uint64 // number of the newest one
}

// A valueHandler handles the values of a bucket.
type valueHandler interface {
	loaded(*bus.Loaded)
	changed(*bus.Changed)
}

// step runs before each tick of a server with a line to its fleet: what it has heard, then what it
// tells.
func (s *Service) step() {
	s.listen()
	s.presents()
}

// listen takes the news of the bus through the tape.
func (s *Service) listen() {
	for _, n := range s.bus.Take() {
		if s.admits(&n) {
			s.tell(&n)
		}
	}
	if n := s.presence.due(s.core.Now()); n != nil {
		s.tell(n)
	}
	if s.lists != nil {
		for _, n := range s.lists.intake.due() {
			s.tell(n)
		}
	}
}

// admits reports whether news count. It bounds the news of other servers, so a flood is neither in
// the journal nor in the game. It never runs in a replay.
func (s *Service) admits(n *bus.News) bool {
	switch {
	case n.Message != nil && s.admit != nil:
		return s.admit(n.Message)
	case n.Servers != nil:
		return s.presence.admits(n.Servers)
	case n.Line != nil:
		s.presence.line(n.Line.Up)
	case n.Loaded != nil && n.Loaded.Bucket == bus.Lists, n.Changed != nil && n.Changed.Bucket == bus.Lists:
		return s.lists != nil && s.lists.admits(n)
	}
	return true
}

// tell passes news through the tape.
func (s *Service) tell(n *bus.News) {
	if s.opts.Heard != nil {
		defer s.opts.Heard(n)()
	}
	s.Hear(n)
}

// Hear handles news.
func (s *Service) Hear(n *bus.News) {
	h := &s.handlers
	switch {
	case n.Line != nil:
		s.lined(n.Line)
	case n.Servers != nil:
		s.presence.take(n.Servers.List)
	case n.Message != nil && h.message != nil:
		h.message(n.Message)
	case n.Reply != nil && h.reply != nil:
		h.reply(n.Reply)
	case n.Loaded != nil && h.values[n.Loaded.Bucket] != nil:
		h.values[n.Loaded.Bucket].loaded(n.Loaded)
	case n.Changed != nil && h.values[n.Changed.Bucket] != nil:
		h.values[n.Changed.Bucket].changed(n.Changed)
	case n.Outcome != nil && h.ended[n.Outcome.Number] != nil:
		done := h.ended[n.Outcome.Number]
		delete(h.ended, n.Outcome.Number)
		done(n.Outcome)
	}
}

// do gives an order to the bus. In a replay there is none.
func (s *Service) do(o bus.Order) {
	if s.bus != nil {
		s.bus.Do(o)
	}
}

// commit writes a batch. done gets its outcome.
func (s *Service) commit(e bus.Epoch, writes []bus.Write, done func(*bus.Outcome)) {
	h := &s.handlers
	h.batch++
	h.ended[h.batch] = done
	s.do(bus.Commit{Batch: bus.Batch{Number: h.batch, Epoch: e, Writes: writes}})
}

// joined reports whether the server is in a fleet, also in a replay.
func (s *Service) joined() bool { return s.opts.Joins != nil }

// inTick lets f run at the start of the next tick, where mods can be called.
func (s *Service) inTick(f func()) { s.due = append(s.due, f) }

// BeginTick runs what waits for a tick.
func (s *Service) BeginTick() {
	due := s.due
	s.due = nil
	for _, f := range due {
		f()
	}
	if s.lists != nil {
		s.lists.beginTick()
	}
}
