package messages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

const (
	// MaxTopic is the longest topic, in bytes.
	MaxTopic = 64
	// MaxValue is the largest value of a message, a question or an answer: its bytes as a stored
	// value.
	MaxValue = 16 << 10
	// AskTime is how long a question waits for its answer.
	AskTime = 2 * time.Second
)

// Limit is how many messages, questions included, a mod can send. A server takes as many for each
// of its mods from each other server.
var Limit = rate.Limit{PerSecond: 20, Burst: 100}

// A Note is what one mod says to itself on another server.
type Note struct {
	Mod, Topic string
	Value      []byte // encoded as stored values are; empty for nil
}

// Check returns why no server can have sent a note, or nil.
func (n Note) Check() error {
	if len(n.Topic) < 1 || len(n.Topic) > MaxTopic {
		return fmt.Errorf("a topic must have 1 to %d bytes, not %d", MaxTopic, len(n.Topic))
	}
	return checkValue(n.Value)
}

// checkValue returns why bytes are no value of a message, or nil.
func checkValue(value []byte) error {
	if len(value) > MaxValue {
		return fmt.Errorf("the value of a message can have at most %d bytes, not %d", MaxValue, len(value))
	}
	if len(value) == 0 {
		return nil
	}
	_, err := store.Decode(nil, value)
	return err
}

// A Carrier carries notes to other servers. None of its methods waits.
type Carrier interface {
	// Reaches returns why no server of a name can be asked, or nil.
	Reaches(server string) error
	// Send sends a note to a server, or to all others if to is "".
	Send(to string, n Note)
	// Ask sends a question. Set.Reply gets the answer.
	Ask(to string, number uint64, n Note)
	// Answer answers a question. why is "" for an answer.
	Answer(to string, number uint64, value []byte, why string)
}

// Config connects a Set to the rest of a host.
type Config struct {
	Runtime *vm.Runtime
	Carrier Carrier // nil: there are no other servers
	// Connected returns the peer, or 0 if it has left.
	Connected func(p vm.Peer) vm.Peer
}

// A Set is the messages and questions of all mods of a host.
type Set struct {
	cfg     Config
	limits  map[string]*rate.Bucket // by mod: a reload does not fill them
	out     []outgoing
	asks    []*ask // in the order of their numbers
	newest  uint64 // number of a question
	inboxes map[string]*inbox
	lost    uint64
	told    map[string]bool // mods that were warned of
}

// New returns an empty Set.
func New(cfg Config) *Set {
	return &Set{cfg: cfg, limits: map[string]*rate.Bucket{}, inboxes: map[string]*inbox{}, told: map[string]bool{}}
}

// outgoing is a note that waits for the end of the tick.
type outgoing struct {
	mod    *vm.Mod
	to     string
	number uint64 // of a question; 0: a message
	Note
}

// Begin runs the callbacks of questions that have ended, and then the handlers of messages. Call it
// once at the start of each tick. A mod that has used up its share of the tick goes on in the next
// one.
func (s *Set) Begin() {
	s.endAsks()
	if len(s.inboxes) == 0 {
		return
	}
	for _, m := range slices.Clone(s.cfg.Runtime.Mods) {
		box := s.inboxes[m.Name]
		for box != nil && !s.cfg.Runtime.BusyFor(m) {
			i, waits := box.next()
			if !waits {
				break
			}
			s.handle(m, i)
		}
	}
	maps.DeleteFunc(s.inboxes, func(mod string, box *inbox) bool { return box.count == 0 || s.cfg.Runtime.Mod(mod) == nil })
}

// Flush gives what the mods have sent to the Carrier. Call it once at the end of each tick.
func (s *Set) Flush() {
	out := s.out
	s.out = nil
	if s.cfg.Carrier == nil {
		return
	}
	for _, o := range out {
		if o.number == 0 {
			s.cfg.Carrier.Send(o.to, o.Note)
		} else {
			s.cfg.Carrier.Ask(o.to, o.number, o.Note)
		}
	}
}

// Retire ends the questions of a mod instance, and sends nothing of it any more. The next instance
// of the mod gets the messages that wait.
func (s *Set) Retire(m *vm.Mod) {
	s.out = slices.DeleteFunc(s.out, func(o outgoing) bool { return o.mod == m })
	for _, q := range s.asks {
		q.gone = q.gone || q.mod == m
	}
}

// handle runs the handler of a message.
func (s *Set) handle(m *vm.Mod, i Incoming) {
	event := messageEvent
	if i.Question {
		event = askEvent
	}
	fn, ok := m.Global(event).(*lua.LFunction)
	if !ok {
		s.answer(i, nil, fmt.Sprintf("mod %s answers no questions there", m.Name))
		return
	}
	value, why := s.call(m, event, fn, i.Value, lua.LString(i.Topic), lua.LString(i.From))
	s.answer(i, value, why)
}

// answer answers a question, and nothing else.
func (s *Set) answer(i Incoming, value []byte, why string) {
	if i.Question && s.cfg.Carrier != nil {
		s.cfg.Carrier.Answer(i.From, i.Number, value, why)
	}
}

// call calls a handler with a topic, a value and the name of a server, and returns the encoded
// result.
func (s *Set) call(m *vm.Mod, event string, fn *lua.LFunction, value []byte, topic, from lua.LValue) (result []byte, why string) {
	r := m.EventRecord(event)
	if !m.ReceivesOn(r) {
		return nil, fmt.Sprintf("mod %s is suspended there", m.Name)
	}
	e, err := s.cfg.Runtime.OpenCallback(m, r, fn)
	if err == nil {
		m.State.Book(len(value))
		e.Thread.Push(topic)
		e.Thread.Push(decode(m, value))
		e.Thread.Push(from)
		if err = e.Run(3, 1); err == nil {
			var unsendable error
			if event == askEvent {
				var size int
				result, size, unsendable = encode(e.Thread.Get(-1))
				m.State.Book(size)
				unsendable = placed(fn, unsendable)
			}
			err = cmp.Or(e.Close(nil), unsendable)
		}
	}
	if err != nil {
		s.cfg.Runtime.Fail(m, event, err)
		return nil, fmt.Sprintf("mod %s has failed there", m.Name)
	}
	return result, ""
}

// placed adds the place of a function to the error about its result.
func placed(fn *lua.LFunction, err error) error {
	if err == nil || fn.IsG {
		return err
	}
	return fmt.Errorf("%s:%d: the result of the function: %w", fn.Proto.SourceName, fn.Proto.LineDefined, err)
}

// encode encodes the value of a note. It also returns what that costs, as store.EncodeSized does.
func encode(v lua.LValue) (value []byte, size int, err error) {
	if v == lua.LNil {
		return nil, 0, nil
	}
	value, size, err = store.EncodeSized(v)
	if len(value) > MaxValue {
		return nil, size, fmt.Errorf("the value of a message can have at most %d bytes, not %d", MaxValue, len(value))
	}
	return value, size, err
}

// decode decodes the value of a note that checkValue has accepted.
func decode(m *vm.Mod, value []byte) lua.LValue {
	if len(value) == 0 {
		return lua.LNil
	}
	m.NoteString(len(value))
	v, err := store.Decode(bind.Of(m), value)
	if err != nil {
		return lua.LNil
	}
	return v
}
