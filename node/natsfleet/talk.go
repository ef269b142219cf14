package natsfleet

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Each server can send this much to another one: messages, questions and answers together.
const (
	perSecond = 20
	burst     = 100
)

var sending = rate.Limit{PerSecond: perSecond, Burst: burst}

const (
	maxQueued   = 1024 // letters that wait to be sent
	maxOfMod    = 128  // of one mod; the newest is dropped
	maxPending  = 1024 // questions without an answer
	maxAsked    = 256  // of one mod
	maxReceived = 1024 // letters that have come and were not looked at
)

// talk sends and receives messages, questions and answers.
type talk struct {
	bus   *fleetBus
	begin time.Time

	mu      sync.Mutex
	queue   []outgoing
	ofMod   map[string]int
	wake    chan struct{}
	beats   int // of run since its start: a process that stands still counts one at most
	pending map[uint64]asked
	askers  map[string]int // questions of each mod

	buckets map[string]*rate.Bucket // of the senders that are known, and "" of all others; the receiver's
}

// outgoing is a letter on its way to a server, or to all.
type outgoing struct {
	to string
	letter
}

// asked is a question without an answer.
type asked struct {
	to, mod string
	until   int // the beat
}

func newTalk(b *fleetBus) *talk {
	return &talk{
		bus: b, begin: time.Now(), ofMod: map[string]int{}, wake: make(chan struct{}, 1),
		pending: map[uint64]asked{}, askers: map[string]int{}, buckets: map[string]*rate.Bucket{},
	}
}

// subject returns the subject of a message to a server, or to all of them. It names the sender
// first, so NATS can keep a member from the subjects of another one.
func (t *talk) subject(to string) string {
	if to == "" {
		return t.bus.config.prefix() + ".from." + t.bus.name + ".all"
	}
	return t.bus.config.prefix() + ".from." + t.bus.name + ".to." + to
}

// sender returns the server that has published on a subject.
func (t *talk) sender(subject string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(subject, t.bus.config.prefix()+".from.")
	name, _, _ = strings.Cut(rest, ".")
	return name, ok && names.Server(name)
}

func (t *talk) send(o bus.Send) {
	if why := fits(o.Note); why != "" {
		t.bus.tally.add("messages of the mod " + o.Mod + ": " + why)
		return
	}
	if !t.post(outgoing{o.To, letter{kind: isMessage, Note: o.Note}}) {
		t.bus.tally.add("messages of the mod " + o.Mod + ", which sends too many")
	}
}

func (t *talk) answer(o bus.Answer) {
	l := letter{kind: isAnswer, number: o.Number, err: cut(o.Err, maxError), Note: bus.Note{Value: o.Value}}
	if len(o.Value) > bus.MaxNote {
		l.Value, l.err = nil, "the answer is longer than 16 KiB"
	}
	if !names.Server(o.To) || !t.post(outgoing{o.To, l}) {
		t.bus.tally.add("answers to other servers, which ask too much")
	}
}

// ask keeps a question until its answer comes, and sends it.
func (t *talk) ask(o bus.Ask) {
	why := fits(o.Note)
	_, up, _ := t.bus.line.state()
	switch {
	case why != "":
	case !names.Server(o.To):
		why = "no such server"
	case !up:
		why = "the fleet is not reached"
	case !t.expect(o):
		why = "too many questions wait for an answer"
	case !t.post(outgoing{o.To, letter{kind: isQuestion, number: o.Number, Note: o.Note}}):
		why = "too many messages wait to be sent"
		t.forget(o.Number)
	}
	if why != "" {
		t.bus.in.add(bus.News{Reply: &bus.Reply{Number: o.Number, Err: why}})
	}
}

func (t *talk) expect(o bus.Ask) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) >= maxPending || t.askers[o.Mod] >= maxAsked {
		return false
	}
	t.pending[o.Number] = asked{o.To, o.Mod, t.beats + int(bus.AskTime/expireEvery)}
	t.askers[o.Mod]++
	return true
}

// forget ends a question, and reports whether it was open.
func (t *talk) forget(number uint64) (a asked, open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a, open = t.pending[number]; open {
		delete(t.pending, number)
		if t.askers[a.mod]--; t.askers[a.mod] == 0 {
			delete(t.askers, a.mod)
		}
	}
	return a, open
}

