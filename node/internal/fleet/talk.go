package fleet

import (
	"fmt"
	"maps"
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/messages"
)

// talk carries the messages of mods to other servers and back. It implements messages.Carrier.
type talk struct {
	service *Service

	// The rest is in front of the tape.
	all     rate.Bucket // bytes of all senders
	senders map[string]*sender
	dropped uint64
}

// A sender is another server that has sent messages.
type sender struct {
	mods   map[string]*rate.Bucket // messages, by mod of this server
	recent rate.Recent             // of all mods, in the largest messages
	told   bool                    // the log has its name
}

// allBytes is how many bytes of messages a server takes from all others. Those that send little
// come first: a server within its own limits leaves most of the burst.
var allBytes = rate.Limit{PerSecond: 4 << 20, Burst: 64 << 20}

const (
	recentTime = 5 * time.Second // of what a sender has sent lately
	noteBytes  = 256             // that a message counts in addition to its value
)

// Messages returns what carries the messages of mods to other servers, and lets those of other
// servers in. Call it once.
func (s *Service) Messages() messages.Carrier {
	t := &talk{service: s, senders: map[string]*sender{}}
	s.admit, s.handlers.message, s.handlers.reply = t.admit, t.take, t.end
	s.talk = t
	return t
}

// admit reports whether a message counts: one of a server that lives, for a mod that is loaded
// here, within the limits. The name of a server whose messages are dropped is in the log once,
// until it has left.
func (t *talk) admit(m *bus.Message) bool {
	if !t.service.presence.has(m.From) {
		t.dropped++
		return false
	}
	if !t.loaded(m.Mod) {
		return false // no mistake: servers run different mods
	}
	from := t.sender(m.From)
	why := t.objection(from, m)
	if why == "" {
		return true
	}
	if t.dropped++; !from.told {
		from.told = true
		t.service.core.Log.Warn("messages of a server of the fleet are dropped: "+why, "server", m.From, "mod", m.Mod)
	}
	return false
}

// objection says why a message does not count, "" if it does.
func (t *talk) objection(from *sender, m *bus.Message) string {
	now := t.service.core.Now()
	of := from.mods[m.Mod]
	if of == nil {
		of = &rate.Bucket{}
		maps.DeleteFunc(from.mods, func(mod string, _ *rate.Bucket) bool { return !t.loaded(mod) })
		from.mods[m.Mod] = of
	}
	if !of.Take(now, messages.Limit, 1) {
		return fmt.Sprintf("a mod can send %g messages a second, and %g at once", messages.Limit.PerSecond, messages.Limit.Burst)
	}
	if !t.all.HasShare(now, allBytes, from.recent.Count(now, recentTime)) {
		return "the servers send more than 4 MiB a second together, and this one much of it"
	}
	if err := messages.Note(m.Note).Check(); err != nil { // behind the limits: it reads the whole value
		return err.Error()
	}
	size := float64(noteBytes + len(m.Value))
	from.recent.Add(now, recentTime, size/bus.MaxNote)
	t.all.Owe(size)
	return ""
}

// sender returns what is known of a server. Servers that have left are forgotten.
func (t *talk) sender(name string) *sender {
	s := t.senders[name]
	if s == nil {
		maps.DeleteFunc(t.senders, func(name string, _ *sender) bool { return !t.service.presence.has(name) })
		s = &sender{mods: map[string]*rate.Bucket{}}
		t.senders[name] = s
	}
	return s
}

// loaded reports whether a mod is loaded here.
func (t *talk) loaded(mod string) bool { return t.service.core.Side.Scripts.Runtime.Mod(mod) != nil }

// metrics returns the number of messages of other servers that did not count, or that no mod was in
// time for.
func (t *talk) metrics() string {
	lost := t.dropped + t.service.core.Side.Scripts.Messages().Lost()
	return fmt.Sprintf("# TYPE torc_fleet_messages_dropped_total counter\ntorc_fleet_messages_dropped_total %d\n", lost)
}

// take gives a message to its mod, in the server and in its replay.
func (t *talk) take(m *bus.Message) {
	t.service.core.Side.Scripts.Messages().Receive(messages.Incoming{From: m.From, Question: m.Question, Number: m.Number, Note: messages.Note(m.Note)})
}

// end ends a question of a mod.
func (t *talk) end(r *bus.Reply) {
	t.service.core.Side.Scripts.Messages().Reply(r.Number, r.Value, r.Err)
}

// Reaches is part of messages.Carrier.
func (t *talk) Reaches(server string) error {
	switch s := t.service; {
	case !s.joined():
		return fmt.Errorf("there is no server %q: this server is in no fleet", server)
	case server == s.Name():
		return fmt.Errorf("%s is this server", server)
	case !s.presence.has(server):
		return fmt.Errorf("there is no server %q in the fleet", server)
	}
	return nil
}

// Send is part of messages.Carrier.
func (t *talk) Send(to string, n messages.Note) { t.service.do(bus.Send{To: to, Note: bus.Note(n)}) }

// Ask is part of messages.Carrier.
func (t *talk) Ask(to string, number uint64, n messages.Note) {
	t.service.do(bus.Ask{To: to, Number: number, Note: bus.Note(n)})
}

// Answer is part of messages.Carrier.
func (t *talk) Answer(to string, number uint64, value []byte, why string) {
	t.service.do(bus.Answer{To: to, Number: number, Value: value, Err: why})
}