// post queues a letter.
func (t *talk) post(o outgoing) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) >= maxQueued || t.ofMod[o.Mod] >= maxOfMod {
		return false
	}
	t.queue = append(t.queue, o)
	t.ofMod[o.Mod]++
	select {
	case t.wake <- struct{}{}:
	default:
	}
	return true
}

// next takes all letters that wait.
func (t *talk) next() []outgoing {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.queue
	t.queue = nil
	clear(t.ofMod)
	return list
}

const expireEvery = 50 * time.Millisecond

// run sends what waits, and ends questions without an answer. It receives over a channel that NATS
// fills; what finds it full is lost.
func (t *talk) run() {
	in := make(chan *nats.Msg, maxReceived)
	t.subscribe(in)
	every := time.NewTicker(expireEvery)
	defer every.Stop()
	t.bus.work.Go(t.publish)
	for {
		select {
		case m := <-in:
			t.receive(m, time.Since(t.begin))
		case <-every.C:
			t.expire()
		case <-t.bus.ctx.Done():
			return
		}
	}
}

func (t *talk) subscribe(in chan *nats.Msg) {
	if t.bus.name == "" {
		return // it only looks
	}
	for _, to := range []string{"all", "to." + t.bus.name} {
		if sub, err := t.bus.nc.ChanSubscribe(t.bus.config.prefix()+".from.*."+to, in); err == nil {
			_ = sub.SetPendingLimits(maxReceived, maxReceived*maxLetter)
		}
	}
}

// publish sends letters until the end. NATS can hold it up.
func (t *talk) publish() {
	for {
		select {
		case <-t.wake:
		case <-t.bus.ctx.Done():
			return
		}
		for _, o := range t.next() {
			if t.bus.name != "" {
				_ = t.bus.nc.PublishMsg(message(t.subject(o.to), o.encode())) // lost without a line
			}
		}
	}
}

// receive hears a letter.
func (t *talk) receive(m *nats.Msg, now time.Duration) {
	from, ok := t.sender(m.Subject)
	if !ok || from == t.bus.name {
		return
	}
	owner := from
	if !t.bus.presence.lives(from) {
		owner = "" // all unknown ones share
	}
	if !t.allowed(owner, now) {
		t.bus.tally.add("messages of " + named(owner) + ": more than 20 per second")
		return
	}
	l, err := decodeLetter(m.Data)
	if err != nil {
		t.bus.tally.add("messages of " + named(owner) + " that torc has not written, or longer than 16 KiB")
		return
	}
	if l.kind == isAnswer {
		t.answered(from, l)
		return
	}
	lost, dropped := t.bus.in.message(owner, bus.Message{From: from, Question: l.kind == isQuestion, Number: l.number, Note: l.Note})
	if dropped {
		t.bus.tally.add("messages of " + named(lost) + ": this server does not take them fast enough")
	}
}

func named(owner string) string {
	if owner == "" {
		return "servers that are not in the list"
	}
	return owner
}

// allowed reports whether a sender is within its limit.
func (t *talk) allowed(owner string, now time.Duration) bool {
	b := t.buckets[owner]
	if b == nil {
		if len(t.buckets) > 2*maxKnown { // of servers that have gone
			clear(t.buckets)
		}
		b = &rate.Bucket{}
		t.buckets[owner] = b
	}
	return b.Take(now, sending, 1)
}

// answered ends a question, if the answer comes from the server that was asked.
func (t *talk) answered(from string, l letter) {
	t.mu.Lock()
	a, open := t.pending[l.number]
	t.mu.Unlock()
	if !open || a.to != from {
		return
	}
	t.forget(l.number)
	t.bus.in.add(bus.News{Reply: &bus.Reply{Number: l.number, Value: l.Value, Err: l.err}})
}

// expire counts a beat, and ends questions that have waited too long.
func (t *talk) expire() {
	var late []uint64
	t.mu.Lock()
	t.beats++
	for n, a := range t.pending {
		if t.beats > a.until {
			late = append(late, n)
		}
	}
	t.mu.Unlock()
	slices.Sort(late)
	for _, n := range late {
		if a, open := t.forget(n); open {
			t.bus.in.add(bus.News{Reply: &bus.Reply{Number: n, Err: a.to + " does not answer"}})
		}
	}
}
